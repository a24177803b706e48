/// The bits of the word that says who may enter a `BarrierQueue` and how.
///
///     bit 0        one thread is on the exclusive side
///     bits 1–31    tickets of writes that wait for their turn: readers line up behind them, writers too
///     bits 32–62   tickets of reads that wait for their turn: writers line up behind them, readers need not
///
/// Exclusion is bit 0 and the reader lanes alone. Tickets only give order: they make what comes later line up.
@usableFromInline
enum BarrierGate {
    @usableFromInline static let open: UInt64 = 0
    @usableFromInline static let exclusive: UInt64 = 1
    static let barrierTicket: UInt64 = 1 << 1
    static let readTicket: UInt64 = 1 << 32

    /// What a reader must find clear to read where it stands.
    @usableFromInline static let closedToReaders: UInt64 = readTicket - 1

    static func hasBarrierTickets(_ gate: UInt64) -> Bool {
        gate & closedToReaders & ~exclusive != 0
    }

    static func hasTickets(_ gate: UInt64) -> Bool {
        gate & ~exclusive != 0
    }
}
