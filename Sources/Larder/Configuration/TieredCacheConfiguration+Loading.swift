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
    /// - Throws: `CacheError` that names the file or variable, the field, its value and the remedy, in one line.
    public static func load(
        from path: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CacheError) -> TieredCacheConfiguration {
        var configuration = TieredCacheConfiguration()
        let file = path.map { "configuration file \($0.onOneLine)" }
        if let path, let file {
            try configuration.apply(ConfigurationNode(contentsOf: path, name: file), from: file)
        }
        let variables = try configuration.apply(environment)
        let overrides = variables.isEmpty ? nil : "the environment's \(variables.joined(separator: ", "))"
        try configuration.validate(from: [file, overrides].compactMap(\.self).joined(separator: " with "))
        return configuration
    }

    /// Takes over what a file says; `source` is what messages call the file.
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
                // A part of which nothing is said.
                if node == .object([:]), !Self.fields(of: path).isEmpty { continue }
                throw Self.refusal(of: node, at: path, from: source)
            }
            do {
                try field.apply(node, to: &self)
            } catch {
                throw CacheError(.invalidConfiguration, "\(source): \(error.message)")
            }
        }
    }

    /// The error about a value that belongs to no field.
    private static func refusal(
        of node: ConfigurationNode,
        at path: String,
        from source: String
    ) -> CacheError {
        if let field = fields.first(where: { path.hasPrefix($0.path + ".") }) {
            return CacheError(
                .invalidConfiguration,
                "\(source): \(field.path) is an object: it must be \(field.expectation)"
            )
        }
        let inside = fields(of: path)
        guard inside.isEmpty else {
            return CacheError(
                .invalidConfiguration,
                "\(source): \(path) is \(node.shown): it must be an object; its fields are "
                    + inside.joined(separator: ", ")
            )
        }
        return CacheError(
            .invalidConfiguration,
            "\(source): unknown field \(path.onOneLine); \(suggestion(for: path))"
        )
    }

    /// Takes over what the environment says; answers the variables that said it.
    private mutating func apply(_ environment: [String: String]) throws(CacheError) -> [String] {
        var variables: [String] = []
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("LARDER_") {
            guard let field = Self.fields.first(where: { $0.variable == variable }) else {
                throw CacheError(
                    .invalidConfiguration,
                    "environment: \(variable.onOneLine) names no field; the variables are "
                        + Self.fields.map(\.variable).joined(separator: ", ")
                )
            }
            do {
                try field.apply(.text(text), to: &self)
            } catch {
                throw CacheError(.invalidConfiguration, "environment: \(variable): \(error.message)")
            }
            variables.append(variable)
        }
        return variables
    }

    private static func suggestion(for path: String) -> String {
        var part = path.split(separator: ".").dropLast()
        while !part.isEmpty, fields(of: part.joined(separator: ".")).isEmpty { part.removeLast() }
        let known = part.isEmpty ? fields.map(\.path) : fields(of: part.joined(separator: "."))
        return "the fields are " + known.joined(separator: ", ")
    }

    /// The paths of the fields of a part such as `memory`.
    private static func fields(of part: String) -> [String] {
        fields.map(\.path).filter { $0.hasPrefix(part + ".") }
    }
}
