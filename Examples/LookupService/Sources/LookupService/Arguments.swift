/// What the command line says.
struct Arguments {
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    private static let usage = "usage: LookupService [--port NUMBER] [--config FILE]"

    var port: UInt16 = 7070
    var configuration = "cache.json"

    init(_ arguments: some Sequence<String>) throws(Invalid) {
        var rest = arguments.makeIterator()
        while let name = rest.next() {
            guard let value = rest.next() else { throw Invalid(description: "\(name) needs a value; \(Self.usage)") }
            switch name {
            case "--port":
                guard let number = UInt16(value) else {
                    throw Invalid(description: "--port is \(value): it must be a number from 0, for any, to 65535")
                }
                port = number
            case "--config":
                configuration = value
            default:
                throw Invalid(description: "unknown argument \(name); \(Self.usage)")
            }
        }
    }
}
