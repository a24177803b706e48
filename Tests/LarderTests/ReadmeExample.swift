import Larder
import LarderMemory
import LarderStore

struct Profile: Codable, Sendable, Equatable {
    var name: String
    var visits: Int
}

func profiles(in directory: String) throws -> TieredCache<String, Profile> {
    var configuration = TieredCacheConfiguration(name: "profiles")
    configuration.memory.costLimit = 64 << 20
    configuration.disk = .init(directory: directory, store: .init(budget: .gibibytes(4)))
    configuration.expiration = .seconds(3600)
    configuration.listensToPressureSignal = true
    return try TieredCache(
        configuration: configuration,
        codec: .json,
        onError: { error, key in print("cache: \(error)", key ?? "") }
    )
}

func greet(_ id: String, _ cache: TieredCache<String, Profile>) -> Profile {
    var profile = cache.value(forKey: id) ?? Profile(name: "new", visits: 0)
    profile.visits += 1
    cache.setValue(profile, forKey: id)
    return profile
}
