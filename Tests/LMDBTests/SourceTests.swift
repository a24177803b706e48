import FoundationEssentials
import Testing

struct SourceTests {
    @Test("L51 nothing uses sorted duplicates, which have their own limits and bugs")
    func duplicates() throws {
        // The package's root is three levels above this file.
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path(percentEncoded: false)
        let sources = root + "/Sources"
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
        #expect(files.count > 50)
        for file in files {
            let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
            #expect(!text.contains("DUPSORT"), "\(file)")
        }
    }
}
