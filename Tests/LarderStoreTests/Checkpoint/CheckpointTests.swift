import Foundation
import Glibc
import LarderStore
import Synchronization
import TestSupport
import Testing

/// What checkpoints do for a running store; what they are worth after a power loss is for `PowerLossTests`.
struct CheckpointTests {
    private let fixture: StoreFixture

    init() throws {
        fixture = try StoreFixture()
    }

    private static func configuration(
        interval: Duration = .seconds(86_400),
        bytes: ByteCount = .mebibytes(16)
    ) -> StoreConfiguration {
        StoreConfiguration(
            budget: .mebibytes(64),
            durability: .checkpointed,
            checkpoint: .init(interval: interval, bytes: bytes),
            expiryInterval: .zero
        )
    }

    /// Makes a closed store one that was open when the power failed.
    private func losePower() throws {
        let url = URL(filePath: fixture.path + "/STATE")
        var contents = ["STATE": [UInt8](try Data(contentsOf: url))]
        SimulatedDisk.reboot(&contents)
        SimulatedDisk.replaceLine("clean ", with: "0", &contents)
        try Data(contents["STATE"] ?? []).write(to: url)
    }

    /// A store whose last checkpoint has 1 but not 2.
    private func leaveBehind() throws {
        for number in 1...2 {
            let store = try fixture.open(Self.configuration())
            try fixture.numbers(store).setValue(number * 10, forKey: number)
            try store.close()
        }
        try losePower()
    }

    @Test("a checkpoint comes after the interval, with no further write, and none without a commit")
    func interval() async throws {
        let store = try fixture.open(Self.configuration(interval: .milliseconds(5)))
        try fixture.numbers(store).setValue(1, forKey: 1)
        try await store.flush()
        #expect(await eventually { store.statistics.checkpoints >= 1 })
        try await Task.sleep(for: .milliseconds(50))
        let count = store.statistics.checkpoints
        try await Task.sleep(for: .milliseconds(50))
        #expect(store.statistics.checkpoints == count)
        try store.close()
    }

    @Test("checkpoints come after a number of bytes, and the file does not grow beyond what they hold back")
    func bytes() throws {
        let store = try fixture.open(Self.configuration(bytes: .kibibytes(256)))
        let table = try fixture.bytes(store)
        for number in 0..<6_000 {
            try table.setValue(pattern(number, count: 1_000), forKey: "\(number % 50)")
            if number % 20 == 19 { try store.flush() }
        }
        #expect(store.statistics.checkpoints > 5)
        #expect(store.statistics.fileBytes < 8 << 20)
        try store.close()
    }

    @Test(
        "L58 a checkpoint whose sync fails is the last one: a flush says so, and the next opening does not trust the file"
    )
    func failedSync() async throws {
        let isFailing = Atomic(false)
        let faults = StoreFaults(beforeCheckpoint: { isFailing.load(ordering: .relaxed) ? LMDBFault(result: EIO) : nil }
        )
        let store = try fixture.open(Self.configuration(interval: .milliseconds(2)), faults: faults)
        let table = try fixture.numbers(store)
        try table.setValue(1, forKey: 1)
        try await store.flush()
        #expect(await eventually { store.statistics.checkpoints >= 1 })
        isFailing.store(true, ordering: .relaxed)
        try table.setValue(2, forKey: 2)
        try? await store.flush()
        #expect(await eventually { store.statistics.writeFailures > 0 })
        let count = store.statistics.checkpoints
        isFailing.store(false, ordering: .relaxed)
        try table.setValue(3, forKey: 3)
        // The failure is told once, by whichever flush comes after it.
        var told: [StoreError] = []
        for _ in 0..<3 { do throws(StoreError) { try await store.flush() } catch { told.append(error) } }
        #expect(told.count <= 1)
        #expect(told.allSatisfy { $0.code == .storageFailed && $0.message.contains("checkpoint") })
        try await Task.sleep(for: .milliseconds(20))
        #expect(store.statistics.checkpoints == count)
        for key in 1...3 { #expect(table.value(forKey: key) == key) }
        try store.close()
        #expect(String(decoding: Files.read(fixture.path + "/STATE") ?? [], as: UTF8.self).contains("suspect 1"))
        let again = try fixture.open(Self.configuration())
        #expect(again.recovery == nil)
        #expect(try fixture.numbers(again).count == 3)
        try again.close()
    }

    @Test("after power loss the store is as at its last checkpoint, and says nothing of it")
    func goesBack() throws {
        try leaveBehind()
        #expect(try Store.verify(at: fixture.path).isSound)
        let store = try fixture.open(Self.configuration())
        #expect(store.recovery == nil)
        let table = try fixture.numbers(store)
        #expect(table.value(forKey: 1) == 10)
        #expect(table.value(forKey: 2) == nil)
        #expect(table.count == 1)
        try store.close()
        #expect(try Store.verify(at: fixture.path).isSound)
    }

    @Test("after power loss without a checkpoint the store starts empty, and says why")
    func noCheckpoint() throws {
        try leaveBehind()
        #expect(Files.remove(fixture.path + "/CHECKPOINT"))
        #expect(try !Store.verify(at: fixture.path).isSound)
        let store = try fixture.open(Self.configuration())
        #expect(store.recovery?.reason == .unsyncedAfterSystemCrash)
        #expect(try fixture.numbers(store).count == 0)
        try store.close()
    }

    @Test("a checkpoint that does not fit the file is none: the store starts empty, and the file is set aside")
    func foreignCheckpoint() throws {
        try leaveBehind()
        let other = try StoreFixture()
        let store = try other.open(Self.configuration(interval: .milliseconds(1)))
        for number in 0..<400 { try other.bytes(store).setValue(pattern(number, count: 900), forKey: "\(number)") }
        try store.close()
        let reopened = try other.open(Self.configuration())
        try reopened.close()
        let bytes = try Data(contentsOf: URL(filePath: other.path + "/CHECKPOINT"))
        try bytes.write(to: URL(filePath: fixture.path + "/CHECKPOINT"))
        let empty = try fixture.open(Self.configuration())
        #expect(empty.recovery?.reason == .damaged)
        #expect(empty.recovery?.quarantine != nil)
        #expect(try fixture.numbers(empty).count == 0)
        try empty.close()
    }

    @Test("compaction moves the checkpoints to the new file")
    func compaction() throws {
        var store = try fixture.open(Self.configuration())
        let table = try fixture.bytes(store)
        for number in 0..<500 { try table.setValue(pattern(number, count: 2_000), forKey: "\(number)") }
        try store.compact()
        try table.setValue([1], forKey: "later")
        try store.close()
        try losePower()
        store = try fixture.open(Self.configuration())
        #expect(store.recovery == nil)
        #expect(try fixture.bytes(store).count == 500)
        for number in 0..<500 {
            #expect(try fixture.bytes(store).value(forKey: "\(number)") == pattern(number, count: 2_000))
        }
        try store.close()
    }

    @Test("settings of checkpoints that cannot work are refused by name, with the remedy")
    func validation() {
        for (configuration, field) in [
            (Self.configuration(interval: .zero), "checkpoint.interval"),
            (Self.configuration(interval: .seconds(100_000)), "checkpoint.interval"),
            (Self.configuration(bytes: .kibibytes(63)), "checkpoint.bytes"),
            (Self.configuration(bytes: .mebibytes(129)), "checkpoint.bytes"),
        ] {
            let error = #expect(throws: StoreError.self) { try configuration.validate() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.hasPrefix(field) == true)
        }
    }
}
