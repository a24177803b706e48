import Foundation
import Larder

/// A small service on the loopback interface that looks records up and remembers them in a `TieredCache`.
///
/// Talk to it line by line, for example with `nc 127.0.0.1 7070`: `GET id`, `PUT id text`, `DELETE id`, `STATS`, `QUIT`.
@main
enum LookupService {
    static func main() {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            // Variables such as LARDER_MEMORY_COST_LIMIT override the file.
            let configuration = try TieredCacheConfiguration.load(from: arguments.configuration)
            let cache = try TieredCache<String, String>(
                configuration: configuration,
                codec: .string,
                onError: { error, key in log("cache: \(error)\(key.map { ", key \($0)" } ?? "")") }
            )
            let listener = try Listener(port: arguments.port)
            // Whoever asks the service to end gets what is queued for the disk written first.
            let stop = StopSignals {
                listener.close()
                do { try cache.close() } catch { log("closing: \(error)") }
                exit(0)
            }
            log("listening on 127.0.0.1:\(listener.port)")
            let lookups = Lookups(cache: cache, origin: Origin())
            listener.acceptForEver { connection in Session(connection, lookups).run() }
            // The listener was closed: the handler of the signal ends the process.
            stop.waitForEver()
        } catch {
            log("\(error)")
            exit(1)
        }
    }
}

/// Writes a line where service managers look for it.
func log(_ text: String) {
    FileHandle.standardError.write(Data("lookup-service: \(text)\n".utf8))
}
