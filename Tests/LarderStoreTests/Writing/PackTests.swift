import Glibc
import LMDB
import TestSupport
import Testing

@testable import LarderStore

/// Records that share packs, one transaction at a time.
struct PackTests {
    private func value(_ key: Int, _ count: Int) -> BareRecords.Found { .value(pattern(key, count: count)) }

    /// That what is counted as dead is what is dead, and never more than half.
    private func check(_ store: BareRecords, isClean: Bool = true, _ note: Comment? = nil) throws {
        for pack in try store.packs() {
            #expect(pack.counted == pack.byteCount - pack.living, note)
            #expect(pack.living > 0, note)
            if isClean { #expect(2 * pack.living >= pack.byteCount, note) }
        }
    }

    // MARK: Writing

    @Test("the small records of a transaction share a pack, large ones do not, and all are found")
    func together() throws {
        var store = try BareRecords()
        try store.put(0..<20, count: 1_500)
        #expect(Set(try (0..<20).map { try store.place($0)?.pack }) == [1])
        try store.write { (records, transaction, changes) throws(LMDBError) in
            for (key, count) in [(100, 50), (101, 40_000), (102, 60), (103, 300_000), (104, 70)] {
                let record = records.record(key, pattern(key, count: count))
                let hash = records.seed.hash(instance: 1, key: Array("\(key)".utf8))
                try records.put(record.header, content: record.content, hash: hash, &transaction, &changes)
            }
        }
        for key in 0..<20 { #expect(try store.find(key) == value(key, 1_500)) }
        for (key, count) in [(100, 50), (101, 40_000), (102, 60), (103, 300_000), (104, 70)] {
            #expect(try store.find(key) == value(key, count))
        }
        #expect(try store.place(100)?.pack == store.place(104)?.pack)
        #expect(try store.place(101)?.offset == 0)
        #expect(store.ledger.entries == 25)
        try check(store)
        // Five pieces, the record of ten pages and the small ones together.
        #expect(store.ledger.nextSequence == RecordPlace(pack: 2 + 5 + 1 + 1).sequence)
    }

    @Test("what a transaction has put, it finds: to replace, to write again, to remove and to discard")
    func visible() throws {
        var store = try BareRecords()
        let hashes = (0..<6).map { store.hash($0) }
        try store.write { (records, transaction, changes) throws(LMDBError) in
            func put(_ key: Int, _ value: Int) throws(LMDBError) {
                let record = records.record(key, pattern(value, count: 3_000))
                try records.put(record.header, content: record.content, hash: hashes[key], &transaction, &changes)
            }
            for key in 0..<5 { try put(key, key) }
            #expect(changes.staged.count == 5)
            try put(1, 100)
            #expect(try records.remove(hashes[2], &transaction, &changes))
            #expect(try !records.remove(hashes[5], &transaction, &changes))
            let third = RecordPlace(pack: 1, offset: 3 * 3_065).sequence
            #expect(try records.rewrite(hashes[3], at: third, &transaction, &changes) { $0.cost = 9 })
            try put(4, 104)
            let fourth = RecordPlace(pack: 1, offset: 4 * 3_065).sequence
            // It was replaced since.
            try records.discard(hashes[4], at: fourth, &transaction, &changes)
            try records.discard(hashes[4], at: 0, &transaction, &changes)
        }
        #expect(try store.find(0) == value(0, 3_000))
        #expect(try store.find(1) == value(100, 3_000))
        #expect(try store.find(2) == .absent)
        #expect(try store.find(3) == value(3, 3_000))
        #expect(try store.find(4) == value(104, 3_000))
        #expect(store.ledger.entries == 4)
        try check(store)
    }

    @Test("the last record of a cleared table stays known when it is written again before it is swept away")
    func rewrittenWhileDead() throws {
        var store = try BareRecords()
        try store.put([1], count: 10)
        let (hash, place) = (store.hash(1), try #require(try store.place(1)))
        try store.write { (records, transaction, changes) throws(LMDBError) in
            changes.ledger.clear("t", keyKind: "integer", dead: 1, next: 2)
            #expect(
                try records.rewrite(hash, at: place.sequence, &transaction, &changes) {
                    $0.created = WallTime(nanoseconds: 0)
                }
            )
        }
        #expect(store.ledger.dead == [1])
        #expect(store.ledger.counts[1]?.entries == 1)
        try store.write { (records, transaction, changes) throws(LMDBError) in
            _ = try records.sweepDead(from: 0, limit: 10, &transaction, &changes)
        }
        #expect(store.ledger.dead.isEmpty && store.ledger.counts[1] == nil)
        #expect(try store.find(1) == .absent)
    }

    @Test("when there are no more numbers for packs a write fails, and nothing is changed")
    func numbers() throws {
        var store = try BareRecords()
        try store.put(0..<3, count: 10)
        store.ledger.nextSequence = RecordPlace(pack: RecordPlace.packLimit - 2).sequence
        let before = store.ledger
        for count in [10, 300_000] {
            let error = #expect(throws: LMDBError.self) {
                try store.put(10..<11, count: count)
                try store.put(11..<12, count: count)
            }
            #expect(error?.result == EOVERFLOW)
            store.ledger.nextSequence = before.nextSequence
        }
        #expect(try store.find(11) == .absent)
        for key in 0..<3 { #expect(try store.find(key) == value(key, 10)) }
    }

    // MARK: Removing

    @Test("every choice of six neighbours is removed, replaced or expired, and the others stay", arguments: 0..<3)
    func patterns(way: Int) throws {
        for choice in 0..<64 {
            var store = try BareRecords()
            let chosen = (0..<6).filter { choice >> $0 & 1 == 1 }
            try store.put(0..<6, count: 3_000)
            #expect(Set(try (0..<6).map { try store.place($0)?.pack }).count == 1)
            switch way {
            case 0: try store.remove(chosen)
            case 1: for key in chosen { try store.remove([key]) }
            default: try store.put(chosen, count: 10)
            }
            for key in 0..<6 {
                let isChosen = chosen.contains(key)
                #expect(try store.find(key) == (isChosen ? way == 2 ? value(key, 10) : .absent : value(key, 3_000)))
            }
            #expect(store.ledger.entries == (way == 2 ? 6 : 6 - chosen.count))
            try check(store, "way \(way), choice \(choice)")
            try store.remove(0..<6)
            #expect(try store.packs().isEmpty)
            #expect(store.ledger.entries == 0)
        }
    }

    @Test("cleaning keeps the order of writing: the oldest still leave first")
    func order() throws {
        var store = try BareRecords()
        for first in stride(from: 0, to: 200, by: 10) { try store.put(first..<(first + 10), count: 3_000) }
        let place = try store.place(3)
        try store.remove((0..<200).filter { $0 % 10 != 3 && $0 % 10 != 7 })
        #expect(try store.place(3)?.pack == place?.pack)
        #expect(try store.place(3) != place)
        for key in 0..<200 {
            #expect(try store.find(key) == ([3, 7].contains(key % 10) ? value(key, 3_000) : .absent))
        }
        try check(store)
        let sketch = store.sketch
        var isReached = false
        try store.write { (records, transaction, changes) throws(LMDBError) in
            let target = try records.usedPages(transaction) / 2
            isReached = try records.evict(
                downTo: target,
                limit: 100,
                now: WallTime(nanoseconds: 2),
                sketch: sketch,
                &transaction,
                &changes
            )
        }
        #expect(isReached)
        let left = try (0..<200).filter { try store.find($0) == value($0, 3_000) }
        #expect((5..<35).contains(left.count))
        #expect(left == (0..<200).filter { [3, 7].contains($0 % 10) && $0 >= left[0] })
    }

    @Test("A19 evicted packs take what was read along, and what was replaced meanwhile is not brought back")
    func secondChance() throws {
        var store = try BareRecords()
        for first in stride(from: 0, to: 100, by: 10) { try store.put(first..<(first + 10), count: 3_000) }
        try store.put([4], count: 20)
        for key in [4, 5, 17] { store.sketch.note(store.hash(key)) }
        let sketch = store.sketch
        let changes = try store.write { (records, transaction, changes) throws(LMDBError) in
            _ = try records.evict(
                downTo: 50,
                limit: 1_000,
                now: WallTime(nanoseconds: 2),
                sketch: sketch,
                &transaction,
                &changes
            )
        }
        #expect(try store.find(4) == value(4, 20))
        #expect(try store.find(5) == value(5, 3_000))
        #expect(try store.find(17) == value(17, 3_000))
        #expect(try store.find(6) == .absent)
        #expect(try store.find(99) == value(99, 3_000))
        #expect(Int(changes.tally.evicted) == 101 - store.ledger.entries - 1)
        try check(store)
    }

    @Test("the records that expire are found after their pack was cleaned")
    func expiry() throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000, expires: WallTime(nanoseconds: 100))
        try store.remove([0, 1, 3, 4, 5, 6, 8])
        #expect(try store.place(9)?.offset == 2 * 3_065)
        var expired: [UInt64] = []
        let changes = try store.write { (records, transaction, changes) throws(LMDBError) in
            let attached = records.extensions[0]
            guard let order = attached.body as? ExpiryOrder else { return }
            let now = WallTime(nanoseconds: 101)
            for (hash, sequence) in try order.takeExpired(by: now, limit: 9, from: attached.keyspace, &transaction) {
                expired.append(sequence)
                #expect(try records.remove(hash, onlyAt: sequence, &transaction, &changes))
            }
        }
        #expect(expired.count == 3)
        #expect(changes.ledger.entries == 0)
        #expect(try store.packs().isEmpty)
    }

    @Test("records of a cleared table leave the packs they share with others")
    func sweep() throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 1_000, instance: 2)
        for _ in 0..<5 {
            let hashes = (0..<10).map { ($0, store.hash($0), store.hash($0, instance: 2)) }
            try store.write { (records, transaction, changes) throws(LMDBError) in
                for (key, first, second) in hashes {
                    for (instance, hash) in [(UInt32(1), first), (2, second)] {
                        let record = records.record(key, pattern(key, count: 1_000), instance: instance)
                        try records.put(record.header, content: record.content, hash: hash, &transaction, &changes)
                    }
                }
            }
        }
        store.ledger.dead = [2]
        var next: UInt64? = 0
        var slices = 0
        while let from = next {
            try store.write { (records, transaction, changes) throws(LMDBError) in
                next = try records.sweepDead(from: from, limit: 4, &transaction, &changes)
            }
            slices += 1
        }
        #expect(slices > 1)
        #expect(store.ledger.dead.isEmpty)
        #expect(store.ledger.entries == 10)
        for key in 0..<10 { #expect(try store.find(key) == value(key, 1_000)) }
        try check(store)
    }

    // MARK: Cleaning

    @Test("dead bytes never take more than half, and no more is moved than dies", arguments: [100, 1_000, 6_000])
    func bound(count: Int) throws {
        var random = SeededRandom.printingSeed()
        var store = try BareRecords()
        var living = Set(0..<2_000)
        for first in stride(from: 0, to: 2_000, by: 200) { try store.put(first..<(first + 200), count: count) }
        let full = store.ledger.liveBytes
        var moved = 0
        while living.count > 100 {
            let keys = (0..<50).compactMap { _ in living.randomElement(using: &random) }
            living.subtract(keys)
            let changes = try store.remove(Set(keys))
            #expect(!changes.leavesThinPacks)
            moved += changes.cleanedBytes
            try check(store)
        }
        #expect(moved > 0)
        #expect(moved <= full - store.ledger.liveBytes)
        #expect(store.ledger.entries == living.count)
        for key in 0..<2_000 { #expect(try store.find(key) == (living.contains(key) ? value(key, count) : .absent)) }
    }

    @Test("one transaction moves a bounded number of bytes, and the rest is found later")
    func bounded() throws {
        var store = try BareRecords()
        let count = 3_000
        let keys = 0..<((RecordStore.cleaningLimit / count) * 5)
        for first in stride(from: 0, to: keys.count, by: 500) {
            try store.put(first..<min(first + 500, keys.count), count: count)
        }
        // Of ten in each pack four live on.
        let removed = keys.filter { $0 % 5 > 1 }
        let changes = try store.remove(removed)
        #expect(changes.leavesThinPacks)
        #expect(changes.cleanedBytes < RecordStore.cleaningLimit + PackLayout.limit)
        try check(store, isClean: false)
        var next: UInt64? = 0
        var found = 0
        while let from = next {
            let (thin, further) = try store.environment.read { (snapshot) throws(LMDBError) in
                try store.records.thinPacks(from: from, limit: 16, snapshot)
            }
            found += thin.count
            next = further
            try store.write { (records, transaction, changes) throws(LMDBError) in
                for pack in thin { #expect(try records.clean(pack, &transaction, &changes)) }
            }
        }
        #expect(found > 0)
        try check(store)
        #expect(try store.find(keys.count - 5) == value(keys.count - 5, count))
    }

    @Test("the pages of a store that is written over and over stay within twice what lives")
    func steady() throws {
        var random = SeededRandom.printingSeed()
        var store = try BareRecords()
        var largest = 0
        for round in 0..<150 {
            try store.put(Set((0..<100).map { _ in Int.random(in: 0..<1_000, using: &random) }), count: 1_000)
            guard round >= 50 else { continue }
            let pages = try store.environment.read { (snapshot) throws(LMDBError) in
                try store.records.usedPages(snapshot)
            }
            largest = max(largest, pages * 4_096)
        }
        #expect(largest < store.ledger.liveBytes * 2)
        try check(store)
    }

    // MARK: Damage

    @Test("L55 damage to one record of a pack costs that record only", arguments: [0, 8, 70, 500])
    func damage(offset: Int) throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000)
        let place = try #require(try store.place(4))
        try store.change(place.pack, in: store.records.data) { $0[place.offset + offset] ^= 1 }
        #expect(try store.find(4) == .damaged)
        for key in 0..<10 where key != 4 { #expect(try store.find(key) == value(key, 3_000)) }

        let hash = store.hash(4)
        try store.write { (records, transaction, changes) throws(LMDBError) in
            try records.discard(hash, at: place.sequence, &transaction, &changes)
        }
        #expect(try store.find(4) == .absent)
        try store.remove(0..<3)
        try store.remove([3, 5, 6])
        for key in 7..<10 { #expect(try store.find(key) == value(key, 3_000)) }
        #expect(store.ledger.entries == 3)
        try store.evict(limit: 100)
        #expect(store.ledger.entries == 0)
        #expect(try store.packs().isEmpty)
    }

    @Test("a living record that cannot be read keeps its pack as it is, and is not lost from sight")
    func damagedWhileLiving() throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000)
        let place = try #require(try store.place(4))
        try store.change(place.pack, in: store.records.data) { $0[place.offset] ^= 1 }
        try store.remove([0, 1, 2, 5, 6, 7, 8])
        #expect(try store.place(9)?.offset == 9 * 3_065)
        #expect(try store.find(9) == value(9, 3_000))
        #expect(try store.find(3) == value(3, 3_000))
        #expect(try store.find(4) == .damaged)
        try store.remove([3, 4, 9])
        #expect(try store.packs().isEmpty)
    }

    @Test("a wrong count of dead bytes never costs a living record", arguments: [0, 7, 8])
    func damagedCount(length: Int) throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000)
        try store.remove([0])
        let pack = try #require(try store.place(5)).pack
        let seed = store.records.seed
        try store.change(pack, in: store.records.packs) { bytes in
            // The last is intact, and says that everything has died.
            bytes =
                length == 8
                ? PackWaste(bytes: 30_650).encodedBytes(pack: pack, seed: seed)
                : [UInt8](repeating: 1, count: length)
        }
        try store.remove([1])
        for key in 2..<10 { #expect(try store.find(key) == value(key, 3_000)) }
        try check(store)
        try store.remove(2..<10)
        #expect(try store.packs().isEmpty)
    }

    @Test("L59 a pack that was cut short or replaced by garbage is damage, never a crash", arguments: 0..<12)
    func garbage(seed: Int) throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000)
        try store.put(10..<20, count: 100)
        let pack = try #require(try store.place(5)).pack
        try store.change(pack, in: store.records.data) { bytes in
            bytes =
                switch seed {
                case 0: []
                case 1: [1]
                case 2..<8: Array(bytes.prefix(bytes.count * (seed - 2) / 6 + 3))
                default: pattern(seed, count: bytes.count / (12 - seed))
                }
        }
        var lost = 0
        for key in 0..<10 {
            let found = try store.find(key)
            #expect(found == value(key, 3_000) || found == .damaged)
            lost += found == .damaged ? 1 : 0
        }
        #expect(lost > 0)
        for key in 0..<10 { try store.remove([key]) }
        for key in 10..<20 { #expect(try store.find(key) == value(key, 100)) }
        try store.evict(limit: 100)
        #expect(store.ledger.entries == 0)
        #expect(try store.packs().isEmpty)
    }

    @Test("an intact record in another's place is noticed")
    func misplaced() throws {
        var store = try BareRecords()
        try store.put(0..<10, count: 3_000)
        try store.put(10..<20, count: 3_000)
        let (first, second) = (try #require(try store.place(0)).pack, try #require(try store.place(10)).pack)
        var other: [UInt8] = []
        try store.change(second, in: store.records.data) { other = $0 }
        try store.change(first, in: store.records.data) { $0 = other }
        for key in 0..<10 { #expect(try store.find(key) == .damaged) }
        for key in 10..<20 { #expect(try store.find(key) == value(key, 3_000)) }
    }

    // MARK: Anything

    @Test("random transactions over shared packs agree with a dictionary", arguments: [1, 2, 3])
    func model(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var store = try BareRecords()
        var model: [Int: (value: Int, count: Int)] = [:]
        for step in 0..<400 {
            let note: Comment = "seed \(seed), step \(step)"
            let sketch = store.sketch
            let hashes = (0..<150).map { store.hash($0) }
            var changed = model
            do throws(LMDBError) {
                try store.write { (records, transaction, changes) throws(LMDBError) in
                    for number in 0..<Int.random(in: 1..<80, using: &random) {
                        let key = Int.random(in: 0..<150, using: &random)
                        switch Int.random(in: 0..<100, using: &random) {
                        case 0..<55:
                            let limit = [30, 700, 5_000, 40_000].randomElement(using: &random)!
                            let value = (step * 100 + number, Int.random(in: 0..<limit, using: &random))
                            let record = records.record(key, pattern(value.0, count: value.1))
                            let (header, content) = record
                            try records.put(header, content: content, hash: hashes[key], &transaction, &changes)
                            changed[key] = value
                        case 55..<90:
                            let isThere = try records.remove(hashes[key], &transaction, &changes)
                            #expect(isThere == (changed[key] != nil), note)
                            changed[key] = nil
                        case 90..<98:
                            if changes.isStaged(hashes[key]) { try records.settle(&transaction, &changes) }
                            guard case .found(let header, _) = try records.read(hashes[key], transaction) else {
                                continue
                            }
                            #expect(
                                try records.rewrite(hashes[key], at: header.sequence, &transaction, &changes) { _ in },
                                note
                            )
                        default:
                            try records.settle(&transaction, &changes)
                        }
                    }
                    // Some fail at the end: nothing of them may be left.
                    if step % 10 == 9 { throw LMDBError(call: "test", result: EIO) }
                }
                model = changed
            } catch {
                #expect(error.result == EIO, note)
            }
            if step % 50 == 49 {
                try store.write { (records, transaction, changes) throws(LMDBError) in
                    _ = try records.evict(
                        downTo: 150,
                        limit: 1_000,
                        now: WallTime(nanoseconds: 2),
                        sketch: sketch,
                        &transaction,
                        &changes
                    )
                }
                for key in model.keys where try store.find(key) == .absent { model[key] = nil }
            }
            guard step % 5 == 4 else { continue }
            #expect(store.ledger.entries == model.count, note)
            for key in 0..<150 {
                let expected = model[key].map { value($0.value, $0.count) } ?? .absent
                #expect(try store.find(key) == expected, note)
            }
            try check(store, note)
        }
    }
}
