internal import FoundationEssentials
internal import Glibc

/// A fresh directory that is removed with this object, whatever is in it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() {
        path = "/tmp/larder-tests-\(getpid())-\(UUID().uuidString)"
        precondition(unsafe mkdir(path, 0o700) == 0, "\(path) could not be made")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something inside.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
