/// A min-heap of filings with four children a node: half the levels of a binary one, each node's children on one line.
struct FilingHeap: Sendable {
    private(set) var filings: [RecencyQueue.Filing] = []

    var count: Int { filings.count }
    var first: RecencyQueue.Filing? { filings.first }

    mutating func insert(_ filing: RecencyQueue.Filing) {
        var position = filings.count
        filings.append(filing)
        while position > 0 {
            let parent = (position - 1) / 4
            guard filing < filings[parent] else { break }
            filings[position] = filings[parent]
            position = parent
        }
        filings[position] = filing
    }

    mutating func removeFirst() {
        guard let last = filings.popLast(), !filings.isEmpty else { return }
        replaceFirst(with: last)
    }

    /// Puts another filing in place of the first one: one way down instead of a removal and an insertion.
    mutating func replaceFirst(with filing: RecencyQueue.Filing) {
        let count = filings.count
        unsafe filings.withUnsafeMutableBufferPointer { heap in
            var position = 0
            while true {
                let firstChild = position * 4 + 1
                guard firstChild < count else { break }
                var least = firstChild
                var child = firstChild + 1
                while child < min(firstChild + 4, count) {
                    if unsafe heap[child] < heap[least] { least = child }
                    child += 1
                }
                guard unsafe heap[least] < filing else { break }
                unsafe heap[position] = unsafe heap[least]
                position = least
            }
            unsafe heap[position] = filing
        }
    }
}
