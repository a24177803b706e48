internal import CZstd
internal import Threading

/// Compresses and decompresses payloads with Zstandard.
///
/// Contexts are kept: making one costs more than compressing a small value. There are at most as many as threads that
/// compress at one time.
final class Compressor: Sendable {
    private let contexts = Lock<[Context]>([])

    /// The compressed bytes, or `nil` if they would not be an eighth smaller: then they are not worth their time.
    func compressed(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        guard let context = take() else { return nil }
        defer { put(context) }
        return context.compressed(bytes, level: level, limit: bytes.count - bytes.count / 8)
    }

    /// The bytes that `compressed` took, or `nil` if these are not what it gave.
    func decompressed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let context = take() else { return nil }
        defer { put(context) }
        return context.decompressed(bytes)
    }

    private func take() -> Context? {
        contexts.withLock { $0.popLast() } ?? Context()
    }

    private func put(_ context: Context) {
        contexts.withLock { $0.append(context) }
    }

    /// What the library works with, both ways.
    @safe
    private final class Context: @unchecked Sendable {
        // because: one thread uses it at a time, the one that took it out of the array.

        // Safety: created in init, freed in deinit, and never handed out.
        private let compression: OpaquePointer
        private let decompression: OpaquePointer

        init?() {
            guard let compression = unsafe ZSTD_createCCtx() else { return nil }
            guard let decompression = unsafe ZSTD_createDCtx() else {
                unsafe ZSTD_freeCCtx(compression)
                return nil
            }
            unsafe self.compression = compression
            unsafe self.decompression = decompression
        }

        deinit {
            unsafe ZSTD_freeCCtx(compression)
            unsafe ZSTD_freeDCtx(decompression)
        }

        func compressed(_ bytes: [UInt8], level: Int, limit: Int) -> [UInt8]? {
            var count = 0
            let compressed = unsafe [UInt8](unsafeUninitializedCapacity: limit) { room, initialized in
                // Safety: both buffers live through the call, which stays within the sizes it is given.
                let result = unsafe bytes.withUnsafeBytes { source in
                    unsafe ZSTD_compressCCtx(
                        compression,
                        room.baseAddress,
                        room.count,
                        source.baseAddress,
                        source.count,
                        Int32(level)
                    )
                }
                // Too little room is an error like any other, and here the usual one.
                count = ZSTD_isError(result) == 0 ? result : 0
                initialized = count
            }
            return count == 0 ? nil : compressed
        }

        func decompressed(_ bytes: [UInt8]) -> [UInt8]? {
            let size = unsafe bytes.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
            // Unknown sizes and errors are the largest numbers there are.
            guard size <= UInt64(Compressor.largestContent) else { return nil }
            var isWhole = false
            let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { room, initialized in
                // Safety: as above.
                let result = unsafe bytes.withUnsafeBytes { source in
                    unsafe ZSTD_decompressDCtx(
                        decompression,
                        room.baseAddress,
                        room.count,
                        source.baseAddress,
                        source.count
                    )
                }
                isWhole = ZSTD_isError(result) == 0 && result == Int(size)
                initialized = isWhole ? Int(size) : 0
            }
            return isWhole ? content : nil
        }
    }

    /// The largest value a configuration may allow.
    private static let largestContent = 1 << 30
}
