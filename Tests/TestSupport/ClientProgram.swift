import Foundation

/// A program of somebody else's, which has the libraries as these tests are built with them.
package enum ClientProgram {
  /// Compiles a program of one file, and runs it to its end.
  ///
  /// - Parameters:
  ///   - source: With a `@main` type. The file is called `Client.swift`.
  ///   - options: What else the compiler is told of it, and not of the library.
  /// - Returns: Nil if there is no compiler in the path, or a sanitizer, which the program would have to
  ///   be linked with, too.
  package static func run(_ source: String, options: [String] = []) async throws -> ChildProcess? {
    guard let checker = TypeChecker(), !hasSanitizer else { return nil }
    let files = FileManager.default
    let folder = files.temporaryDirectory.appending(path: UUID().uuidString)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let file = folder.appending(path: "Client.swift")
    let program = folder.appending(path: "Client")
    try Data(source.utf8).write(to: file)
    let objects = try ["AsyncChannels", "AsyncChannelsRecording"].flatMap {
      try Self.objects(in: checker.products.appending(path: "\($0).build"))
    }
    let compiled = try await ChildProcess.run(
      checker.compiler,
      [
        "-parse-as-library", "-swift-version", "6", "-I", checker.modules.path,
        "-module-cache-path", checker.cache.path, "-module-name", "Client", "-o", program.path,
      ] + options + [file.path] + objects, limit: .seconds(240))
    guard compiled.end.isSuccess else {
      throw CannotBeBuilt(description: "The client \(compiled.end): \(compiled.standardError)")
    }
    return try await ChildProcess.run(program.path, [])
  }

  /// Those of the sources that there are: there may be others, of sources that are gone.
  private static func objects(in library: URL) throws -> [String] {
    try String(contentsOf: library.appending(path: "sources"), encoding: .utf8)
      .split(separator: "\n").map {
        library.appending(path: URL(filePath: String($0)).lastPathComponent + ".o").path
      }
  }

  private struct CannotBeBuilt: Error, CustomStringConvertible {
    let description: String
  }

  private static var hasSanitizer: Bool {
    let program = dlopen(nil, RTLD_NOW)
    return ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(program, name) != nil }
  }
}
