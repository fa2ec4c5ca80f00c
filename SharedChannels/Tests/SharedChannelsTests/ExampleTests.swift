import AsyncChannels
import SharedChannels
import XCTest

final class ExampleTests: XCTestCase {
  func test_twoServersSellASeatOnce() async throws {
    let storage = MemoryLog.Storage()
    let servers = (0..<2).map { _ in SharedChannel(Seats(), log: MemoryLog(storage)) }
    let answers = try await within {
      async let one: Void = servers[0].run()
      async let other: Void = servers[1].run()
      let ann = await take(seat: 7, by: "Ann", key: "a", in: servers[0])
      let bob = await take(seat: 7, by: "Bob", key: "b", in: servers[1])
      let again = await take(seat: 7, by: "Ann", key: "a", in: servers[1])
      for server in servers { server.finish() }
      _ = await (one, other)
      return [ann, bob, again]
    }
    XCTAssertEqual(answers, ["201 yours", "409 taken by Ann", "201 yours"])
  }
}
