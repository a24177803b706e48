internal import CLMDB

/// One named database of an environment.
///
/// Opened in the first write transaction and kept for the life of the environment; never closed by itself.
@usableFromInline
package struct Database: Sendable, Hashable {
    let handle: MDB_dbi
}

/// The pages and entries of one database.
package struct DatabaseStatistics: Sendable, Hashable {
    package let depth: Int
    package let branchPages: Int
    package let leafPages: Int
    package let overflowPages: Int
    package let entries: Int

    /// The pages in use.
    package var pages: Int { branchPages + leafPages + overflowPages }
}
