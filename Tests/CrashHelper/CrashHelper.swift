internal import Glibc
internal import LarderStore
internal import TestSupport
internal import WriteRecorder

/// The process the crash tests kill, record, or let open what a crash left: see `CrashProcess` of the tests.
///
/// Says on its output what it finds and what is durable, a line each, and ends with status 0.
@main
struct CrashHelper {
    let options: CrashOptions
    let store: Store
    let tables: [StoreTable<Int, [UInt8]>]
    let workload: CrashWorkload
    /// With other processes on the same store.
    let rivalry: Rivalry?

    static func main() {
        do {
            if CommandLine.arguments.dropFirst().first == "obey" { return try ObedientStore.main() }
            let options = try CrashOptions(Array(CommandLine.arguments.dropFirst()))
            if let log = options.log {
                let code = unsafe write_recorder_start(options.directory, log)
                guard code == 0 else {
                    throw CrashOptions.Failure(description: "no recording into \(log): error \(code)")
                }
            }
            let helper = try CrashHelper(options)
            helper.describe()
            try helper.work()
            try helper.end()
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    private init(_ options: CrashOptions) throws {
        self.options = options
        var configuration = StoreConfiguration(budget: .mebibytes(64), durability: options.durability)
        configuration.expiryInterval = .zero
        // Often enough to be met by any cut.
        configuration.checkpoint = .init(interval: .milliseconds(5), bytes: .kibibytes(64))
        configuration.multiProcess = options.member != nil
        store = try Store.open(at: options.directory, configuration: configuration)
        workload = CrashWorkload(seed: options.seed, member: options.member)
        tables = try (0..<CrashWorkload.tables).map { [store, workload] number in
            try store.table(workload.name(of: number), keyedBy: Int.self, codec: .bytes)
        }
        rivalry = try options.member.map { [store] in try Rivalry(store, member: $0, directory: options.directory) }
    }

    /// Every line reaches the reader before the next step: the process may end at any moment.
    static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }

    private func describe() {
        var text = store.recovery.map { "recovered \($0.reason) because \($0.detail)\n" } ?? "intact\n"
        for table in tables.indices {
            for key in 0..<CrashWorkload.keys {
                guard let value = tables[table].value(forKey: workload.storeKey(key)) else { continue }
                text += "holds \(table) \(key) \(workload.number(of: value) ?? -1)\n"
            }
            // In a table of several processes there are others' records as well.
            if rivalry == nil { text += "counts \(table) \(tables[table].count)\n" }
        }
        text += "damaged \(store.statistics.damaged)"
        Self.say(text)
    }

    private func work() throws {
        for number in options.operations {
            switch workload.operation(number) {
            case .put(let place):
                try tables[place.table].setValue(workload.value(number), forKey: workload.storeKey(place.key))
            case .remove(let place):
                tables[place.table].removeValue(forKey: workload.storeKey(place.key))
            case .removeAll(let table): tables[table].removeAll()
            }
            if workload.compacts(after: number) {
                // Nothing is evicted for that budget, but free pages are given back.
                if rivalry == nil { try store.compact() } else { try store.trim(toBytes: .gibibytes(1)) }
            }
            try rivalry?.step(number)
            guard workload.flushes(after: number) else { continue }
            try store.flush()
            try rivalry?.flushed(number)
            write_recorder_mark(UInt64(number + 1))
            Self.say("flushed \(number + 1)")
        }
    }

    /// Proves that the store can be used, and closes it.
    private func end() throws {
        switch options.ending {
        case .abandon:
            // As if killed here, but with everything committed.
            try store.flush()
            _exit(0)
        case .close:
            break
        case .probe:
            let probe = try store.table("probe", keyedBy: Int.self, codec: .bytes)
            for key in 0..<50 { try probe.setValue([UInt8](repeating: UInt8(key), count: key * 100), forKey: key) }
            try store.flush()
            for key in 0..<50 where probe.value(forKey: key) != [UInt8](repeating: UInt8(key), count: key * 100) {
                throw CrashOptions.Failure(description: "the value of key \(key) is not what was just written")
            }
            for table in tables { table.removeAll() }
        }
        try store.close()
        write_recorder_mark(.max)
        Self.say("closed")
    }
}
