/// A configuration as it stands in a file, before anyone has asked what it means.
enum ConfigurationNode: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case object([String: ConfigurationNode])
    case list([ConfigurationNode])

    /// The value as a reader of the file would recognise it, for messages.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): "\"\(value.onOneLine)\""
        case .object: "an object"
        case .list: "a list"
        }
    }

    /// The leaves with their dotted paths.
    ///
    /// An empty object is one, unless it is the whole: its name may be a wrong one.
    func leaves(under path: String = "") -> [(path: String, node: ConfigurationNode)] {
        guard case .object(let members) = self, path.isEmpty || !members.isEmpty else { return [(path, self)] }
        return members.sorted { $0.key < $1.key }.flatMap { name, node in
            node.leaves(under: path.isEmpty ? name : "\(path).\(name)")
        }
    }

    /// Puts a leaf at a dotted path, making objects on the way.
    mutating func set(_ path: some Collection<Substring>, to node: ConfigurationNode) {
        guard let name = path.first else {
            self = node
            return
        }
        var members: [String: ConfigurationNode] = [:]
        if case .object(let present) = self { members = present }
        members[String(name), default: .object([:])].set(path.dropFirst(), to: node)
        self = .object(members)
    }
}

extension ConfigurationNode: Codable {
    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: ConfigurationNode] = [:]
            for name in container.allKeys {
                members[name.stringValue] = try container.decode(ConfigurationNode.self, forKey: name)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            var elements: [ConfigurationNode] = []
            while !container.isAtEnd { elements.append(try container.decode(ConfigurationNode.self)) }
            self = .list(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, node) in members { try container.encode(node, forKey: Name(stringValue: name)) }
        case .list(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .integer(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .number(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .text(let value):
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) { nil }
    }
}
