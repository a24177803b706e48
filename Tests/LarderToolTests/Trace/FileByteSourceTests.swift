import FoundationEssentials
import Testing

@testable import LarderTool

struct FileByteSourceTests {
    @Test func `a file is read in bounded chunks, to its end`() throws {
        try ScratchDirectory.with { directory in
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Data(bytes).write(to: URL(filePath: directory + "/trace"))
            let source = try FileByteSource(path: directory + "/trace")
            #expect(source.totalBytes == bytes.count)
            var read: [UInt8] = []
            while case let chunk = try source.nextChunk(), !chunk.isEmpty {
                #expect(chunk.count <= 64 << 10)
                read += chunk
            }
            #expect(read == bytes)
            #expect(try source.nextChunk().isEmpty)
        }
    }

    @Test func `what cannot be opened is named with the reason`() throws {
        try ScratchDirectory.with { directory in
            let missing = toolError { _ = try FileByteSource(path: directory + "/none") }
            #expect(missing?.status == .failure)
            #expect(missing?.message.contains("/none' cannot be opened (No such file or directory);") == true)
            let folder = toolError { _ = try FileByteSource(path: directory) }
            #expect(folder?.message == "trace '\(directory)' is a directory; name a file in it")
        }
    }
}
