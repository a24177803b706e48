/// Visits every state that a model can reach, over all interleavings.
struct BarrierModelExplorer {
    private(set) var stateCount = 0
    private(set) var violations: Set<BarrierModel.Violation> = []

    /// Explores a model; with `stopsEarly`, for models that are known to be wrong, up to the first violation.
    init(_ model: BarrierModel, stopsEarly: Bool = false) {
        var numbers: [BarrierModel.State: Int32] = [model.initial: 0]
        var pending: [BarrierModel.State] = [model.initial]
        // The edges backwards, as (to, from), to ask afterwards from where the end can be reached.
        var edges: [(to: Int32, from: Int32)] = []
        var ends: [Int32] = []

        while let state = pending.popLast() {
            guard let number = numbers[state] else { continue }
            if let violation = model.violation(in: state) {
                violations.insert(violation)
                if stopsEarly { break }
                continue
            }
            if model.isOver(state) { ends.append(number) }
            for next in model.successors(of: state) {
                let nextNumber = Int32(numbers.count)
                if let known = numbers[next] {
                    edges.append((known, number))
                } else {
                    numbers[next] = nextNumber
                    edges.append((nextNumber, number))
                    pending.append(next)
                }
            }
        }
        stateCount = numbers.count
        guard violations.isEmpty else { return }
        if Self.countStates(leadingTo: ends, edges: edges, among: stateCount) < stateCount { violations.insert(.stuck) }
    }

    private static func countStates(leadingTo ends: [Int32], edges: [(to: Int32, from: Int32)], among count: Int) -> Int
    {
        var starts = [Int32](repeating: 0, count: count + 1)
        for edge in edges { starts[Int(edge.to) + 1] += 1 }
        for index in 0..<count { starts[index + 1] += starts[index] }
        var filled = starts
        var sources = [Int32](repeating: 0, count: edges.count)
        for edge in edges {
            sources[Int(filled[Int(edge.to)])] = edge.from
            filled[Int(edge.to)] += 1
        }
        var isSeen = [Bool](repeating: false, count: count)
        var pending = ends
        var seen = 0
        for end in ends { isSeen[Int(end)] = true }
        while let state = pending.popLast() {
            seen += 1
            for index in starts[Int(state)]..<starts[Int(state) + 1] where !isSeen[Int(sources[Int(index)])] {
                isSeen[Int(sources[Int(index)])] = true
                pending.append(sources[Int(index)])
            }
        }
        return seen
    }
}
