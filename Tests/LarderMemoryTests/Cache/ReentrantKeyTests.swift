import LarderMemory
import TestSupport
import Testing

/// A key whose `==` and `hash(into:)` call the very cache it is looked up in.
private struct Meddler: Hashable, Sendable {
    final class Plan: Sendable {
        let isActive = Recorder<Bool>()
        let calls = Recorder<String>()
        let meddle: @Sendable (String) -> Void

        init(_ meddle: @escaping @Sendable (String) -> Void) {
            self.meddle = meddle
        }

        /// Not again while it is at it: that would never end.
        func act(_ place: String) {
            guard isActive.count == 1 else { return }
            isActive.note(true)
            meddle(place)
            calls.note(place)
            isActive.removeAll()
            isActive.note(true)
        }
    }

    let number: Int
    var plan: Plan?

    static func == (left: Meddler, right: Meddler) -> Bool {
        (left.plan ?? right.plan)?.act("equal")
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        plan?.act("hash")
        hasher.combine(number)
    }
}

struct ReentrantKeyTests {
    private typealias Cache = MemoryCache<Meddler, Int>

    enum Outer: CaseIterable {
        case get, contains, set, remove, callbackGet, callbackSet
    }

    @Test("A8 a key's == and hash may read the cache, from reads and from writes", arguments: Outer.allCases)
    func reads(outer: Outer) {
        let cache = Cache()
        cache[Meddler(number: 1)] = 10
        cache[Meddler(number: 2)] = 20
        let plan = Meddler.Plan { [weak cache] _ in
            #expect(cache?.value(forKey: Meddler(number: 2)) == 20)
            #expect(cache?.contains(Meddler(number: 3)) == false)
            #expect(cache?.count == 2)
        }
        plan.isActive.note(true)
        #expect(finishes { Self.make(outer, on: cache, Meddler(number: 1, plan: plan)) })
        #expect(Set(plan.calls.events) == ["hash", "equal"])
        cache.removeAll()
    }

    @Test("A8 a key's == and hash may write; what they wrote is there afterwards", arguments: Outer.allCases)
    func writes(outer: Outer) {
        let cache = Cache()
        cache[Meddler(number: 1)] = 10
        let plan = Meddler.Plan { [weak cache] place in
            cache?.setValue(1, forKey: Meddler(number: place == "equal" ? 50 : 60))
            cache?.removeValue(forKey: Meddler(number: 70))
            cache?.trim(toCount: 10)
        }
        plan.isActive.note(true)
        #expect(finishes { Self.make(outer, on: cache, Meddler(number: 1, plan: plan)) })
        #expect(cache.contains(Meddler(number: 50)))
        #expect(cache.contains(Meddler(number: 60)))
        cache.removeAll()
    }

    @Test("A8 a key's == may empty the cache that it is looked up in", arguments: Outer.allCases)
    func removals(outer: Outer) {
        let cache = Cache()
        for number in 0..<20 { cache[Meddler(number: number)] = number }
        let plan = Meddler.Plan { [weak cache] place in
            if place == "equal" { cache?.removeAll() }
        }
        plan.isActive.note(true)
        #expect(finishes { Self.make(outer, on: cache, Meddler(number: 1, plan: plan)) })
        #expect(cache.isEmptyNow)
    }

    private static func make(_ outer: Outer, on cache: Cache, _ key: Meddler) {
        switch outer {
        case .get: #expect(cache.value(forKey: key) != nil)
        case .contains: #expect(cache.contains(key))
        case .set: cache.setValue(11, forKey: key)
        case .remove: cache.removeValue(forKey: key)
        case .callbackGet: cache.value(forKey: key) { _, _, value in #expect(value != nil) }
        case .callbackSet: cache.setValue(11, forKey: key, completion: nil)
        }
        cache.drain()
    }

    @Test("A91 equal keys that are different objects hit")
    func equalObjects() {
        final class Name: Hashable, Sendable {
            let text: String
            init(_ text: String) { self.text = text }
            static func == (left: Name, right: Name) -> Bool { left.text == right.text }
            func hash(into hasher: inout Hasher) { hasher.combine(text) }
        }
        let cache = MemoryCache<Name, Int>()
        cache[Name("a")] = 1
        #expect(cache[Name("a")] == 1)
        cache[Name("a")] = 2
        #expect(cache.count == 1)
    }

    @Test("A89 keys of one hash are told apart")
    func collisions() {
        struct Colliding: Hashable, Sendable {
            let number: Int
            func hash(into hasher: inout Hasher) {}
        }
        let cache = MemoryCache<Colliding, Int>()
        for number in 0..<200 { cache[Colliding(number: number)] = number }
        for number in 0..<200 { #expect(cache[Colliding(number: number)] == number) }
        #expect(cache[Colliding(number: 200)] == nil)
        for number in stride(from: 0, to: 200, by: 2) { cache[Colliding(number: number)] = nil }
        for number in 0..<200 { #expect(cache[Colliding(number: number)] == (number.isMultiple(of: 2) ? nil : number)) }
    }
}
