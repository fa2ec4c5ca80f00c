import Foundation

/// A program of somebody else's, which has `AsyncChannels` as these tests are built with it.
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
    // Not what lies in the library's folder: of a source that was renamed an old object lies there, too.
    let linked = checker.products
      .appending(path: "AsyncChannelsPackageTests.product/Objects.LinkFileList")
    let objects = try String(contentsOf: linked, encoding: .utf8).split(separator: "\n").map(
      String.init
    )
    .filter { $0.contains("/AsyncChannels.build/") && $0.hasSuffix(".swift.o") }
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

  private struct CannotBeBuilt: Error, CustomStringConvertible {
    let description: String
  }

  private static var hasSanitizer: Bool {
    let program = dlopen(nil, RTLD_NOW)
    return ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(program, name) != nil }
  }
}
