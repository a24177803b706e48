import Foundation
import LarderStore
import TestSupport
import Testing

/// Crashes of the whole system, simulated: a recorded life of a store is cut anywhere, some of what was not yet synced is
/// lost, and another process opens what is left.
struct PowerLossTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let cuts = 10
    private static var recordings: Int { Torture.count(2, full: 10) }

    private func record(
        _ durability: Durability,
        seed: UInt64,
        operations: Range<Int> = 0..<300,
        after earlier: Recording? = nil,
        ending: CrashProcess.Ending = .close
    ) throws -> Recording {
        try Recording(
            at: directory.path("recorded-\(seed)"),
            durability,
            CrashWorkload(seed: seed),
            operations,
            after: earlier,
            ending: ending
        )
    }

    /// Cuts a recording at random points, and calls `body` with each cut and what a process finds after it.
    private func cut(
        _ recording: Recording,
        seed: UInt64,
        within events: Range<Int>? = nil,
        as durability: Durability? = nil,
        _ body: (_ cut: Int, CrashReport) throws -> Void
    ) throws {
        var random = SeededRandom(seed: seed)
        let range = events ?? 0..<(recording.events.count + 1)
        var cuts = (0..<Self.cuts).map { _ in Int.random(in: range, using: &random) }
        cuts.sort()
        var disk = recording.initial
        for index in 0...recording.events.count {
            while cuts.first == index {
                cuts.removeFirst()
                var contents = disk.contentsAfterPowerLoss(&random)
                SimulatedDisk.reboot(&contents)
                if let durability { SimulatedDisk.pretend(durability, &contents) }
                let place = directory.path("cut-\(seed)-\(index)-\(cuts.count)")
                try SimulatedDisk.write(contents, to: place)
                let found = try CrashProcess(
                    place,
                    durability ?? recording.durability,
                    recording.workload,
                    ending: .probe
                ).finish()
                try body(index, found)
                try FileManager.default.removeItem(atPath: place)
            }
            if index < recording.events.count { disk.apply(recording.events[index]) }
        }
    }

    /// How what was found breaks what `durability` promises; `nil` if it does not.
    private static func breach(
        _ recording: Recording,
        _ cut: Int,
        _ found: CrashReport,
        by durability: Durability
    ) -> String? {
        if let inconsistency = found.inconsistency { return inconsistency }
        let safe = recording.promise(at: cut, by: durability)
        if let reason = found.recovery {
            return safe > recording.history.lowerBound
                ? "starts empty (\(reason)) with \(safe) operations safe" : nil
        }
        let ends = recording.before.ends(of: recording.history, in: recording.workload, reaching: found.state)
        guard let end = ends.last else { return "is in no state it ever was in" }
        return end < safe ? "is as after operation \(end), with \(safe) safe" : nil
    }

    @Test(
        "L58 V71 what was promised survives the loss of power at any moment",
        arguments: Durability.allCases
    )
    func promises(_ durability: Durability) throws {
        for number in 0..<Self.recordings {
            let seed = UInt64(number) * 7 + 58
            let recording = try record(durability, seed: seed)
            #expect(recording.report.isClosed, "seed \(seed): \(recording.report.failure ?? "")")
            try cut(recording, seed: seed) { cut, found in
                let breach = Self.breach(recording, cut, found, by: durability)
                #expect(breach == nil, "seed \(seed), cut at event \(cut) of \(recording.events.count)")
                guard durability == .fast, !found.state.numbers.isEmpty else { return }
                // Nothing was synced before the end, so only the end may have left something.
                #expect(
                    recording.after == found.state,
                    "seed \(seed), cut \(cut)"
                )
            }
        }
    }

    @Test(
        "L58 a killed process's store that is reopened, in whatever mode, is never worse off than it was",
        arguments: [
            (Durability.fast, Durability.strict), (.fast, .checkpointed), (.checkpointed, .checkpointed),
            (.checkpointed, .commit), (.commit, .checkpointed),
        ]
    )
    func reopening(_ first: Durability, _ second: Durability) throws {
        for number in 0..<Torture.count(1, full: 10) {
            // The first is killed between writing a checkpoint and syncing it.
            let seed = UInt64(number) + 903
            let killed = try record(first, seed: seed, operations: 0..<200, ending: .abandon)
            let reopened = try record(second, seed: seed, operations: 200..<220, after: killed)
            // The moments that matter are those before the first commit.
            try cut(reopened, seed: seed, within: 0..<30) { cut, found in
                let breach = Self.breach(reopened, cut, found, by: second)
                #expect(breach == nil, "seed \(seed), cut at event \(cut) of \(reopened.events.count)")
                #expect(found.recovery != "damaged", "seed \(seed), cut at event \(cut): \(found.recoveryDetail ?? "")")
            }
        }
    }

    @Test(
        "L58 A75 a store that was closed in order and opened again keeps all of it until its first commit, and its promise after",
        arguments: Durability.allCases
    )
    func reopenedClean(_ durability: Durability) throws {
        for number in 0..<Torture.count(1, full: 10) {
            let seed = UInt64(number) + 3_000
            let closed = try record(durability, seed: seed, operations: 0..<200)
            let reopened = try record(durability, seed: seed, operations: 200..<220, after: closed)
            #expect(reopened.report.isIntact && reopened.report.isClosed, "seed \(seed)")
            // Nothing but the owner's number, and LMDB's table of readers, before the note that the store is open.
            let opening = reopened.events.prefix { if case .create("STATE.new") = $0 { false } else { true } }
            for event in opening where durability != .checkpointed {
                if case .write(let name, _, _, _) = event { #expect(["LOCK", "lock.mdb"].contains(name)) }
                if case .syncBegin(let name) = event { Issue.record("\(name) is synced") }
            }
            try cut(reopened, seed: seed) { cut, found in
                let breach = Self.breach(reopened, cut, found, by: durability)
                #expect(breach == nil, "seed \(seed), cut at event \(cut) of \(reopened.events.count)")
            }
            try cut(reopened, seed: seed, within: 0..<(opening.count + 1)) { cut, found in
                #expect(found.isIntact, "seed \(seed), cut at event \(cut) of \(reopened.events.count)")
            }
        }
    }

    @Test("L58 the power may fail again while a store goes back to its checkpoint")
    func secondLoss() throws {
        for number in 0..<Torture.count(1, full: 10) {
            let seed = UInt64(number) + 2_000
            var random = SeededRandom(seed: seed)
            let first = try record(.checkpointed, seed: seed, operations: 0..<200, ending: .abandon)
            var contents = first.disk.contentsAfterPowerLoss(&random)
            SimulatedDisk.reboot(&contents)
            let second = try Recording(
                at: directory.path("again-\(seed)"),
                holding: contents,
                .checkpointed,
                first.workload,
                200..<220
            )
            #expect(second.report.isIntact && second.report.isClosed, "seed \(seed)")
            #expect(!second.before.numbers.isEmpty, "seed \(seed)")
            try cut(second, seed: seed, within: 0..<30) { cut, found in
                let breach = Self.breach(second, cut, found, by: .checkpointed)
                #expect(breach == nil && found.isIntact, "seed \(seed), cut at event \(cut)")
            }
        }
    }

    @Test("L58 the simulator finds out commits that nothing syncs")
    func control() throws {
        let seed: UInt64 = 4
        let recording = try record(.fast, seed: seed, ending: .abandon)
        var (losses, damages) = (0, 0)
        try cut(recording, seed: seed, as: .strict) { cut, found in
            if Self.breach(recording, cut, found, by: .strict) != nil { losses += 1 }
            let ends = recording.before.ends(of: recording.history, in: recording.workload, reaching: found.state)
            if found.flaw != nil || found.recovery != nil || found.damaged > 0 || ends.isEmpty { damages += 1 }
        }
        #expect(losses > Self.cuts / 2)
        #expect(damages > 0)
        print("of \(Self.cuts) power losses, \(losses) lost what was flushed, and \(damages) damaged the store")
    }
}
