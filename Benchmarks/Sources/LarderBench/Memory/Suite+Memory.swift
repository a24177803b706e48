extension Suite {
    /// The memory tier beside what else a Swift user could pick.
    static let memory = Suite(
        name: "memory",
        summary: "the memory tier beside guarded dictionaries and NSCache",
        subject: "larder",
        cases: memoryCases,
        bars: memoryBars
    )

    private static var memoryCases: [Case] {
        let getInt = Getting(name: "get-int", keys: .integers)
        let getString = Getting(name: "get-string", keys: .strings)
        let getAddress = Getting(name: "get-url", keys: .addresses)
        let setString = Setting(name: "set-string", keys: .strings)
        let insertEvict = Evicting(name: "insert-evict", keys: .strings, countLimit: 10_000, exponent: 0.99)
        let mixed = Mixing(name: "mixed-90-10", keys: .strings)
        let expiring = Expiring(name: "expiring", keys: .strings)
        return [
            getInt.on(threads: 1), getInt.on(threads: 2),
            getString.on(threads: 1), getString.on(threads: 2),
            getAddress.on(threads: 1), getAddress.on(threads: 2),
            setString.on(threads: 1), setString.on(threads: 2),
            insertEvict.on(threads: 1), insertEvict.on(threads: 2),
            mixed.on(threads: 1), mixed.on(threads: 2), mixed.on(threads: 16),
            expiring.on(threads: 1), expiring.on(threads: 2),
        ]
    }

    private static var memoryBars: [Bar] {
        [
            .ratio(Bar.Cell("get-string", "larder"), to: Bar.Cell("get-string", "mutex-dictionary"), atMost: 1.1),
            .ratio(
                Bar.Cell("get-string", "larder", threads: 2),
                to: Bar.Cell("get-string", "mutex-dictionary", threads: 2),
                atMost: 0.75
            ),
            .ratio(Bar.Cell("get-int", "larder"), to: Bar.Cell("get-int", "mutex-dictionary"), atMost: 1.4),
            .ratio(Bar.Cell("get-string", "larder"), to: Bar.Cell("get-string", "barrier-queue"), atMost: 0.3),
            .ratio(Bar.Cell("get-string", "larder"), to: Bar.Cell("get-string", "nscache"), atMost: 0.15),
            .ratio(Bar.Cell("set-string", "larder"), to: Bar.Cell("set-string", "mutex-dictionary"), atMost: 1.6),
            .ratio(Bar.Cell("set-string", "larder"), to: Bar.Cell("set-string", "barrier-queue"), atMost: 0.4),
            .ratio(Bar.Cell("insert-evict", "larder"), to: Bar.Cell("set-string", "mutex-dictionary"), atMost: 3),
            .ratio(
                Bar.Cell("mixed-90-10", "larder", threads: 16),
                to: Bar.Cell("mixed-90-10", "larder"),
                atMost: 3
            ),
            .allocations(Bar.Cell("get-string", "larder"), "hit", atMost: 0),
            .allocations(Bar.Cell("set-string", "larder"), "replace", atMost: 1),
            .allocationsOfMisses(Bar.Cell("insert-evict", "larder"), "insert", atMost: 3),
        ]
    }
}
