internal import FoundationEssentials
internal import Glibc

/// What the process holds in memory, for tests that run in a process of their own.
package enum ProcessMemory {
    package struct Unreadable: Error {}

    /// The resident memory that is not page cache, in bytes.
    package static func anonymousBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kibibytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw Unreadable() }
        return kibibytes * 1024
    }
}

/// Whether a sanitizer is at work, which keeps freed memory and slows everything down.
package enum Sanitizer {
    // Safety: the look-up of a symbol by a constant name.
    package static let isActive = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
