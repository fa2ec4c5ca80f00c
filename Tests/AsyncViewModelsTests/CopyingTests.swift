import Foundation
import TestSupport
import XCTest

/// "Ready to read, use or copy": all of `AsyncViewModels` compiles as a module of somebody else's,
/// which has `AsyncChannels` as everybody has it.
final class CopyingTests: XCTestCase {
  private let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  func test_everyViewModelCompilesWhereItIsCopiedTo() async throws {
    let files = try sources()
    XCTAssertGreaterThan(files.count, 15)
    let errors = try await errors(in: files)
    XCTAssertEqual(errors.mapValues { $0.map(\.description) }, [:])
  }

  func test_whatIsThePackagesOwnIsRefusedThere() async throws {
    var files = try sources()
    files["Own.swift"] = """
      import AsyncChannels
      import AsyncViewModels

      let lock = AsyncChannels.Locked(0)
      let exchange = AsyncViewModels.HTTPExchange(answerLimit: 1)
      """
    let errors = try await errors(in: files)
    XCTAssertEqual(errors.keys.sorted(), ["Own.swift"])
    let sentences = errors["Own.swift"]?.map(\.text) ?? []
    XCTAssert(sentences.contains { $0.contains("no member named 'Locked'") }, "\(sentences)")
    XCTAssert(sentences.contains { $0.contains("no member named 'HTTPExchange'") }, "\(sentences)")
  }

  private func errors(in files: [String: String]) async throws -> [String: [TypeChecker.Message]] {
    guard let compiler = TypeChecker() else { throw XCTSkip("There is no swiftc in the path.") }
    let manifest = try String(
      contentsOf: package.appending(path: "Package.swift"), encoding: .utf8)
    let features = manifest.matches(of: /enableUpcomingFeature\("(\w+)"\)/).map { "\($0.1)" }
    XCTAssertEqual(features.count, 5, "the manifest is written in another way")
    return try await compiler.errors(
      in: files,
      options: ["-warnings-as-errors"] + features.flatMap { ["-enable-upcoming-feature", $0] })
  }

  private func sources() throws -> [String: String] {
    let folder = package.appending(path: "Sources/AsyncViewModels")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: paths.filter { $0.hasSuffix(".swift") }.map { path in
        let file = folder.appending(path: path)
        return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
      })
  }
}
