internal import FoundationEssentials

/// The requests of one of the public traces, in order.
package struct AccessTrace: Sendable {
    package struct Request: Sendable {
        package let key: UInt64
        package let size: Int
    }

    package let name: String
    package let requests: [Request]

    /// The traces and the forms in which they lie in the folder.
    package enum Name: String, Sendable, CaseIterable {
        case cloudphysics = "cloudphysics.oracle"
        case corda = "corda.i64be"
        case twoPools = "2_pools.lirs"
        case loop = "loop.lirs"
        case ps = "ps.lirs"
        case sprite = "sprite.lirs"
        case web07 = "web07.i32be"
        case ormBusy = "orm-busy.i32be"
    }

    /// Reads a trace, or the first requests of it.
    package init(_ trace: Name, prefix: Int = .max) throws {
        name = trace.rawValue
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: SharedTraces.path(name))))
        let requests =
            switch trace {
            case .cloudphysics: Self.oracle(bytes)
            case .corda: Self.bigEndian(bytes, width: 8)
            case .web07, .ormBusy: Self.bigEndian(bytes, width: 4)
            case .twoPools, .loop, .ps, .sprite: Self.lines(bytes)
            }
        self.requests = prefix < requests.count ? Array(requests[..<prefix]) : requests
    }

    /// Records of 24 bytes, little-endian: time (4), key (8), size (4), next access (8).
    private static func oracle(_ bytes: [UInt8]) -> [Request] {
        stride(from: 0, to: bytes.count - 23, by: 24).map { start in
            let key = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + 4 + $1]) << UInt64($1 * 8) }
            let size = (0..<4).reduce(0) { $0 | Int(bytes[start + 12 + $1]) << ($1 * 8) }
            return Request(key: key, size: size)
        }
    }

    private static func bigEndian(_ bytes: [UInt8], width: Int) -> [Request] {
        var requests: [Request] = []
        requests.reserveCapacity(bytes.count / width)
        var start = 0
        while start + width <= bytes.count {
            var key: UInt64 = 0
            for offset in 0..<width { key = key << 8 | UInt64(bytes[start + offset]) }
            requests.append(Request(key: key, size: 1))
            start += width
        }
        return requests
    }

    /// One number a line; lines with anything else are markers.
    private static func lines(_ bytes: [UInt8]) -> [Request] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }.compactMap { line in
            var key: UInt64 = 0
            for byte in line where byte != 0x20 {
                guard (0x30...0x39).contains(byte) else { return nil }
                key = key * 10 + UInt64(byte - 0x30)
            }
            return Request(key: key, size: 1)
        }
    }
}
