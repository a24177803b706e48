/// The nearest known word to a mistyped one.
enum Suggestion {
    /// `" (did you mean 'x'?)"`, or nothing when no word is near.
    static func hint(for word: String, among known: [String]) -> String {
        let nearest = known.map { (word: $0, distance: distance(word.lowercased(), $0)) }.min {
            $0.distance < $1.distance
        }
        guard let nearest, nearest.distance <= max(1, min(word.count, nearest.word.count) / 3) else { return "" }
        return " (did you mean '\(nearest.word)'?)"
    }

    /// The number of letters to insert, drop, replace or swap with their neighbour to turn one word into the other.
    ///
    /// - Complexity: O(`left.count` × `right.count`); words longer than 64 letters count as unlike everything.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        guard left.count <= 64, right.count <= 64 else { return .max }
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
