extension BarrierModel {
    /// All states that one step of one actor leads to.
    func successors(of state: State) -> [State] {
        var result: [State] = []
        for actor in actors.indices {
            let process = state[actor]
            switch process.step {
            case .dormant, .queued, .done: continue
            case .raiseTicket, .putOnQueue: enqueueing(actor, process, state, &result)
            case .enterLane, .lookAtGate, .stepBack, .spinReading, .spinEnterLane, .spinLookAtGate, .spinStepBack:
                reading(actor, process, state, &result)
            case .lookForCalls, .leaveLineAfterCalls, .lineUpToRead, .awaitReadTurn, .turnReading, .turnEnterLane,
                .turnLookAtGate, .turnStepBack:
                readingInTurn(actor, process, state, &result)
            case .read, .leaveLane, .nestedEnterLane, .nestedLookAtGate, .nestedLeaveLane, .nestedWait,
                .nestedCloseGate, .nestedOpenGate:
                inReadBody(actor, process, state, &result)
            case .closeGate, .spinWriting, .raiseWriteTicket, .turnCloseGate, .awaitLanes, .write, .openGate:
                writing(actor, process, state, &result)
            case .lineUpAsBarrier, .awaitBarrierTurn, .runCalls, .dropOwnTicket, .dropCallTicket, .leaveLine:
                atHeadOfLine(actor, process, state, &result)
            }
        }
        return result
    }

    /// Adds the state in which `actor` goes on at `step`, with what else `change` changes.
    private func go(
        _ actor: Int,
        _ process: Process,
        to step: Step,
        _ state: State,
        _ result: inout [State],
        _ change: (inout Process, inout State) -> Void = { _, _ in }
    ) {
        var state = state
        var process = process
        process.step = step
        change(&process, &state)
        state[actor] = process
        result.append(state)
    }

    // MARK: Asynchronous calls

    private func enqueueing(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        guard let call = process.isInBody ? actors[actor].nestedEnqueues : actors[actor].enqueues else { return }
        let afterwards = process.isInBody ? .leaveLane : firstStep(of: actor)
        let next = process.step == .raiseTicket ? .putOnQueue : afterwards
        go(actor, process, to: next, state, &result) { _, state in
            if process.step == .putOnQueue {
                state[call].step = .queued
                state.calls.append(call)
                if let runner = actors.firstIndex(where: { $0.call == .runner }) {
                    state[runner].step = firstStep(of: runner)
                }
            } else {
                changeTickets(of: call, by: 1, &state)
            }
        }
    }

    /// Announces an actor that waits, which does so only once.
    private func raiseOwnTicket(
        _ actor: Int,
        _ process: Process,
        to step: Step,
        _ state: State,
        _ result: inout [State]
    ) {
        guard !process.holdsTicket else { return }
        go(actor, process, to: step, state, &result) { process, state in
            process.holdsTicket = true
            changeTickets(of: actor, by: 1, &state)
        }
    }

    private func changeTickets(of actor: Int, by amount: Int, _ state: inout State) {
        let amount = UInt8(truncatingIfNeeded: amount)
        switch actors[actor].call {
        case .read: state.readTickets &+= amount
        case .write, .runner: state.barrierTickets &+= amount
        }
    }

    // MARK: Reading

    private func reading(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        let hasTickets = state.barrierTickets > 0 && mistake != .readersIgnoreTickets
        switch process.step {
        case .enterLane: tryLane(actor, process, state, &result, then: .lookAtGate, orElse: .spinReading)
        case .lookAtGate:
            let isOpen = !state.isExclusive && !hasTickets
            let mayRead = isOpen || mistake == .readsWithoutLookingAtTheGateAgain
            go(actor, process, to: mayRead ? .read : .stepBack, state, &result)
        case .stepBack: leave(actor, process, state, &result, to: .spinReading)
        case .spinReading:
            if hasTickets { return go(actor, process, to: .lookForCalls, state, &result) }
            if !state.isExclusive { go(actor, process, to: .spinEnterLane, state, &result) }
            go(actor, process, to: .lookForCalls, state, &result)
        case .spinEnterLane: tryLane(actor, process, state, &result, then: .spinLookAtGate, orElse: .spinReading)
        case .spinLookAtGate: go(actor, process, to: state.isExclusive ? .spinStepBack : .read, state, &result)
        default: leave(actor, process, state, &result, to: .spinReading)
        }
    }

    private func readingInTurn(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        switch process.step {
        case .lookForCalls:
            // Barriers of the line run the calls; reads need one only if there are any.
            go(actor, process, to: state.calls.first == nil ? .lineUpToRead : .lineUpAsBarrier, state, &result)
        case .leaveLineAfterCalls:
            go(actor, process, to: .lineUpToRead, state, &result) { process, state in
                process.isInLine = false
                process.isBarrier = false
                state.line.remove(actor)
            }
        case .lineUpToRead: lineUp(actor, process, isBarrier: false, then: .awaitReadTurn, state, &result)
        case .awaitReadTurn:
            guard state.line.before(actor).allSatisfy({ !isBarrier($0, state) }) else { return }
            go(actor, process, to: .turnReading, state, &result)
        case .turnReading:
            if !state.isExclusive { return go(actor, process, to: .turnEnterLane, state, &result) }
            raiseOwnTicket(actor, process, to: .turnReading, state, &result)
        case .turnEnterLane: tryLane(actor, process, state, &result, then: .turnLookAtGate, orElse: .turnReading)
        case .turnLookAtGate: go(actor, process, to: state.isExclusive ? .turnStepBack : .read, state, &result)
        default: leave(actor, process, state, &result, to: .turnReading)
        }
    }

    private func lineUp(
        _ actor: Int,
        _ process: Process,
        isBarrier: Bool,
        then step: Step,
        _ state: State,
        _ result: inout [State]
    ) {
        go(actor, process, to: step, state, &result) { process, state in
            process.isInLine = true
            process.isBarrier = isBarrier
            state.line.append(actor)
        }
    }

    private func isBarrier(_ actor: Int, _ state: State) -> Bool {
        actors[actor].call != .read || state[actor].isBarrier
    }

    /// One attempt at one lane: the actor's own first, then the others in turn.
    private func tryLane(
        _ actor: Int,
        _ process: Process,
        _ state: State,
        _ result: inout [State],
        then success: Step,
        orElse failure: Step
    ) {
        let lane = (actor + Int(process.index)) % laneCount
        guard state.lanes[lane] != 0 else {
            return go(actor, process, to: success, state, &result) { process, state in
                process.lane = UInt16(lane + 1)
                process.index = 0
                state.lanes[lane] = UInt8(actor + 1)
            }
        }
        let isLast = Int(process.index) + 1 == laneCount
        go(actor, process, to: isLast ? failure : process.step, state, &result) { process, _ in
            process.index = isLast ? 0 : process.index + 1
        }
    }

    private func leave(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State], to step: Step) {
        go(actor, process, to: step, state, &result) { process, state in
            state.lanes[Int(process.lane) - 1] = 0
            process.lane = 0
        }
    }

    private func inReadBody(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        switch process.step {
        case .read:
            switch actors[actor].nested {
            case nil: finish(actor, process, to: .leaveLane, state, &result)
            case .read: go(actor, process, to: .nestedEnterLane, state, &result)
            case .asynchronousWrite: go(actor, process, to: .nestedCloseGate, state, &result)
            }
        case .leaveLane: leave(actor, process, state, &result, to: afterBody(actor, process))
        case .nestedEnterLane:
            // The lane beyond the outer one, if it is free; else the read is answered in the lane held.
            let lane = Int(process.lane) % laneCount
            guard state.lanes[lane] == 0 else { return finish(actor, process, to: .leaveLane, state, &result) }
            go(actor, process, to: .nestedLookAtGate, state, &result) { process, state in
                process.index = UInt16(lane + 1)
                state.lanes[lane] = UInt8(actor + 1)
            }
        case .nestedLookAtGate:
            let isOpen = !state.isExclusive && state.barrierTickets == 0
            let mustWait = !isOpen && mistake == .nestedReadsWaitForTheGate
            go(actor, process, to: mustWait ? .nestedWait : .nestedLeaveLane, state, &result)
        case .nestedWait:
            if !state.isExclusive, state.barrierTickets == 0 {
                go(actor, process, to: .nestedLeaveLane, state, &result)
            }
        case .nestedLeaveLane:
            finish(actor, process, to: .leaveLane, state, &result) { process, state in
                state.lanes[Int(process.index) - 1] = 0
                process.index = 0
            }
        case .nestedCloseGate:
            // Its own lane is announced, so it gives the exclusive side back and enqueues the write instead.
            let isOpen = !state.isExclusive && state.barrierTickets == 0 && state.readTickets == 0
            go(actor, process, to: isOpen ? .nestedOpenGate : .raiseTicket, state, &result) {
                $0.isInBody = true
                $1.isExclusive = $1.isExclusive || isOpen
                $1.finished |= 1 << actor
            }
        default:
            // Waiting for the lanes here would be waiting for its own.
            let mayGoOn = mistake != .nestedWritesWaitForTheLanes || state.lanes == .zero
            if mayGoOn { go(actor, process, to: .raiseTicket, state, &result) { $1.isExclusive = false } }
        }
    }

    private func finish(
        _ actor: Int,
        _ process: Process,
        to step: Step,
        _ state: State,
        _ result: inout [State],
        _ change: (inout Process, inout State) -> Void = { _, _ in }
    ) {
        go(actor, process, to: step, state, &result) { process, state in
            state.finished |= 1 << actor
            change(&process, &state)
        }
    }

    // MARK: Writing

    private func writing(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        let hasTickets = state.barrierTickets > 0 || state.readTickets > 0
        let closing: (inout Process, inout State) -> Void = { $1.isExclusive = true }
        let next: Step = mistake == .scansLanesBeforeClosingTheGate ? .write : .awaitLanes
        switch process.step {
        case .closeGate:
            let isOpen = !state.isExclusive && (!hasTickets || mistake == .writersIgnoreTickets)
            go(actor, process, to: isOpen ? next : .spinWriting, state, &result, isOpen ? closing : { _, _ in })
        case .spinWriting:
            if hasTickets, mistake != .writersIgnoreTickets {
                return go(actor, process, to: .lineUpAsBarrier, state, &result)
            }
            if !state.isExclusive { go(actor, process, to: next, state, &result, closing) }
            go(actor, process, to: .raiseWriteTicket, state, &result)
        case .raiseWriteTicket: raiseOwnTicket(actor, process, to: .lineUpAsBarrier, state, &result)
        case .turnCloseGate:
            if !state.isExclusive { return go(actor, process, to: next, state, &result, closing) }
            raiseOwnTicket(actor, process, to: .turnCloseGate, state, &result)
        case .awaitLanes:
            guard state.lanes[Int(process.index)] == 0 else { return }
            let isLast = Int(process.index) + 1 == laneCount
            let after: Step = mistake == .scansLanesBeforeClosingTheGate ? .closeGate : .write
            go(actor, process, to: isLast ? after : .awaitLanes, state, &result) { process, _ in
                process.index = isLast ? 0 : process.index + 1
            }
        case .write: finish(actor, process, to: .openGate, state, &result)
        default:
            go(actor, process, to: afterBody(actor, process), state, &result) { $1.isExclusive = false }
        }
    }

    // MARK: At the head of the line

    private func afterBody(_ actor: Int, _ process: Process) -> Step {
        process.isInLine || process.holdsTicket || actors[actor].isAsynchronous ? .dropOwnTicket : .done
    }

    private func atHeadOfLine(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        switch process.step {
        case .lineUpAsBarrier: lineUp(actor, process, isBarrier: true, then: .awaitBarrierTurn, state, &result)
        case .awaitBarrierTurn:
            if state.line.first == actor { go(actor, process, to: .runCalls, state, &result) }
        case .runCalls: runCalls(actor, process, state, &result)
        case .dropOwnTicket:
            go(actor, process, to: .dropCallTicket, state, &result) { process, state in
                if process.holdsTicket { changeTickets(of: actor, by: -1, &state) }
                process.holdsTicket = false
            }
        case .dropCallTicket:
            let isDropped = mistake == .dropsTheTicketBeforeTheBody && actors[actor].call == .write
            go(actor, process, to: .leaveLine, state, &result) { _, state in
                if actors[actor].isAsynchronous, !isDropped { changeTickets(of: actor, by: -1, &state) }
            }
        default:
            go(actor, process, to: .done, state, &result) { process, state in
                if actors[actor].isAsynchronous { state.calls.remove(actor) } else { state.line.remove(actor) }
                process.isInLine = false
            }
        }
    }

    /// Lets the first queued call make its steps, one call after the other, and goes on when there is none.
    private func runCalls(_ actor: Int, _ process: Process, _ state: State, _ result: inout [State]) {
        guard let call = state.calls.first else {
            let next: Step =
                switch actors[actor].call {
                case .read: .leaveLineAfterCalls
                case .write: .turnCloseGate
                case .runner: .leaveLine
                }
            return go(actor, process, to: next, state, &result)
        }
        guard state[call].step == .queued, mistake != .waitsForTheRunner || actors[actor].call == .runner else {
            return
        }
        go(actor, process, to: .runCalls, state, &result) { _, state in
            state[call].step = actors[call].call == .read ? .turnReading : .turnCloseGate
            if mistake == .dropsTheTicketBeforeTheBody, actors[call].call == .write { state.barrierTickets &-= 1 }
        }
    }
}
