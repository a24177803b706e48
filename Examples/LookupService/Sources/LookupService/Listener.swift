import Foundation

/// A listening socket on the loopback interface; a thread for each connection.
final class Listener: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let socket: Int32
    let port: UInt16

    init(port: UInt16) throws(Failure) {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [socket] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 && listen(socket, 64) == 0
                    && getsockname(socket, address, &length) == 0
            }
        }
        guard isBound else {
            throw Failure(description: "port \(port) cannot be listened on: \(String(cString: strerror(errno)))")
        }
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// Hands each connection to `serve`, on a thread of its own, until the listener is closed.
    func acceptForEver(_ serve: @escaping @Sendable (Connection) -> Void) {
        while true {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            Thread.detachNewThread { serve(Connection(socket: connection)) }
        }
    }

    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
    }
}
