public import FoundationEssentials

extension TieredCacheConfiguration {
    /// Reads a configuration from a JSON file and overrides from the environment, then validates it.
    ///
    /// Fields that the file leaves out have their defaults. An unknown field is an error, so that a misspelt limit is not
    /// silently no limit. Each field can be overridden by a variable: `memory.costLimit` by `LARDER_MEMORY_COST_LIMIT`,
    /// `disk.queue.bytes` by `LARDER_DISK_QUEUE_BYTES`; `none` stands for `null`. A `LARDER_` variable that names no field
    /// is an error too.
    ///
    /// - Parameters:
    ///   - path: The file; `nil` to start from the defaults.
    ///   - environment: The variables to look at.
    /// - Returns: The configuration.
    /// - Throws: `CacheError` that names the file or variable, the field, its value and the remedy.
    public static func load(
        from path: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CacheError) -> TieredCacheConfiguration {
        var configuration = TieredCacheConfiguration()
        if let path { try configuration.apply(try node(ofFile: path), from: path) }
        try configuration.apply(environment)
        try configuration.validate()
        return configuration
    }

    private static func node(ofFile path: String) throws(CacheError) -> ConfigurationNode {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CacheError(
                .unreadableConfiguration,
                "configuration file \(path) cannot be read: check that it exists and that this user may read it",
                cause: error
            )
        }
        do {
            return try JSONDecoder().decode(ConfigurationNode.self, from: data)
        } catch {
            throw CacheError(
                .unreadableConfiguration,
                "configuration file \(path) is not JSON: \(Self.reason(error))",
                cause: error
            )
        }
    }

    private static func reason(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
        return context.underlyingError.map { "\($0)" } ?? context.debugDescription
    }

    mutating func apply(_ root: ConfigurationNode, from source: String) throws(CacheError) {
        guard case .object = root else {
            throw CacheError(
                .invalidConfiguration,
                "\(source) holds \(root.shown): a configuration is an object, such as {\"memory\": {\"costLimit\": \"64MiB\"}}"
            )
        }
        for (path, node) in root.leaves() {
            guard let field = Self.fields.first(where: { $0.path == path }) else {
                // A part may be absent as a whole.
                if node == .null, path == "disk" {
                    disk = nil
                    continue
                }
                throw CacheError(
                    .invalidConfiguration,
                    "\(source): unknown field \(path); \(Self.suggestion(for: path))"
                )
            }
            do {
                try field.apply(node, to: &self)
            } catch {
                throw CacheError(.invalidConfiguration, "\(source): \(error.message)")
            }
        }
    }

    private mutating func apply(_ environment: [String: String]) throws(CacheError) {
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("LARDER_") {
            guard let field = Self.fields.first(where: { $0.variable == variable }) else {
                throw CacheError(
                    .invalidConfiguration,
                    "environment: \(variable) names no field; the variables are "
                        + Self.fields.map(\.variable).joined(separator: ", ")
                )
            }
            do {
                try field.apply(.text(text), to: &self)
            } catch {
                throw CacheError(.invalidConfiguration, "environment: \(variable): \(error.message)")
            }
        }
    }

    private static func suggestion(for path: String) -> String {
        let part = path.split(separator: ".").dropLast().joined(separator: ".")
        let siblings = fields.map(\.path).filter { part.isEmpty || $0.hasPrefix(part + ".") }
        return "the fields are " + (siblings.isEmpty ? fields.map(\.path) : siblings).joined(separator: ", ")
    }
}
