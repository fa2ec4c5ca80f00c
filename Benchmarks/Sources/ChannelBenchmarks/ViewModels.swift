import AsyncChannels
import AsyncViewModels

extension Workload {
  /// From a view's input to a view's output, beside what a user would write by hand.
  static func viewModel(_ scale: Scale) -> Workload {
    let (inputs, members) = (scale.count(20_000), scale.count(1000))
    return Workload(
      name: "view-model", unit: "input",
      cases: [
        beside("sign-in, one at a time", ours: { try await signIn(inputs, .oneAtATime) }) {
          try await signInByHand(inputs) { await $0.runOneAtATime() }
        },
        beside("sign-in, latest only", ours: { try await signIn(inputs, .latestOnly) }) {
          try await signInByHand(inputs) { await $0.runLatestOnly() }
        },
        beside("add member", ours: { try await addMembers(members, viewModels: 1) }) {
          try await addMembersByHand(members, viewModels: 1)
        },
        beside("add member", 100, ours: { try await addMembers(members, viewModels: 100) }) {
          try await addMembersByHand(members, viewModels: 100)
        },
      ])
  }

  private static func beside(
    _ element: String, _ viewModels: Int = 1, ours: @escaping @Sendable () async throws -> Double,
    byHand: @escaping @Sendable () async throws -> Double
  ) -> Case {
    Case(
      subscribers: viewModels, element: element,
      subjects: [
        Subject(name: "AsyncChannels", measure: ours), Subject(name: "by hand", measure: byHand),
      ], reference: "by hand")
  }
}

private struct Immediate: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    Token(credentials.username)
  }
}

private let credentials = Credentials(username: "ann", password: "secret")

@MainActor
private func signIn(_ count: Int, _ overlap: Overlap) async throws -> Double {
  let viewModel = AuthViewModel(authenticator: Immediate(), overlap: overlap)
  let results = viewModel.signInResult.subscribe()
  return try await withRunning(viewModel) { () async throws -> Double in
    try await inputs(count, "sign-in") {
      viewModel.signIn.send(credentials)
    } next: {
      await results.next() != nil
    }
  }
}

@MainActor
private func signInByHand(
  _ count: Int, run: @escaping @MainActor @Sendable (AuthByHand) async -> Void
) async throws -> Double {
  let viewModel = AuthByHand(authenticator: Immediate())
  var results = viewModel.results.subscribe().makeAsyncIterator()
  return try await withRunning({ await run(viewModel) }) { () async throws -> Double in
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
private func addMembers(_ count: Int, viewModels: Int) async throws -> Double {
  let manager = DefaultMemberManager()
  let views = (0..<viewModels).map { _ in MembersSummaryViewModel(manager: manager) }
  let counts = views.map { $0.memberCount.subscribe() }
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
private func addMembersByHand(_ count: Int, viewModels: Int) async throws -> Double {
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
        manager.addMember.send("member")
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
