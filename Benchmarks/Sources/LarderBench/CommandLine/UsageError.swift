/// Arguments that make no sense: one sentence that names the argument, its value and the remedy.
struct UsageError: Error, Hashable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
