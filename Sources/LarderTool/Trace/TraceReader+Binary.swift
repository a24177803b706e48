extension TraceReader {
    /// Reads one record of `oracle`, whose number is `index`: a next access in its past gives a foreign file away.
    mutating func nextOracle(index: Int) throws(ToolError) -> TraceRequest? {
        guard try beginRecord(24) else { return nil }
        let start = input.position
        let next = Int64(bitPattern: input.buffer[start...].littleEndian(at: start + 16, bytes: 8))
        guard next == -1 || next > index else {
            throw .failure(
                "trace '\(path)' has next access \(next) in record \(index) at byte offset \(input.offset), "
                    + "which is not after it; it is damaged or not in format oracle: give --format"
            )
        }
        let request = TraceRequest(
            key: Int64(bitPattern: input.buffer[start...].littleEndian(at: start + 4, bytes: 8)),
            size: Int(input.buffer[start...].littleEndian(at: start + 12, bytes: 4))
        )
        input.consume(24)
        return request
    }

    /// Reads one record of `i32be` or `i64be`.
    mutating func nextInteger() throws(ToolError) -> TraceRequest? {
        let size = format == .i32be ? 4 : 8
        guard try beginRecord(size) else { return nil }
        let start = input.position
        let key = Int64(bitPattern: input.buffer[start...].bigEndian(at: start, bytes: size))
        input.consume(size)
        return TraceRequest(key: key, size: nil)
    }

    private mutating func beginRecord(_ size: Int) throws(ToolError) -> Bool {
        let available = try input.fill(atLeast: size)
        guard available < size else { return true }
        // A pipe that a signal cut short has not ended in the wrong place.
        guard available == 0 || Interruption.signal != nil else {
            throw truncated(at: input.offset, found: available, of: size)
        }
        return false
    }
}
