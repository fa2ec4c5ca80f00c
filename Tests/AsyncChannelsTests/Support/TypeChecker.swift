import Foundation
import XCTest

/// Asks the compiler what it thinks of a module that uses the library from outside.
struct TypeChecker {
  struct Message: CustomStringConvertible {
    let line: Int
    let text: String

    var description: String { "\(line): \(text)" }
  }

  private let compiler: String
  private let modules: URL
  private let cache: URL

  /// - Parameter modules: Where the library's module is: by default the one these tests are built with.
  init(modules: URL? = nil) throws {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let compilers = folders.map { "\($0)/swiftc" }
    guard let compiler = compilers.first(where: FileManager.default.isExecutableFile) else {
      throw XCTSkip("There is no swiftc in the path, so nothing can be shown not to compile.")
    }
    // One and the same path as in the build: the module cache tells symbolic links apart.
    let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let products = executable.deletingLastPathComponent()
    self.compiler = compiler
    self.modules = modules ?? products.appending(path: "Modules")
    cache = products.appending(path: "ModuleCache")
  }

  /// The errors by file, of all files compiled as one module.
  func errors(in files: [String: String]) async throws -> [String: [Message]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let paths = files.keys.sorted().map { folder.appending(path: $0).path }
    let run = try await ChildProcess.run(
      compiler,
      [
        "-typecheck", "-wmo", "-swift-version", "6", "-diagnostic-style", "llvm",
        "-I", modules.path, "-module-cache-path", cache.path, "-module-name", "Outside",
      ] + paths)
    let messages = run.standardError.split(separator: "\n").compactMap(Self.parse)
    return Dictionary(grouping: messages, by: \.file).mapValues { $0.map(\.message) }
  }

  /// `/folder/File.swift:3:10: error: text`, or an error without a place.
  private static func parse(_ line: Substring) -> (file: String, message: Message)? {
    let parts = line.components(separatedBy: ": error: ")
    guard parts.count > 1 else {
      return line.hasPrefix("error: ") ? ("", Message(line: 0, text: String(line))) : nil
    }
    let place = parts[0].split(separator: ":")
    let file = place.first.map { URL(fileURLWithPath: String($0)).lastPathComponent }
    let number = place.dropFirst().first.flatMap { Int($0) }
    return (file ?? "", Message(line: number ?? 0, text: parts.dropFirst().joined()))
  }
}
