extension EvictionPolicy {
    /// The policy at work, empty; a share that `validate()` refuses counts as zero.
    func makeOrder() -> any EvictionOrder {
        switch self {
        case .lru: LRUOrder()
        case .fifo: FIFOOrder(givesSecondChance: false)
        case .clock: FIFOOrder(givesSecondChance: true)
        case .s3FIFO(let small, let ghost, let threshold):
            S3FIFOOrder(
                small: Self.isShare(small) ? small : 0,
                ghost: ghost > 0 && ghost.isFinite ? ghost : 0,
                threshold: threshold
            )
        case .tinyLFU(let window):
            TinyLFUOrder(window: window.map { Self.isShare($0) ? $0 : 0 })
        }
    }
}
