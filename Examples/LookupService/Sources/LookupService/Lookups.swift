import Larder

/// What the service does: answers from the cache, and asks the origin for what is not there.
struct Lookups: Sendable {
    let cache: TieredCache<String, String>
    let origin: Origin

    /// The record, and whether it had to be fetched; `nil` if there is none.
    func record(_ id: String) -> (text: String, isFetched: Bool)? {
        if let text = cache.value(forKey: id) { return (text, false) }
        guard let text = origin.fetch(id) else { return nil }
        cache.setValue(text, forKey: id, cost: text.utf8.count)
        return (text, true)
    }

    func store(_ text: String, for id: String) {
        cache.setValue(text, forKey: id, cost: text.utf8.count)
    }

    func forget(_ id: String) {
        cache.removeValue(forKey: id)
    }

    /// For Prometheus to scrape.
    var statistics: String { cache.statistics.prometheusText(name: "lookups") }
}
