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
    .library(name: "AsyncChannelsTesting", targets: ["AsyncChannelsTesting"]),
    .library(name: "AsyncViewModels", targets: ["AsyncViewModels"]),
    .executable(name: "asyncdemo", targets: ["asyncdemo"]),
  ],
  targets: [
    .target(name: "AsyncChannels", swiftSettings: settings),
    .target(
      name: "AsyncChannelsRecording", dependencies: ["AsyncChannels"], swiftSettings: settings),
    .target(
      name: "AsyncChannelsTesting", dependencies: ["AsyncChannels", "AsyncChannelsRecording"],
      swiftSettings: settings),
    .target(name: "AsyncViewModels", dependencies: ["AsyncChannels"], swiftSettings: settings),
    .executableTarget(
      name: "asyncdemo",
      dependencies: ["AsyncChannels", "AsyncChannelsRecording", "AsyncViewModels"],
      swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["AsyncChannels", "AsyncChannelsTesting"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "AsyncChannelsTests",
      dependencies: [
        "AsyncChannels", "AsyncChannelsRecording", "AsyncChannelsTesting", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "AsyncChannelsTestingTests",
      dependencies: ["AsyncChannelsRecording", "AsyncChannelsTesting", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AsyncViewModelsTests",
      dependencies: [
        "AsyncChannelsRecording", "AsyncChannelsTesting", "AsyncViewModels", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "asyncdemoTests", dependencies: ["asyncdemo", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
