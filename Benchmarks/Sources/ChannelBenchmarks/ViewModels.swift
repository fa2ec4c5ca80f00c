import AsyncChannels
import AsyncViewModels

extension Workload {
  /// From a view's input to a view's output.
  static func viewModel(_ scale: Scale) -> Workload {
    let count = scale.count(20_000)
    return Workload(
      name: "view-model", unit: "input",
      cases: [
        Case(
          subscribers: 1, element: "sign-in",
          subjects: [Subject(name: "AsyncChannels") { try await signIn(count) }],
          reference: "AsyncChannels"),
        Case(
          subscribers: 1, element: "add member",
          subjects: [
            Subject(name: "1 view model") {
              try await addMembers(scale.count(1000), viewModels: 1)
            },
            Subject(name: "100 view models", subscribers: 100) {
              try await addMembers(scale.count(1000), viewModels: 100)
            },
          ], reference: "1 view model"),
      ])
  }
}

private struct Immediate: Authenticator {
  func authenticate(_ credentials: Credentials) async throws(AuthError) -> Token {
    Token(credentials.username)
  }
}

@MainActor
private func signIn(_ count: Int) async throws -> Double {
  let viewModel = AuthViewModel(authenticator: Immediate())
  let results = viewModel.signInResult.subscribe()
  let credentials = Credentials(username: "ann", password: "secret")
  return try await withRunning(viewModel) { () async throws -> Double in
    var received = 0
    let time = await nanoseconds {
      for _ in 0..<count {
        viewModel.signIn.send(credentials)
        if await results.next() != nil { received += 1 }
      }
    }
    try WrongCount.check("sign-in", received, is: count)
    return time / Double(count)
  }
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
      let time = await nanoseconds {
        for _ in 0..<count {
          manager.addMember.send("member")
          for count in counts { shown = await count.next() ?? 0 }
        }
      }
      group.cancelAll()
      try WrongCount.check("add member", shown, is: count)
      return time / Double(count)
    }
  }
}
