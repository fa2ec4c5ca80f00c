// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil

let package = Package(
  name: "Seats",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncChannels", path: "../../.."),
    .package(name: "SharedChannels", path: "../.."),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    .executableTarget(
      name: "BoxOffice",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SharedChannels", package: "SharedChannels"),
        .product(name: "SharedLogSQLite", package: "SharedChannels"),
      ],
      swiftSettings: isChecked ? [.treatAllWarnings(as: .error)] : []),
    .executableTarget(
      name: "Seats",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "SharedChannels", package: "SharedChannels"),
        .product(name: "SharedLogPostgreSQL", package: "SharedChannels"),
        .product(name: "SharedLogSQLite", package: "SharedChannels"),
      ],
      swiftSettings: isChecked ? [.treatAllWarnings(as: .error)] : []),
  ],
  swiftLanguageModes: [.v6]
)
