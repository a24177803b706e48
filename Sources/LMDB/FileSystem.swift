internal import CLMDB

/// What kind of file system a directory is on: LMDB works only where memory maps and locks are those of one machine.
package enum FileSystem {
    /// The name of the network file system an open file is on; `nil` if it is on none, or cannot be asked.
    package static func network(ofDescriptor descriptor: Int32) -> String? {
        var status = statfs()
        guard unsafe fstatfs(descriptor, &status) == 0 else { return nil }
        return names[UInt32(truncatingIfNeeded: status.f_type)]
    }

    /// By the number the kernel gives in `f_type`.
    private static let names: [UInt32: String] = [
        0x6969: "NFS", 0x517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x6573_5546: "FUSE",
        0x0102_1997: "9P", 0x00C3_6400: "Ceph", 0x5346_414F: "AFS", 0x0BD0_0BD0: "Lustre", 0x4750_4653: "GPFS",
    ]
}
