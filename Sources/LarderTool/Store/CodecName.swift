/// The codec a value is stored with, as people name it.
struct CodecName: Equatable, LosslessStringConvertible {
    let id: UInt16

    static let bytes = CodecName(id: 1)
    static let string = CodecName(id: 2)

    private static let names: [(String, UInt16)] = [("bytes", 1), ("string", 2), ("json", 3), ("plist", 4)]

    init(id: UInt16) {
        self.id = id
    }

    init?(_ description: String) {
        guard let id = Self.names.first(where: { $0.0 == description })?.1 ?? UInt16(description), id > 0 else {
            return nil
        }
        self.id = id
    }

    var description: String { Self.names.first { $0.1 == id }?.0 ?? "\(id)" }

    /// Whether text is what such a value holds: true of a service's own codecs only as far as anyone knows.
    var takesText: Bool { [1, 2, 3].contains(id) || id >= 256 }
}
