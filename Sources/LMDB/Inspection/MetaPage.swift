internal import Glibc

/// One of the two pages that LMDB begins at, in the order of its transactions.
///
/// A copy of one leads to the state of its transaction for as long as nothing overwrites the pages of that.
package struct MetaPage: Sendable, Hashable {
    /// The whole page.
    package let bytes: [UInt8]

    /// Takes the bytes of a page; `nil` if they are no meta page.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Page.byteCount else { return nil }
        let page = Page(bytes: bytes, position: 0)
        let number = Int(clamping: page.number)
        guard (0...1).contains(number), Meta(Page(bytes: bytes, position: number)) != nil else { return nil }
        self.bytes = bytes
    }

    /// Reads a meta page of an open data file.
    init?(descriptor: Int32, number: Int) {
        guard let bytes = Self.read(number, descriptor: descriptor) else { return nil }
        self.init(bytes: bytes)
    }

    /// The bytes of one of the first two pages, whatever they mean.
    static func read(_ number: Int, descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Page.byteCount)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, number * Page.byteCount)
        }
        return count == Page.byteCount ? bytes : nil
    }

    /// The transaction whose state it leads to.
    package var transaction: UInt64 { meta?.transaction ?? 0 }

    var meta: Meta? {
        let page = Page(bytes: bytes, position: 0)
        return Meta(Page(bytes: bytes, position: Int(clamping: page.number)))
    }

    /// Makes the open data file one that ends with this page's transaction, and syncs it.
    ///
    /// Both meta pages lead to it afterwards, so that nothing newer is left to be found.
    package func restore(toDescriptor descriptor: Int32) throws(LMDBError) {
        let own = transaction & 1
        try write(bytes, to: own, descriptor)
        // The other page has to be an older transaction's; its own number and that are all that differs.
        var other = bytes
        other.replaceSubrange(0..<8, with: Self.littleEndian(1 - own))
        other.replaceSubrange(144..<152, with: Self.littleEndian(max(transaction, 1) - 1))
        try write(other, to: 1 - own, descriptor)
        guard fdatasync(descriptor) == 0 else { throw LMDBError(call: "fdatasync", result: errno) }
    }

    private func write(_ bytes: [UInt8], to number: UInt64, _ descriptor: Int32) throws(LMDBError) {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe pwrite(descriptor, $0.baseAddress, $0.count, Int(number) * Page.byteCount)
        }
        guard count == bytes.count else { throw LMDBError(call: "pwrite", result: count < 0 ? errno : EIO) }
    }

    private static func littleEndian(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
