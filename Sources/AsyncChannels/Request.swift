import Synchronization

/// A question that is sent like any element, and that its receiver replies to. Use it when a sender has to know
/// what became of its command.
///
/// ``Inlet/ask(_:)`` makes one, sends it and waits for its reply. So a command can be acknowledged
/// when it is done, and a refusal goes to the asker, not to all listeners of an output:
///
/// ```swift
/// actor Register {
///   private let names = Input<Request<String, Result<Member, MemberFailure>>>()
///   nonisolated var add: Inlet<Request<String, Result<Member, MemberFailure>>> { names.inlet }
///
///   func run() async {
///     for await request in names.received {
///       request.reply(await store(request.question))
///     }
///   }
/// }
///
/// switch await register.add.ask("Ann") {
/// case .success(let member)?: …
/// case .failure(let failure)?: …
/// case nil: …                                   // no reply: the outcome is unknown
/// }
/// ```
///
/// It is an element like any other, of a ``Channel``, an ``Input`` or an inlet that is made of one: its
/// order, buffering and end are those of the channel. If several subscribers get it, the first reply counts.
///
/// **A dropped request ends its asker's wait.** When the last reference to a request is dropped without a
/// reply, the asker gets `nil`: because there is no listener, the channel is finished or gone, or a buffering
/// policy or the owner dropped the request. So an owner need not answer every request. But if it keeps a
/// request and never answers, the asker keeps waiting.
///
/// A channel for requests should replay nothing: a request in the replay window waits for a subscriber that
/// may never come, and its asker with it.
public final class Request<Question: Sendable, Reply: Sendable>: Sendable {
  /// What was asked.
  public let question: Question

  let stage = Atomic(RequestStage.open)
  private let answer: RequestAnswer<Reply>

  fileprivate init(_ question: Question, _ answer: RequestAnswer<Reply>) {
    self.question = question
    self.answer = answer
  }

  deinit {
    if stage.load(ordering: .relaxed) == .followed { tellFollowers(nil) }
    answer.give(nil)
  }

  /// Whether its asker still waits for a reply. Use it to skip work whose result is no longer wanted.
  ///
  /// It is false after the first reply, and when the asker's task was cancelled: immediately if that task
  /// waits already, or when it begins to. It never becomes true again. Reading it takes a lock. A request
  /// whose handler does not read it costs nothing extra. The asker may still leave after you
  /// checked, so reply in any case.
  public var isAwaited: Bool { !answer.isOver }

  /// Replies to the asker. Only the first reply counts.
  ///
  /// Does not block, and may be called from any thread or isolation. A reply to an asker that was cancelled
  /// meanwhile has no effect.
  ///
  /// - Returns: Whether this was the first reply. It does not tell whether the asker still waits.
  @discardableResult
  public func reply(_ reply: Reply) -> Bool {
    // The exchange alone decides between two replies; that of the winner orders nothing else.
    let former = stage.exchange(.answered, ordering: .relaxed)
    guard former != .answered else { return false }
    if former == .followed { tellFollowers(reply) }
    answer.give(reply)
    return true
  }
}

extension Request where Reply == Void {
  /// Replies that the command is done.
  @discardableResult
  public func reply() -> Bool {
    reply(())
  }
}

extension Inlet {
  /// Sends a question, and waits for the reply to it.
  ///
  /// The request is sent before the call suspends, so the requests and elements that one task sends arrive in
  /// that order. Waiting for each reply before asking the next question is also backpressure: an asker has
  /// one request in progress.
  ///
  /// The call waits as long as the request exists, also while the owner does not run. To set a limit, cancel
  /// the task.
  ///
  /// - Returns: The first reply. It is `nil` if there is no listener, if the channel is finished or gone, if
  ///   the request was dropped, or if the task was cancelled. A task that is already cancelled sends nothing.
  ///   In the other cases, the outcome is unknown: if an asker may ask again, give the question a key by
  ///   which the owner recognizes it.
  public func ask<Question, Reply>(_ question: Question) async -> Reply?
  where Element == Request<Question, Reply> {
    guard !Task.isCancelled else { return nil }
    return await sendRequest(question).wait()
  }

  /// Sends a request without a question, and waits for the reply to it.
  public func ask<Reply>() async -> Reply? where Element == Request<Void, Reply> {
    await ask(())
  }

  /// The asker waits for what becomes of the request, so it must not be what keeps it: hence this is not
  /// in ``ask(_:)`` itself, where the request, or what `send` returns, could live until it has been answered.
  private func sendRequest<Question, Reply>(_ question: Question) -> RequestAnswer<Reply>
  where Element == Request<Question, Reply> {
    let answer = RequestAnswer<Reply>()
    send(Request(question, answer))
    return answer
  }
}
