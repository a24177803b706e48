internal import Glibc

/// The command line tool: replays access traces through the real cache and reports what happened.
@main
struct LarderTool {
    static func main() {
        let console = Console.standard
        let arguments: [String]
        do {
            arguments = try ProcessArguments.read()
        } catch {
            console.complain(error.message)
            exit(error.status.rawValue)
        }
        Interruption.allow()
        // The other commands have nothing to report when they are cut short, and stores survive it: signals end them.
        if let command = arguments.first, Subcommand.interruptible.contains(command) { Interruption.install() }
        exit(run(arguments, console: console).rawValue)
    }

    /// Carries out one command line; every failure becomes one line on standard error and an exit status.
    static func run(_ arguments: [String], console: Console) -> ExitCode {
        do {
            try carryOut(try Subcommand(arguments: arguments), console: console)
            return .success
        } catch let error as ToolError {
            // Whoever closed the pipe has read enough and needs no word about it.
            if error.status != .readerGone { console.complain(error.message) }
            return error.status
        } catch {
            // The cache's own errors name the thing, the value and the remedy in their descriptions.
            console.complain("\(error)")
            return .failure
        }
    }

    private static func carryOut(_ command: Subcommand, console: Console) throws {
        switch command {
        case .help(let topic): try console.print(HelpText.text(for: topic))
        case .version: try console.print("larder \(HelpText.version)\n")
        case .replay(let options): try ReplayCommand(options: options, console: console).run()
        case .store(let request): try StoreCommand(request: request, console: console).run()
        case .demo(let trace): try DemoCommand(trace: trace, console: console).run()
        }
    }
}
