extension Suite {
    /// The persistent tier beside what else keeps bytes under keys on a disk.
    static let store = Suite(
        name: "store",
        summary: "the persistent tier beside bare LMDB, SQLite and files",
        subject: "larder",
        cases: storeCases,
        bars: storeBars
    )

    private static let large = 1_000_000
    private static let small = 100_000

    private static var storeCases: [Case] {
        // Shared by the cases that only read, and made when the first of them runs.
        let smallShort = FilledStores(Records(small, valueBytes: 100))
        let smallLong = FilledStores(Records(small, valueBytes: 1024))
        let largeShort = FilledStores(Records(large, valueBytes: 100))
        let largeLong = FilledStores(Records(large, valueBytes: 1024))
        let getting = [
            StoreGetting(name: "get-100B-100k", stores: smallShort),
            StoreGetting(name: "get-100B-1M", stores: largeShort, includesFiles: false),
            StoreGetting(name: "get-1KB-100k", stores: smallLong),
            StoreGetting(name: "get-1KB-1M", stores: largeLong, includesFiles: false),
        ]
        func durable(threads: Int) -> StorePuttingDurably {
            StorePuttingDurably(
                name: "put-durable",
                records: Records(small, valueBytes: 1024),
                operations: 100,
                threads: threads
            )
        }
        return getting.flatMap { [$0.on(threads: 1), $0.on(threads: 2)] } + [
            StorePutting(name: "put-100B", records: Records(small, valueBytes: 100)).benchmark,
            StorePutting(name: "put-1KB", records: Records(small, valueBytes: 1024)).benchmark,
            durable(threads: 1).benchmark,
            durable(threads: 8).benchmark,
            StoreMixing(name: "mixed-90-10", records: Records(small, valueBytes: 1024)).benchmark,
            StoreOverwriting(
                name: "overwrite-3KB",
                value: Records(1, valueBytes: 3072),
                operations: small
            ).benchmark,
            StoreOpening(name: "open-1M", stores: largeShort).benchmark,
            StoreClearing(name: "clear-1M", stores: largeShort).benchmark,
            StoreExpiring(name: "expire-100k", records: Records(small, valueBytes: 100)).benchmark,
        ]
    }

    private static var storeBars: [Bar] {
        func larder(_ name: String, _ peer: String, threads: Int = 1, atMost limit: Double) -> Bar {
            .ratio(
                Bar.Cell(name, "larder", threads: threads),
                to: Bar.Cell(name, peer, threads: threads),
                atMost: limit
            )
        }
        return [
            larder("get-1KB-1M", "raw-lmdb", atMost: 1.5),
            larder("get-100B-100k", "raw-lmdb", atMost: 1.9),
            larder("put-1KB", "raw-lmdb", atMost: 1),
            larder("put-durable", "raw-lmdb", threads: 8, atMost: 0.3),
            larder("get-1KB-1M", "sqlite", atMost: 0.35),
            larder("put-1KB", "sqlite", atMost: 0.5),
            larder("get-1KB-100k", "files", atMost: 0.3),
            larder("put-1KB", "files", atMost: 0.15),
            larder("open-1M", "raw-lmdb", atMost: 5),
            .milliseconds(Bar.Cell("open-1M", "larder"), atMost: 50),
            .amplification(Bar.Cell("get-1KB-1M", "larder"), atMost: 1.35),
            .mebibytes(Bar.Cell("overwrite-3KB", "larder"), atMost: 4),
        ]
    }
}
