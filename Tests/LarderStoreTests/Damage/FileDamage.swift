import Foundation
import Glibc
import TestSupport
import Testing

/// One way in which the files of a closed store may be damaged, following from a seed.
struct FileDamage: CustomStringConvertible {
    enum Kind: CaseIterable {
        case bit
        case byte
        case zeroedPage
        case randomPage
        case swappedPages
        case repeatedPage
        case stretch
        case pageHeader
        case node
        case metaPage
        case bothMetaPages
        case truncation
        case state
        case locks
    }

    private static let pageBytes = 4096

    /// What a disk does that changes bytes by itself.
    private static let rot: [Kind] = [
        .bit, .byte, .zeroedPage, .randomPage, .swappedPages, .repeatedPage, .pageHeader, .node, .truncation,
    ]

    let kind: Kind
    /// Whether only pages that lead to values are damaged.
    private let isOfTrees: Bool
    /// Whether the file looks untouched, as it does when the disk itself has changed it.
    let keepsTime: Bool
    private let seed: UInt64

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        kind = Kind.allCases[Int(seed % UInt64(Kind.allCases.count))]
        isOfTrees = false
        keepsTime = Bool.random(using: &random)
        self.seed = random.next()
    }

    /// Damage without a trace in the file's times, to the pages of trees.
    init(rotOfTrees seed: UInt64) {
        var random = SeededRandom(seed: seed)
        kind = Self.rot[Int(seed % UInt64(Self.rot.count))]
        isOfTrees = true
        keepsTime = true
        self.seed = random.next()
    }

    var description: String { "\(kind)\(keepsTime ? ", time kept" : "")" }

    /// Damages the store in a directory.
    func apply(to directory: String) throws {
        var random = SeededRandom(seed: seed)
        switch kind {
        case .state:
            try change("STATE", in: directory) { bytes in Self.scramble(&bytes, &random) }
        case .locks:
            for name in ["LOCK", "lock.mdb", "ACCESS"] {
                try change(name, in: directory) { bytes in Self.scramble(&bytes, &random) }
            }
        default:
            try change("data.mdb", in: directory) { bytes in damageData(&bytes, &random) }
        }
    }

    private func change(_ name: String, in directory: String, _ body: (inout [UInt8]) -> Void) throws {
        let path = "\(directory)/\(name)"
        let times = try #require(Files.times(path))
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        body(&bytes)
        // In place: the inode stays the same.
        #expect(Files.truncate(path, to: bytes.count) && Files.overwrite(path, at: 0, with: bytes))
        if keepsTime { #expect(Files.setTimes(path, times)) }
    }

    private func damageData(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let pages = isOfTrees ? Self.treePages(bytes) : Array(0..<(bytes.count / Self.pageBytes))
        let page = pages.randomElement(using: &random) ?? 0
        let range = (page * Self.pageBytes)..<((page + 1) * Self.pageBytes)
        let other = (pages.randomElement(using: &random) ?? 0) * Self.pageBytes
        switch kind {
        case .bit:
            bytes[Int.random(in: isOfTrees ? range : bytes.indices, using: &random)] ^= Self.bit(&random)
        case .byte:
            let index = Int.random(in: isOfTrees ? range : bytes.indices, using: &random)
            bytes[index] = UInt8.random(in: 0...255, using: &random)
        case .zeroedPage:
            for index in range { bytes[index] = 0 }
        case .randomPage:
            for index in range { bytes[index] = UInt8.random(in: 0...255, using: &random) }
        case .swappedPages:
            let (first, second) = (Array(bytes[range]), Array(bytes[other..<(other + Self.pageBytes)]))
            bytes.replaceSubrange(range, with: second)
            bytes.replaceSubrange(other..<(other + Self.pageBytes), with: first)
        case .repeatedPage:
            bytes.replaceSubrange(range, with: bytes[other..<(other + Self.pageBytes)])
        case .stretch:
            let start = Int.random(in: 0..<(bytes.count - 1024), using: &random)
            for index in start..<(start + 1024) { bytes[index] = 0 }
        case .pageHeader:
            bytes[range.lowerBound + Int.random(in: 0..<16, using: &random)] ^= Self.bit(&random)
        case .node:
            // The offsets of nodes follow the page's header, and the nodes begin at its end.
            bytes[range.lowerBound + Int.random(in: 16..<96, using: &random)] ^= Self.bit(&random)
            bytes[range.upperBound - Int.random(in: 1..<400, using: &random)] ^= Self.bit(&random)
        case .metaPage, .bothMetaPages:
            let first = Int.random(in: 0...1, using: &random)
            for number in kind == .metaPage ? [first] : [0, 1] {
                bytes[number * Self.pageBytes + Int.random(in: 0..<152, using: &random)] ^= Self.bit(&random)
            }
        case .truncation:
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        case .state, .locks:
            break
        }
    }

    private static func treePages(_ bytes: [UInt8]) -> [Int] {
        FilePage.all(in: bytes).filter { $0.kind != .overflow }.map { $0.start / pageBytes }
    }

    private static func bit(_ random: inout SeededRandom) -> UInt8 {
        1 << UInt8.random(in: 0..<8, using: &random)
    }

    private static func scramble(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes = []
        case 1: bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes = bytes.map { _ in UInt8.random(in: 0...255, using: &random) }
        default:
            guard let index = bytes.indices.randomElement(using: &random) else { return }
            bytes[index] ^= bit(&random)
        }
    }
}
