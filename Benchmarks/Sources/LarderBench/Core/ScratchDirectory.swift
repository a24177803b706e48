internal import Dispatch
internal import Foundation

/// The one directory below which a run keeps its files; gone when the run ends, also when it is interrupted.
enum ScratchDirectory {
    private static let root: Result<String, MeasurementError> = {
        // Not /tmp: that is often memory, where syncing costs nothing.
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        var template = Array("\(parent)/larder-bench-XXXXXX".utf8CString)
        // Safety: the template is a terminated C string of its own.
        guard unsafe mkdtemp(&template) != nil else {
            return .failure(
                MeasurementError(
                    "no directory could be made in \(parent) (errno \(errno)): set TMPDIR to a writable one"
                )
            )
        }
        atexit { ScratchDirectory.remove() }
        return .success(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }()

    /// A path below the directory at which there is nothing yet.
    static func path(_ name: String) throws(MeasurementError) -> String {
        "\(try root.get())/\(name)-\(UUID().uuidString)"
    }

    /// Removes everything; called at every orderly end of the process.
    private static func remove() {
        guard case .success(let path) = root else { return }
        // Moved first, so that a thread still at work can make nothing new below a directory that is being removed.
        let doomed = path + ".removed"
        unsafe rename(path, doomed)
        try? FileManager.default.removeItem(atPath: doomed)
    }

    /// Removes everything and ends the process when it is interrupted or told to end.
    static func removeWhenInterrupted() {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler holds the source, which lives as long as the process.
            source.setEventHandler {
                withExtendedLifetime(source) {
                    remove()
                    _exit(128 + number)
                }
            }
            source.activate()
        }
    }

    /// The sizes of the files in a directory, at any depth.
    static func bytes(in directory: String) throws -> Int {
        let manager = FileManager.default
        return try manager.subpathsOfDirectory(atPath: directory).reduce(0) { sum, name in
            let attributes = try manager.attributesOfItem(atPath: "\(directory)/\(name)")
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }

    /// Copies a directory of files with their times, by which a store knows that nobody touched them.
    static func copyFiles(from source: String, to target: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(
            atPath: target,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for name in try manager.contentsOfDirectory(atPath: source) {
            let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
            try manager.copyItem(atPath: from, toPath: to)
            var status = stat()
            guard unsafe stat(from, &status) == 0 else { throw FileFailure(call: "stat", code: errno) }
            let times = [status.st_atim, status.st_mtim]
            // Safety: the two times are read inside the call.
            guard unsafe utimensat(AT_FDCWD, to, times, 0) == 0 else {
                throw FileFailure(call: "utimensat", code: errno)
            }
        }
    }
}
