import LarderMemory
import Testing

@testable import LarderTool

struct ReplayOptionsTests {
    private func options(_ arguments: String...) throws -> ReplayOptions {
        try Self.parse(arguments)
    }

    private static func parse(_ arguments: [String]) throws -> ReplayOptions {
        guard case .replay(let options) = try Subcommand(arguments: ["replay"] + arguments) else {
            throw ToolError.failure("not a replay")
        }
        return options
    }

    @Test func `without arguments the synthetic workload goes through memory`() throws {
        let options = try options()
        #expect(options.trace == .synthetic(seed: 1))
        #expect(options.cache.tier == .memory)
        #expect(options.cache.capacity == .entries(10_000))
        #expect(options.cost == .unit)
        #expect(options.cache.policy == nil && options.limit == nil && options.valueSize == nil && !options.json)
    }

    @Test func `every option of the contract is taken`() throws {
        let options = try options(
            "trace.bin",
            "--format",
            "oracle",
            "--tier",
            "tiered",
            "--policy",
            "lru",
            "--capacity",
            "384MiB",
            "--cost",
            "size",
            "--disk-capacity",
            "4GiB",
            "--directory",
            "d",
            "--value-size",
            "64",
            "--limit",
            "10",
            "--config",
            "c.json",
            "--json"
        )
        var expected = ReplayOptions()
        expected.trace = .file("trace.bin")
        expected.format = .oracle
        expected.cost = .size
        expected.valueSize = 64
        expected.limit = 10
        expected.json = true
        expected.cache = CacheSettings(
            tier: .tiered,
            policy: .lru,
            capacity: .bytes(384 << 20),
            diskCapacity: 4 << 30,
            directory: "d",
            configurationPath: "c.json"
        )
        #expect(options == expected)
    }

    @Test func `a plain capacity counts what the cost counts`() throws {
        #expect(try options("--capacity", "1000").cache.capacity == .entries(1000))
        #expect(try options("--capacity", "1000", "--cost", "unit").cache.capacity == .entries(1000))
        #expect(try options("--capacity", "1000", "--cost", "size").cache.capacity == .bytes(1000))
        #expect(try options("--cost", "size").cache.capacity == .bytes(128 << 20))
    }

    @Test func `a capacity with a unit makes the cost the size`() throws {
        let options = try options("--capacity", "1MiB")
        #expect(options.cost == .size)
        #expect(options.cache.capacity == .bytes(1 << 20))
    }

    @Test func `a configuration file's limits stand unless overridden`() throws {
        #expect(try options("--config", "c.json").cache.capacity == nil)
        #expect(try options("--config", "c.json", "--capacity", "5").cache.capacity == .entries(5))
    }

    @Test func `a configuration file's limit on cost is one in bytes`() throws {
        #expect(try options("--config", "c.json").cost == .size)
        #expect(try options("--config", "c.json", "--cost", "unit").cost == .unit)
        #expect(try options("--config", "c.json", "--capacity", "5").cost == .unit)
    }

    @Test func `a disk option alone means the tiered cache`() throws {
        #expect(try options("--directory", "d").cache.tier == .tiered)
        #expect(try options("--disk-capacity", "1GiB").cache.tier == .tiered)
    }

    @Test func `dash is standard input, and auto is no format`() throws {
        #expect(try options("-").trace == .standardInput)
        #expect(try options("t", "--format", "auto").format == nil)
    }

    @Test func `policies with parameters are read`() throws {
        #expect(
            try options("--policy", "s3fifo:0.1,0.9,2").cache.policy == .s3FIFO(small: 0.1, ghost: 0.9, threshold: 2)
        )
        #expect(try options("--policy", "tinylfu:0.2").cache.policy == .tinyLFU(window: 0.2))
    }

    @Test func `an empty value is allowed, a seed without a trace too`() throws {
        #expect(try options("--value-size", "0").valueSize == 0)
        #expect(try options("--seed", "0").trace == .synthetic(seed: 0))
    }

    @Test(
        arguments: [
            (["--tier", "disk"], "--tier is 'disk'; use one of memory, tiered"),
            (["--tier", "teired"], "--tier is 'teired' (did you mean 'tiered'?); use one of memory, tiered"),
            (["t", "--format", "lir"], "--format is 'lir' (did you mean 'lirs'?); use one of auto, oracle, lirs"),
            (["--format", "csv"], "--format csv is given without a trace;"),
            (["--policy", "lur"], "--policy is 'lur' (did you mean 'lru'?); use one of lru, fifo"),
            (["--policy", "lru:1"], "--policy is 'lru:1', whose parameters cannot be read; use lru"),
            (["--policy", "tinylfu:7"], "--policy is 'tinylfu:7': policy: window is 7.0"),
            (["--cost", "bytes"], "--cost is 'bytes'; use one of unit, size"),
            (["--capacity", "0"], "--capacity is 0;"),
            (["--capacity", "-3"], "--capacity is -3, which is negative;"),
            (["--capacity", "9223372036854775808"], "--capacity is 9223372036854775808, which is larger than"),
            (["--capacity", "3MIX"], "--capacity is '3MIX' with unknown unit 'MIX'; use one of"),
            (["--capacity", "1MiB", "--cost", "unit"], "--capacity is 1MiB, but --cost unit counts entries;"),
            (["--disk-capacity", "0"], "--disk-capacity is 0;"),
            (["--tier", "memory", "--directory", "d"], "--directory is given with --tier memory, which has no disk;"),
            (["--value-size", "2GiB"], "--value-size is 2GiB; values are at most 1GiB"),
            (["--value-size", "-1"], "--value-size is -1, which is negative;"),
            (["--limit", "0"], "--limit is '0', but is a number of requests; give a whole number above zero"),
            (["--limit", "-1"], "--limit is '-1', but is a number of requests;"),
            (["--limit", "1KiB"], "--limit is '1KiB', but is a number of requests;"),
            (["--limit", "1e3"], "--limit is '1e3', but is a number of requests;"),
            (["--seed", "-1"], "--seed is '-1'; give a whole number"),
            (["t", "--seed", "1"], "--seed 1 is for the synthetic workload only;"),
        ]
    )
    func `bad options are usage errors with name, value and remedy`(arguments: [String], start: String) {
        let error = toolError { _ = try Self.parse(arguments) }
        #expect(error?.status == .usage)
        #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "none")")
    }
}
