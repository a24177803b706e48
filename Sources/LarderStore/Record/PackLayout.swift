/// How the small records of a transaction are laid into packs: values of the data that hold one record behind the other.
///
/// A value of more than half a page has pages of its own, in which records run on over page borders; smaller ones share
/// the leaves of the tree. Three records of one kilobyte would leave a fifth of each leaf empty; thirty in eight pages
/// leave a thirtieth.
enum PackLayout {
    /// Eight pages of 4096 bytes, less LMDB's page header.
    ///
    /// A larger record is a pack by itself. With half as much, records of a few kilobytes leave more of it empty; with twice
    /// as much, files whose records are replaced grow larger.
    static let limit = 8 * pageBytes - pageHeader
    /// The largest value that LMDB keeps in a leaf.
    static let inlineLimit = 2022

    private static let pageBytes = 4096
    private static let pageHeader = 16
    /// What a leaf has for each value beside its bytes: an offset, a header and the key.
    private static let nodeBytes = 2 + 8 + 8

    /// The number of records in each pack, for records of these sizes, each up to the limit.
    static func cut(_ sizes: [Int]) -> [Int] {
        var packs: [Int] = []
        var (start, bytes) = (0, 0)
        for (index, size) in sizes.enumerated() {
            if bytes + size > limit {
                packs.append(index - start)
                (start, bytes) = (index, 0)
            }
            bytes += size
        }
        return packs + cutRest(sizes[start...])
    }

    /// Cuts what is left of a transaction, which fits one pack, so that it takes the least space.
    ///
    /// The last page of a pack may be almost empty: then what is on it is better off in leaves, which other transactions
    /// fill up: in packs of half a page, a third or a quarter, whichever leaves the least of a leaf unused.
    private static func cutRest(_ sizes: ArraySlice<Int>) -> [Int] {
        guard sizes.count > 1 else { return sizes.isEmpty ? [] : [1] }
        var head = sizes.reduce(0, +)
        var best = (cost: footprint(head), split: sizes.endIndex, most: inlineLimit)
        var tail = 0
        for split in sizes.indices.reversed() {
            tail += sizes[split]
            head -= sizes[split]
            guard sizes[split] <= inlineLimit, tail <= 3 * inlineLimit else { break }
            for share in 2...4 {
                let most = (pageBytes - pageHeader) / share - nodeBytes
                var cost = footprint(head)
                forEachPack(of: sizes[split...], upTo: most) { _, bytes in cost += footprint(bytes) }
                if cost < best.cost { best = (cost, split, most) }
            }
        }
        let count = best.split - sizes.startIndex
        var packs = count > 0 ? [count] : []
        forEachPack(of: sizes[best.split...], upTo: best.most) { count, _ in packs.append(count) }
        return packs
    }

    /// Calls `body` with the number and the bytes of the records of each pack that holds as many as go into `most` bytes.
    private static func forEachPack(of sizes: ArraySlice<Int>, upTo most: Int, _ body: (Int, Int) -> Void) {
        var (count, bytes) = (0, 0)
        for size in sizes {
            if count > 0, bytes + size > most {
                body(count, bytes)
                (count, bytes) = (0, 0)
            }
            (count, bytes) = (count + 1, bytes + size)
        }
        if count > 0 { body(count, bytes) }
    }

    /// The space a pack takes: pages of its own, or its share of a leaf full of its like.
    private static func footprint(_ bytes: Int) -> Int {
        guard bytes > 0 else { return 0 }
        guard bytes > inlineLimit else { return pageBytes / ((pageBytes - pageHeader) / (bytes + nodeBytes)) }
        return (bytes + pageHeader + pageBytes - 1) / pageBytes * pageBytes + nodeBytes
    }
}
