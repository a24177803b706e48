// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "larder",
    products: [
        .library(name: "LarderMemory", targets: ["LarderMemory"]),
        .library(name: "LarderStore", targets: ["LarderStore"]),
        .library(name: "Larder", targets: ["Larder"]),
        .executable(name: "larder", targets: ["LarderTool"]),
    ],
    targets: [
        // Products, from the ground up.
        .target(name: "LarderMemory", dependencies: ["CProcessor", "Threading"]),
        .target(name: "LarderStore", dependencies: ["LMDB", "CXXHash", "CZstd", "Threading"]),
        .target(name: "Larder", dependencies: ["LarderMemory", "LarderStore", "Threading"]),
        .executableTarget(name: "LarderTool", dependencies: ["Larder", "LarderMemory", "LarderStore"]),

        // Safety boundaries: each is the only importer of what it wraps.
        .target(name: "Threading"),
        .target(name: "LMDB", dependencies: ["CLMDB"]),
        .systemLibrary(name: "CProcessor"),
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CXXHash",
            pkgConfig: "libxxhash",
            providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]
        ),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

        // Tests mirror the folders of Sources.
        .target(
            name: "TestSupport",
            dependencies: ["LarderMemory", "LarderStore", "Threading"],
            path: "Tests/Support"
        ),
        .target(name: "WriteRecorder", path: "Tests/WriteRecorder"),
        // Not a dependency of the tests that run it: its write() and kin must not become theirs.
        .executableTarget(
            name: "CrashHelper",
            dependencies: ["LMDB", "LarderStore", "TestSupport", "WriteRecorder"],
            path: "Tests/CrashHelper"
        ),
        .testTarget(name: "ThreadingTests", dependencies: ["Threading"]),
        .testTarget(name: "LMDBTests", dependencies: ["LMDB", "TestSupport"]),
        .testTarget(name: "LarderMemoryTests", dependencies: ["LarderMemory", "Threading", "TestSupport"]),
        .testTarget(name: "LarderStoreTests", dependencies: ["LarderStore", "LMDB", "TestSupport", "Threading"]),
        .testTarget(name: "LarderTests", dependencies: ["Larder", "TestSupport", "Threading"]),
        .testTarget(name: "LarderToolTests", dependencies: ["LarderStore", "LarderTool", "TestSupport", "Threading"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where ![.system, .binary, .plugin].contains(target.type) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
            .strictMemorySafety(),  // SE-0458
            .treatAllWarnings(as: .error),
        ]
}
