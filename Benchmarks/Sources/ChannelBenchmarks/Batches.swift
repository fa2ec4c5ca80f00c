import AsyncChannels
import Journeys

extension Workload {
  /// A view that renders a table of 256 rows at each step, and to which 100 updates come between two
  /// renderings.
  static func batches(_ scale: Scale) -> Workload {
    let bursts = scale.count(1_000)
    return Workload(
      name: "slow view", unit: "update",
      cases: [
        Case(
          subscribers: 1, element: "Int",
          subjects: [
            Subject(name: "AsyncChannels, batches") {
              try await inChildTask {
                let channel = Channel<Int>()
                let batches = channel.outlet.batches().makeAsyncIterator()
                var table = Table256()
                let time = await nanoseconds {
                  for burst in 0..<bursts {
                    for number in 0..<updates { channel.send(burst + number) }
                    guard let batch = await batches.next() else { return }
                    for update in batch { table.apply(update) }
                    table.render()
                  }
                }
                try WrongCount.check("batches", table.applied, is: bursts * updates)
                return time / Double(table.applied)
              }
            },
            Subject(name: "AsyncChannels, single takes") {
              try await inChildTask {
                let channel = Channel<Int>()
                let iterator = channel.outlet.makeAsyncIterator()
                var table = Table256()
                let time = await nanoseconds {
                  for burst in 0..<bursts {
                    for number in 0..<updates { channel.send(burst + number) }
                    for _ in 0..<updates {
                      guard let update = await iterator.next() else { return }
                      table.apply(update)
                      table.render()
                    }
                  }
                }
                try WrongCount.check("single takes", table.applied, is: bursts * updates)
                return time / Double(table.applied)
              }
            },
          ], reference: "AsyncChannels, single takes")
      ])
  }

  private static let updates = 100
}

/// Something to render, which costs more than an update.
private struct Table256 {
  private(set) var applied = 0
  private var rows = Array(repeating: 0, count: 256)
  private var rendered = 0

  mutating func apply(_ update: Int) {
    applied += 1
    rows[update & 255] &+= update
  }

  @inline(never)
  mutating func render() {
    rendered = rows.reduce(rendered) { ($0 ^ $1) &* 31 }
  }
}
