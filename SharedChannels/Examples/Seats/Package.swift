// swift-tools-version: 6.3

import PackageDescription

let isChecked = Context.environment["WARNINGS_ARE_ERRORS"] != nil

let package = Package(
  name: "Seats",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "AsyncChannels", path: "../../.."),
    .package(name: "SharedChannels", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "Seats",
      dependencies: [
        .product(name: "AsyncChannels", package: "AsyncChannels"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "SharedChannels", package: "SharedChannels"),
        .product(name: "SharedLogPostgreSQL", package: "SharedChannels"),
        .product(name: "SharedLogSQLite", package: "SharedChannels"),
      ],
      swiftSettings: isChecked ? [.treatAllWarnings(as: .error)] : [])
  ],
  swiftLanguageModes: [.v6]
)
