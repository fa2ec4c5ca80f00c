import AsyncViewModels
import Glibc
import Toolkit

/// Opens the window. With `--test` it reads commands from its standard input: see `TestLine`.
@main
final class Desktop {
  let application = Application(id: "org.example.AsyncChannels")
  let services: Services
  private(set) var windows: [MainWindow] = []

  init(services: Services) {
    self.services = services
  }

  static func main() {
    var services = Services()
    let isTest = CommandLine.arguments.contains("--test")
    if isTest { services.signInDelay = .milliseconds(500) }
    if CommandLine.arguments.contains("--late") { services.filterDelay = .milliseconds(100) }
    let desktop = Desktop(services: services)
    let managing = Task { await services.manager.run() }
    var line: TestLine?
    let status = desktop.application.run {
      if isTest { line = TestLine(of: desktop) } else { desktop.open() }
    }
    managing.cancel()
    _ = line
    exit(status)
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
