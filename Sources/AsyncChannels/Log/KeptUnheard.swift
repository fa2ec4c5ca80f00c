/// What outlets hold of a channel that keeps what is unheard. With the last one goes what was kept:
/// nobody can subscribe any more.
///
/// Not the log itself does that: inlets hold the log, too.
@usableFromInline
final class KeptUnheard<Element: Sendable>: Sendable {
  private let log: BroadcastLog<Element>

  init(by log: BroadcastLog<Element>) {
    self.log = log
  }

  deinit {
    log.dropUnheard()
  }
}
