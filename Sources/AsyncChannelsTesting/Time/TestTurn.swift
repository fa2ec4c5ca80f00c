/// Calls of `withTestTime` have the process's time one after the other, in the order in which they were made.
@MainActor
enum TestTurn {
  private static var isTaken = false
  private static var waiting: ArraySlice<UnsafeContinuation<Void, Never>> = []

  static func begin() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withUnsafeContinuation { waiting.append($0) }
  }

  /// Hands the turn to the next who waits.
  static func end() {
    if let next = waiting.popFirst() { next.resume() } else { isTaken = false }
  }
}
