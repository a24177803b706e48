internal import FoundationEssentials
internal import Glibc

/// A temporary directory that is gone when the work in it has ended, however it ended.
enum ScratchDirectory {
    /// Runs `body` with the path of a new directory and removes the directory with its content afterwards.
    ///
    /// - Throws: What `body` throws, or `ToolError` when the directory cannot be made or removed.
    static func with<R>(_ body: (String) throws -> R) throws -> R {
        let path = try create()
        let result: R
        do {
            result = try body(path)
        } catch {
            // The body's error is the one to report; a directory left behind is named by the next clean-up of TMPDIR.
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            let reason = SystemError.description(of: error)
            throw ToolError.failure("temporary directory '\(path)' cannot be removed (\(reason)); remove it by hand")
        }
        return result
    }

    private static func create() throws(ToolError) -> String {
        let stated = ProcessInfo.processInfo.environment["TMPDIR"] ?? ""
        let parent = stated.isEmpty ? "/tmp" : stated
        var template = Array("\(parent)/larder-XXXXXX".utf8CString)
        let isCreated = unsafe mkdtemp(&template) != nil
        guard isCreated else {
            let reason = SystemError.description(of: errno)
            throw .failure(
                "no temporary directory can be made in '\(parent)' (\(reason)); set TMPDIR or give --directory"
            )
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
