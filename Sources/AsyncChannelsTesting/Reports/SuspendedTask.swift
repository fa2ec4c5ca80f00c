/// A task that has run in test time, for the report of a test that would wait for ever: the functions in which it
/// is suspended.
///
/// It keeps the task, so it must be let go when the task has ended. A weak reference would leave its side table, since
/// the end of a task does not look for one.
///
/// `@unchecked Sendable`: nothing of the task is changed, and it is read when it does not run.
struct SuspendedTask: @unchecked Sendable {
  private let task: AnyObject

  init?(_ job: UnownedJob) {
    guard let task = Runtime.task(of: job) else { return nil }
    self.task = task
  }

  var hasEnded: Bool { Runtime.hasEnded(task) }

  /// See `Runtime`.
  var functions: [String] { functions(evenIfReady: false) }

  func functions(evenIfReady: Bool) -> [String] {
    Runtime.functions(of: task, evenIfReady: evenIfReady)
  }

  /// Where that is, in words.
  static func place(_ functions: [String]) -> String {
    var names: [String] = []
    for name in functions where names.last != name { names.append(name) }
    return names.isEmpty ? "somewhere." : "in \(names.prefix(6).joined(separator: " ← "))."
  }
}
