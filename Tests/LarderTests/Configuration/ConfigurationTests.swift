import FoundationEssentials
import Larder
import LarderMemory
import LarderStore
import TestSupport
import Testing

struct ConfigurationTests {
    private func load(_ json: String, _ environment: [String: String] = [:]) throws -> TieredCacheConfiguration {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.json")
        try Data(json.utf8).write(to: URL(filePath: path))
        return try TieredCacheConfiguration.load(from: path, environment: environment)
    }

    private func refusal(_ json: String, _ environment: [String: String] = [:]) throws -> String {
        let error = #expect(throws: CacheError.self) { try load(json, environment) }
        return try #require(error).message
    }

    @Test func `every field can be set in a file`() throws {
        let configuration = try load(
            """
            {
              "name": "n", "expiration": "1h", "listensToPressureSignal": true,
              "memory": {
                "costLimit": "64MiB", "countLimit": 100, "ageLimit": "5m", "idleLimit": 1.5, "policy": "s3fifo:0.1,0.9,2",
                "pressure": {"warning": 0.25, "critical": "nothing"}, "clearsOnBackground": false
              },
              "disk": {
                "directory": "/d", "budget": "4GiB", "lowWater": 0.9, "maxValueBytes": 1048576, "durability": "strict",
                "closeDeadline": "2s", "expiryInterval": 0, "maxReaders": 64,
                "compression": {"threshold": "2KiB", "level": 5},
                "queue": {"bytes": "1MiB", "overflow": "drop", "maxBatchOperations": 10, "maxBatchBytes": "64KiB"}
              }
            }
            """
        )
        #expect(configuration.name == "n")
        #expect(configuration.expiration == .seconds(3600))
        #expect(configuration.listensToPressureSignal)
        #expect(configuration.memory.costLimit == 64 << 20)
        #expect(configuration.memory.countLimit == 100)
        #expect(configuration.memory.ageLimit == .seconds(300))
        #expect(configuration.memory.idleLimit == .milliseconds(1500))
        #expect(configuration.memory.policy == .s3FIFO(small: 0.1, ghost: 0.9, threshold: 2))
        #expect(configuration.memory.pressureResponse == .init(warning: .trim(toFraction: 0.25), critical: .nothing))
        #expect(!configuration.memory.clearsOnBackground)
        let disk = try #require(configuration.disk)
        #expect(disk.directory == "/d")
        #expect(disk.store.budget == .gibibytes(4))
        #expect(disk.store.durability == .strict)
        #expect(disk.store.maxReaders == 64)
        #expect(disk.store.compression == .init(threshold: .kibibytes(2), level: 5))
        #expect(disk.store.queue.overflow == .drop)
        #expect(disk.store.queue.maxBatchBytes == .kibibytes(64))
    }

    @Test func `encoding and decoding gives the same`() throws {
        var configuration = TieredCacheConfiguration(name: "n", expiration: .milliseconds(1500))
        configuration.memory = .init(countLimit: 7, ageLimit: .seconds(90), policy: .tinyLFU(window: 0.25))
        // No field of the store has its default.
        configuration.disk = .init(
            directory: "/d",
            store: .init(
                budget: .gibibytes(2),
                lowWater: 0.5,
                maxValueBytes: .mebibytes(2),
                durability: .fast,
                checkpoint: .init(interval: .milliseconds(250), bytes: .mebibytes(3)),
                queue: .init(bytes: .mebibytes(1), overflow: .drop, maxBatchOperations: 10, maxBatchBytes: 65_000),
                closeDeadline: .milliseconds(2_500),
                expiryInterval: .zero,
                maxReaders: 9,
                slowReadAge: .seconds(90),
                compression: .init(threshold: 500, level: 7),
                multiProcess: true
            )
        )
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(TieredCacheConfiguration.self, from: data) == configuration)
        let plain = TieredCacheConfiguration()
        #expect(try JSONDecoder().decode(TieredCacheConfiguration.self, from: JSONEncoder().encode(plain)) == plain)
    }

    @Test func `the environment overrides the file`() throws {
        let configuration = try load(
            #"{"memory": {"costLimit": "1MiB"}}"#,
            [
                "LARDER_MEMORY_COST_LIMIT": "none", "LARDER_MEMORY_COUNT_LIMIT": "5",
                "LARDER_DISK_DIRECTORY": "/x", "LARDER_DISK_QUEUE_MAX_BATCH_BYTES": "1MiB", "HOME": "/root",
            ]
        )
        #expect(configuration.memory.costLimit == nil)
        #expect(configuration.memory.countLimit == 5)
        #expect(configuration.disk?.directory == "/x")
        #expect(configuration.disk?.store.queue.maxBatchBytes == .mebibytes(1))
    }

    @Test func `an unknown field is refused by name`() throws {
        let message = try refusal(#"{"memory": {"costLimt": 1}}"#)
        #expect(message.contains("memory.costLimt") && message.contains("memory.costLimit"))
        #expect(try refusal(#"{"dsk": null}"#).contains("unknown field dsk"))
        let nested = try refusal(#"{"memory": {"pressre": {"warning": 1}}}"#)
        #expect(nested.contains("unknown field memory.pressre.warning; the fields are memory.costLimit, "))
    }

    @Test func `a part that is no object, or a field that is one, is refused as that`() throws {
        let queue = try refusal(#"{"disk": {"queue": 5}}"#)
        #expect(queue.contains("disk.queue is 5: it must be an object; its fields are disk.queue.bytes, "))
        #expect(try refusal(#"{"memory": null}"#).contains("memory is null: it must be an object"))
        #expect(try refusal(#"{"expiration": {"a": 1}}"#).contains("expiration is an object: it must be a number of"))
    }

    @Test func `a wrong type is refused with field and value`() throws {
        let message = try refusal(#"{"memory": {"countLimit": "many"}}"#)
        #expect(message.contains("memory.countLimit") && message.contains("\"many\""))
        #expect(try refusal(#"{"memory": 5}"#).contains("memory"))
        #expect(try refusal(#"[1]"#).contains("an object"))
        #expect(try refusal(#"{"memory": {}, "disk": {"budget": "4 GiB or so"}}"#).contains("disk.budget"))
        #expect(try refusal(#"{"memroy": {}}"#).contains("unknown field memroy"))
        #expect(try refusal(#"{"memory": {"costLimit": {}}}"#).contains("memory.costLimit"))
    }

    @Test(
        "A43 fields of the disk tier with a value of the wrong type are errors, not crashes",
        arguments: [
            ("budget", "-1"), ("budget", #""much""#), ("budget", #""9999999999GiB""#), ("compression.threshold", "-1"),
            ("closeDeadline", "1e300"), ("durability", #""eventual""#), ("maxReaders", #""two""#),
        ]
    )
    func wrongDisk(field: String, value: String) throws {
        let json = field.split(separator: ".").reversed().reduce(value) { "{\"\($1)\": \($0)}" }
        #expect(try refusal("{\"disk\": \(json)}").contains("disk.\(field) is "))
    }

    @Test("V51 V89 limits that cannot work are refused with field and value")
    func refusedLimits() throws {
        #expect(try refusal(#"{"memory": {"costLimit": -1}}"#).contains("memory.costLimit is -1"))
        #expect(try refusal(#"{"memory": {"ageLimit": -5}}"#).contains("memory.ageLimit"))
        #expect(try refusal(#"{"expiration": 0}"#).contains("expiration"))
        #expect(try refusal(#"{"name": ""}"#).contains("name"))
        #expect(try refusal(#"{"disk": {"budget": "1GiB"}}"#).contains("disk.directory"))
        #expect(try refusal(#"{"memory": {"policy": "s3fifo:2,1,1"}}"#).contains("small"))
        #expect(try load(#"{"memory": {"costLimit": "4GiB"}}"#).memory.costLimit == 4 << 30)
    }

    @Test func `what is no JSON, or not there, is refused with the path`() throws {
        #expect(try refusal("{").contains("cache.json"))
        #expect(try refusal("").contains("is not JSON"))
        let error = #expect(throws: CacheError.self) {
            try TieredCacheConfiguration.load(from: "/nowhere/cache.json", environment: [:])
        }
        #expect(error?.message.contains("/nowhere/cache.json") == true)
    }

    @Test(
        arguments: [
            (#"{"memory": {"policy": lru}}"#, " is not JSON: `python3 -m json.tool FILE` tells the line and column"),
            ("", " is not JSON: `python3 -m json.tool FILE` tells the line and column"),
            (#"{"memory": {"countLimit": 1e999}}"#, ": memory.countLimit holds a number that cannot be read: "),
            (
                #"{"memory": {"countLimit": [1, {"a": 01}]}}"#,
                ": memory.countLimit holds a number that cannot be read: "
            ),
            (#"{"memory": {"costLimt": 1}}"#, ": unknown field memory.costLimt; "),
            (#"{"memory": {"countLimit": "x"}}"#, ": memory.countLimit is \"x\": "),
            (#"{"memory": 5}"#, ": memory is 5: "),
            (#"{"expiration": {"a": 1}}"#, ": expiration is an object: "),
            ("[1]", " holds a list: "),
        ]
    )
    func `an error about a file names the file and the field`(json: String, refusal: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.json")
        try Data(json.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: CacheError.self) {
            try TieredCacheConfiguration.load(from: path, environment: [:])
        }
        let message = try #require(error).message
        #expect(message.hasPrefix("configuration file \(path)\(refusal)"), "\(message)")
    }

    @Test func `an error of validation names the file and the variables it was loaded from`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("cache.json")
        func refusal(_ json: String?, _ environment: [String: String] = [:]) throws -> String {
            if let json { try Data(json.utf8).write(to: URL(filePath: path)) }
            let error = #expect(throws: CacheError.self) {
                try TieredCacheConfiguration.load(from: json.map { _ in path }, environment: environment)
            }
            #expect(error?.code == .invalidConfiguration)
            return try #require(error).message
        }
        let negative = try refusal(#"{"memory": {"costLimit": -1}}"#)
        #expect(negative.hasPrefix("configuration file \(path): memory.costLimit is -1: "), "\(negative)")
        let overridden = try refusal("{}", ["LARDER_EXPIRATION": "0", "LARDER_NAME": "n", "HOME": "/"])
        let sources = "configuration file \(path) with the environment's LARDER_EXPIRATION, LARDER_NAME"
        #expect(overridden.hasPrefix("\(sources): expiration is 0s: "), "\(overridden)")
        let alone = try refusal(nil, ["LARDER_NAME": ""])
        #expect(alone.hasPrefix("the environment's LARDER_NAME: name is empty: "), "\(alone)")
    }

    @Test func `an error about a file is one line, whatever the file holds`() throws {
        let messages = [
            try refusal(#"{"memory": {"policy": "l\nru\u001b[31m"}}"#), try refusal(#"{"a\r\nb": 1}"#),
            try refusal(#"{"a\n": 1e999}"#), try refusal("{\"memory\": \n\u{1B}}"),
            try refusal("{}", ["LARDER_\n": "1"]),
            try refusal("{}", ["LARDER_MEMORY_POLICY": "l\nru"]),
        ]
        for message in messages {
            #expect(!message.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(message)")
        }
    }

    @Test func `a file that cannot be read is refused with the reason`() throws {
        let directory = try TemporaryDirectory()
        func refusal(_ path: String) throws -> String {
            let error = #expect(throws: CacheError.self) {
                try TieredCacheConfiguration.load(from: path, environment: [:])
            }
            #expect(error?.code == .unreadableConfiguration && error?.cause != nil)
            return try #require(error).message
        }
        #expect(try refusal(directory.path("none")).contains("none cannot be read: it does not exist; "))
        #expect(try refusal(directory.path("no\nne")).contains(#"no\nne cannot be read: it does not exist; "#))
        #expect(try refusal(directory.path).contains("cannot be read: it is a directory; "))
    }

    @Test func `a misspelt variable is refused`() throws {
        #expect(try refusal("{}", ["LARDER_MEMORY_COSTLIMIT": "5"]).contains("LARDER_MEMORY_COSTLIMIT"))
        #expect(try refusal("{}", ["LARDER_MEMORY_COUNT_LIMIT": "x"]).contains("LARDER_MEMORY_COUNT_LIMIT"))
    }
}
