import LarderMemory
import TestSupport
import Testing

/// Random operations on a cache and on a plain model of it, compared all the way.
struct ModelTests {
    /// A unit of the model's time, far above what stamps round to, and not a multiple of a wheel's tick.
    private static let unit = Duration.microseconds(70_001)

    private struct Run {
        let clock = ManualClock()
        let cache: MemoryCache<Int, Int>
        var model: LRUModel
        var now = 0
        var random: SeededRandom
        var next = 0
        /// Without, entries hardly ever have a cost or a life: most writes concern nothing but their slot.
        let isVaried: Bool

        init(
            _ random: SeededRandom,
            costLimit: Int? = nil,
            countLimit: Int? = nil,
            ageLimit: Int? = nil,
            idleLimit: Int? = nil,
            isVaried: Bool = true
        ) {
            self.random = random
            self.isVaried = isVaried
            model = LRUModel(costLimit: costLimit, countLimit: countLimit, ageLimit: ageLimit, idleLimit: idleLimit)
            cache = MemoryCache(
                configuration: .init(
                    costLimit: costLimit,
                    countLimit: countLimit,
                    ageLimit: ageLimit.map { ModelTests.unit * $0 },
                    idleLimit: idleLimit.map { ModelTests.unit * $0 }
                ),
                clock: .manual(clock)
            )
        }

        /// Dead entries may stay until somebody looks; so both sides drop them before they are compared.
        mutating func compare() -> Bool {
            cache.removeExpired()
            model.removeDead(at: now)
            return cache.entriesByRecency.map(\.key) == model.order && cache.count == model.entries.count
                && cache.totalCost == model.totalCost
        }

        /// - Returns: Whether both sides answered alike.
        mutating func step() -> Bool {
            let key = Int.random(in: 0..<60, using: &random)
            next += 1
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: return cache.value(forKey: key) == model.get(key, at: now)
            case 45..<80:
                let isPlain = !isVaried && Int.random(in: 0..<500, using: &random) > 0
                let cost = isPlain ? 0 : Int.random(in: 0...12, using: &random)
                let life = !isPlain && Bool.random(using: &random) ? Int.random(in: 0...40, using: &random) : nil
                // Which of the dead make room is not promised, only that some do: here all go first.
                cache.removeExpired()
                model.removeDead(at: now)
                let isCallback = Int.random(in: 0..<8, using: &random) == 0
                let expiration = life.map { ModelTests.unit * $0 }
                if isCallback {
                    cache.setValue(next, forKey: key, cost: cost, expiration: expiration, completion: nil)
                } else {
                    cache.setValue(next, forKey: key, cost: cost, expiration: expiration)
                }
                model.set(next, for: key, cost: cost, life: life, at: now)
                return cache.contains(key) == model.isAlive(key, at: now)
            case 80..<86:
                let isAlive = model.isAlive(key, at: now)
                let value = model.entries[key]?.value
                model.remove(key)
                return cache.removeValue(forKey: key) == (isAlive ? value : nil)
            case 86..<95:
                let step = Int.random(in: 0...5, using: &random)
                clock.advance(by: ModelTests.unit * step)
                now += step
                return true
            case 95: return cache.contains(key) == model.isAlive(key, at: now)
            case 96 where !isVaried: return changeAgeLimit()
            default: return trim()
            }
        }

        /// Has a limit on age for a moment, or now and then for longer.
        private mutating func changeAgeLimit() -> Bool {
            let limit = Int.random(in: 1...30, using: &random)
            (cache.ageLimit, model.ageLimit) = (ModelTests.unit * limit, limit)
            guard Int.random(in: 0..<4, using: &random) > 0 else { return compare() }
            let isEqual = compare()
            (cache.ageLimit, model.ageLimit) = (nil, nil)
            return isEqual
        }

        private mutating func trim() -> Bool {
            let size = Int.random(in: 5...60, using: &random)
            cache.removeExpired()
            model.removeDead(at: now)
            switch Int.random(in: 0..<60, using: &random) {
            case 0:
                cache.removeAll()
                model.removeAll()
            case 1..<10:
                let age = Int.random(in: 0...20, using: &random)
                cache.trim(unusedSince: clock.now.advanced(by: ModelTests.unit * -age))
                model.trim(unusedSince: now - age)
            case 10..<20:
                cache.trim(toCost: size)
                model.trim(toCost: size)
            case 20..<30:
                cache.trim(toCostByCost: size)
                model.trim(toCostByCost: size)
            case 30..<40:
                cache.trim(toCount: size / 2)
                model.trim(toCount: size / 2)
            default: break
            }
            return compare()
        }
    }

    #if DEBUG
        private static let steps = 60_000
    #else
        private static let steps = 250_000
    #endif

    @Test("A60 V41 V44 a million random operations leave exactly the entries of a plain model", arguments: 0..<5)
    func operations(limits: Int) {
        let random = SeededRandom.printingSeed(of: "model \(limits)")
        var run =
            switch limits {
            case 0: Run(random, costLimit: 100)
            case 1: Run(random, countLimit: 17, ageLimit: 30)
            case 2: Run(random, costLimit: 60, countLimit: 20, idleLimit: 15)
            case 3: Run(random, ageLimit: 25, idleLimit: 10)
            default: Run(random, countLimit: 50, isVaried: false)
            }
        for step in 0..<Self.steps {
            guard run.step() else {
                Issue.record("the answers differ at step \(step)")
                return
            }
            guard !step.isMultiple(of: 8) || run.compare() else {
                Issue.record("the entries differ at step \(step)")
                return
            }
        }
        let isEqual = run.compare()
        #expect(isEqual)
    }
}
