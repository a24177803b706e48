import Glibc

/// One connected socket, closed with this object.
///
/// Not a `FileHandle`: on Linux its `read(upToCount:)` waits until so much has come.
final class Connection: Sendable {
    private let socket: Int32

    init(socket: Int32) {
        self.socket = socket
    }

    deinit {
        close(socket)
    }

    /// What has come, after waiting for something to come; empty once the other side has ended.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(socket, &bytes, bytes.count, 0)
            if count >= 0 { return Array(bytes.prefix(count)) }
            guard errno == EINTR else { return [] }
        }
    }

    /// Sends all of it; `false` if the other side is gone.
    func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
