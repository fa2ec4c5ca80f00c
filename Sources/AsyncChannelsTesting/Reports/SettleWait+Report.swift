import AsyncChannels

extension SettleWait {
  /// For whom a task waits that has called `settled()`: a sentence for each log.
  static func sentences(of task: UInt64) -> [String] {
    all(of: task).compactMap { log, wait in wait.remaining.map { sentence(about: log, $0) } }
  }

  private static func sentence(about log: BroadcastLogBase, _ remaining: Int) -> String {
    """
    settled() waits for \(remaining) of \(log.subscriberCount) subscribers of a Channel\(log.genericName): to take \
    what was sent, and to ask for more.
    """ + (log.flow.map { "\n\($0)" } ?? "")
  }
}

extension BroadcastLogBase {
  /// `<Int>`
  fileprivate final var genericName: Substring { "\(type(of: self))".drop { $0 != "<" } }
}
