internal import LarderMemory
internal import LarderStore

/// One field of the configuration: its path in a file, its name in the environment, and how to read and write it.
struct ConfigurationField: Sendable {
    /// The dotted path, such as `memory.costLimit`.
    let path: String

    /// What a value must look like, for messages.
    let expectation: String

    private let read: @Sendable (ConfigurationNode, inout TieredCacheConfiguration) -> Bool
    private let write: @Sendable (TieredCacheConfiguration) -> ConfigurationNode?

    private init<Value: Sendable>(
        _ path: String,
        _ form: ConfigurationForm<Value>,
        get: @escaping @Sendable (TieredCacheConfiguration) -> Value?,
        set: @escaping @Sendable (inout TieredCacheConfiguration, Value) -> Void
    ) {
        self.path = path
        expectation = form.expectation
        read = { node, configuration in
            guard let value = form.parse(node) else { return false }
            set(&configuration, value)
            return true
        }
        write = { get($0).map(form.show) }
    }

    /// A field that always has a value.
    init<Value: Sendable>(
        _ path: String,
        _ form: ConfigurationForm<Value>,
        _ field: any WritableKeyPath<TieredCacheConfiguration, Value> & Sendable
    ) {
        self.init(path, form, get: { $0[keyPath: field] }, set: { $0[keyPath: field] = $1 })
    }

    /// A field that may have no value.
    init<Value: Sendable>(
        _ path: String,
        optional form: ConfigurationForm<Value>,
        _ field: any WritableKeyPath<TieredCacheConfiguration, Value?> & Sendable
    ) {
        self.init(path, form.optional, field)
    }

    /// A field of the disk tier.
    ///
    /// Setting one makes a disk tier; without a directory it is refused by `validate()`.
    init<Value: Sendable>(
        disk path: String,
        _ form: ConfigurationForm<Value>,
        _ field: any WritableKeyPath<TieredCacheConfiguration.Disk, Value> & Sendable
    ) {
        self.init(
            "disk.\(path)",
            form,
            get: { $0.disk?[keyPath: field] },
            set: { configuration, value in
                var disk = configuration.disk ?? TieredCacheConfiguration.Disk(directory: "")
                disk[keyPath: field] = value
                configuration.disk = disk
            }
        )
    }

    /// A field of the disk tier that may have no value.
    init<Value: Sendable>(
        disk path: String,
        optional form: ConfigurationForm<Value>,
        _ field: any WritableKeyPath<TieredCacheConfiguration.Disk, Value?> & Sendable
    ) {
        self.init(disk: path, form.optional, field)
    }

    /// The name of the variable that overrides the field: `LARDER_MEMORY_COST_LIMIT` for `memory.costLimit`.
    var variable: String {
        var name = "LARDER_"
        for character in path {
            if character == "." {
                name += "_"
            } else {
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
        return name
    }

    /// Takes the value of a node over into a configuration.
    func apply(_ node: ConfigurationNode, to configuration: inout TieredCacheConfiguration) throws(CacheError) {
        guard read(node, &configuration) else {
            throw CacheError(.invalidConfiguration, "\(path) is \(node.shown): it must be \(expectation)")
        }
    }

    /// The node that stands for the field's value, if the field has one.
    func node(of configuration: TieredCacheConfiguration) -> ConfigurationNode? {
        write(configuration)
    }
}
