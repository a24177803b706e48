/// The protocol of `BarrierQueue` as a state machine: what its threads do, one atomic step at a time.
///
/// A step is one atomic operation of the code (a compare-exchange of a lane, a load of the gate, a ticket up or down), one
/// operation of the line or of the list of queued calls, or one edge of a body. Two simplifications keep all behaviours: a
/// load of the gate and the compare-exchange that expects what was loaded are one step, because the exchange succeeds only
/// if nothing came between; and spinning may end at any round, because no count of rounds is promised.
struct BarrierModel: Sendable {
    /// One thread, or one asynchronous call, and the call it makes.
    struct Actor: Sendable {
        /// A runner runs the queued calls that nobody else has run; it stands for a thread of the pool.
        enum Call: Sendable { case read, write, runner }
        enum Nested: Sendable { case read, asynchronousWrite }

        var call: Call

        /// Queued by another actor; does nothing until then.
        var isAsynchronous = false

        /// The asynchronous call that the actor enqueues first, whose body must be over when its own runs.
        var enqueues: Int?

        /// What the body of a read does, as a `Hashable` key might.
        var nested: Nested?

        /// The asynchronous call that the nested write becomes.
        var nestedEnqueues: Int?
    }

    /// Mistakes that could be made in the code, to show that the exploration would find them.
    enum Mistake: CaseIterable, Sendable {
        case scansLanesBeforeClosingTheGate
        case readsWithoutLookingAtTheGateAgain
        case dropsTheTicketBeforeTheBody
        case readersIgnoreTickets
        case writersIgnoreTickets
        case nestedReadsWaitForTheGate
        case nestedWritesWaitForTheLanes
        case waitsForTheRunner
    }

    var actors: [Actor]
    var laneCount = 2
    var mistake: Mistake?

    enum Step: UInt16 {
        case dormant, done
        // Queueing an asynchronous call.
        case raiseTicket, putOnQueue, queued
        // Reading: the fast lane, the spinning, the line.
        case enterLane, lookAtGate, stepBack
        case spinReading, spinEnterLane, spinLookAtGate, spinStepBack
        case lookForCalls, leaveLineAfterCalls
        case lineUpToRead, awaitReadTurn, turnReading, turnEnterLane, turnLookAtGate, turnStepBack
        case read, leaveLane
        // Inside the body of a read.
        case nestedEnterLane, nestedLookAtGate, nestedLeaveLane, nestedWait, nestedCloseGate, nestedOpenGate
        // Writing.
        case closeGate, spinWriting, raiseWriteTicket, turnCloseGate, awaitLanes, write, openGate
        // At the head of the line.
        case lineUpAsBarrier, awaitBarrierTurn, runCalls
        case dropOwnTicket, dropCallTicket, leaveLine
    }

    struct Process: Equatable {
        var step: Step
        /// The lane held, counted from one.
        var lane: UInt16 = 0
        /// The lane looked at next, or the second lane of a nested read.
        var index: UInt16 = 0
        var isInLine = false
        var holdsTicket = false
        /// Where queueing returns to: the call itself, or the rest of a read's body.
        var isInBody = false
        /// Whether a reader stands in the line as a barrier, to run the queued calls first.
        var isBarrier = false

        init(_ step: Step) { self.step = step }

        init(packed: UInt16) {
            step = Step(rawValue: packed & 63) ?? .done
            lane = packed >> 6 & 7
            index = packed >> 9 & 7
            isInLine = packed & 1 << 12 != 0
            holdsTicket = packed & 1 << 13 != 0
            isInBody = packed & 1 << 14 != 0
            isBarrier = packed & 1 << 15 != 0
        }

        var packed: UInt16 {
            step.rawValue | lane << 6 | index << 9
                | (isInLine ? 1 << 12 : 0) | (holdsTicket ? 1 << 13 : 0) | (isInBody ? 1 << 14 : 0)
                | (isBarrier ? 1 << 15 : 0)
        }
    }

    struct State: Hashable {
        /// The processes, packed so that millions of states can be told apart quickly.
        private var packed = SIMD8<UInt16>()
        /// Who is announced in each lane, counted from one.
        var lanes = SIMD2<UInt8>()
        var isExclusive = false
        var barrierTickets: UInt8 = 0
        var readTickets: UInt8 = 0
        /// Who is in the line, running or not.
        var line = Order()
        /// The queued calls that have not finished.
        var calls = Order()
        /// Whose bodies are over.
        var finished: UInt8 = 0

        subscript(actor: Int) -> Process {
            get { Process(packed: packed[actor]) }
            set { packed[actor] = newValue.packed }
        }

        func hasFinished(_ actor: Int) -> Bool { finished & 1 << actor != 0 }
    }

    /// Actors in their order, counted from one, four bits each, the first lowest.
    struct Order: Hashable {
        private var packed: UInt32 = 0

        var first: Int? { packed == 0 ? nil : Int(packed & 15) - 1 }

        mutating func append(_ actor: Int) {
            let end = (32 - packed.leadingZeroBitCount + 3) / 4
            packed |= UInt32(actor + 1) << (4 * end)
        }

        mutating func remove(_ actor: Int) {
            let position = before(actor).count
            let below = packed & (1 << (4 * position) - 1)
            packed = (packed >> (4 * (position + 1))) << (4 * position) | below
        }

        /// Those before an actor that is in the order.
        func before(_ actor: Int) -> [Int] {
            var result: [Int] = []
            var rest = packed
            while rest & 15 != UInt32(actor + 1) {
                result.append(Int(rest & 15) - 1)
                rest >>= 4
            }
            return result
        }
    }

    var initial: State {
        var state = State()
        for (actor, description) in actors.enumerated() {
            state[actor] = Process(
                description.isAsynchronous || description.call == .runner
                    ? .dormant : description.enqueues == nil ? firstStep(of: actor) : .raiseTicket
            )
        }
        return state
    }

    func firstStep(of actor: Int) -> Step {
        switch actors[actor].call {
        case .read: .enterLane
        case .write: mistake == .scansLanesBeforeClosingTheGate ? .awaitLanes : .closeGate
        case .runner: .lineUpAsBarrier
        }
    }

    /// Whether all calls have returned; queued ones must have run too, if there is a runner that lives to run them.
    func isOver(_ state: State) -> Bool {
        let hasRunner = actors.contains { $0.call == .runner }
        return actors.indices.allSatisfy { actor in
            switch state[actor].step {
            case .done: true
            case .dormant: actors[actor].call == .runner
            case .queued: !hasRunner
            default: false
            }
        }
    }

    /// What must never be seen, if it is seen in this state.
    func violation(in state: State) -> Violation? {
        var readers = 0
        var writers = 0
        for actor in actors.indices {
            switch state[actor].step {
            case .read, .nestedEnterLane, .nestedLookAtGate, .nestedLeaveLane, .nestedWait, .nestedCloseGate,
                .nestedOpenGate:
                readers += 1
            case .write: writers += 1
            default: continue
            }
            if let first = actors[actor].enqueues, !state.hasFinished(first) { return .overtaking }
        }
        return writers > 1 || writers == 1 && readers > 0 ? .overlap : nil
    }

    enum Violation: Hashable {
        /// A writer's body beside another body.
        case overlap
        /// A call that ran before one that its own thread had enqueued earlier.
        case overtaking
        /// A state from which not all calls can finish.
        case stuck
    }
}
