internal import Glibc

/// Memory for the arrays of the table: zero or more slots, cells or records in one piece.
///
/// Large pieces ask the system for huge pages. A hit touches an index cell and a slot at random, so with pages of 4 KiB
/// most of its time goes into looking up where the pages are. A piece is rounded to no more than it needs: the system may
/// take the rest of the last huge page, at most 2 MiB.
@usableFromInline
enum TableMemory {
    /// The usual size of a huge page.
    private static let hugePage = 2 << 20

    /// Allocates uninitialised memory; give it back with `deallocate()`.
    @usableFromInline
    static func allocate(byteCount: Int, alignment: Int) -> UnsafeMutableRawPointer {
        guard byteCount >= hugePage else { return .allocate(byteCount: byteCount, alignment: alignment) }
        let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: max(alignment, hugePage))
        // A wish: where it is not granted, pages are small as elsewhere.
        unsafe madvise(base, byteCount, MADV_HUGEPAGE)
        return unsafe base
    }

    /// Allocates memory for values, all equal at first.
    static func allocate<Value: BitwiseCopyable>(repeating value: Value, count: Int) -> UnsafeMutablePointer<Value> {
        let memory = unsafe allocate(
            byteCount: count * MemoryLayout<Value>.stride,
            alignment: max(64, MemoryLayout<Value>.alignment)
        )
        let values = unsafe memory.bindMemory(to: Value.self, capacity: count)
        unsafe values.initialize(repeating: value, count: count)
        return unsafe values
    }
}
