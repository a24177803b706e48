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

    private static let all = [readersAndWriters, writeAfterWrite, writeAfterRead, nestedRead, nestedWrite]

    @Test(
        "no interleaving overlaps bodies, overtakes an enqueued call or gets stuck",
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
        let found = Self.all.reduce(into: Set<BarrierModel.Violation>()) { found, model in
            var model = model
            model.mistake = mistake
            found.formUnion(BarrierModelExplorer(model, stopsEarly: true).violations)
        }
        switch mistake {
        case .scansLanesBeforeClosingTheGate, .readsWithoutLookingAtTheGateAgain: #expect(found.contains(.overlap))
        case .dropsTheTicketBeforeTheBody, .readersIgnoreTickets, .writersIgnoreTickets:
            #expect(found.contains(.overtaking))
        case .nestedReadsWaitForTheGate, .nestedWritesWaitForTheLanes: #expect(found.contains(.stuck))
        }
    }
}
