// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncChannels", path: ".."),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(
      name: "Journeys",
      dependencies: [
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsTesting", package: "AsyncChannels"),
        .product(name: "AsyncViewModels", package: "AsyncChannels"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "ChannelBenchmarks",
      dependencies: [
        "Journeys",
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsRecording", package: "AsyncChannels"),
        .product(name: "AsyncViewModels", package: "AsyncChannels"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "OperatorCycles",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "AsyncChannelsTesting", package: "AsyncChannels"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "OperationCounts",
      dependencies: [
        "Journeys",
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsRecording", package: "AsyncChannels"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
