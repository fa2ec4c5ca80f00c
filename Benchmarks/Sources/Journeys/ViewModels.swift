package import AsyncChannels
internal import AsyncViewModels

private struct Immediate: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    Token(credentials.username)
  }
}

private let credentials = Credentials(username: "ann", password: "secret")

@MainActor
package func signIn(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let viewModel = AuthViewModel(authenticator: Immediate(), overlap: overlap)
  let results = viewModel.signInResult.makeAsyncIterator()
  return try await withRunning(viewModel) { () async throws -> Double in
    try await inputs(count, "sign-in") {
      viewModel.signIn.send(credentials)
    } next: {
      await results.next() != nil
    }
  }
}

@MainActor
package func signInByHand(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let viewModel = AuthByHand(authenticator: Immediate(), overlap: overlap)
  var results = viewModel.results.subscribe().makeAsyncIterator()
  return try await withRunning({ await viewModel.run() }) { () async throws -> Double in
    try await inputs(count, "sign-in") {
      viewModel.signIn.send(credentials)
    } next: {
      await results.next(isolation: MainActor.shared) != nil
    }
  }
}

/// Each is sent when the one before was answered.
@MainActor
private func inputs(
  _ count: Int, _ what: String, send: () -> Void, next: () async -> Bool
) async throws -> Double {
  var received = 0
  let time = await nanoseconds {
    for _ in 0..<count {
      send()
      if await next() { received += 1 }
    }
  }
  try WrongCount.check(what, received, is: count)
  return time / Double(count)
}

/// From `add` until every view model shows the new count.
@MainActor
package func addMembers(_ count: Int, viewModels: Int) async throws -> Double {
  let manager = DefaultMemberManager()
  let views = (0..<viewModels).map { _ in MembersSummaryViewModel(manager: manager) }
  let counts = views.map { $0.memberCount.makeAsyncIterator() }
  return try await withRunning(manager.run) { () async throws -> Double in
    try await withThrowingDiscardingTaskGroup { group in
      for view in views { group.addTask { await view.run() } }
      for count in counts { _ = (await count.next(), await count.next()) }
      var shown = 0
      let time = try await inputs(count, "add member") {
        manager.addMember.send("member")
      } next: {
        for count in counts { shown = await count.next() ?? 0 }
        return true
      }
      group.cancelAll()
      try WrongCount.check("add member", shown, is: count)
      return time
    }
  }
}

@MainActor
package func addMembersByHand(_ count: Int, viewModels: Int) async throws -> Double {
  let manager = MembersByHand()
  let views = (0..<viewModels).map { _ in SummaryByHand(manager: manager) }
  var counts = views.map { $0.counts.subscribe().makeAsyncIterator() }
  return try await withRunning({ await manager.run() }) { () async throws -> Double in
    try await withThrowingDiscardingTaskGroup { group in
      for view in views { group.addTask { await view.run() } }
      for index in counts.indices {
        for _ in 0..<2 { _ = await counts[index].next(isolation: MainActor.shared) }
      }
      var shown = 0
      let time = try await inputs(count, "add member") {
        manager.add("member")
      } next: {
        for index in counts.indices {
          shown = await counts[index].next(isolation: MainActor.shared) ?? 0
        }
        return true
      }
      group.cancelAll()
      try WrongCount.check("add member", shown, is: count)
      return time
    }
  }
}
