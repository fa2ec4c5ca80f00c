// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil
let settings: [SwiftSetting] =
  [.enableUpcomingFeature("ExistentialAny")]
  + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "LiveMembers",
  platforms: [.macOS(.v15)],
  traits: [
    .default(enabledTraits: ["PostgreSQL"]),
    .trait(name: "PostgreSQL", description: "A database for several servers, which needs libpq."),
  ],
  dependencies: [
    .package(name: "AsyncChannels", path: "../.."),
    .package(name: "SharedChannels", path: "../../SharedChannels"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "LiveMembers",
      dependencies: [
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsRecording", package: "AsyncChannels"),
        .product(name: "AsyncViewModels", package: "AsyncChannels"),
        .product(name: "SharedChannels", package: "SharedChannels"),
        .product(name: "SharedLogSQLite", package: "SharedChannels"),
        .product(
          name: "SharedLogPostgreSQL", package: "SharedChannels",
          condition: .when(traits: ["PostgreSQL"])),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      resources: [
        .embedInCode("Resources/page.html"), .embedInCode("Resources/page.css"),
        .embedInCode("Resources/page.js"), .embedInCode("Resources/live.js"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "LiveMembersLoad",
      dependencies: [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StoredMembersTests",
      dependencies: [
        "LiveMembers",
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsTesting", package: "AsyncChannels"),
        .product(name: "SharedChannels", package: "SharedChannels"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
