internal import Foundation

/// A key that can be had as an object too, since `NSCache` takes nothing else.
protocol CacheKey: Hashable, Sendable {
    associatedtype Object: NSObject

    var object: Object { get }
}

extension Int: CacheKey {
    var object: NSNumber { NSNumber(value: self) }
}

extension String: CacheKey {
    var object: NSString { NSString(string: self) }
}
