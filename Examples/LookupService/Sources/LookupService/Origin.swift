import Foundation

/// Stands for a database or another service that takes its time.
struct Origin: Sendable {
    private let delay: TimeInterval = 0.02

    /// The record; `nil` for names that nobody has given.
    func fetch(_ id: String) -> String? {
        Thread.sleep(forTimeInterval: delay)
        guard let number = Int(id), number >= 0 else { return nil }
        return "record \(number) of the origin"
    }
}
