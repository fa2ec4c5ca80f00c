import AsyncChannels

extension SettleWait {
  /// For whom a task waits that has called `waitUntilSettled()`: a sentence for each log.
  static func sentences(of task: UInt64) -> [String] {
    Settling.waits(of: task).compactMap { wait in
      wait.remaining.map { sentence(about: wait.log, $0) }
    }
  }

  private static func sentence(about log: BroadcastLogBase, _ remaining: Int) -> String {
    """
    waitUntilSettled() waits for \(remaining) of \(log.subscriberCount) subscribers of a Channel\(log.genericName): to take \
    what was sent, and to ask for more.
    """ + (log.flow.map { "\n\($0)" } ?? "")
  }
}

extension BroadcastLogBase {
  /// `<Int>`
  final var genericName: Substring { "\(type(of: self))".drop { $0 != "<" } }
}
