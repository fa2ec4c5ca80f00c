// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "Verification",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncChannels", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "ChannelBacklogs",
      dependencies: [.product(name: "AsyncChannels", package: "AsyncChannels")],
      swiftSettings: settings)
  ],
  swiftLanguageModes: [.v6]
)
