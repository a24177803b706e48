import Foundation
import Glibc
import LarderStore
import TestSupport
import Testing

/// Processes that end without a word; the system goes on, and with it what they had written.
struct KillTests {
    private let fixture: StoreFixture
    private var path: String { fixture.path }

    init() throws {
        fixture = try StoreFixture()
    }

    @Test("L62 V71 killed at any moment, again and again, the store has everything that was flushed")
    func cycles() throws {
        let seed: UInt64 = 62
        var random = SeededRandom(seed: seed)
        let workload = CrashWorkload(seed: seed)
        var left = LeftBehind()
        for cycle in 0..<Torture.count(50, full: 1_000) {
            let durability = Durability.allCases[cycle % Durability.allCases.count]
            let first = left.operations.upperBound
            let operations = first..<(first + 2_000)
            let process = try CrashProcess(path, durability, workload, operations, ending: .abandon)
            // Now and then it does not even come to its first operation.
            let flushes = Int.random(in: 0..<8, using: &random) == 0 ? 0 : Int.random(in: 1..<25, using: &random)
            for _ in 0..<flushes where !process.readToFlush() { break }
            process.kill()
            let report = process.finish()
            let note = Comment(rawValue: "seed \(seed), cycle \(cycle), \(durability)")
            check(report, left, workload, note)
            try verify(note, left.wasEverFlushed || report.flushed != nil)
            if report.isDescribed { left.note(report, operations) }
        }
        let report = try CrashProcess(path, .commit, workload, ending: .close).finish()
        check(report, left, workload, "the last opening")
        #expect(report.isClosed)
        #expect(left.wasEverFlushed)
    }

    private func check(_ report: CrashReport, _ left: LeftBehind, _ workload: CrashWorkload, _ note: Comment) {
        guard report.isDescribed else { return }
        #expect([-SIGKILL, 0].contains(report.status) && report.failure == nil, note)
        #expect(report.wrong.isEmpty, note)
        #expect(report.damaged == 0, note)
        #expect(report.recovery == nil || !left.wasEverFlushed, note)
        #expect(left.flaw(in: report, workload) == nil, note)
    }

    private func verify(_ note: Comment, _ isThere: Bool) throws {
        do {
            let verification = try Store.verify(at: path)
            #expect(!isThere || verification.isSound, "\(note): \(verification.findings)")
        } catch {
            // Killed before it had made anything.
            #expect(!isThere && error.code == .notFound, "\(note): \(error)")
        }
    }

    @Test(
        "L63 killed between any two steps of its opening and closing, the store has everything that was flushed",
        arguments: Durability.allCases
    )
    func steps(_ durability: Durability) throws {
        let workload = CrashWorkload(seed: 63)
        let recording = try Recording(at: path, durability, workload, 0..<40, ending: .close)
        let marks = recording.events.indices.filter { if case .mark = recording.events[$0] { true } else { false } }
        // The last mark is that of the closed store; the one before it is the last flush.
        let opening = 0...(try #require(marks.first))
        let closing = (try #require(marks.dropLast().last))...recording.events.count
        var disk = recording.initial
        for index in 0...recording.events.count {
            if opening.contains(index) || closing.contains(index), index % Torture.count(3, full: 1) == 0 {
                let place = fixture.directory.path("killed-\(index)")
                try SimulatedDisk.write(disk.contents, to: place)
                let found = try CrashProcess(place, durability, workload, ending: .probe).finish()
                let safe = marks.last { $0 < index }.map { mark in
                    if case .mark(let number) = recording.events[mark] { min(number, 40) } else { 0 }
                }
                #expect(found.inconsistency == nil, "step \(index)")
                #expect(found.recovery == nil || safe == nil, "step \(index): \(found.recoveryDetail ?? "")")
                let ends = CrashState().ends(of: recording.history, in: workload, reaching: found.state)
                #expect((ends.last ?? -1) >= safe ?? 0, "step \(index)")
                try FileManager.default.removeItem(atPath: place)
            }
            if index < recording.events.count { disk.apply(recording.events[index]) }
        }
    }
}
