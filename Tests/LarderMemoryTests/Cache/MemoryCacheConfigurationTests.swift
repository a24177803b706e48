import LarderMemory
import Testing

struct MemoryCacheConfigurationTests {
    @Test("A94 T14 T15 the defaults: no limits, exact LRU, everything goes at critical pressure and in background")
    func defaults() throws {
        let configuration = MemoryCacheConfiguration()
        try configuration.validate()
        #expect(configuration.costLimit == nil)
        #expect(configuration.countLimit == nil)
        #expect(configuration.ageLimit == nil)
        #expect(configuration.idleLimit == nil)
        #expect(configuration.policy == .lru)
        #expect(configuration.pressureResponse == .init(warning: .trim(toFraction: 0.5), critical: .removeAll))
        #expect(configuration.clearsOnBackground)
    }

    @Test("what cannot work is refused with the field, the value and the remedy")
    func refusals() {
        let cases: [(MemoryCacheConfiguration, [String])] = [
            (.init(costLimit: -1), ["costLimit", "-1", "leave it out"]),
            (.init(countLimit: -7), ["countLimit", "-7"]),
            (.init(ageLimit: .seconds(-1)), ["ageLimit", "-1"]),
            (.init(idleLimit: .seconds(-2)), ["idleLimit", "-2"]),
            (.init(policy: .tinyLFU(window: 2)), ["policy", "window", "2.0"]),
            (.init(pressureResponse: .init(warning: .trim(toFraction: 1), critical: .nothing)), ["fraction", "1.0"]),
            (
                .init(pressureResponse: .init(warning: .nothing, critical: .trim(toFraction: .nan))),
                ["fraction", "nan"]
            ),
        ]
        for (configuration, parts) in cases {
            let error = #expect(throws: MemoryCacheError.self) { try configuration.validate() }
            #expect(error?.code == .invalidConfiguration)
            for part in parts {
                #expect(error?.message.contains(part) == true, "\(error?.message ?? "") lacks \(part)")
            }
        }
    }

    @Test("a cache takes a negative limit as zero")
    func negativeLimits() {
        for configuration in [
            MemoryCacheConfiguration(costLimit: -1), .init(countLimit: -1), .init(ageLimit: .seconds(-1)),
            .init(idleLimit: .seconds(-1)),
        ] {
            let cache = MemoryCache<Int, Int>(configuration: configuration)
            cache[1] = 1
            #expect(cache.isEmptyNow)
        }
    }

    @Test(
        "A93 a cache takes a fraction that is none as zero",
        arguments: [-1, 1, 2, 1e300, .nan, .infinity, -.infinity]
    )
    func wrongFractions(fraction: Double) {
        let response = PressureResponse(warning: .trim(toFraction: fraction), critical: .nothing)
        let cache = MemoryCache<Int, Int>(configuration: .init(pressureResponse: response))
        for key in 0..<10 { cache.setValue(key, forKey: key, cost: 10) }
        cache.handleMemoryPressure(.warning)
        #expect(cache.isEmptyNow)
    }

    @Test(
        "a cache works with policies whose parameters are out of range",
        arguments: [-1e300, -1, 0, 1, 5, 1e300, .nan, .infinity]
    )
    func wrongParameters(parameter: Double) {
        let policies: [EvictionPolicy] = [
            .tinyLFU(window: parameter), .s3FIFO(small: parameter), .s3FIFO(ghost: parameter),
            .s3FIFO(threshold: Int(clamping: Int128(parameter.isFinite ? min(max(parameter, -1e19), 1e19) : 0))),
        ]
        for policy in policies {
            for limit in [10, .max - 1] {
                let cache = MemoryCache<Int, Int>(configuration: .init(costLimit: limit, policy: policy))
                for key in 0..<100 {
                    cache.setValue(key, forKey: key, cost: limit / 10)
                    _ = cache.value(forKey: key / 2)
                }
                #expect((1...10).contains(cache.count), "\(policy), \(limit)")
                cache.costLimit = nil
                cache.countLimit = 3
                for key in 0..<100 { cache[key] = key }
                #expect(cache.count == 3, "\(policy), \(limit)")
            }
        }
    }

    @Test("A68 several settings change in one barrier, and the limits hold when it returns")
    func configure() {
        let cache = MemoryCache<Int, Int>()
        for key in 0..<10 { cache.setValue(key, forKey: key, cost: 1) }
        cache.configure {
            $0.costLimit = 5
            $0.countLimit = 3
            $0.policy = .fifo
            $0.clearsOnBackground = false
        }
        #expect(Set(cache.keys) == [7, 8, 9])
        #expect(cache.configuration.costLimit == 5)
        #expect(cache.policy == .fifo)
        cache.enterBackground()
        #expect(cache.count == 3)
    }
}
