import AsyncChannelsRunning
import AsyncChannelsTesting
import TestSupport
import XCTest

/// Several inputs that share one order, read in one `switch`.
final class CommandsTests: XCTestCase {
  @MainActor
  func test_C57_theInputsOfAClassShareOneOrder() async throws {
    let player = Player()
    try await withRunning(player) {
      try await assertOneOrder(player.start, player.seek, player.stop, steps: player.steps)
    }
  }

  func test_C57_theInputsOfAnActorShareOneOrder() async throws {
    let recorder = TapeRecorder()
    try await withRunning(recorder.run) {
      try await assertOneOrder(recorder.start, recorder.seek, recorder.stop, steps: recorder.steps)
    }
  }

  /// Several senders: the order of each is kept, whichever inlets it sends to.
  func test_C57_eachSendersOwnOrderIsKept() async throws {
    let numbers = Input<(sender: Int, number: Int)>()
    let inlets = (0..<4).map { sender in
      [
        numbers.inlet { (number: Int) in (sender, number) },
        numbers.inlet { (number: Int) in (sender, number) },
      ]
    }
    await withDiscardingTaskGroup { group in
      for sender in 0..<4 {
        group.addTask {
          for number in 0..<1_000 { inlets[sender][number % 2].send(number) }
        }
      }
    }
    let taken = try await numbers.received.take(4_000)
    for sender in 0..<4 {
      let own = taken.filter { $0.sender == sender }.map(\.number)
      XCTAssertEqual(own, Array(0..<1_000))
    }
  }

  /// As with any input: it waits, and ends with its owner.
  func test_C57_whatIsSentWaitsAndEndsWithTheOwner() async throws {
    var recorder = Optional(TapeRecorder())
    let (start, seek) = (recorder!.start, recorder!.seek)
    XCTAssertEqual(seek.send(1), .sent(subscribers: 1))
    let steps = Probe(recorder!.steps)
    let run = Task { [weak recorder] in await recorder?.run() }
    try await steps.expect("seek 1")
    try await run.cancelAndWait()
    recorder = nil
    XCTAssertEqual(seek.send(2), .finished(2))
    guard case .finished = start.send() else { return XCTFail("It is gone.") }
  }
}

private func assertOneOrder(
  _ start: Inlet<Void>, _ seek: Inlet<Int>, _ stop: Inlet<Void>, steps: Outlet<String>
) async throws {
  let steps = Probe(steps)
  for round in 0..<2_000 {
    start.send()
    seek.send(round)
    stop.send()
    if round.isMultiple(of: 7) { await Task.yield() }
  }
  let taken = try await steps.next(6_000)
  XCTAssertEqual(taken, (0..<2_000).flatMap { ["start", "seek \($0)", "stop"] })
}

@MainActor
private final class Player: ViewModel {
  private enum Command { case start, stop, seek(Int) }

  @Input private var commands: Inlet<Command>
  var start: Inlet<Void> { _commands.inlet(.start) }
  var stop: Inlet<Void> { _commands.inlet(.stop) }
  var seek: Inlet<Int> { _commands.inlet(Command.seek) }

  @Output var steps: Outlet<String>

  func run() async {
    for await command in _commands.received {
      switch command {
      case .start: _steps.send("start")
      case .stop: _steps.send("stop")
      case .seek(let place): _steps.send("seek \(place)")
      }
    }
  }
}

private actor TapeRecorder {
  private enum Command { case start, stop, seek(to: Int) }

  private let commands = Input<Command>()
  nonisolated var start: Inlet<Void> { commands.inlet(.start) }
  nonisolated var stop: Inlet<Void> { commands.inlet(.stop) }
  nonisolated var seek: Inlet<Int> { commands.inlet(Command.seek) }

  private let output = Channel<String>()
  nonisolated var steps: Outlet<String> { output.outlet }

  func run() async {
    for await command in commands.received {
      switch command {
      case .start: output.send("start")
      case .stop: output.send("stop")
      case .seek(let place): output.send("seek \(place)")
      }
    }
  }
}
