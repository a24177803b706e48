@testable import LarderTool

/// What a fake cache keeps when it is closed.
final class FakeDisk {
    var values: [Int64: (value: [UInt8], cost: Int)] = [:]
}

/// An exact, single-threaded cache with the replay's interface: what the real one is compared with.
final class FakeCache: ReplaySubject {
    let cacheDescription = CacheDescription(name: "fake", policy: "lru", countLimit: 7)

    /// Spoils the value of this key.
    var wrongKey: Int64?

    var failsToSettle = false
    private(set) var isClosed = false

    private let disk: FakeDisk?
    private let capacity: Int

    // A doubly linked list through a dictionary: the most recent entry follows `head`, the least recent is `tail`.
    private struct Node {
        var value: [UInt8]
        var cost: Int
        var newer: Int64?
        var older: Int64?
    }

    private var nodes: [Int64: Node] = [:]
    private var newest: Int64?
    private var oldest: Int64?
    private var used = 0

    init(capacity: Int, disk: FakeDisk? = nil) {
        self.capacity = capacity
        self.disk = disk
    }

    func lookup(_ key: Int64) -> ReplayHit? {
        if let node = unlink(key) {
            link(key, node.value, node.cost)
            return ReplayHit(value: spoilt(node.value, key), tier: .memory)
        }
        guard let record = disk?.values[key] else { return nil }
        insert(key, record.value, record.cost)
        return ReplayHit(value: spoilt(record.value, key), tier: .disk)
    }

    func store(_ value: [UInt8], forKey key: Int64, cost: Int) {
        disk?.values[key] = (value, cost)
        insert(key, value, cost)
    }

    func settle() throws {
        if failsToSettle { throw ToolError.failure("the fake disk is full") }
    }

    func counts() -> TierCounts {
        TierCounts(
            memoryEntries: nodes.count,
            memoryCost: used,
            diskEntries: disk?.values.count ?? 0,
            diskBytes: disk?.values.values.reduce(0) { $0 + $1.value.count } ?? 0
        )
    }

    func close() { isClosed = true }

    func emptyMemory() {
        nodes = [:]
        newest = nil
        oldest = nil
        used = 0
    }

    func loseDisk() { disk?.values = [:] }

    private func spoilt(_ value: [UInt8], _ key: Int64) -> [UInt8] {
        key == wrongKey ? value.map { ~$0 } : value
    }

    private func insert(_ key: Int64, _ value: [UInt8], _ cost: Int) {
        _ = unlink(key)
        guard cost <= capacity else { return }
        while used + cost > capacity, let oldest { _ = unlink(oldest) }
        link(key, value, cost)
    }

    private func link(_ key: Int64, _ value: [UInt8], _ cost: Int) {
        nodes[key] = Node(value: value, cost: cost, newer: nil, older: newest)
        if let newest { nodes[newest]?.newer = key }
        newest = key
        oldest = oldest ?? key
        used += cost
    }

    private func unlink(_ key: Int64) -> Node? {
        guard let node = nodes.removeValue(forKey: key) else { return nil }
        if let newer = node.newer { nodes[newer]?.older = node.older } else { newest = node.older }
        if let older = node.older { nodes[older]?.newer = node.newer } else { oldest = node.newer }
        used -= node.cost
        return node
    }
}
