import LMDB
import Testing

struct VersionTests {
    @Test func `the engine is LMDB 0.9, whose file format the store expects`() {
        #expect(Environment.engineVersion.contains("0.9."))
    }
}
