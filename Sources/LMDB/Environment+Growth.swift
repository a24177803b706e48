internal import CLMDB
internal import Glibc

extension Environment {
    /// Writes zeros behind the end of the file up to a size, so that commits find blocks there for the pages they append.
    ///
    /// A sync has to enter new blocks into the journal of the file system, which takes as long as writing half a dozen
    /// pages; into space that is only reserved it has to enter what was written as well. LMDB writes a page as a whole
    /// before it reads it, and does not look behind its last one.
    ///
    /// Where there is no room nothing happens: what needs it will say so. Only the writer thread calls this, between
    /// transactions, and no other process may write, for this would write over what that has just committed.
    package func grow(toBytes size: Int) {
        guard size <= min(mapBytes, Self.sizeLimit) else { return }
        let descriptor = descriptor
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        var end = Int(status.st_size)
        while end < size {
            let count = min(size - end, Self.zeros.count)
            let written = unsafe Self.zeros.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, count, end) }
            guard written > 0 else { return }
            end += written
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

    /// How large a file of this process may be: one byte more, and a signal would end it.
    private static var sizeLimit: Int {
        var limit = rlimit()
        guard unsafe getrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return 0 }
        return Int(clamping: limit.rlim_cur)
    }
}
