import FoundationEssentials
import Larder
import LarderMemory
import LarderStore
import TestSupport
import Testing

struct ReadmeTests {
    private func text(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: name), encoding: .utf8)
    }

    private func excerpt(_ text: String, from begin: String, to end: String) throws -> Substring {
        let start = try #require(text.firstRange(of: begin)).upperBound
        return try text[start..<#require(text[start...].firstRange(of: end)).lowerBound]
    }

    @Test func `the example works across a restart`() throws {
        let directory = try TemporaryDirectory()
        var cache = try profiles(in: directory.path("profiles"))
        #expect(greet("ada", cache).visits == 1)
        try cache.close()
        cache = try profiles(in: directory.path("profiles"))
        #expect(greet("ada", cache).visits == 2)
        try cache.close()
    }

    @Test func `the example in the README is the one that is compiled here`() throws {
        let example = try text("Tests/LarderTests/ReadmeExample.swift")
        #expect(try text("README.md").contains("```swift\n\(example)```"))
    }

    @Test func `the configuration in the README is accepted`() throws {
        let json = try excerpt(text("README.md"), from: "```json\n", to: "```")
        let configuration = try JSONDecoder().decode(TieredCacheConfiguration.self, from: Data(json.utf8))
        #expect(configuration.disk?.directory == "/var/cache/profiles")
    }
}
