internal import FoundationEssentials

extension StoreReport {
    private struct Form: Encodable {
        struct Bytes: Encodable {
            let live, used, free, allocated, file: Int
        }

        struct Table: Encodable {
            let name, keys: String
            let entries, expiredEntries, liveBytes: Int
        }

        struct Range: Encodable {
            let from: Int
            /// Left out of the last range, which has no end.
            let below: Int?
            let entries: Int
        }

        let path: String
        let entries, removedEntries: Int
        let bytes: Bytes
        let tables: [Table]
        let sizes, ages: [Range]

        static func ranges(_ histogram: Histogram) -> [Range] {
            histogram.occupied.map { index in
                let next = index + 1
                return Range(
                    from: histogram.lowerEnds[index],
                    below: next < histogram.lowerEnds.count ? histogram.lowerEnds[next] : nil,
                    entries: histogram.counts[index]
                )
            }
        }
    }

    /// The one object of `--json`, with a line end; sizes in bytes, ages in seconds.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let form = Form(
                path: path,
                entries: entries,
                removedEntries: removedEntries,
                bytes: Form.Bytes(
                    live: liveBytes,
                    used: usedBytes,
                    free: freeBytes,
                    allocated: allocatedBytes,
                    file: fileBytes
                ),
                tables: tables.map {
                    Form.Table(
                        name: $0.name,
                        keys: $0.keyKind,
                        entries: $0.entries,
                        expiredEntries: $0.expired,
                        liveBytes: $0.liveBytes
                    )
                },
                sizes: Form.ranges(sizes),
                ages: Form.ranges(ages)
            )
            return String(decoding: try encoder.encode(form), as: UTF8.self) + "\n"
        }
    }
}
