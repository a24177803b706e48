import Foundation

/// What a process says, line by line, as it says it.
struct SpokenLines {
    let pipe = Pipe()
    private var unread: [UInt8] = []

    /// Waits for the next line; `nil` once the process has ended.
    mutating func next() -> String? {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            unread += more
        }
    }
}
