import CGtk
import Toolkit

/// What was in some properties of widgets when a frame was drawn: what a person saw.
final class History {
  private struct Watched {
    let widget: String
    let property: String
    /// The time in microseconds, and the text, of each frame that showed another text than the one before.
    var shown: [(time: gint64, text: String)] = []
  }

  private(set) var frames = 0
  private var watched: [Watched] = []

  func watch(_ widget: String, _ property: String) {
    watched.append(Watched(widget: widget, property: property))
  }

  /// Begins with the window's first frame.
  func follow(_ window: Window) {
    guard let clock = gtk_widget_get_frame_clock(window.widget) else { return }
    connect(UnsafeMutableRawPointer(clock), "after-paint") { [weak self, weak window] _ in
      if let window { self?.noteFrame(of: window) }
    }
  }

  private func noteFrame(of window: Window) {
    frames += 1
    let now = g_get_monotonic_time()
    for index in watched.indices {
      guard let widget = find(watched[index].widget, in: window.widget),
        gtk_widget_get_mapped(widget) != 0,
        let text = propertyText(watched[index].property, of: widget),
        text != watched[index].shown.last?.text
      else { continue }
      watched[index].shown.append((now, text))
    }
  }

  /// For each property what was shown, in a line: the name, then times and texts.
  var text: String {
    watched.map { watched in
      ([watched.widget] + watched.shown.flatMap { ["\($0.time)", $0.text] })
        .joined(separator: "\u{1f}")
    }.joined(separator: "\u{1e}")
  }
}
