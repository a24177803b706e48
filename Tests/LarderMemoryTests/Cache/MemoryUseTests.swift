import LarderMemory
import Synchronization
import TestSupport
import Testing
import Threading

/// What a cache holds in memory, each test in a process of its own so that only its memory is measured.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer keeps freed memory"))
struct MemoryUseTests {
    @Test("a number under a number takes 104 bytes in a full table, up to 200 after growth, as estimatedBytes says")
    func bytesOfAnEntry() async {
        await #expect(processExitsWith: .success) {
            for (count, expected) in [(1 << 18, 104...104), (1 << 18 + 1, 184...200)] {
                let before = try ProcessMemory.anonymousBytes()
                let cache = MemoryCache<Int, Int>()
                for key in 0..<count { cache.setValue(key, forKey: key) }
                // The list of newcomers may have had room for one more.
                #expect(expected.contains(cache.estimatedBytes / count), "\(cache.estimatedBytes / count)")
                // Beside it stands what the allocator keeps of the smaller tables.
                let taken = try ProcessMemory.anonymousBytes() - before
                #expect(abs(taken - cache.estimatedBytes) < taken / 4, "\(taken), estimated \(cache.estimatedBytes)")
            }
        }
    }

    @Test("soak: at full speed, with evictions, expiries and removals, memory stays flat")
    func soak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let seconds = Torture.count(2, full: 600)
            let cache = MemoryCache<String, [UInt8]>(
                configuration: .init(costLimit: 32 << 20, countLimit: 50_000, policy: .s3FIFO())
            )
            for number in 0..<50_000 {
                cache.setValue([UInt8](repeating: 0, count: 1000), forKey: "fill:\(number)", cost: 1000)
            }
            let isOver = Atomic<Bool>(false)
            let operations = Atomic<Int>(0)
            let wrong = Atomic<Int>(0)
            let ended = threads(3, within: .seconds(seconds + 300)) { thread in
                guard thread > 0 else {
                    Self.watch(seconds: seconds) { operations.load(ordering: .relaxed) }
                    isOver.store(true, ordering: .relaxed)
                    return
                }
                var random = SeededRandom(seed: UInt64(thread))
                while !isOver.load(ordering: .relaxed) {
                    for _ in 0..<1000 { Self.step(cache, &random, wrong) }
                    operations.add(1000, ordering: .relaxed)
                }
            }
            #expect(ended)
            #expect(wrong.load(ordering: .relaxed) == 0)
            #expect(cache.statistics.totalCost <= 32 << 20)
            print("soak: \(operations.load(ordering: .relaxed)) operations in \(seconds) s")
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        for line in output.split(separator: "\n") where line.hasPrefix("soak:") { print(line) }
    }

    /// Samples memory twenty times; after the first fifth, in which the allocator settles, it must not grow.
    private static func watch(seconds: Int, operations: () -> Int) {
        var samples: [Int] = []
        for sample in 1...20 {
            // Real time: a soak lasts as long as it lasts. But the allocator settles by what is done, and a busy machine
            // does little in a tenth of a second.
            repeat {
                idle(for: .milliseconds(seconds * 50))
            } while operations() < sample * 5_000
            samples.append((try? ProcessMemory.anonymousBytes()) ?? .max)
        }
        let settled = samples[4]
        print("soak: MiB resident:", samples.map { $0 >> 20 })
        #expect(samples[5...].allSatisfy { $0 < settled + settled / 8 + (4 << 20) }, "\(samples)")
    }

    private static func step(
        _ cache: MemoryCache<String, [UInt8]>,
        _ random: inout SeededRandom,
        _ wrong: borrowing Atomic<Int>
    ) {
        // The product of two uniform numbers prefers small ones.
        let number = Int.random(in: 0..<500, using: &random) * Int.random(in: 0..<500, using: &random)
        let key = "soak:\(number)"
        switch Int.random(in: 0..<100, using: &random) {
        case 0: cache.removeValue(forKey: key)
        case 1..<20:
            let count = Int.random(in: 0..<2000, using: &random)
            let life: Duration? = number % 3 == 0 ? .milliseconds(number % 900) : nil
            cache.setValue(
                [UInt8](repeating: UInt8(number & 255), count: count),
                forKey: key,
                cost: count,
                expiration: life
            )
        default:
            if let value = cache.value(forKey: key), value.contains(where: { $0 != UInt8(number & 255) }) {
                wrong.add(1, ordering: .relaxed)
            }
        }
    }
}
