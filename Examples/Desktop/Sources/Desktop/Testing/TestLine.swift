import AsyncChannelsRunning
import CGtk
import Glibc
import Toolkit

/// A test's view of the program: commands on the standard input, a line each, and one line as the
/// answer to each.
final class TestLine {
  private let desktop: Desktop
  private var input = ""
  private var history = History()
  private var alive: [WeakObject] = []
  private var isFlooded = false

  init(of desktop: Desktop) {
    self.desktop = desktop
    desktop.application.hold()
    g_unix_fd_add(
      0, G_IO_IN,
      { _, _, line in
        nonisolated(unsafe) let line = line!
        return MainActor.assumeIsolated {
          Unmanaged<TestLine>.fromOpaque(line).takeUnretainedValue().read()
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func read() -> gboolean {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(0, &bytes, bytes.count)
    // The test has gone.
    guard count > 0 else { exit(0) }
    input += String(decoding: bytes[..<count], as: UTF8.self)
    while let end = input.firstIndex(of: "\n") {
      let words = input[..<end].split(separator: "\t").map(String.init)
      input.removeSubrange(...end)
      print(answer(words[0], Array(words.dropFirst())))
      fflush(nil)
    }
    return 1
  }

  private func answer(_ command: String, _ words: [String]) -> String {
    switch command {
    case "open": open()
    case "close": desktop.windows.last?.window.close()
    case "page": desktop.windows.last?.window.showPage(words[0])
    case "watch": history.watch(words[0], words[1])
    case "history": return history.text
    case "get": return widget(words[0]).flatMap { propertyText(words[1], of: $0) } ?? "none"
    case "place": return widget(words[0]).flatMap(place) ?? "none"
    case "focus": return widget(words[0]).map(hasFocus) == true ? "TRUE" : "FALSE"
    case "turns": return "\(MainQueue.turns)"
    case "frames": return "\(history.frames)"
    case "frame": desktop.windows.last.map { gtk_widget_queue_draw($0.window.widget) }
    case "alive":
      return alive.compactMap { $0.object.map { "\(type(of: $0))" } }.joined(separator: " ")
    case "heap":
      malloc_trim(0)
      return "\(mallinfo2().uordblks)"
    case "add": desktop.services.manager.addMember.send(words[0])
    case "flood":
      isFlooded = true
      flood()
    case "dry": isFlooded = false
    default: return "unknown command"
    }
    return "ok"
  }

  /// Each job enqueues the next before it ends, so there is always one that waits.
  private func flood() {
    if isFlooded { Task { flood() } }
  }

  private func open() {
    desktop.open()
    guard let window = desktop.windows.last else { return }
    history.follow(window.window)
    alive.removeAll { $0.object == nil }
    alive.append(WeakObject(object: window))
    alive.append(WeakObject(object: window.window))
    for controller in window.controllers {
      alive.append(WeakObject(object: controller))
      for property in Mirror(reflecting: controller).children {
        if let object = property.value as? any ViewModel {
          alive.append(WeakObject(object: object))
        }
        if let object = property.value as? Widget { alive.append(WeakObject(object: object)) }
      }
    }
  }

  private func widget(_ name: String) -> UnsafeMutablePointer<GtkWidget>? {
    desktop.windows.last.flatMap { find(name, in: $0.window.widget) }
  }
}

private struct WeakObject {
  weak var object: AnyObject?
}
