import FoundationEssentials
import Glibc
import LarderStore
import TestSupport
import Testing
import Threading

/// Processes that work on one store without a word to each other, and are killed now and then.
@Suite(.timeLimit(.minutes(30)))
struct HammerTests {
    private let fixture: StoreFixture
    private var path: String { fixture.path }

    init() throws {
        fixture = try StoreFixture()
    }

    /// One member's processes, one after the other: each continues where the one before it was killed.
    private struct Member {
        let path: String
        let durability: Durability
        let workload: CrashWorkload
        let operations: Int
        var random: SeededRandom
        var left = LeftBehind()
        var problems: [String] = []

        init(_ path: String, _ durability: Durability, seed: UInt64, number: Int, operations: Int) {
            self.path = path
            self.durability = durability
            workload = CrashWorkload(seed: seed, member: number)
            self.operations = operations
            random = SeededRandom(seed: seed << 8 | UInt64(number))
        }

        mutating func run(rounds: Int) {
            for round in 0..<rounds {
                do {
                    try self.round(isKilled: Int.random(in: 0..<3, using: &random) > 0, "round \(round)")
                } catch {
                    problems.append("round \(round): \(error)")
                }
            }
        }

        /// Looks at what the last process has left, without adding to it.
        mutating func look() throws {
            let process = try CrashProcess(path, durability, workload, ending: .close)
            judge(process.finish(), isKilled: false, left.operations.upperBound..<left.operations.upperBound, "the end")
        }

        private mutating func round(isKilled: Bool, _ name: String) throws {
            let first = left.operations.upperBound
            let operations = first..<(first + operations)
            let process = try CrashProcess(path, durability, workload, operations, ending: .close)
            if isKilled {
                for _ in 0..<Int.random(in: 0..<20, using: &random) where !process.readToFlush() { break }
                process.kill()
            }
            judge(process.finish(), isKilled: isKilled, operations, name)
        }

        private mutating func judge(_ report: CrashReport, isKilled: Bool, _ operations: Range<Int>, _ name: String) {
            func expect(_ isRight: Bool, _ what: @autoclosure () -> String) {
                if !isRight { problems.append("member \(workload.member ?? -1), \(name): \(what())") }
            }
            expect(report.failure == nil, report.failure ?? "")
            expect(report.status == 0 || isKilled && report.status == -SIGKILL, "status \(report.status)")
            expect(report.wrong.isEmpty && report.damaged == 0, "\(report.wrong), \(report.damaged) damaged")
            expect(report.recovery == nil, report.recoveryDetail ?? "")
            guard report.isDescribed else { return }
            let flaw = left.flaw(in: report, workload)
            expect(flaw == nil, flaw ?? "")
            left.note(report, operations)
        }
    }

    @Test(
        "B27 V71 eight processes on one store, some killed: no wrong or stale byte, every covered write there, and it is sound",
        arguments: [(Durability.fast, 8), (.commit, 2), (.strict, 3)]
    )
    func hammer(durability: Durability, members: Int) throws {
        let seed = UInt64.random(in: 1...1 << 40)
        let operations = Torture.count(60, full: 400)
        let rounds = Torture.count(4, full: 60)
        // Made first, so that no member is killed before there is a store.
        var configuration = StoreConfiguration(budget: .mebibytes(64), durability: durability)
        configuration.multiProcess = true
        try Store.open(at: path, configuration: configuration).close()
        let done = Lock<[Member]>([])
        #expect(
            threads(members, within: .seconds(1_500)) { number in
                var member = Member(path, durability, seed: seed, number: number, operations: operations)
                member.run(rounds: rounds)
                done.withLock { $0.append(member) }
            }
        )
        for var member in done.withLock({ $0 }) {
            try member.look()
            #expect(member.problems.isEmpty, "seed \(seed): \(member.problems)")
            #expect(member.left.wasEverFlushed, "seed \(seed)")
        }
        #expect(done.withLock { $0.count } == members)
        let verification = try Store.verify(at: path)
        #expect(verification.isSound, "seed \(seed): \(verification.findings)")
        // Nobody is left: the last one to close has left it in order.
        let store = try Store.open(at: path, configuration: configuration)
        #expect(store.recovery == nil)
        // One let go of closes after the test, and writes into the directory that is being removed.
        try store.close()
    }
}
