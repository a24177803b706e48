internal import FoundationEssentials
internal import Glibc

extension ConfigurationNode {
    /// Reads the JSON file at `path`; `name` is what messages call it.
    init(contentsOf path: String, name: String) throws(CacheError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CacheError(
                .unreadableConfiguration,
                "\(name) cannot be read: \(Self.problem(reading: error))",
                cause: error
            )
        }
        do {
            self = try JSONDecoder().decode(ConfigurationNode.self, from: data)
        } catch {
            throw CacheError(.unreadableConfiguration, "\(name)\(Self.problem(decoding: error))", cause: error)
        }
    }

    private static func problem(reading error: any Error) -> String {
        switch ((error as? CocoaError)?.underlying as? POSIXError)?.code {
        case .ENOENT: "it does not exist; check the path"
        case .EISDIR: "it is a directory; name a file in it"
        case .EACCES: "this user may not read it, or it is no plain file; check the path and its permissions"
        case let code?: "the system reports \(code); check the file and the disk behind it"
        case nil: "check that it exists and that this user may read it"
        }
    }

    private static func problem(decoding error: any Error) -> String {
        let path = codingPath(of: error).prefix { $0.intValue == nil }.map(\.stringValue).joined(separator: ".")
        guard path.isEmpty else {
            // Any JSON value is a node, but for numbers that the decoder meets too late to refuse the file as a whole.
            return ": \(path.onOneLine) holds a number that cannot be read: "
                + "write it without leading zeros and no larger than a Double holds"
        }
        // The decoder knows no place, and jq takes an empty file and bytes that are not UTF-8.
        return " is not JSON: `python3 -m json.tool FILE` tells the line and column"
    }

    private static func codingPath(of error: any Error) -> [any CodingKey] {
        switch error as? DecodingError {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            context.codingPath
        default: []
        }
    }
}
