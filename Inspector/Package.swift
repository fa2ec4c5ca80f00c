// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil
let settings: [SwiftSetting] =
  [.enableUpcomingFeature("ExistentialAny")]
  + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "Inspector",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncChannels", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
  ],
  targets: [
    .executableTarget(
      name: "inspector",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Sources/Inspector",
      resources: [.embedInCode("Resources/page.html")],
      swiftSettings: settings),
    .executableTarget(
      name: "Ticker",
      dependencies: [
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsRecording", package: "AsyncChannels"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
