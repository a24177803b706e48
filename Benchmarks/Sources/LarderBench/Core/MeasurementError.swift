/// A result that cannot be trusted: one sentence that names what was measured and what is wrong.
struct MeasurementError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
