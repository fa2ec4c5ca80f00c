import AsyncChannels
import AsyncViewModels
import CGtk
import Observation
import Toolkit

/// A field, a letter in each frame, and a label that shows the text when it is long enough.
final class Typing {
  private let field = TextField()
  private let label = Label()
  private var tokens: Set<CancellationToken> = []

  init(isObserved: Bool) {
    guard isObserved else {
      field.onChange { [label] text in if text.count > 3 { label.text = text } }
      return
    }
    let filter = TextFilterViewModel()
    field.onChange { filter.text.value = $0 }
    filter.outputText.observe { [label] in label.text = $0 }.store(in: &tokens)
    filter.start().store(in: &tokens)
    Task { [field] in
      for await _ in Observations({ filter.text.value }) { field.show(filter.text.value) }
    }
  }

  /// - Returns: What a letter costs, and how long it took in the middle from the letter to the label.
  func cost(of letters: Int, in application: Application) async -> String {
    var typed: gint64 = 0
    var delays: [gint64] = []
    connect(label.pointer, "notify::label") { _ in delays.append(g_get_monotonic_time() - typed) }
    let window = Window(of: application, title: "Typing", width: 640, height: 440)
    window.addPage(Box.column(field, label), title: "Typing")
    window.present()
    let type = { [field] (number: Int) in
      if number.isMultiple(of: 30) { gtk_editable_delete_text(field.opaque, 0, -1) }
      var end = gint(-1)
      typed = g_get_monotonic_time()
      gtk_editable_insert_text(field.opaque, "x", 1, &end)
    }
    _ = await perFrame(60, type)
    delays = []
    let cost = await perFrame(letters, type)
    return "\(cost) \(delays.sorted()[delays.count / 2])"
  }
}
