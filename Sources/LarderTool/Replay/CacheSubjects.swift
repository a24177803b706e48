/// The caches that a replay can go through: the one place where the tool touches the library.
enum CacheSubjects {
    /// Opens the cache that the settings describe; for the tier `.tiered` their `directory` is filled in.
    static func open(_ settings: CacheSettings) throws -> any ReplaySubject {
        throw ToolError.failure(
            "--tier \(settings.tier.rawValue) cannot be served: this build of larder has no cache; install a later one"
        )
    }
}
