// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that what it measures is what any other package gets from the library's public products.
let package = Package(
    name: "larder-benchmarks",
    products: [
        .executable(name: "larder-bench", targets: ["LarderBench"])
    ],
    dependencies: [
        .package(name: "larder", path: "../")
    ],
    targets: [
        .executableTarget(
            name: "LarderBench",
            dependencies: [
                "CAllocationCount",
                "CRawLMDB",
                "CSQLite",
                .product(name: "LarderMemory", package: "larder"),
                .product(name: "LarderStore", package: "larder"),
            ]
        ),

        // The peers of suite `store`. LMDB by a name of its own, because the library wraps it under its usual one.
        .systemLibrary(name: "CRawLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
        ),

        // Stands in for malloc in the whole process, to count what a call allocates.
        .target(name: "CAllocationCount", cSettings: [.enableWarning("all"), .treatAllWarnings(as: .error)]),

        .testTarget(name: "LarderBenchTests", dependencies: ["LarderBench"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.name != "CAllocationCount" {
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
