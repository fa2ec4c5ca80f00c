// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let channels: Target.Dependency = .product(name: "AsyncChannels", package: "AsyncChannels")

let package = Package(
  name: "Verification",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AsyncChannels", path: "..")],
  targets: [
    .target(name: "Proof", swiftSettings: settings),
    .executableTarget(
      name: "ChannelBacklogs", dependencies: [channels], swiftSettings: settings),
    .executableTarget(
      name: "ChannelHistories", dependencies: ["Proof", channels], swiftSettings: settings),
    .executableTarget(
      name: "ChannelStress", dependencies: ["Proof", channels], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
