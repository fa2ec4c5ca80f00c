import Foundation
import XCTest

/// Compiles a piece of a user's code against the package, to see what it may not do.
struct SnippetCompiler {
  private let compiler: URL
  private let modules: URL

  /// Nil where the tests are not beside the modules they were built with.
  ///
  /// - Throws: `XCTSkip` where there is no compiler.
  init?() throws {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let candidates = folders.map { "\($0)/swiftc" }
    guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw XCTSkip("There is no swiftc here to show what does not compile.")
    }
    compiler = URL(filePath: path)
    modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "Modules")
    guard FileManager.default.fileExists(atPath: modules.path) else { return nil }
  }

  /// The errors' sentences, and all that the compiler said.
  func errors(in code: String) throws -> (sentences: [String], output: String) {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    try Data("import AsyncChannels\nimport AsyncViewModels\n\(code)\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let output = Pipe()
    process.executableURL = compiler
    process.arguments = ["-typecheck", "-swift-version", "6", "-I", modules.path, file.path]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: said, as: UTF8.self)
    let marker = "\(file.lastPathComponent):"
    let lines = text.split(separator: "\n").map(String.init)
    let sentences = lines.filter { $0.contains(marker) && $0.contains(": error: ") }
    if process.terminationStatus != 0, sentences.isEmpty { return (["it failed"], text) }
    return (sentences, text)
  }
}
