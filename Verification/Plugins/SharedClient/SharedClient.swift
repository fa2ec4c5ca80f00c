import Foundation
import PackagePlugin

/// Makes one file a source of several modules: each target that uses this gets a copy of
/// `Sources/Elements/Client.swift`.
@main
struct SharedClient: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    let client = context.package.directoryURL.appending(path: "Sources/Elements/Client.swift")
    let copy = context.pluginWorkDirectoryURL.appending(path: "Client.swift")
    return [
      .buildCommand(
        displayName: "Copying the client for \(target.name)", executable: URL(filePath: "/bin/cp"),
        arguments: [client.path(), copy.path()], inputFiles: [client], outputFiles: [copy])
    ]
  }
}
