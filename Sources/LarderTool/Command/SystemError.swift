internal import FoundationEssentials
internal import Glibc

/// The system's words for its error numbers.
enum SystemError {
    /// The reason inside an error of Foundation, whose own description is its fields.
    static func description(of error: any Error) -> String {
        guard let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code else { return "\(error)" }
        return description(of: code.rawValue)
    }

    static func description(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(number, &buffer, 128) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
