/// Keys in the order in which one thread asks for them, made before the clock starts; over again when they are through.
struct KeySequence<Key: Sendable>: Sendable {
    let keys: [Key]

    /// Goes through the operations with the key of each.
    @inline(__always)
    func forEach<E>(_ operations: Range<Int>, _ body: (_ operation: Int, _ key: Key) throws(E) -> Void) throws(E) {
        let keys = keys.span
        var index = operations.lowerBound % keys.count
        for operation in operations {
            try body(operation, keys[index])
            index += 1
            if index == keys.count { index = 0 }
        }
    }
}
