// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil
let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
  ] + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "SharedChannels",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SharedChannels", targets: ["SharedChannels"]),
    .library(name: "SharedLogSQLite", targets: ["SharedLogSQLite"]),
    .library(name: "SharedLogPostgreSQL", targets: ["SharedLogPostgreSQL"]),
    .library(name: "SharedLogConformance", targets: ["SharedLogConformance"]),
    .executable(name: "sharedlog", targets: ["sharedlog"]),
  ],
  dependencies: [
    .package(name: "AsyncChannels", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    .target(
      name: "SharedChannels",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ],
      swiftSettings: settings),
    .target(
      name: "SharedLogSQLite",
      dependencies: [
        "SharedChannels", .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      resources: [.embedInCode("schema.sql")],
      swiftSettings: settings),
    .target(
      name: "SharedLogPostgreSQL",
      dependencies: [
        "SharedChannels", "CPostgres", .product(name: "AsyncChannels", package: "AsyncChannels"),
      ],
      resources: [.embedInCode("schema.sql")],
      swiftSettings: settings),
    .target(
      name: "SharedLogConformance", dependencies: ["SharedChannels"], swiftSettings: settings),
    .target(
      name: "SharedLogArguments",
      dependencies: ["SharedChannels", "SharedLogPostgreSQL", "SharedLogSQLite"],
      swiftSettings: settings),
    .executableTarget(
      name: "sharedlog", dependencies: ["SharedChannels", "SharedLogArguments"],
      swiftSettings: settings),
    .executableTarget(
      name: "SharedLogWorker",
      dependencies: [
        "SharedChannels", "SharedLogArguments", "SharedLogConformance", "SharedLogPostgreSQL",
        .product(name: "AsyncChannels", package: "AsyncChannels"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SharedChannelsTests",
      dependencies: [
        "SharedChannels", .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "AsyncChannelsTesting", package: "AsyncChannels"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SharedLogTests",
      dependencies: [
        "SharedChannels", "SharedLogConformance", "SharedLogPostgreSQL", "SharedLogSQLite",
        "SharedLogWorker", "sharedlog",
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings),
    .systemLibrary(
      name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
  ],
  swiftLanguageModes: [.v6]
)
