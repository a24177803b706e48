import Testing

@testable import LarderTool

struct SuggestionTests {
    @Test(
        arguments: [
            ("", "", 0), ("a", "", 1), ("", "ab", 2), ("policy", "polciy", 1), ("kitten", "sitting", 3),
            ("lru", "lru", 0),
        ]
    )
    func `distance counts edits and swaps`(left: String, right: String, expected: Int) {
        #expect(Suggestion.distance(left, right) == expected)
        #expect(Suggestion.distance(right, left) == expected)
    }

    @Test func `only a near word is suggested`() {
        #expect(Suggestion.hint(for: "memroy", among: ["memory", "tiered"]) == " (did you mean 'memory'?)")
        #expect(Suggestion.hint(for: "LRU", among: ["lru", "fifo"]) == " (did you mean 'lru'?)")
        #expect(Suggestion.hint(for: "disk", among: ["memory", "tiered"]) == "")
        #expect(Suggestion.hint(for: "x", among: []) == "")
    }

    @Test func `an endless word costs nothing`() {
        #expect(Suggestion.hint(for: String(repeating: "a", count: 1_000_000), among: ["memory"]) == "")
    }
}
