import TestSupport
import Testing

@testable import LarderMemory

/// The policies through the cache on public traces, against the numbers that come with them.
///
/// The rows of the two long traces, half a million and five million requests for each policy, take minutes without
/// optimisation: they are replayed in a release build (`swift test -c release -Xswiftc -enable-testing`), and what the
/// policies do with the first requests of them is compared with plain models everywhere.
@Suite(.enabled(if: SharedTraces.areThere, Comment(rawValue: SharedTraces.absence)))
struct TraceTests {
    static let s3FIFO = EvictionPolicy.s3FIFO(small: 0.1, ghost: 0.9, threshold: 2)
    static let exactPolicies: [EvictionPolicy] = [.fifo, .lru, .clock, s3FIFO]

    /// Rows to replay: those of the long traces only with optimisation.
    static func tested<Row>(_ rows: [Row], long: [Row]) -> [Row] {
        #if DEBUG
            rows
        #else
            rows + long
        #endif
    }

    static func cache(_ policy: EvictionPolicy, cost: Int? = nil, count: Int? = nil) -> MemoryCache<UInt64, Int> {
        MemoryCache(repeatably: .init(costLimit: cost, countLimit: count, policy: policy))
    }

    /// FIFO, LRU, CLOCK and S3-FIFO; the bytes for the two that have them.
    static let weighedRows: [(mebibytes: Int, misses: [Int], bytes: [Int?])] = [
        (128, [93_403, 93_374, 93_313, 89_307], [nil, 4_214_303_232, nil, 4_040_718_336]),
        (384, [84_387, 83_572, 83_411, 77_041], [nil, 3_778_040_320, nil, 3_353_047_552]),
        (640, [72_498, 72_494, 74_815, 71_300], [nil, 3_100_927_488, nil, 3_038_256_128]),
        (1024, [72_140, 71_704, 64_456, 70_355], [nil, 3_061_662_720, nil, 2_979_649_536]),
    ]

    @Test("weighed by size, misses and missed bytes are exact", arguments: weighedRows)
    func weighed(mebibytes: Int, misses: [Int], bytes: [Int?]) throws {
        let trace = try AccessTrace(.cloudphysics)
        for (position, policy) in Self.exactPolicies.enumerated() {
            let replay = TraceReplay(of: trace, through: Self.cache(policy, cost: mebibytes << 20))
            #expect(replay.misses == misses[position], "\(policy)")
            if let expected = bytes[position] { #expect(replay.missBytes == expected, "\(policy)") }
        }
    }

    static let countedRows: [(name: AccessTrace.Name, capacity: Int, misses: [Int])] = [
        (.corda, 512, [90_468, 90_468, 90_468, 90_468]),
        (.twoPools, 100, [80_621, 78_054, 76_134, 55_428]),
        (.ps, 1000, [6009, 5376, 4954, 4953]),
        (.sprite, 500, [35_364, 29_074, 29_016, 28_217]),
        (.web07, 1000, [39_818, 37_750, 37_307, 34_933]),
    ]
    static let longCountedRows: [(name: AccessTrace.Name, capacity: Int, misses: [Int])] = [
        (.loop, 512, [505_500, 505_500, 505_500, 505_500])
    ]

    @Test("counted, misses are exact", arguments: tested(countedRows, long: longCountedRows))
    func counted(name: AccessTrace.Name, capacity: Int, misses: [Int]) throws {
        let trace = try AccessTrace(name)
        for (policy, expected) in zip(Self.exactPolicies, misses) {
            let replay = TraceReplay(of: trace, through: Self.cache(policy, count: capacity))
            #expect(replay.misses == expected, "\(policy)")
        }
    }

    /// Hit ratios in percent: FIFO, LRU, CLOCK and S3-FIFO to the last digit, W-TinyLFU within half a point.
    ///
    /// Those of loop and corda are 0 and 33.33 for all but W-TinyLFU; `counted` says it more exactly.
    static let ratios: [(AccessTrace.Name, Int, [Double])] = [
        (.web07, 500, [42.75, 45.58, 46.15, 50.03, 49.22]),
        (.web07, 2000, [52.93, 55.50, 56.07, 57.97, 56.62]),
        (.sprite, 1000, [87.24, 90.64, 90.30, 89.36, 87.11]),
        (.twoPools, 200, [30.08, 36.79, 40.54, 50.32, 50.35]),
        (.corda, 256, [33.33, 33.33, 33.33, 33.33, 33.30]),
    ]

    static let longRatios: [(AccessTrace.Name, Int, [Double])] = [
        (.loop, 512, [0, 0, 0, 0, 40.18]),
        (.ormBusy, 625, [69.92, 70.84, 72.54, 72.90, 70.02]),
        (.ormBusy, 1250, [78.79, 79.60, 79.53, 79.13, 77.08]),
        (.ormBusy, 2500, [81.41, 82.19, 82.22, 83.06, 82.66]),
        (.ormBusy, 5000, [84.29, 85.46, 85.35, 86.64, 86.70]),
    ]

    @Test("hit ratios are those of the table", arguments: tested(ratios, long: longRatios))
    func hitRatios(name: AccessTrace.Name, capacity: Int, ratios: [Double]) throws {
        let trace = try AccessTrace(name)
        for (policy, expected) in zip(Self.exactPolicies, ratios) {
            let ratio = TraceReplay(of: trace, through: Self.cache(policy, count: capacity)).hitRatio
            #expect(abs(ratio - expected) <= 0.005_001, "\(policy): \(ratio)")
        }
        let ratio = TraceReplay(of: trace, through: Self.cache(.tinyLFU(window: 0.2), count: capacity)).hitRatio
        #expect(abs(ratio - ratios[4]) <= 0.5, "tinylfu:0.2: \(ratio)")
    }

    @Test("W-TinyLFU with a window that adapts is never a point under LRU", arguments: tested(ratios, long: longRatios))
    func adaptive(name: AccessTrace.Name, capacity: Int, ratios: [Double]) throws {
        let replay = TraceReplay(of: try AccessTrace(name), through: Self.cache(.tinyLFU(), count: capacity))
        #expect(replay.hitRatio > ratios[1] - 1)
        // And where frequency pays, it shows.
        if name == .loop { #expect(replay.hitRatio > 45) }
    }

    @Test(
        "W-TinyLFU with a window that adapts is never a point under LRU when weighed by size",
        arguments: zip([128, 384, 640, 1024], [93_374, 83_572, 72_494, 71_704])
    )
    func adaptiveWeighed(mebibytes: Int, misses: Int) throws {
        let trace = try AccessTrace(.cloudphysics)
        let replay = TraceReplay(of: trace, through: Self.cache(.tinyLFU(), cost: mebibytes << 20))
        #expect(replay.misses < misses + trace.requests.count / 100)
    }

    @Test(
        "the first requests of a long trace miss as often as in a plain model",
        arguments: [AccessTrace.Name.ormBusy, .loop],
        [
            (.fifo, PlainFIFO(givesSecondChance: false)),
            (.lru, PlainLRU()),
            (.clock, PlainFIFO(givesSecondChance: true)),
            (s3FIFO, PlainS3FIFO(small: 0.1, ghost: 0.9, threshold: 2)),
        ] as [(EvictionPolicy, any PlainOrder & Sendable)]
    )
    func prefix(name: AccessTrace.Name, plain: (policy: EvictionPolicy, model: any PlainOrder & Sendable)) throws {
        let trace = try AccessTrace(name, prefix: 20_000)
        let policy = plain.policy
        var model = plain.model
        model.resize(to: 625)
        var keys: Set<UInt64> = []
        let expected = TraceReplay(of: trace) { request in
            guard keys.insert(request.key).inserted else {
                model.hit(Int(request.key))
                return true
            }
            model.prepare(hash: request.key, weight: 1)
            if keys.count > 625, let victim = model.popVictim() { keys.remove(UInt64(victim)) }
            model.insert(Int(request.key), hash: request.key, weight: 1)
            return false
        }
        let replay = TraceReplay(of: trace, through: Self.cache(policy, count: 625))
        #expect(replay.misses == expected.misses)
        #expect(expected.misses > 625)
    }
}
