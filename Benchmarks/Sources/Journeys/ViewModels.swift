package import AsyncChannelsRunning
internal import AsyncViewModels

private struct Immediate: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    Token(credentials.username)
  }
}

private let credentials = Credentials(username: "ann", password: "secret")

@MainActor
package func signIn(
  _ count: Int, _ overlap: Overlap, noting note: (@Sendable (Double) -> Void)? = nil
) async throws -> Double {
  let viewModel = AuthViewModel(authenticator: Immediate(), overlap: overlap)
  let results = viewModel.signInResult.makeAsyncIterator()
  return try await inTwoRuns(count, "sign-in", noting: note) {
    await viewModel.run()
  } send: { _ in
    viewModel.signIn.send(credentials)
  } next: { _ in
    await results.next() != nil
  }
}

@MainActor
package func signInByHand(
  _ count: Int, _ overlap: Overlap, noting note: (@Sendable (Double) -> Void)? = nil
) async throws -> Double {
  let viewModel = AuthByHand(authenticator: Immediate(), overlap: overlap)
  var results = viewModel.results.subscribe().makeAsyncIterator()
  return try await inTwoRuns(count, "sign-in", noting: note) {
    await viewModel.run()
  } send: { _ in
    viewModel.signIn.send(credentials)
  } next: { _ in
    await results.next(isolation: MainActor.shared) != nil
  }
}

/// The first run is measured and cancelled. What is sent after that waits for the second.
@MainActor
private func inTwoRuns(
  _ count: Int, _ what: String, noting note: (@Sendable (Double) -> Void)?,
  _ run: @escaping @MainActor @Sendable () async -> Void, send: (Int) -> Void,
  next: (Int) async -> Bool
) async throws -> Double {
  let time = try await withRunning({ await run() }) { () async throws -> Double in
    try await inputs(count, what, noting: note, send: send, next: next)
  }
  send(count)
  let isAnswered = await withRunning({ await run() }) { await next(count) }
  try WrongCount.check("\(what), second run", isAnswered ? 1 : 0, is: 1)
  return time
}

/// Each is sent when the one before was answered. `note` is told how many nanoseconds each took.
@MainActor
private func inputs(
  _ count: Int, _ what: String, noting note: (@Sendable (Double) -> Void)?, send: (Int) -> Void,
  next: (Int) async -> Bool
) async throws -> Double {
  var received = 0
  let time = await nanoseconds {
    for number in 0..<count {
      let start = note == nil ? nil : ContinuousClock.now
      send(number)
      if await next(number) { received += 1 }
      if let note, let start { note((ContinuousClock.now - start).nanoseconds) }
    }
  }
  try WrongCount.check(what, received, is: count)
  return time / Double(count)
}

/// A member is added, and by the next input removed: from the input until every view model shows the new
/// count. The list stays short, since copying it is the program's.
@MainActor
package func addMembers(
  _ count: Int, viewModels: Int, noting note: (@Sendable (Double) -> Void)? = nil
) async throws -> Double {
  let manager = DefaultMemberManager()
  let views = (0..<viewModels).map { _ in MembersSummaryViewModel(manager: manager) }
  let counts = views.map { $0.memberCount.makeAsyncIterator() }
  return try await withRunning(manager.run) { () async throws -> Double in
    try await withThrowingDiscardingTaskGroup { group in
      for view in views { group.addTask { await view.run() } }
      for count in counts { _ = (await count.next(), await count.next()) }
      let time = try await inputs(count, "add member", noting: note) { number in
        if let added = added(before: number) {
          manager.removeMember.send(added)
        } else {
          manager.addMember.send(name)
        }
      } next: { number in
        var areRight = true
        for count in counts where await count.next() != shown(after: number) { areRight = false }
        return areRight
      }
      group.cancelAll()
      return time
    }
  }
}

@MainActor
package func addMembersByHand(
  _ count: Int, viewModels: Int, noting note: (@Sendable (Double) -> Void)? = nil
) async throws -> Double {
  let manager = MembersByHand()
  let views = (0..<viewModels).map { _ in SummaryByHand(manager: manager) }
  var counts = views.map { $0.counts.subscribe().makeAsyncIterator() }
  return try await withRunning({ await manager.run() }) { () async throws -> Double in
    try await withThrowingDiscardingTaskGroup { group in
      for view in views { group.addTask { await view.run() } }
      for index in counts.indices {
        for _ in 0..<2 { _ = await counts[index].next(isolation: MainActor.shared) }
      }
      let time = try await inputs(count, "add member", noting: note) { number in
        if let added = added(before: number) { manager.remove(added) } else { manager.add(name) }
      } next: { number in
        var areRight = true
        for index in counts.indices {
          let count = await counts[index].next(isolation: MainActor.shared)
          if count != shown(after: number) { areRight = false }
        }
        return areRight
      }
      group.cancelAll()
      return time
    }
  }
}

private let name = "member"

/// The member that input number `number` removes; nil for one that adds.
private func added(before number: Int) -> Member? {
  number.isMultiple(of: 2) ? nil : Member(id: number / 2 + 1, name: name)
}

private func shown(after number: Int) -> Int {
  number.isMultiple(of: 2) ? 1 : 0
}
