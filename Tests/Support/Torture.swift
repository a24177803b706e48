internal import Glibc

/// How much a test of endurance does: little in everyday runs, all of it under `make torture`.
package enum Torture {
    /// Whether `LARDER_TORTURE` is 1.
    package static let isFull: Bool = unsafe getenv("LARDER_TORTURE").map { unsafe String(cString: $0) } == "1"

    /// The number of repetitions.
    package static func count(_ usual: Int, full: Int) -> Int { isFull ? full : usual }
}
