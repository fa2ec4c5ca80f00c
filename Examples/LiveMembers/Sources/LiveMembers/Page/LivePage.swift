import AsyncChannelsRunning
import Hummingbird

/// What all tabs show: each change is rendered once, whatever the number of tabs.
///
/// It is a view model in front of the manager, one for the program. A view model for each tab would
/// render as often as there are tabs, and all on the main actor.
@MainActor
final class LivePage: ViewModel {
  struct Frame: Sendable {
    let roster: Roster
    /// A whole event of the stream, in one line: each further line would need a field of its own.
    let event: ByteBuffer
    /// A sign of life, which tells what is the newest. A comment would do, but a page cannot see one.
    let beat: ByteBuffer

    init(_ roster: Roster) {
      self.roster = roster
      event = ByteBuffer(string: "id: \(roster.id)\nevent: list\ndata: \(listHTML(roster))\n\n")
      beat = ByteBuffer(string: "event: beat\ndata: \(roster.id)\n\n")
    }
  }

  /// Output: the newest frame, and the same again every now and then, so that each tab writes
  /// something and finds out whether its browser still reads. Take it with `.bufferingNewest(1)`.
  nonisolated var frames: StateOutlet<Frame> { frame.outlet }
  nonisolated var tabCount: Int { frame.subscriberCount }

  private nonisolated let frame: CurrentValue<Frame>
  private let roster: StateOutlet<Roster>
  nonisolated let heartbeat: Duration

  init(roster: StateOutlet<Roster>, heartbeat: Duration) {
    self.roster = roster
    self.heartbeat = heartbeat
    frame = CurrentValue(Frame(roster.value))
  }

  /// Ends the tabs' streams.
  nonisolated func finish() {
    frame.finish()
  }

  func run() async {
    async let _ = beat()  // until this returns
    for await _ in roster.subscribe(buffering: .bufferingNewest(1)) { refresh() }
  }

  /// Renders the newest list if it is not shown. A tab that opens calls it, so that it has what its client was told before,
  /// as that a member was added.
  func refresh() {
    let roster = roster.value
    // A refused command changes nothing, and is told to nobody else.
    if roster.id != frame.value.roster.id { frame.value = Frame(roster) }
  }

  private func beat() async {
    while (try? await Task.sleep(for: heartbeat)) != nil { frame.update { _ in } }
  }
}
