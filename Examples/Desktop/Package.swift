// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil
let settings: [SwiftSetting] =
  [.enableUpcomingFeature("ExistentialAny"), .defaultIsolation(MainActor.self)]
  + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "Desktop",
  platforms: [.macOS(.v26)],
  dependencies: [.package(name: "AsyncChannels", path: "../..")],
  targets: [
    .executableTarget(
      name: "Desktop",
      dependencies: [
        "CGtk", "Toolkit",
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncChannelsRecording", package: "AsyncChannels"),
        .product(name: "AsyncViewModels", package: "AsyncChannels"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "FrameCosts",
      dependencies: [
        "CGtk", "Toolkit",
        .product(name: "AsyncChannelsRunning", package: "AsyncChannels"),
        .product(name: "AsyncViewModels", package: "AsyncChannels"),
      ],
      swiftSettings: settings),
    .target(name: "Toolkit", dependencies: ["CGtk"], swiftSettings: settings),
    .systemLibrary(
      name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]),
  ],
  swiftLanguageModes: [.v6]
)
