import FoundationEssentials
import LarderStore
import TestSupport

/// The files of one directory as a recorded process left them at some moment: for the processes after it, and on the disk.
///
/// Harsher than a real file system where those differ: a new or renamed file is safe only once the directory was synced,
/// and pages reach the disk in any order. The folders inside the directory are taken to be always there.
struct SimulatedDisk {
    private enum NameChange {
        case set(String, file: Int)
        case move(String, to: String)
        case remove(String)

        func apply(to names: inout [String: Int]) {
            switch self {
            case .set(let name, let file): names[name] = file
            case .move(let old, let new): names[new] = names.removeValue(forKey: old)
            case .remove(let name): names[name] = nil
            }
        }
    }

    private var files: [SimulatedFile] = []
    private var names: [String: Int] = [:]
    private var durableNames: [String: Int] = [:]
    private var pendingNames: [(sequence: Int, change: NameChange)] = []
    private var sequence = 0
    /// Where the running syncs of each name began.
    private var syncs: [String: [Int]] = [:]

    /// An empty directory.
    init() {}

    /// Files that are on the disk already.
    init(durable contents: [String: [UInt8]]) {
        for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            names[name] = files.count
            files.append(SimulatedFile(durable: bytes))
        }
        durableNames = names
    }

    mutating func apply(_ event: WriteLog.Event) {
        sequence += 1
        switch event {
        case .create(let name):
            change(.set(name, file: files.count))
            files.append(SimulatedFile())
        case .truncate(let name, let size):
            if let file = names[name] { files[file].truncate(to: size) }
        case .write(let name, let offset, let bytes, let isDurable):
            if let file = names[name] {
                files[file].write(bytes, at: offset, sequence: sequence, isDurable: isDurable)
            }
        case .punch(let name, let offset, let length):
            if let file = names[name] { files[file].punch(at: offset, length: length, sequence: sequence) }
        case .syncBegin(let name):
            syncs[name, default: []].append(sequence)
        case .syncEnd(let name):
            // Of several at once, the one that promises least has ended.
            if let began = syncs[name]?.removeFirst() { sync(name, before: began) }
        case .rename(let old, let new):
            change(.move(old, to: new))
        case .unlink(let name):
            change(.remove(name))
        case .mark:
            break
        }
    }

    /// What is not synced yet stays in the system's memory, but no sync goes on.
    mutating func endProcess() {
        syncs = [:]
    }

    private mutating func change(_ change: NameChange) {
        change.apply(to: &names)
        pendingNames.append((sequence, change))
    }

    private mutating func sync(_ name: String, before began: Int) {
        guard name == "." else {
            if let file = names[name] { files[file].sync(before: began) }
            return
        }
        for pending in pendingNames where pending.sequence < began { pending.change.apply(to: &durableNames) }
        pendingNames.removeAll { $0.sequence < began }
    }

    /// The files other processes see when the recorded one is killed.
    var contents: [String: [UInt8]] {
        names.mapValues { files[$0].contents }
    }

    /// The files after the power failed.
    ///
    /// Names change in order, as in a journal, but may lag behind; bytes reach the disk in any order.
    func contentsAfterPowerLoss(_ random: inout SeededRandom) -> [String: [UInt8]] {
        var names = durableNames
        let reached = Int.random(in: 0...pendingNames.count, using: &random)
        for pending in pendingNames[..<reached] { pending.change.apply(to: &names) }
        var contents: [String: [UInt8]] = [:]
        for (name, file) in names.sorted(by: { $0.key < $1.key }) {
            contents[name] = files[file].contentsAfterPowerLoss(&random)
        }
        return contents
    }

    /// Writes files into a new directory.
    static func write(_ contents: [String: [UInt8]], to directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for (name, bytes) in contents {
            if let folder = name.split(separator: "/").dropLast().first {
                _ = Files.makeDirectory("\(directory)/\(folder)")
            }
            try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)"))
            Files.setMode("\(directory)/\(name)", 0o600)
        }
    }

    /// Makes a store claim more than its writer did for it.
    static func pretend(_ durability: Durability, _ contents: inout [String: [UInt8]]) {
        replaceLine("durability ", with: durability.rawValue, &contents)
    }

    /// Makes the files of a store those of an earlier run of the system.
    static func reboot(_ contents: inout [String: [UInt8]]) {
        replaceLine("boot ", with: "00000000-0000-0000-0000-000000000000", &contents)
    }

    /// Changes one line of STATE.
    static func replaceLine(_ start: String, with value: String, _ contents: inout [String: [UInt8]]) {
        guard let state = contents["STATE"] else { return }
        let lines = String(decoding: state, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let changed = lines.map { $0.hasPrefix(start) ? start + value : String($0) }
        contents["STATE"] = Array(changed.joined(separator: "\n").utf8)
    }
}
