import Foundation

/// What the tests need to know of the crash helper, whatever they have it do.
enum HelperProcess {
    /// Built with the tests, it lies beside them.
    static var executable: URL {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "CrashHelper")
    }
}
