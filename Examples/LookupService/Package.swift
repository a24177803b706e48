// swift-tools-version: 6.2

import PackageDescription

// A service that embeds the cache, as any other package would.
let package = Package(
    name: "lookup-service",
    dependencies: [
        .package(name: "larder", path: "../../")
    ],
    targets: [
        .executableTarget(
            name: "LookupService",
            dependencies: [
                .product(name: "Larder", package: "larder"),
                .product(name: "LarderStore", package: "larder"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
