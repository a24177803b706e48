/// A value that does something when it is released.
package final class DeinitProbe: Sendable {
    package let number: Int
    private let onDeinit: @Sendable (Int) -> Void

    package init(_ number: Int = 0, _ onDeinit: @escaping @Sendable (Int) -> Void) {
        self.number = number
        self.onDeinit = onDeinit
    }

    deinit {
        onDeinit(number)
    }
}
