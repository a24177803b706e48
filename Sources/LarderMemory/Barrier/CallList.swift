/// A first-in, first-out list of two stacks: O(1) amortised, and what was taken out is not kept.
struct CallList<Call: Sendable>: Sendable {
    private var added: [Call] = []

    /// The front of the list, in reverse.
    private var next: [Call] = []

    var isEmpty: Bool { added.isEmpty && next.isEmpty }

    mutating func append(_ call: Call) {
        added.append(call)
    }

    /// Moves everything that is in another list to the end of this one.
    mutating func takeAll(from other: inout CallList) {
        while let call = other.popFirst() { append(call) }
    }

    mutating func popFirst() -> Call? {
        if next.isEmpty {
            next = added.reversed()
            added = []
        }
        return next.popLast()
    }
}
