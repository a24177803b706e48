import FoundationEssentials

/// What a recorded process did to the files of one directory; the format is that of `WriteRecorder.h`.
struct WriteLog {
    enum Event {
        case create(String)
        case truncate(String, size: Int)
        case write(String, offset: Int, bytes: ArraySlice<UInt8>, isDurable: Bool)
        case punch(String, offset: Int, length: Int)
        case syncBegin(String)
        case syncEnd(String)
        case rename(String, to: String)
        case unlink(String)
        case mark(Int)
    }

    /// The mark of a store that was closed.
    static let closed = Int.max

    let events: [Event]

    init(path: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        var events: [Event] = []
        var position = 0
        while bytes.count - position >= 24 {
            let nameLength = Int(Self.number(bytes, at: position + 4, width: 4))
            let offset = Self.number(bytes, at: position + 8, width: 8)
            let length = Int(Self.number(bytes, at: position + 16, width: 8))
            let kind = Self.number(bytes, at: position, width: 4)
            position += 24
            // A process that was killed may leave an event cut short: it did not happen.
            let follows = kind == 5 ? 0 : length
            guard bytes.count - position >= nameLength + follows else { break }
            let name = String(decoding: bytes[position..<(position + nameLength)], as: UTF8.self)
            position += nameLength
            let content = bytes[position..<(position + follows)]
            position += follows
            events.append(try Self.event(kind, name, offset, length, content))
        }
        self.events = events
    }

    struct UnknownEvent: Error {
        let kind: UInt64
    }

    private static func event(
        _ kind: UInt64,
        _ name: String,
        _ offset: UInt64,
        _ length: Int,
        _ content: ArraySlice<UInt8>
    ) throws(UnknownEvent) -> Event {
        switch kind {
        case 1: .create(name)
        case 2: .truncate(name, size: Int(offset))
        case 3: .write(name, offset: Int(offset), bytes: content, isDurable: false)
        case 4: .write(name, offset: Int(offset), bytes: content, isDurable: true)
        case 5: .punch(name, offset: Int(offset), length: length)
        case 6: .syncBegin(name)
        case 7: .syncEnd(name)
        case 8: .rename(name, to: String(decoding: content, as: UTF8.self))
        case 9: .unlink(name)
        case 10: .mark(Int(clamping: offset))
        default: throw UnknownEvent(kind: kind)
        }
    }

    private static func number(_ bytes: [UInt8], at offset: Int, width: Int) -> UInt64 {
        bytes[offset..<(offset + width)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
