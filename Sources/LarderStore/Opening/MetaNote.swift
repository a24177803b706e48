/// What is noted of the two meta pages of a closed data file: a checksum of each, and its transaction.
///
/// One wrong bit in a transaction's number makes LMDB begin at the older page, whose state is as sound as the newer one's
/// and yet wrong; no check of the structure can tell.
struct MetaNote: Sendable, Hashable {
    private struct Page: Sendable, Hashable {
        let checksum: UInt64
        let transaction: UInt64
    }

    private static let pageBytes = 152
    private static let transactionOffset = 144

    private let pages: [Page]

    /// Takes the bytes `DataFileCheck.metaBytes` reads.
    init?(metaBytes bytes: [UInt8]?) {
        guard let bytes, bytes.count == 2 * Self.pageBytes else { return nil }
        pages = (0...1).map { number in
            let page = Array(bytes[(number * Self.pageBytes)..<((number + 1) * Self.pageBytes)])
            var reader = ByteReader(Array(page[Self.transactionOffset...]))
            return Page(
                checksum: HashSeed(value: 0).checksum(of: page[..<Self.transactionOffset]),
                transaction: reader.read(UInt64.self) ?? 0
            )
        }
    }

    /// Reads the text of a note.
    init?(_ text: Substring) {
        let numbers = text.split(separator: " ").compactMap { UInt64($0) }
        guard numbers.count == 4 else { return nil }
        pages = [
            Page(checksum: numbers[0], transaction: numbers[1]), Page(checksum: numbers[2], transaction: numbers[3]),
        ]
    }

    var text: String {
        pages.map { "\($0.checksum) \($0.transaction)" }.joined(separator: " ")
    }

    /// Whether what is there now can only be damage.
    ///
    /// A commit of someone else's, or another file put in this one's place, changes more of a page than its number.
    func isBetrayed(by found: MetaNote?, isUntouched: Bool) -> Bool {
        guard let found else { return true }
        if isUntouched { return found != self }
        return zip(pages, found.pages).contains { $0.checksum == $1.checksum && $0.transaction != $1.transaction }
    }
}
