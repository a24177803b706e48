internal import Glibc

/// The processor time that the calling thread has used.
package func threadSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The threads and open files of this process.
package func countThreadsAndFiles() -> (threads: Int, files: Int) {
    (countEntries(of: "/proc/self/task"), countEntries(of: "/proc/self/fd"))
}

private func countEntries(of path: String) -> Int {
    guard let folder = unsafe opendir(path) else { return -1 }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    return count
}
