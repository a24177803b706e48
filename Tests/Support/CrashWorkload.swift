/// A stream of operations over several tables that follows from a seed, and what its records say of themselves.
///
/// A process that may be killed at any time carries it out; whoever reads the store afterwards can tell which operation
/// each value comes from, and whether the state is one that the stream passed through.
package struct CrashWorkload: Sendable {
    package enum Operation: Sendable {
        case put(Place)
        case remove(Place)
        case removeAll(table: Int)
    }

    /// One key of one table.
    package struct Place: Hashable, Sendable {
        package let table: Int
        package let key: Int

        package init(table: Int, key: Int) {
            self.table = table
            self.key = key
        }
    }

    package static let tables = 3
    package static let keys = 120

    package let seed: UInt64

    /// Which of several processes on one store carries it out, if it is shared: each has keys of its own.
    package let member: Int?

    package init(seed: UInt64, member: Int? = nil) {
        self.seed = seed &+ UInt64(member ?? 0)
        self.member = member
    }

    /// The table that is the process's alone, so that it may be cleared.
    private static let ownTable = tables - 1

    /// The name of a table.
    package func name(of table: Int) -> String {
        guard let member, table == Self.ownTable else { return "table \(table)" }
        return "own \(member)"
    }

    /// The key in the store that a key of the stream stands for.
    package func storeKey(_ key: Int) -> Int { (member ?? 0) * 1_000_000 + key }

    /// The operation of a number.
    package func operation(_ number: Int) -> Operation {
        var random = random(number)
        let place = Place(
            table: Int.random(in: 0..<Self.tables, using: &random),
            key: Int.random(in: 0..<Self.keys, using: &random)
        )
        return switch Int.random(in: 0..<1000, using: &random) {
        case 0..<4: .removeAll(table: member == nil ? place.table : Self.ownTable)
        case 4..<280: .remove(place)
        default: .put(place)
        }
    }

    /// Whether the operation is followed by a flush.
    package func flushes(after number: Int) -> Bool {
        var random = random(~number)
        return Int.random(in: 0..<12, using: &random) == 0
    }

    /// Whether the store is compacted after the operation.
    package func compacts(after number: Int) -> Bool { number % 100 == 70 }

    /// What the operation of a number stores: its number, and bytes that follow from it, up to a few pages of them.
    package func value(_ number: Int) -> [UInt8] {
        var random = random(number &+ 1 << 40)
        let limit =
            switch Int.random(in: 0..<20, using: &random) {
            case 0: 20_000
            case 1..<6: 3_000
            default: 300
            }
        let count = Int.random(in: 0..<limit, using: &random)
        var bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        var word = random.next()
        for index in 0..<count {
            if index % 8 == 0 { word = word &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8)))
        }
        return bytes
    }

    /// The operation that stored a value; `nil` if it is not exactly what that operation stored.
    package func number(of value: [UInt8]) -> Int? {
        guard value.count >= 8 else { return nil }
        let number = value[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number), self.value(number) == value else { return nil }
        return number
    }

    private func random(_ number: Int) -> SeededRandom {
        SeededRandom(seed: seed ^ UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15)
    }
}

/// Which operation each record comes from.
package struct CrashState: Hashable, Sendable {
    package private(set) var numbers: [CrashWorkload.Place: Int] = [:]

    package init() {}

    package mutating func apply(_ number: Int, of workload: CrashWorkload) {
        switch workload.operation(number) {
        case .put(let place): numbers[place] = number
        case .remove(let place): numbers[place] = nil
        case .removeAll(let table): numbers = numbers.filter { $0.key.table != table }
        }
    }

    package mutating func note(_ number: Int, at place: CrashWorkload.Place) {
        numbers[place] = number
    }

    /// The ends of `operations` at which the stream, begun in this state, is in the state `found`.
    package func ends(of operations: Range<Int>, in workload: CrashWorkload, reaching found: CrashState) -> [Int] {
        var state = self
        var ends = state == found ? [operations.lowerBound] : []
        for number in operations {
            state.apply(number, of: workload)
            if state == found { ends.append(number + 1) }
        }
        return ends
    }
}
