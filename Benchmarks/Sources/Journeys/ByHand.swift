internal import AsyncChannels
internal import AsyncViewModels
internal import Observation
internal import Synchronization

/// What a user writes without this package, with plain `AsyncStream`s and `@Observable`, and the same
/// promises. Here: an input that is sent to from any thread, keeps what comes while nothing runs, and
/// outlives a cancelled run (a stream does not: cancelling its consumer ends it).
final class InputByHand<Element: Sendable>: Sendable {
  private struct State {
    var pending: [Element] = []
    var bell: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  func send(_ element: Element) {
    let bell = state.withLock { state in
      state.pending.append(element)
      return state.bell
    }
    bell?.yield()
  }

  func take() -> Element? {
    state.withLock { $0.pending.isEmpty ? nil : $0.pending.removeFirst() }
  }

  /// For one run: rings when there may be something to take.
  func rings() -> AsyncStream<Void> {
    let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.bell = bell }
    bell.yield()
    return rings
  }
}

/// An output that any number of listeners follow, from any thread.
final class OutputByHand<Element: Sendable>: Sendable {
  private struct State {
    var last: Element?
    var lastNumber = 0
    var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  private let state = Mutex(State())
  private let isReplaying: Bool

  init(isReplaying: Bool = false) {
    self.isReplaying = isReplaying
  }

  func send(_ element: Element) {
    // Under the lock: so that all see one order.
    state.withLock { state in
      if isReplaying { state.last = element }
      for listener in state.listeners.values { listener.yield(element) }
    }
  }

  func subscribe() -> AsyncStream<Element> {
    let (elements, continuation) = AsyncStream.makeStream(of: Element.self)
    let number = state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = continuation
      if let last = state.last { continuation.yield(last) }
      return state.lastNumber
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
    }
    return elements
  }
}

@MainActor @Observable
final class AuthByHand {
  private(set) var isSigningIn = false
  @ObservationIgnored let signIn = InputByHand<Credentials>()
  @ObservationIgnored let results = OutputByHand<Result<Token, AuthError>>()
  @ObservationIgnored private var current: Task<Void, Never>?
  private let authenticator: any Authenticator

  init(authenticator: any Authenticator) {
    self.authenticator = authenticator
  }

  func run(_ overlap: Overlap) async {
    if overlap == .latestOnly { await runLatestOnly() } else { await runOneAtATime() }
  }

  private func runOneAtATime() async {
    for await _ in signIn.rings() {
      while !Task.isCancelled, let credentials = signIn.take() {
        isSigningIn = true
        let result = await authenticate(credentials)
        isSigningIn = false
        if !Task.isCancelled { results.send(result) }
      }
    }
  }

  private func runLatestOnly() async {
    for await _ in signIn.rings() {
      while !Task.isCancelled, let credentials = signIn.take() {
        current?.cancel()
        isSigningIn = true
        current = Task {
          let result = await authenticate(credentials)
          guard !Task.isCancelled else { return }
          isSigningIn = false
          results.send(result)
        }
      }
    }
    current?.cancel()
    await current?.value
    isSigningIn = false
  }

  /// Away from the main actor.
  @concurrent
  private func authenticate(_ credentials: Credentials) async -> Result<Token, AuthError> {
    do throws(AuthError) {
      return .success(try await authenticator.authenticate(credentials))
    } catch {
      return .failure(error)
    }
  }
}

actor MembersByHand {
  nonisolated let addMember = InputByHand<String>()
  nonisolated let members = OutputByHand<[Member]>(isReplaying: true)
  private var roster: [Member] = []

  init() {
    members.send([])
  }

  func run() async {
    for await _ in addMember.rings() {
      while !Task.isCancelled, let name = addMember.take() {
        roster.append(Member(id: roster.count + 1, name: name))
        members.send(roster)
      }
    }
  }
}

@MainActor @Observable
final class SummaryByHand {
  private(set) var memberCount = 0
  @ObservationIgnored let counts = OutputByHand<Int>(isReplaying: true)
  private let manager: MembersByHand

  init(manager: MembersByHand) {
    self.manager = manager
    counts.send(0)
  }

  func run() async {
    for await members in manager.members.subscribe() {
      memberCount = members.count
      counts.send(members.count)
    }
  }
}
