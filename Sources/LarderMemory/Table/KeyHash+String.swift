extension KeyHash {
    /// The hash of a string.
    ///
    /// ASCII text is its own canonical form, so its bytes are hashed as they lie. Everything else goes through `Hasher`,
    /// which sees the canonical form.
    @inlinable
    func string(_ string: String) -> UInt64 {
        let fast: UInt64?? = unsafe string.utf8.withContiguousStorageIfAvailable {
            unsafe ascii(UnsafeRawBufferPointer($0))
        }
        if let fast, let hash = fast { return hash }
        return nonASCII(string)
    }

    /// The hash of ASCII bytes; `nil` when another byte is among them.
    @inlinable
    @inline(__always)
    func ascii(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        let count = bytes.count
        var state = first ^ UInt64(truncatingIfNeeded: count)
        var left: UInt64
        var right: UInt64
        var seen: UInt64 = 0
        guard count > 0, let base = bytes.baseAddress else { return word(0x61) }
        // Safety: each load stays within `count` bytes from `base`: the conditions beside them say so.
        if count > 16 {
            var offset = 0
            repeat {
                left = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                right = unsafe base.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
                seen |= left | right
                state = Self.fold(left ^ second, right ^ state)
                offset &+= 16
            } while offset &+ 16 < count
            left = unsafe base.loadUnaligned(fromByteOffset: count &- 16, as: UInt64.self)
            right = unsafe base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else if count >= 8 {
            left = unsafe base.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
            right = unsafe base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        } else if count >= 4 {
            left = UInt64(unsafe base.loadUnaligned(fromByteOffset: 0, as: UInt32.self))
            right = UInt64(unsafe base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        } else {
            left = UInt64(unsafe base.load(fromByteOffset: 0, as: UInt8.self))
            left |= UInt64(unsafe base.load(fromByteOffset: count / 2, as: UInt8.self)) << 8
            right = UInt64(unsafe base.load(fromByteOffset: count &- 1, as: UInt8.self))
        }
        seen |= left | right
        guard seen & 0x8080_8080_8080_8080 == 0 else { return nil }
        let folded = Self.fold(left ^ second, right ^ state)
        return Self.fold(folded ^ first, second ^ UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The hash of a string with characters beyond ASCII, or without contiguous storage.
    ///
    /// Three characters beyond ASCII are canonically equal to one within (their decompositions can never change, by
    /// Unicode's stability policy). A string of nothing else must hash as the ASCII string that it equals.
    @usableFromInline
    @inline(never)
    func nonASCII(_ string: String) -> UInt64 {
        var plain = ""
        plain.reserveCapacity(string.utf8.count)
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\u{037E}": plain.unicodeScalars.append(";")
            case "\u{1FEF}": plain.unicodeScalars.append("`")
            case "\u{212A}": plain.unicodeScalars.append("K")
            case _ where scalar.isASCII: plain.unicodeScalars.append(scalar)
            default: return word(UInt64(bitPattern: Int64(string.hashValue)))
            }
        }
        let hash = plain.withUTF8 { unsafe ascii(UnsafeRawBufferPointer($0)) }
        return hash ?? word(UInt64(bitPattern: Int64(string.hashValue)))
    }
}
