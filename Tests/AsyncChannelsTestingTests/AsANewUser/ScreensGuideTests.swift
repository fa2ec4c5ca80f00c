import Foundation
import XCTest

/// The guide "Screens that people build" shows the code of the tests in this folder, word for word.
final class ScreensGuideTests: XCTestCase {
  func test_eachBlockWithATestIsTheCodeOfATest() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let guide = folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "Sources/AsyncChannels/AsyncChannels.docc/Screens.md")
    let text = try String(contentsOf: guide, encoding: .utf8)
    let tests = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".swift") && $0 != URL(filePath: #filePath).lastPathComponent }
      .map { code(try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    // Those of views are compiled only.
    let blocks = text.matches(of: /(?ms)^```swift\n(.*?)^```/).map { String($0.1) }
      .filter { !$0.contains("import SwiftUI") }
    XCTAssertEqual(blocks.count, 8)
    for block in blocks {
      let code = code(block)
      XCTAssert(tests.contains { $0.contains(code) }, "no test has this code:\n\(code)")
    }
  }

  /// Without imports, and without what keeps a test's types to its file.
  private func code(_ text: String) -> String {
    text.replacing(/(?m)^import \w+\n/, with: "")
      .replacing(/(?m)^private (?=final class|struct|enum|actor)/, with: "")
      .trimmingCharacters(in: .newlines)
  }
}
