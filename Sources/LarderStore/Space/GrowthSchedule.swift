/// When the file is made longer ahead of the commits: while each of them is synced and appends a little.
///
/// Commits that append much, as those of a stream of writes do, pay for it once in many pages; they would only write twice.
struct GrowthSchedule {
    static let step = 256 << 10
    /// What a commit appends at most that is followed by others like it.
    static let little = 64 << 10

    private var highWater: Int?

    /// Takes in how far a commit has taken up the file; returns the size that it should have by now, if it is too short.
    mutating func note(highWater end: Int, fileBytes: Int) -> Int? {
        let appended = end - (highWater ?? end)
        highWater = end
        guard appended > 0, appended <= Self.little, fileBytes < end + 2 * appended else { return nil }
        return end + Self.step
    }
}
