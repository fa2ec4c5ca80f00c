import AsyncChannelsRecording
import AsyncChannelsRunning
import Foundation

/// Programs to be watched: prices of many rows, each a view model; a search with a bug, which the guide *Reading a
/// flow* finds; and all secrets that the tests know.
///
///     Ticker ADDRESS [ROWS] [SECONDS]     is watched by an inspector
///     Ticker ADDRESS --search             the same, with a search
///     Ticker ADDRESS --secrets            the same, with secrets, and prints those that only their shapes tell
///     Ticker --costs [COUNT]              measures sends and takes, recorded and not
@main @MainActor
struct Ticker {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    if arguments.first == "--costs" { return await costs(numbers.first ?? 1_000_000) }
    let recording = Recording.ofProgram(limit: 100_000)
    let inspecting = recording.inspect(as: "ticker", at: arguments.first ?? "127.0.0.1:4243")
    defer { withExtendedLifetime(inspecting) {} }
    if arguments.contains("--search") { return await search(recording) }
    if arguments.contains("--secrets") { return secrets(recording) }
    let list = ListViewModel(count: numbers.first ?? 500)
    await withRunning(list) {
      let end = ContinuousClock.now + .seconds(numbers.dropFirst().first ?? 3_600)
      while ContinuousClock.now < end {
        for _ in 0..<10 { list.rows.randomElement()?.price.send(.random(in: 1...999)) }
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
    recording.flush()
  }

  private static func search(_ recording: Recording) async {
    let viewModel = SearchViewModel()
    await withRunning(viewModel) {
      for query in ["s", "sw", "swift"] {
        viewModel.query.send(query)
        try? await Task.sleep(for: .milliseconds(60))
      }
      try? await Task.sleep(for: .seconds(1))
    }
    recording.flush()
  }

  private static func secrets(_ recording: Recording) {
    let (values, others) = (Channel<any Sendable>(), Channel<any Sendable>())
    let (password, cvv, pin) = (Channel<String>(), Channel<String>(), Channel<Int>())
    for (channel, name) in [(values, "values"), (others, "others")] {
      recording.add(channel, as: name)
    }
    recording.add(password, as: "password")
    recording.add(cvv, as: "cvv")
    recording.add(pin, as: "pin")
    for kind in SecretContainers.kinds {
      for secret in SecretCorpus.named {
        values.send(kind.make(.init(name: secret.name, value: secret.value)))
      }
      for secret in SecretCorpus.shaped {
        values.send(kind.make(.init(name: "note", value: secret.value)))
      }
    }
    // Short ones, and the 10,001st.
    cvv.send("737")
    pin.send(73)
    for number in 0...10_000 { password.send("parsnip\(number)") }
    for value in ["737", 73, "parsnip10000"] as [any Sendable] { others.send(value) }
    others.send("the last")
    recording.flush(atMost: .seconds(60))
    print(SecretCorpus.shaped.map(\.core).joined(separator: "\n"))
  }

  /// The middle one of five rounds, for each.
  private static func costs(_ count: Int) async {
    let plain = await nanoseconds(count)
    let recording = Recording.ofProgram()
    let recorded = await nanoseconds(count)
    let inspecting = recording.lines(as: "ticker") { _ in true }
    let read = await nanoseconds(count)
    inspecting.cancel()
    let file = NSTemporaryDirectory() + "ticker-\(getpid())"
    _ = try? recording.keepCrashReport(in: file)
    let kept = await nanoseconds(count)
    unlink(file)
    print(
      """
      \(count) sends and takes, processor time of each: \(plain) ns; recorded \(recorded) ns; made lines of besides \
      \(read) ns; with a crash report \(kept) ns
      """)
  }

  private static func nanoseconds(_ count: Int) async -> Int {
    var rounds: [Int] = []
    for _ in 0..<5 {
      let channel = Channel<Int>()
      let subscription = channel.outlet.subscribe()
      let begin = clock()
      for number in 0..<count {
        channel.send(number)
        _ = await subscription.next()
      }
      rounds.append(Int(clock() - begin) * 1_000_000_000 / Int(CLOCKS_PER_SEC))
    }
    return rounds.sorted()[2] / count
  }
}

@MainActor
final class ListViewModel: ViewModel {
  @CurrentValue private(set) var rows: [RowViewModel] = []

  init(count: Int) {
    rows = (0..<count).map { _ in RowViewModel() }
  }

  func run() async {
    await $rows.runEach()
  }
}

@MainActor
final class RowViewModel: ViewModel {
  @Input var price: Inlet<Int>
  @CurrentValue private(set) var shown = 0

  func run() async {
    for await price in _price.received { shown = price }
  }
}

@MainActor
final class SearchViewModel: ViewModel {
  @Input var query: Inlet<String>
  @CurrentValue private(set) var hits: [String] = []

  func run() async {
    // The bug: an answer to an older query may come last.
    await _query.received.answer(.concurrent, by: Self.search) { self.hits = $1 }
  }

  @concurrent
  private static func search(_ query: String) async -> [String] {
    try? await Task.sleep(for: .milliseconds(query.count == 1 ? 300 : 40))
    return ["hit for \(query)"]
  }
}
