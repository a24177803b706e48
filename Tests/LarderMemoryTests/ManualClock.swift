import LarderMemory

/// The monotonic clock of the caches under test, not the wall clock of the same name in the test support.
typealias ManualClock = LarderMemory.ManualClock
