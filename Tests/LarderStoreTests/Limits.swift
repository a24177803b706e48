import Glibc

/// What tests take from a process of their own: they are run in a child.
enum Limits {
    /// Mounts a file system in memory at `path`, which only the calling thread and those it starts see.
    ///
    /// Returns `false`, and says so, if this user may not.
    static func mountMemory(at path: String, mebibytes: Int) -> Bool {
        typealias Unshare = @convention(c) (Int32) -> Int32
        // Swift leaves `unshare` out.
        guard let address = unsafe dlsym(nil, "unshare") else { return false }
        // Safety: this is the signature of unshare in every C library of Linux.
        let unshare = unsafe unsafeBitCast(address, to: Unshare.self)
        let (newNamespace, recursive, isPrivate): (Int32, UInt, UInt) = (0x20000, 1 << 14, 1 << 18)
        guard unshare(newNamespace) == 0, unsafe mount("none", "/", nil, recursive | isPrivate, nil) == 0,
            unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0
        else {
            print("skipped: this user may not mount a file system")
            return false
        }
        return true
    }

    /// Makes a file system mounted by `mountMemory` read-only.
    static func makeReadOnly(_ path: String) -> Bool {
        let (readOnly, again): (UInt, UInt) = (1, 32)
        return unsafe mount("none", path, nil, readOnly | again, nil) == 0
    }

    /// Fills the rest of a file system with a file; returns whether it is full.
    static func fill(_ path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let block = [UInt8](repeating: 0x55, count: 4096)
        while unsafe block.withUnsafeBytes({ unsafe write(file, $0.baseAddress, $0.count) }) == block.count {}
        return errno == ENOSPC
    }

    static func set(_ resource: __rlimit_resource, to value: Int) -> Bool {
        var limit = rlimit()
        let number = Int32(resource.rawValue)
        guard unsafe getrlimit(number, &limit) == 0 else { return false }
        limit.rlim_cur = min(rlim_t(value), limit.rlim_max)
        return unsafe setrlimit(number, &limit) == 0
    }

    /// The address space the process takes.
    static var addressSpace: Int {
        let pages = Files.text("/proc/self/statm").split(separator: " ").first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize())
    }

    /// How many descriptors are free, by taking them all.
    static func freeDescriptors(leaving count: Int = .max) -> (free: Int, taken: [Int32]) {
        var taken: [Int32] = []
        while true {
            let file = unsafe open("/dev/null", O_RDONLY)
            guard file >= 0 else { break }
            taken.append(file)
        }
        let free = taken.count
        for file in taken.suffix(min(count, free)) { close(file) }
        return (free, Array(taken.dropLast(min(count, free))))
    }
}

extension Files {
    /// The text of a file that has no size of its own.
    static func text(_ path: String) -> String {
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
        return String(decoding: bytes[..<max(count, 0)], as: UTF8.self)
    }
}
