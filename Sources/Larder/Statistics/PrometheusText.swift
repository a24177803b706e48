internal import LarderMemory
internal import LarderStore

extension TieredCacheStatistics {
    /// The counters in Prometheus' text format, with the cache's name as their only label besides tier and cause.
    ///
    /// Keys never appear: their number is not bounded.
    ///
    /// - Parameter name: The name of the cache.
    /// - Returns: The text, one metric family after another.
    public func prometheusText(name: String) -> String {
        var text = PrometheusText(cache: name)
        text.counter(
            "larder_hits_total",
            "Lookups through the facade that a tier answered.",
            [(["tier": "memory"], memoryHits), (["tier": "disk"], diskHits)]
        )
        text.counter("larder_misses_total", "Lookups through the facade that no tier answered.", [([:], misses)])
        text.counter("larder_promotions_total", "Disk hits taken up into memory.", [([:], promotions)])
        text.counter("larder_failures_total", "Failures of the disk tier hidden from callers.", [([:], failures)])
        text.counter("larder_memory_hits_total", "Lookups in memory that found an entry.", [([:], memory.hits)])
        text.counter("larder_memory_misses_total", "Lookups in memory that found none.", [([:], memory.misses)])
        text.counter("larder_memory_insertions_total", "Values written to memory.", [([:], memory.insertions)])
        text.counter("larder_memory_refusals_total", "Values that memory refused.", [([:], memory.refusals)])
        text.counter(
            "larder_memory_removals_total",
            "Entries that left memory.",
            RemovalCause.allCases.map { (["cause": "\($0)"], memory.removals[$0] ?? 0) }
        )
        text.gauge("larder_memory_entries", "Entries in memory.", UInt64(memory.count))
        text.gauge("larder_memory_cost", "Total cost of the entries in memory.", UInt64(memory.totalCost))
        guard let disk else { return text.lines }
        text.gauge("larder_disk_entries", "Records on disk.", UInt64(disk.entries))
        text.gauge("larder_disk_used_bytes", "Bytes of pages in use.", UInt64(disk.usedBytes))
        text.gauge("larder_disk_budget_bytes", "Bytes the disk tier may use.", UInt64(disk.budgetBytes))
        text.gauge("larder_disk_file_bytes", "Length of the data file.", UInt64(disk.fileBytes))
        text.gauge("larder_disk_queued_bytes", "Bytes waiting to be written.", UInt64(disk.queuedBytes))
        text.counter("larder_disk_puts_total", "Records written.", [([:], disk.puts)])
        text.counter("larder_disk_commits_total", "Transactions committed.", [([:], disk.commits)])
        text.counter(
            "larder_disk_external_changes_total",
            "Times others' commits were noticed.",
            [([:], disk.externalChanges)]
        )
        text.counter("larder_disk_expired_total", "Records removed after their life.", [([:], disk.expired)])
        text.counter("larder_disk_evicted_total", "Records removed for space.", [([:], disk.evicted)])
        text.counter("larder_disk_damaged_total", "Records that failed their checksum.", [([:], disk.damaged)])
        text.counter("larder_disk_too_large_total", "Values refused for their size.", [([:], disk.rejectedTooLarge)])
        text.counter("larder_disk_dropped_total", "Writes dropped from a full queue.", [([:], disk.droppedQueueFull)])
        text.counter("larder_disk_write_failures_total", "Writes that failed.", [([:], disk.writeFailures)])
        text.counter("larder_disk_read_failures_total", "Lookups the engine failed.", [([:], disk.readFailures)])
        text.counter("larder_disk_slow_reads_total", "Reads that went on too long.", [([:], disk.slowReads)])
        text.counter("larder_disk_quarantined_total", "Data files set aside.", [([:], disk.quarantined)])
        text.gauge("larder_disk_failing", "1 while writes fail.", disk.isFailing ? 1 : 0)
        text.gauge("larder_disk_hidden_records", "Records to be removed once that succeeds.", UInt64(disk.hidden))
        return text.lines
    }
}

/// Writes metric families with help and type, in the order they are given.
private struct PrometheusText {
    let cache: String
    private(set) var lines = ""

    init(cache: String) {
        self.cache = cache
    }

    mutating func counter(_ name: String, _ help: String, _ samples: [(labels: [String: String], value: UInt64)]) {
        family(name, help, type: "counter", samples)
    }

    mutating func gauge(_ name: String, _ help: String, _ value: UInt64) {
        family(name, help, type: "gauge", [([:], value)])
    }

    private mutating func family(
        _ name: String,
        _ help: String,
        type: String,
        _ samples: [(labels: [String: String], value: UInt64)]
    ) {
        lines += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for (labels, value) in samples {
            let all = [("cache", cache)] + labels.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            let text = all.map { "\($0.0)=\"\(Self.escape($0.1))\"" }.joined(separator: ",")
            lines += "\(name){\(text)} \(value)\n"
        }
    }

    private static func escape(_ value: String) -> String {
        var escaped = ""
        // Not by characters: a line end after a carriage return is only a part of one.
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
