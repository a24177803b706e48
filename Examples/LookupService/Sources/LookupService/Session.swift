import Foundation

/// One connection: reads commands line by line and answers each.
struct Session {
    private static let longestLine = 1 << 20

    private let connection: Connection
    private let lookups: Lookups

    init(_ connection: Connection, _ lookups: Lookups) {
        self.connection = connection
        self.lookups = lookups
    }

    func run() {
        var pending: [UInt8] = []
        while true {
            let received = connection.receive()
            guard !received.isEmpty else { return }
            pending += received
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                guard let answer = answer(to: line), connection.send(answer + "\n") else { return }
            }
            guard pending.count <= Self.longestLine else { return }
        }
    }

    /// The answer to a command; `nil` to end the session.
    private func answer(to line: String) -> String? {
        let words = line.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: " ", maxSplits: 2).map(
            String.init
        )
        switch (words.first, words.count) {
        case ("GET", 2):
            guard let record = lookups.record(words[1]) else { return "NONE" }
            return (record.isFetched ? "FETCHED " : "CACHED ") + record.text
        case ("PUT", 3):
            lookups.store(words[2], for: words[1])
            return "STORED"
        case ("DELETE", 2):
            lookups.forget(words[1])
            return "DELETED"
        case ("STATS", 1):
            return lookups.statistics
        case ("QUIT", 1):
            return nil
        default:
            return "ERROR say GET id, PUT id text, DELETE id, STATS or QUIT"
        }
    }
}
