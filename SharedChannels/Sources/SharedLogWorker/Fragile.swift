import AsyncChannels
import Foundation
import SharedChannels
import SharedLogArguments

/// A server whose state traps. Each line of standard input is a key and a number, and is asked; what became of it is
/// printed after the key.
struct Fragile {
  let log: any SharedLog

  func run() async throws {
    let channel = SharedChannel(Slots(), log: log)
    async let running: Void = channel.run()
    for await line in lines() {
      let words = line.split(separator: " ")
      guard words.count == 2, let slot = Int(words[1]) else { throw WrongUsage("\"\(line)\"") }
      let outcome = await channel.commands.ask(Keyed(key: String(words[0]), slot))
      FileHandle.standardOutput.write(Data("\(words[0]) \(text(outcome))\n".utf8))
    }
    channel.finish()
    await running
  }

  private func text(_ outcome: CommandOutcome<Int>?) -> String {
    switch outcome {
    case .applied(let count, at: _)?: "applied \(count)"
    case .repeated?: "repeated"
    case .notStored(let reason)?: "not stored: \(reason)"
    case nil: "unknown"
    }
  }

  /// Read on a thread that may block.
  private func lines() -> AsyncStream<String> {
    let (lines, reader) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { reader.yield(line) }
      reader.finish()
    }
    return lines
  }
}

/// Ten slots. Any other number traps.
struct Slots: SharedState {
  private var counts = [Int](repeating: 0, count: 10)

  mutating func apply(_ slot: Int) -> Int {
    counts[slot] += 1
    return counts[slot]
  }
}
