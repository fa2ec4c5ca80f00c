/// A task that has run in test time, for the report of a test that would wait for ever: the functions in which it
/// is suspended.
///
/// It reads where the runtime (5.5 to 6.3, 64 bits) keeps what debuggers show: the
/// functions to go on with, and whether the task has ended. It reads the functions only of a suspended task, which
/// changes nothing then, and only for this report.
///
/// It keeps the task, so it must be let go when the task has ended. A weak reference would leave its side table, since
/// the end of a task does not look for one.
///
/// Not on Apple's systems, where such a reference to something that is no object of a class is not allowed.
struct SuspendedTask: @unchecked Sendable {
  private let task: AnyObject

  /// Nil for what is no task of its own, or lives in its parent's memory (`async let`).
  init?(_ job: UnownedJob) {
    #if canImport(Darwin)
      return nil
    #else
      let pointer = unsafeBitCast(job, to: UnsafeRawPointer.self)
      let flags = pointer.load(fromByteOffset: Self.flags, as: UInt32.self)
      guard MemoryLayout<Int>.size == 8, flags & 0xFF == 0, flags & Self.isAsyncLet == 0 else {
        return nil
      }
      task = unsafeBitCast(pointer, to: AnyObject.self)
    #endif
  }

  var hasEnded: Bool {
    pointer.load(fromByteOffset: Self.status, as: UInt32.self) & Self.isOver != 0
  }

  /// From the innermost function; empty if the task has ended.
  var functions: [String] { functions(evenIfReady: false) }

  /// - Parameter evenIfReady: Whether a task is wanted that is ready, too: whoever asks runs the jobs, so it does not
  ///   begin meanwhile.
  func functions(evenIfReady: Bool) -> [String] {
    withExtendedLifetime(task) {
      functions(
        of: pointer, unless: evenIfReady ? Self.isNotSuspended & ~Self.isReady : Self.isNotSuspended
      )
    }
  }

  private var pointer: UnsafeRawPointer { unsafeBitCast(task, to: UnsafeRawPointer.self) }

  /// Where that is, in words.
  static func place(_ functions: [String]) -> String {
    var names: [String] = []
    for name in functions where names.last != name { names.append(name) }
    return names.isEmpty ? "somewhere." : "in \(names.prefix(6).joined(separator: " ← "))."
  }

  private func functions(of task: UnsafeRawPointer, unless flags: UInt32) -> [String] {
    guard task.load(fromByteOffset: Self.status, as: UInt32.self) & flags == 0 else {
      return []
    }
    var addresses = [task.load(fromByteOffset: Self.resume, as: UInt.self)]
    var context = task.load(fromByteOffset: Self.context, as: UnsafeRawPointer?.self)
    while let frame = context, addresses.count < 40 {
      addresses.append(frame.load(fromByteOffset: 8, as: UInt.self))
      context = frame.load(as: UnsafeRawPointer?.self)
    }
    return addresses.compactMap { FunctionName.of($0) }
  }

  // Offsets in bytes, and flags.
  private static let flags = 0x20
  private static let resume = 0x38
  private static let context = 0x40
  private static let status = 0x60
  private static let isAsyncLet: UInt32 = 1 << 28
  /// It runs, on a thread that the test does not own, is about to, or has ended.
  private static let isNotSuspended: UInt32 = 0x800 | isReady | isOver
  private static let isReady: UInt32 = 0x1000
  private static let isOver: UInt32 = 0x2000
}
