extension MemoryCache where Key == String, Value == any Sendable {
    /// One cache for the whole process, without limits until they are set.
    ///
    /// Its keys share one name space: prefix them with the name of the module that uses them.
    public static var shared: MemoryCache<String, any Sendable> { sharedCache }
}

/// Static properties of a generic type cannot be stored.
private let sharedCache = MemoryCache<String, any Sendable>(label: "larder.memory.shared")
