/// A service's day in small: few keys asked for often, many seldom, and now and then a scan through cold ones.
///
/// The same seed gives the same requests. Sizes belong to keys, so that a key never changes its size.
struct SyntheticWorkload: RequestSource {
    static let defaultRequests = 1_000_000

    let seed: UInt64
    let requests: Int

    private static let hotKeys = 100_000
    private static let coldKeys = 400_000
    private static let scanInterval = 50_000
    private static let scanLength = 5_000

    private let zipf = ZipfSampler(count: Self.hotKeys, exponent: 0.9)
    private var random: SplitMix64
    private var served = 0
    private var scanPosition = 0

    init(seed: UInt64, requests: Int = Self.defaultRequests) {
        self.seed = seed
        self.requests = requests
        random = SplitMix64(seed: seed)
    }

    var name: String { "synthetic (Zipf 0.9 over \(Self.hotKeys) keys with scans, seed \(seed))" }

    var fractionDone: Double? { Double(served) / Double(max(1, requests)) }

    mutating func read(_ count: Int, into batch: inout [TraceRequest]) throws(ToolError) {
        batch.removeAll(keepingCapacity: true)
        while batch.count < count, served < requests {
            batch.append(nextRequest())
            served += 1
        }
    }

    private mutating func nextRequest() -> TraceRequest {
        let phase = served % Self.scanInterval
        guard phase >= Self.scanInterval - Self.scanLength else {
            return Self.request(zipf.next(using: &random))
        }
        if phase == Self.scanInterval - Self.scanLength {
            scanPosition = Int.random(in: 0..<Self.coldKeys, using: &random)
        }
        scanPosition = (scanPosition + 1) % Self.coldKeys
        return Self.request(Self.hotKeys + 1 + scanPosition)
    }

    private static func request(_ number: Int) -> TraceRequest {
        let scattered = SplitMix64.mix(UInt64(number))
        // 256 bytes to 32 KiB, each power of two as likely as the next, and up to 255 bytes more.
        let size = 256 << Int(scattered >> 61) + Int(scattered >> 8 & 0xFF)
        return TraceRequest(key: Int64(bitPattern: scattered), size: size)
    }
}
