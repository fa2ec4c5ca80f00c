import AsyncChannels
import AsyncChannelsRecording
import AsyncViewModels
import Glibc
import Toolkit

/// Opens the window. With `--test` it reads commands from its standard input: see `TestLine`. With `--inspect`, or
/// `--inspect=HOST:PORT`, a running inspector shows its flow.
@main
final class Desktop {
  let application = Application(id: "org.example.AsyncChannels")
  let services: Services
  private(set) var windows: [MainWindow] = []

  init(services: Services) {
    self.services = services
  }

  static func main() {
    let recording = inspector.map { _ in Recording.ofProgram() }
    let inspecting = inspector.flatMap { recording?.inspect(as: "Desktop", at: $0) }
    defer { withExtendedLifetime(inspecting) {} }
    var services = Services()
    let isTest = CommandLine.arguments.contains("--test")
    if isTest { services.signInDelay = .milliseconds(500) }
    if CommandLine.arguments.contains("--late") { services.filterDelay = .milliseconds(100) }
    let desktop = Desktop(services: services)
    let manager = services.manager
    let managing = Task {
      await recording?.add(manager)
      await manager.run()
    }
    var line: TestLine?
    let status = desktop.application.run {
      if isTest { line = TestLine(of: desktop) } else { desktop.open() }
    }
    managing.cancel()
    _ = line
    exit(status)
  }

  private static var inspector: String? {
    let option = CommandLine.arguments.map { $0.split(separator: "=", maxSplits: 1) }.first {
      $0.first == "--inspect"
    }
    return option.map { $0.count == 2 ? String($0[1]) : "127.0.0.1:4243" }
  }

  func open() {
    let window = MainWindow(of: application, services: services)
    windows.append(window)
    window.window.onClose { [weak self, weak window] in
      self?.windows.removeAll { $0 === window }
    }
    window.window.present()
  }
}
