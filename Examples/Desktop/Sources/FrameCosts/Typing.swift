import AsyncChannels
import AsyncViewModels
import CGtk
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
    filter.text.observe { [field] in field.show($0) }.store(in: &tokens)
  }

  /// - Returns: What a letter costs, how long it took in the middle from the letter to the label, and how many
  ///   turns of the main queue lay between them.
  func cost(of letters: Int, in application: Application) async -> String {
    var typed: gint64 = 0
    var turnsBefore = 0
    var delays: [gint64] = []
    var turns: [Int] = []
    connect(label.pointer, "notify::label") { _ in
      delays.append(g_get_monotonic_time() - typed)
      turns.append(MainQueue.turns - turnsBefore)
    }
    let window = Window(of: application, title: "Typing", width: 640, height: 440)
    window.addPage(Box.column(field, label), title: "Typing")
    window.present()
    let type = { [field] (number: Int) in
      if number.isMultiple(of: 30) { gtk_editable_delete_text(field.opaque, 0, -1) }
      var end = gint(-1)
      turnsBefore = MainQueue.turns
      typed = g_get_monotonic_time()
      gtk_editable_insert_text(field.opaque, "x", 1, &end)
    }
    _ = await perFrame(60, type)
    (delays, turns) = ([], [])
    let cost = await perFrame(letters, type)
    return "\(cost) \(delays.sorted()[delays.count / 2]) \(turns.sorted()[turns.count / 2])"
  }
}
