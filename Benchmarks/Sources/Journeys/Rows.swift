internal import AsyncChannelsRunning
internal import AsyncChannelsTesting

/// Trivial, since copying the array is the program's.
private struct Row: Identifiable, Sendable {
  let id: Int
  var text = 0
}

/// Rows are appended one by one, each to those that run already.
@MainActor
package func appendRows(_ count: Int) async throws -> Double {
  // With one row: once that has begun, the rows are followed.
  let rows = CurrentValue([Row(id: -1)])
  return try await changeRows(rows, times: count) { number in
    rows.update { $0.append(Row(id: number)) }
  }
}

/// The text of one row changes, among 10,000 that run.
@MainActor
package func changeTexts(_ count: Int) async throws -> Double {
  let rows = CurrentValue((0..<10_000).map { Row(id: $0) })
  return try await changeRows(rows, times: count, isMarked: true) { number in
    rows.update { $0[number * 37 % 10_000].text = number }
  }
}

/// Until each change was compared, and what came runs.
///
/// - Parameter isMarked: Whether a profiler is to count the changes alone, without the beginning and the end of the rows.
@MainActor
private func changeRows(
  _ rows: CurrentValue<[Row]>, times count: Int, isMarked: Bool = false, _ change: (Int) -> Void
) async throws -> Double {
  let begun = Begun()
  let run: @MainActor @Sendable () async -> Void = {
    await rows.projectedValue.runEach { @MainActor _ in
      begun.add()
      for await _ in Outlet<Never>.never {}
    }
  }
  let (time, hasSettled) = await withRunning({ await run() }) {
    await begun.reach(rows.value.count)
    var hasSettled = true
    if isMarked { countedPartBegins() }
    defer { if isMarked { countedPartEnds() } }
    let time = await nanoseconds {
      for number in 0..<count {
        change(number)
        if await !rows.outlet.waitUntilSettled() { hasSettled = false }
      }
      await begun.reach(rows.value.count)
    }
    return (time, hasSettled)
  }
  try WrongCount.check("changes", hasSettled ? count : 0, is: count)
  return time / Double(count)
}

/// How many rows have begun. A loop that yields until then would cost a different number of jobs each time.
@MainActor
private final class Begun {
  private var count = 0
  private var waiting: (target: Int, continuation: CheckedContinuation<Void, Never>)?

  func add() {
    count += 1
    guard let (target, continuation) = waiting, count >= target else { return }
    waiting = nil
    continuation.resume()
  }

  func reach(_ target: Int) async {
    if count >= target { return }
    await withCheckedContinuation { waiting = (target, $0) }
  }
}
