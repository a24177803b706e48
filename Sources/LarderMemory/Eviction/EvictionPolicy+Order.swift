extension EvictionPolicy {
    /// The policy at work, empty.
    func makeOrder() -> any EvictionOrder {
        switch self {
        case .lru: LRUOrder()
        case .fifo: FIFOOrder(givesSecondChance: false)
        case .clock: FIFOOrder(givesSecondChance: true)
        case .s3FIFO(let small, let ghost, let threshold):
            S3FIFOOrder(small: small, ghost: ghost, threshold: threshold)
        case .tinyLFU(let window): TinyLFUOrder(window: window)
        }
    }
}
