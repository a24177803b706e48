import FoundationEssentials
import Glibc
import Testing

@testable import LarderTool

struct ScratchDirectoryTests {
    @Test func `the directory is there for the body and gone afterwards, with its content`() throws {
        let path = try ScratchDirectory.with { path in
            try FileManager.default.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(filePath: path + "/a/b/file"))
            return path
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `the directory goes when the body fails, and the failure is the body's`() {
        var path = ""
        let error = toolError {
            try ScratchDirectory.with {
                path = $0
                throw ToolError.failure("body")
            }
        }
        #expect(error == .failure("body"))
        #expect(!path.isEmpty && !FileManager.default.fileExists(atPath: path))
    }

    @Test func `two directories differ, and only their owner may enter`() throws {
        try ScratchDirectory.with { first in
            try ScratchDirectory.with { second in
                #expect(first != second)
                var status = stat()
                #expect(unsafe stat(first, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o700)
            }
        }
    }
}
