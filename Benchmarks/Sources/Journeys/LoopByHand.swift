internal import AsyncChannelsRunning
internal import Synchronization

/// The loop that a user writes by hand to answer an input, with the promises of `answer`:
///
/// - Work is done away from the main actor, and its answer published on it.
/// - A cancelled call takes no element that was sent after `cancel()` returned, and publishes nothing
///   after that. What was not begun waits for the next call, which may begin before this one has
///   returned.
/// - It returns when all work that it began has ended, superseded work too.
/// - `report` is told whether there is work whose answer counts, `false` just before the last answer is
///   published; and without waiting for the work of a call that was cancelled.
@MainActor
final class LoopByHand<Element: Sendable, Answer: Sendable> {
  private let overlap: Overlap
  private let input: InputByHand<Element>
  private let work: @Sendable (Element) async -> Answer
  private let report: (Bool) -> Void
  private let publish: (Answer) -> Void
  /// More than one if the next call works before the work of a cancelled one has ended.
  private var workingCalls = 0

  init(
    _ overlap: Overlap, _ input: InputByHand<Element>,
    by work: @escaping @Sendable (Element) async -> Answer,
    reporting report: @escaping (Bool) -> Void = { _ in }, publish: @escaping (Answer) -> Void
  ) {
    self.overlap = overlap
    self.input = input
    self.work = work
    self.report = report
    self.publish = publish
  }

  func run() async {
    let (number, rings) = input.listen()
    let call = Call(number)
    await withTaskCancellationHandler {
      await withDiscardingTaskGroup { group in
        for await _ in rings {
          while let element = input.take(for: number) { await answer(element, in: call, &group) }
        }
        call.newest?.cancel()
        await call.newest?.value
      }
    } onCancel: {
      call.isClosed.store(true, ordering: .releasing)
      Task { await self.setTurns(of: call, to: 0) }
    }
  }

  private func answer(
    _ element: Element, in call: Call, _ group: inout DiscardingTaskGroup
  ) async {
    switch overlap {
    case .oneAtATime:
      setTurns(of: call, to: 1)
      finish(call, with: await workElsewhere(on: element))
    case .latestOnly:
      if let superseded = call.newest {
        superseded.cancel()
        group.addTask { await superseded.value }
      }
      setTurns(of: call, to: 1)
      call.newest = Task {
        let answer = await workElsewhere(on: element)
        guard !Task.isCancelled else { return }
        call.newest = nil
        finish(call, with: answer)
      }
    case .firstOnly:
      if call.turns > 0 { return }
      setTurns(of: call, to: 1)
      group.addTask {
        let answer = await self.work(element)
        await self.finishFirst(call, with: answer)
      }
    case .concurrent:
      setTurns(of: call, to: call.turns + 1)
      group.addTask {
        let answer = await self.work(element)
        await self.finish(call, with: answer)
      }
    }
  }

  /// What was sent before the answer is published is ignored, also if the loop has not seen it yet.
  private func finishFirst(_ call: Call, with answer: Answer) {
    while input.take(for: call.number) != nil {}
    finish(call, with: answer)
  }

  private func finish(_ call: Call, with answer: Answer) {
    guard !call.isClosed.load(ordering: .acquiring) else { return }
    setTurns(of: call, to: call.turns - 1)
    publish(answer)
  }

  /// How many elements the call works on. Reports it if that is the beginning or the end of all work.
  private func setTurns(of call: Call, to turns: Int) {
    let isBusy = turns > 0
    if isBusy != (call.turns > 0) {
      workingCalls += isBusy ? 1 : -1
      if workingCalls == (isBusy ? 1 : 0) { report(isBusy) }
    }
    call.turns = turns
  }

  @concurrent
  private func workElsewhere(on element: Element) async -> Answer {
    await work(element)
  }

  /// One call of `run()`.
  private final class Call: Sendable {
    /// The input's number for it.
    let number: Int
    /// From when its task is cancelled.
    let isClosed = Atomic(false)
    @MainActor var turns = 0
    /// Work that a newer element supersedes; nil when it is done.
    @MainActor var newest: Task<Void, Never>?

    init(_ number: Int) {
      self.number = number
    }
  }
}
