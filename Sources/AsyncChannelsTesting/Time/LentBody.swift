/// The closure of a test, which the caller of `withTestTime` lends, and a task of its own calls.
///
/// It does not escape: the caller waits until that task has ended or is abandoned. A task that is abandoned never runs
/// again (`FormerRuns`), so nobody uses the closure then, though the task refers to it for ever.
/// `withoutActuallyEscaping` demands that nobody does: so `takeBack` gives up these references.
///
/// `@unchecked Sendable`: it is called once at a time, while the caller waits.
struct LentBody: @unchecked Sendable {
  let call: (TestTime) async throws -> Void

  /// How many references there are to what the closure has captured. See `Runtime`.
  var referenceCount: UInt { Runtime.referenceCount(of: context) }

  /// Gives up the references of tasks that never run again.
  ///
  /// - Parameter count: How many there were before, at the same place of the caller.
  func takeBack(leaving count: UInt) {
    for _ in 0..<(max(referenceCount, count) - count) {
      Unmanaged<AnyObject>.fromOpaque(context).release()
    }
  }

  /// `withoutActuallyEscaping` has made it, so there is one.
  private var context: UnsafeRawPointer {
    let (_, context) = unsafeBitCast(self, to: (UnsafeRawPointer, UnsafeRawPointer).self)
    return context
  }
}
