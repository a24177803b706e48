internal import Glibc

/// The public traces beside the project, which are not part of it.
package enum SharedTraces {
    /// Shown with the tests that are skipped without them.
    package static let absence = "../shared/traces is not there"

    private static let folder: String = {
        // The project's root is three levels above this file.
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return "/\(root)/../shared/traces"
    }()

    /// Whether the traces can be read here.
    package static var areThere: Bool {
        unsafe access(path("cloudphysics.oracle"), R_OK) == 0
    }

    /// The path of the trace in the file `name`.
    package static func path(_ name: String) -> String {
        "\(folder)/\(name)"
    }
}
