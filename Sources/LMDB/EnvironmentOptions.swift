/// How an environment is opened.
package struct EnvironmentOptions: Sendable {
    /// What LMDB syncs at a commit.
    package enum Synchronization: Sendable {
        /// Data and meta page: every commit survives power loss.
        case full

        /// Data only: the file stays intact, the last commit may vanish.
        case dataOnly

        /// Nothing: after power loss the file is worthless.
        case none
    }

    /// The address space to reserve, in bytes; halved down to `minimumMapBytes` while the system refuses it.
    ///
    /// Zero for as much as the file says that it was opened with.
    package var mapBytes: Int
    package var minimumMapBytes: Int
    package var maximumReaders: Int
    package var maximumDatabases: Int
    package var synchronization: Synchronization

    package init(
        mapBytes: Int,
        minimumMapBytes: Int,
        maximumReaders: Int,
        maximumDatabases: Int,
        synchronization: Synchronization
    ) {
        self.mapBytes = mapBytes
        self.minimumMapBytes = minimumMapBytes
        self.maximumReaders = maximumReaders
        self.maximumDatabases = maximumDatabases
        self.synchronization = synchronization
    }
}
