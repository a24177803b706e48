import Dispatch
import Foundation

/// Runs a closure once when the service is asked to end, by SIGTERM or by ctrl-C.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ stop: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "stop")
        sources = [SIGTERM, SIGINT].map { number in
            // Dispatch is told of ignored signals too, and the default would end the process at once.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: stop)
            source.resume()
            return source
        }
    }

    func waitForEver() -> Never {
        while true { sleep(1000) }
    }
}
