internal import FoundationEssentials

/// A fresh directory that is removed when the last reference goes.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        let parent = FileManager.default.temporaryDirectory
        path = parent.appending(path: "larder-test-\(UUID().uuidString)").path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the directory.
    package func path(_ name: String) -> String {
        "\(path)/\(name)"
    }
}
