// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "AsyncChannels",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "AsyncChannels", targets: ["AsyncChannels"]),
    .library(name: "AsyncChannelsRecording", targets: ["AsyncChannelsRecording"]),
    .library(name: "AsyncChannelsRunning", targets: ["AsyncChannelsRunning"]),
    .library(name: "AsyncChannelsTesting", targets: ["AsyncChannelsTesting"]),
    .library(name: "AsyncViewModels", targets: ["AsyncViewModels"]),
    .executable(name: "asyncdemo", targets: ["asyncdemo"]),
  ],
  targets: [
    .target(name: "AsyncChannels", swiftSettings: settings),
    .target(
      name: "AsyncChannelsRecording", dependencies: ["AsyncChannels", "AsyncChannelsRunning"],
      swiftSettings: settings),
    .target(
      name: "AsyncChannelsRunning", dependencies: ["AsyncChannels"], swiftSettings: settings),
    .target(
      name: "AsyncChannelsTesting", dependencies: ["AsyncChannels", "AsyncChannelsRecording"],
      swiftSettings: settings),
    .target(
      name: "AsyncViewModels", dependencies: ["AsyncChannels", "AsyncChannelsRunning"],
      swiftSettings: settings),
    .executableTarget(
      name: "asyncdemo",
      dependencies: [
        "AsyncChannels", "AsyncChannelsRecording", "AsyncChannelsRunning", "AsyncViewModels",
      ],
      swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: ["AsyncChannels", "AsyncChannelsRunning", "AsyncChannelsTesting"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "AsyncChannelsTests",
      dependencies: [
        "AsyncChannels", "AsyncChannelsRecording", "AsyncChannelsRunning", "AsyncChannelsTesting",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AsyncChannelsTestingTests",
      dependencies: [
        "AsyncChannelsRecording", "AsyncChannelsRunning", "AsyncChannelsTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AsyncViewModelsTests",
      dependencies: [
        "AsyncChannelsRecording", "AsyncChannelsRunning", "AsyncChannelsTesting", "AsyncViewModels",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "asyncdemoTests", dependencies: ["asyncdemo", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
