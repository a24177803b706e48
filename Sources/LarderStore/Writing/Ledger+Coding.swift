/// The ledger's bytes: version, length-prefixed fields, and a checksum in front.
///
/// Small and written with each commit, so it is one value: there is no half-updated state to repair.
extension Ledger {
    static let formatVersion: UInt32 = 2

    enum Reading {
        case ledger(Ledger)
        case otherVersion(UInt32)
        case damaged
    }

    var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.write(Self.formatVersion)
        writer.write(seed)
        writer.write(nextSequence)
        writer.write(nextInstance)
        writer.write(nextExtension)
        writer.write(UInt32(tables.count))
        for (name, table) in tables {
            writer.write(name)
            writer.write(table.keyKind)
            writer.write(table.instance)
        }
        writer.write(UInt32(counts.count))
        for (instance, count) in counts {
            writer.write(instance)
            writer.write(Int64(count.entries))
            writer.write(Int64(count.bytes))
        }
        writer.write(UInt32(dead.count))
        for instance in dead { writer.write(instance) }
        writer.write(UInt32(extensions.count))
        for (name, record) in extensions {
            writer.write(name)
            writer.write(record.kind)
            writer.write(record.id)
            writer.write(record.version)
            writer.write(record.fillEnd)
            writer.write(record.filledTo)
        }
        writer.write(UInt32(orphans.count))
        for id in orphans { writer.write(id) }
        let checksum = HashSeed(value: 0).checksum(of: writer.bytes)
        var whole = [UInt8](repeating: 0, count: 8)
        whole.store(checksum, at: 0)
        return whole + writer.bytes
    }

    static func read(_ bytes: [UInt8]) -> Reading {
        guard bytes.count > 12 else { return .damaged }
        let body = Array(bytes[8...])
        guard bytes.load(UInt64.self, at: 0) == HashSeed(value: 0).checksum(of: body) else { return .damaged }
        var reader = ByteReader(body)
        guard let version = reader.read(UInt32.self) else { return .damaged }
        guard version == formatVersion else { return .otherVersion(version) }
        guard let ledger = Ledger(&reader) else { return .damaged }
        return .ledger(ledger)
    }

    private init?(_ reader: inout ByteReader) {
        guard let seed = reader.read(UInt64.self), let nextSequence = reader.read(UInt64.self),
            let nextInstance = reader.read(UInt32.self), let nextExtension = reader.read(UInt16.self)
        else { return nil }
        self.init(seed: seed)
        self.nextSequence = nextSequence
        self.nextInstance = nextInstance
        self.nextExtension = nextExtension
        for _ in 0..<(reader.read(UInt32.self) ?? 0) {
            guard let name = reader.readText(), let kind = reader.readText(), let instance = reader.read(UInt32.self)
            else { return nil }
            tables[name] = Table(instance: instance, keyKind: kind)
        }
        for _ in 0..<(reader.read(UInt32.self) ?? 0) {
            guard let instance = reader.read(UInt32.self), let entries = reader.read(Int64.self),
                let bytes = reader.read(Int64.self)
            else { return nil }
            counts[instance] = Count(entries: Int(entries), bytes: Int(bytes))
        }
        for _ in 0..<(reader.read(UInt32.self) ?? 0) {
            guard let instance = reader.read(UInt32.self) else { return nil }
            dead.insert(instance)
        }
        for _ in 0..<(reader.read(UInt32.self) ?? 0) {
            guard let name = reader.readText(), let kind = reader.readText(), let id = reader.read(UInt16.self),
                let version = reader.read(UInt32.self), let fillEnd = reader.read(UInt64.self),
                let filledTo = reader.read(UInt64.self)
            else { return nil }
            extensions[name] = ExtensionRecord(
                id: id,
                kind: kind,
                version: version,
                fillEnd: fillEnd,
                filledTo: filledTo
            )
        }
        for _ in 0..<(reader.read(UInt32.self) ?? 0) {
            guard let id = reader.read(UInt16.self) else { return nil }
            orphans.insert(id)
        }
        guard reader.isAtEnd else { return nil }
    }
}
