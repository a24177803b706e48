import Testing

struct BarrierModelTests {
    typealias Actor = BarrierModel.Actor

    /// Two readers, two writers and an asynchronous write, which one of the readers has enqueued.
    private static let readersAndWriters = BarrierModel(actors: [
        Actor(call: .write, isAsynchronous: true),
        Actor(call: .read, enqueues: 0),
        Actor(call: .read),
        Actor(call: .write),
        Actor(call: .write),
    ])

    /// A reader behind its own asynchronous write, beside a writer.
    private static let readAfterWrite = BarrierModel(actors: [
        Actor(call: .write, isAsynchronous: true),
        Actor(call: .read, enqueues: 0),
        Actor(call: .write),
    ])

    /// A writer behind its own asynchronous write, beside a reader.
    private static let writeAfterWrite = BarrierModel(actors: [
        Actor(call: .write, isAsynchronous: true),
        Actor(call: .write, enqueues: 0),
        Actor(call: .read),
    ])

    /// A writer behind its own asynchronous read, beside another writer and a reader.
    private static let writeAfterRead = BarrierModel(actors: [
        Actor(call: .read, isAsynchronous: true),
        Actor(call: .write, enqueues: 0),
        Actor(call: .write),
        Actor(call: .read),
    ])

    /// A read whose body reads again, beside writers in place and on the queue.
    private static let nestedRead = BarrierModel(actors: [
        Actor(call: .write, isAsynchronous: true),
        Actor(call: .read, nested: .read),
        Actor(call: .write, enqueues: 0),
        Actor(call: .read),
    ])

    /// A read whose body writes, which becomes an asynchronous write, beside a writer and a reader.
    private static let nestedWrite = BarrierModel(actors: [
        Actor(call: .write, isAsynchronous: true),
        Actor(call: .read, nested: .asynchronousWrite, nestedEnqueues: 0),
        Actor(call: .write),
        Actor(call: .read),
    ])

    private static let small = [readAfterWrite, writeAfterWrite, writeAfterRead, nestedRead, nestedWrite]

    /// Without a thread of the pool that runs queued calls, as when callers occupy the whole pool, and with one.
    ///
    /// The largest has a million states with it: for release builds.
    private static let all: [BarrierModel] = {
        let withRunner = (small + [readersAndWriters]).map {
            var model = $0
            model.actors.append(Actor(call: .runner))
            return model
        }
        #if DEBUG
            return small + [readersAndWriters] + withRunner.dropLast()
        #else
            return small + [readersAndWriters] + withRunner
        #endif
    }()

    @Test(
        "A2 A3 no interleaving overlaps bodies, overtakes a queued call or gets stuck, with or without a thread of the pool",
        arguments: all.indices,
        [1, 2]
    )
    func allInterleavings(model: Int, laneCount: Int) {
        var model = Self.all[model]
        model.laneCount = laneCount
        let explorer = BarrierModelExplorer(model)
        #expect(explorer.violations == [])
        #expect(explorer.stateCount > 100)
        print("barrier model: \(explorer.stateCount) states")
    }

    @Test("the exploration finds each mistake", arguments: BarrierModel.Mistake.allCases)
    func mistakes(mistake: BarrierModel.Mistake) {
        let expected: BarrierModel.Violation =
            switch mistake {
            case .scansLanesBeforeClosingTheGate, .readsWithoutLookingAtTheGateAgain: .overlap
            case .dropsTheTicketBeforeTheBody, .readersIgnoreTickets, .writersIgnoreTickets: .overtaking
            case .nestedReadsWaitForTheGate, .nestedWritesWaitForTheLanes, .waitsForTheRunner: .stuck
            }
        let isFound = Self.small.contains { model in
            var model = model
            model.mistake = mistake
            return BarrierModelExplorer(model, stopsEarly: true).violations == [expected]
        }
        #expect(isFound)
    }
}
