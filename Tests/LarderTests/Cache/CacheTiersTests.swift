import Larder
import Testing

struct CacheTiersTests {
    @Test func `tiers are shown by name`() {
        #expect("\(CacheTiers.memory)" == "memory")
        #expect("\(CacheTiers.disk)" == "disk")
        #expect("\(CacheTiers.all)" == "memory, disk")
        #expect("\(CacheTiers())" == "no tier")
    }
}
