import Testing

@testable import LarderMemory

/// Each order alone, without a cache: every victim must be the one that a plain model over arrays names.
struct EvictionOrderTests {
    #if DEBUG
        static let steps = 100_000
    #else
        static let steps = 1_000_000
    #endif

    static let seeds: [UInt64] = [1, 20_241_130]

    @Test("LRU names the victims of its model", arguments: [1, 9], seeds)
    func lru(heaviest: Int, seed: UInt64) throws {
        try run(.lru, PlainLRU(), heaviest: heaviest, seed: seed)
    }

    @Test("FIFO names the victims of its model", arguments: [1, 9], seeds)
    func fifo(heaviest: Int, seed: UInt64) throws {
        try run(.fifo, PlainFIFO(givesSecondChance: false), heaviest: heaviest, seed: seed)
    }

    @Test("CLOCK names the victims of its model", arguments: [1, 9], seeds)
    func clock(heaviest: Int, seed: UInt64) throws {
        try run(.clock, PlainFIFO(givesSecondChance: true), heaviest: heaviest, seed: seed)
    }

    @Test("S3-FIFO names the victims of its model", arguments: [1, 9], [1, 2, 3])
    func s3FIFO(heaviest: Int, threshold: Int) throws {
        for (small, ghost) in [(0.1, 0.9), (0.3, 1.0), (0.5, 0)] {
            try run(
                .s3FIFO(small: small, ghost: ghost, threshold: threshold),
                PlainS3FIFO(small: small, ghost: ghost, threshold: threshold),
                heaviest: heaviest,
                seed: UInt64(threshold),
                share: 3
            )
        }
    }

    @Test("W-TinyLFU names the victims of its model", arguments: [1, 9], [0.2, 0.7, nil])
    func tinyLFU(heaviest: Int, window: Double?) throws {
        try run(.tinyLFU(window: window), PlainTinyLFU(window: window), heaviest: heaviest, seed: 7, share: 3)
    }

    private func run(
        _ policy: EvictionPolicy,
        _ model: some PlainOrder,
        heaviest: Int,
        seed: UInt64,
        share: Int = 1
    ) throws {
        let rig = OrderRig(policy, model: model, seed: seed, heaviest: heaviest)
        do {
            try rig.run(steps: Self.steps / share)
        } catch {
            throw OrderRig.Mismatch(description: "\(policy), seed \(seed), weights up to \(heaviest): \(error)")
        }
        // The run must have put the order to work, or it has shown nothing.
        #expect(rig.evictions > Self.steps / share / 50)
        #expect(rig.hits > Self.steps / share / 20)
    }
}
