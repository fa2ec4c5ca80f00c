package import Foundation

/// Asks the compiler what it thinks of a module that uses the libraries from outside.
package struct TypeChecker {
  package struct Message: CustomStringConvertible {
    package let line: Int
    package let text: String

    package var description: String { "\(line): \(text)" }
  }

  let compiler: String
  /// Where what these tests are built of is.
  let products: URL
  let modules: URL
  let cache: URL

  /// Nil if there is no compiler in the path.
  ///
  /// - Parameter modules: Where the libraries' modules are: by default those these tests are built
  ///   with.
  package init?(modules: URL? = nil) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let compilers = folders.map { "\($0)/swiftc" }
    guard let compiler = compilers.first(where: FileManager.default.isExecutableFile) else {
      return nil
    }
    // One and the same path as in the build: the module cache tells symbolic links apart.
    let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    products = executable.deletingLastPathComponent()
    self.compiler = compiler
    self.modules = modules ?? products.appending(path: "Modules")
    cache = products.appending(path: "ModuleCache")
  }

  /// The errors by file, of all files compiled as one module that is in no package. What has no place
  /// is under an empty name.
  ///
  /// - Parameter options: What else the compiler is told.
  package func errors(
    in files: [String: String], options: [String] = []
  ) async throws -> [String: [Message]] {
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
        "-typecheck", "-parse-as-library", "-wmo", "-swift-version", "6",
        "-diagnostic-style", "llvm", "-I", modules.path, "-module-cache-path", cache.path,
        "-module-name", "Outside",
      ] + options + paths)
    let messages = run.standardError.split(separator: "\n").compactMap(Self.parse)
    if messages.isEmpty, !run.end.isSuccess {
      return ["": [Message(line: 0, text: "The compiler \(run.end): \(run.standardError)")]]
    }
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
