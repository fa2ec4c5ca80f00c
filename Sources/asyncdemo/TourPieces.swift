import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncViewModels

/// The parts of the tour that are no demos of their own.
@MainActor
enum Pieces {
  static func inputOnly(_ console: Console) async throws {
    let orders = Channel<String>()
    let received = orders.outlet.subscribe()
    let inlet: Inlet<(item: String, count: Int)> = orders.inlet.contramap {
      "\($0.count) \($0.item)"
    }
    try console.write("> (item: \"tea\", count: 2)\n")
    inlet.send((item: "tea", count: 2))
    orders.finish()
    for await order in received { try console.write("The owner received: \(order)\n") }
    if case .finished = inlet.send((item: "too late", count: 1)) {
      try console.write("Sending after the end says so.\n")
    }
  }

  static func boundControl(_ console: Console) async throws {
    let (taps, button) = AsyncStream.makeStream(of: Int.self)
    let signIns = Channel<String>()
    let received = signIns.outlet.subscribe()
    for tap in 1...3 {
      try console.write("> tap \(tap)\n")
      button.yield(tap)
    }
    button.finish()
    await taps.bind(to: signIns.inlet.contramap { "sign-in \($0)" })
    signIns.finish()
    for await signIn in received { try console.write("\(signIn)\n") }
  }

  static func currentValue(_ console: Console) async throws {
    let name = CurrentValue("nobody")
    let inlet = name.inlet
    let early = name.outlet.subscribe()
    try console.write("> Ann\n")
    inlet.send("Ann")
    let late = name.outlet.subscribe()
    name.finish()
    for await value in early { try console.write("Listening from the start: \(value)\n") }
    for await value in late { try console.write("Listening later: \(value)\n") }
  }

  static func oneRequest(_ console: Console) async throws {
    let requests = CurrentValue(0)
    let viewModel = AuthViewModel(authenticator: CountingAuthenticator(requests: requests))
    let listeners = (1...3).map { _ in viewModel.signInResult.subscribe() }
    try await withRunning(viewModel) {
      try console.write("> one sign-in, three listeners\n")
      viewModel.signIn.send(Credentials(username: "iankeen", password: "secret"))
      for listener in listeners { _ = await listener.next() }
      try console.write("Requests made: \(requests.value)\n")
    }
  }

  static func lateAnswer(_ console: Console) async throws {
    let release = Channel<Void>()
    let held = release.outlet.subscribe()
    let field = TextFilterViewModel { text in
      if text == "もしもn" { for await _ in held { break } }
      return text.count > 3
    }
    let outputs = field.outputText.subscribe()
    try await withRunning(field) {
      for text in ["もしもn", "もしもの"] {
        try console.write("> \(text)\n")
        field.text.value = text
      }
      _ = await outputs.next()  // what there was before
      release.send()
      for _ in 0..<2 {
        guard let output = await outputs.next() else { return }
        try console.write("Output: \(output); the field reads: \(field.text.value)\n")
      }
    }
  }

  static func newState(_ console: Console) async throws {
    let state = CurrentValue("old")
    let seen = Channel<String>()
    let report = seen.outlet.subscribe()
    let token = state.outlet.observe { value in
      seen.send("told of \(value), reads \(state.value)")
    }
    try console.write("An observer was \(await report.next() ?? "")\n> new\n")
    state.value = "new"
    try console.write("An observer was \(await report.next() ?? "")\n")
    token.cancel()
  }

  static func standIn(_ console: Console) async throws {
    let manager = StandInManager()
    let counter = MembersSummaryViewModel(manager: manager)
    let counts = counter.memberCount.subscribe()
    _ = await counts.next()  // none, to begin with
    try await withRunning(counter) {
      for names in [["Ann"], ["Ann", "Bob"]] {
        try console.write("> \(names.joined(separator: ", "))\n")
        let members = names.enumerated().map { Member(id: $0.offset + 1, name: $0.element) }
        manager.results.send(.success(members))
        try console.write("Number of members: \(await counts.next() ?? 0)\n")
      }
    }
  }

  static func recordedFlow(_ console: Console) async throws {
    let viewModel = AuthViewModel(authenticator: WillingAuthenticator())
    let recording = Recording(of: viewModel)
    let results = viewModel.signInResult.subscribe()
    try await withRunning(viewModel) {
      for name in ["ann", "bob"] {
        try console.write("> sign in as \(name)\n")
        viewModel.signIn.send(Credentials(username: name, password: "secret"))
      }
      for _ in 0..<2 { _ = await results.next() }
    }
    try console.write(recording.text())
  }

  static func waitingAlerts(_ console: Console) async throws {
    let channel = Channel<String>(buffering: .bufferingNewest(2))
    // The owner keeps it, and each view in turn takes from it.
    let alerts = channel.outlet.subscribe()
    for alert in ["Saved", "Disk nearly full", "Disk full"] {
      try console.write("> \(alert)\n")
      channel.send(alert)
    }
    channel.finish()
    for await alert in alerts {
      try console.write("View 1 shows: \(alert)\n")
      break
    }
    for await alert in alerts { try console.write("View 2 shows: \(alert)\n") }
    try console.write("Missed: \(alerts.droppedCount)\n")
  }

  static func whileSubscribed(_ console: Console) async throws {
    let readings = Channel<Double>()
    let counts = readings.subscriberCounts
    let told = Channel<String>()
    let report = told.outlet.subscribe()
    let run: @Sendable () async -> Void = {
      await readings.whileSubscribed {
        told.send("The sensor is on.")
        for await _ in Outlet<Void>.never {}
        told.send("The sensor is off.")
      }
    }
    try await withRunning(run) {
      for _ in 1...2 {
        try console.write("> a view appears\n")
        var view: Subscription? = readings.outlet.subscribe()
        try console.write("Listening: \(counts.value). \(await report.next() ?? "")\n")
        try console.write("> it goes\n")
        withExtendedLifetime(view) {}
        view = nil
        try console.write("Listening: \(counts.value). \(await report.next() ?? "")\n")
      }
    }
  }

  static func firstOnly(_ console: Console) async throws {
    let taps = Input<Int>()
    let (begun, paid, ignored, receipts) = (
      Channel<Int>(), Channel<Int>(), Channel<Int>(), Channel<Void>()
    )
    let (begins, payments) = (begun.outlet.subscribe(), paid.outlet.subscribe())
    let (inVain, receipt) = (ignored.outlet.subscribe(), receipts.outlet.subscribe())
    let run: @Sendable () async -> Void = {
      await taps.received.answer(.firstOnly, ignored: ignored.inlet) { tap in
        begun.send(tap)
        await receipt.next()
        return tap
      } publish: {
        paid.send($1)
      }
    }
    try await withRunning(run) {
      for (tap, isTappedAgain) in [(1, true), (3, false)] {
        try console.write("> tap \(tap)\n")
        taps.inlet.send(tap)
        try console.write("Paying for tap \(await begins.next() ?? 0) …\n")
        if isTappedAgain {
          try console.write("> tap \(tap + 1)\n")
          taps.inlet.send(tap + 1)
          try console.write("Tap \(await inVain.next() ?? 0) is ignored.\n")
        }
        receipts.send()
        try console.write("Paid for tap \(await payments.next() ?? 0).\n")
      }
    }
  }

  static func batches(_ console: Console) async throws {
    let updates = Channel<Int>()
    let received = updates.outlet.subscribe()
    let rendered = Channel<Int>()
    let renderings = rendered.outlet.subscribe()
    let table = Task {
      var (sum, count) = (0, 0)
      for await changes in received.batches() {
        sum += changes.reduce(0, +)
        count += 1
        rendered.send(count)
      }
      return sum
    }
    try console.write("> 100 updates\n")
    for update in 1...100 { updates.send(update) }
    try console.write("Waiting: \(received.pendingCount)\n")
    try console.write("Renderings: \(await renderings.next() ?? 0)\n")
    updates.finish()
    try console.write("Their sum: \(await table.value)\n")
  }

  static func mendedFaults(_ console: Console) async throws {
    let manager = DefaultMemberManager()
    let results = manager.members.subscribe()
    try await withRunning(manager.run) {
      try console.write("> add Ann, reset, add Bob, add invalid name\n")
      manager.addMember.send("Ann")
      manager.resetMembers.send()
      manager.addMember.send("Bob")
      manager.addMember.send("invalid name")
      // What the commands published, and the list that was there before.
      for _ in 0..<5 { _ = await results.next() }
      guard case .success(let list)? = await manager.members.subscribe().next() else { return }
      try console.write("A view made now sees: \(list.map(\.name).joined(separator: ", "))\n")
    }
  }
}
