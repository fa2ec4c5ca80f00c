package import AsyncChannels

/// Trivial, since copying the array is the program's.
private struct Row: Identifiable, Sendable {
  let id: Int
  var text = 0
}

/// Rows are appended one by one, each to those that run already.
@MainActor
package func appendRows(_ count: Int) async throws -> Double {
  let rows = CurrentValue<[Row]>([])
  return try await changeRows(rows, times: count) { number in
    rows.update { $0.append(Row(id: number)) }
  }
}

/// The text of one row changes, among 10,000 that run.
@MainActor
package func changeTexts(_ count: Int) async throws -> Double {
  let rows = CurrentValue((0..<10_000).map { Row(id: $0) })
  return try await changeRows(rows, times: count) { number in
    rows.update { $0[number * 37 % 10_000].text = number }
  }
}

/// Until each change was compared, and what came runs.
@MainActor
private func changeRows(
  _ rows: CurrentValue<[Row]>, times count: Int, _ change: (Int) -> Void
) async throws -> Double {
  var begun = 0
  let run: @MainActor @Sendable () async -> Void = {
    await rows.projectedValue.runningEach { @MainActor _ in
      begun += 1
      for await _ in Outlet<Never>.never {}
    }
  }
  let (time, hasSettled) = await withRunning({ await run() }) {
    while begun < rows.value.count { await Task.yield() }
    var hasSettled = true
    let time = await nanoseconds {
      for number in 0..<count {
        change(number)
        if await !rows.settled() { hasSettled = false }
      }
      while begun < rows.value.count { await Task.yield() }
    }
    return (time, hasSettled)
  }
  try WrongCount.check("changes", hasSettled ? count : 0, is: count)
  return time / Double(count)
}
