// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

let channels: Target.Dependency = .product(name: "AsyncChannels", package: "AsyncChannels")
let running: Target.Dependency = .product(name: "AsyncChannelsRunning", package: "AsyncChannels")
let testing: Target.Dependency = .product(name: "AsyncChannelsTesting", package: "AsyncChannels")

/// The layouts that `ElementTypes` uses channels of: a module each, so that each is a client whose
/// code is not generic. See `Elements/Client.swift`.
let elements = [
  "Array", "Bytes64", "Empty", "Enumeration", "Existential", "Int", "Int8", "Large",
  "OptionalObject", "String", "Tuple", "Vector128", "Vector64", "Void",
]

let package = Package(
  name: "Verification",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "AsyncChannels", path: "..")],
  targets: [
    .target(name: "Proof", swiftSettings: settings),
    .executableTarget(
      name: "AnswerHistories", dependencies: ["Proof", running, testing], swiftSettings: settings),
    .executableTarget(
      name: "ChannelExecutors", dependencies: ["Proof", channels], swiftSettings: settings),
    .executableTarget(
      name: "ChannelHistories", dependencies: ["Proof", channels, testing], swiftSettings: settings),
    .executableTarget(
      name: "ChannelStress", dependencies: ["Proof", channels, testing], swiftSettings: settings),
    .executableTarget(name: "Client", dependencies: [channels], swiftSettings: settings),
    .executableTarget(name: "RunningClient", dependencies: [running], swiftSettings: settings),
    .executableTarget(
      name: "ElementTypes", dependencies: elements.map { .init(stringLiteral: "Element\($0)") },
      swiftSettings: settings),
    .plugin(name: "SharedClient", capability: .buildTool()),
    .executableTarget(
      name: "ProgrammerErrors", dependencies: ["Proof", running, testing], swiftSettings: settings),
  ]
    + elements.map {
      .target(
        name: "Element\($0)", dependencies: [channels], path: "Sources/Elements/\($0)",
        swiftSettings: settings, plugins: [.plugin(name: "SharedClient")])
    },
  swiftLanguageModes: [.v6]
)
