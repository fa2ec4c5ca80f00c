import AsyncChannels
import Foundation
import SharedChannels
import SharedLogPostgreSQL

/// A server of many rooms. Its clients ask each command in a room that they choose by chance. Otherwise it is what ``Load``
/// is, and prints what the rooms have applied in place of a state.
struct RoomsLoad {
  let address: PostgresAddress
  let schema: String
  let rooms: Range<Int>
  /// How many may be open.
  let limit: Int
  let clients: Int
  let seconds: Int

  func run() async throws {
    let logs = PostgresLogs(address, schema: schema)
    let all = SharedRooms(limit: limit) { name in
      SharedChannel(Team(members: 0), log: try logs.log(name), snapshotInterval: 500)
    }
    async let running: Void = all.run()
    for number in rooms.prefix(limit) {
      _ = try await all.withRoom("room \(number)") { try await $0.upToDateState() }
    }
    await Load.ask(clients: clients, members: 0, seconds: seconds) { command in
      let room = "room \(rooms.randomElement() ?? 0)"
      return try? await all.withRoom(room) { await $0.commands.ask(command) }
    }
    let open = await all.openRooms.values
    var applied = 0
    for room in open { applied += await room.counts.applied }
    Load.print(line: "rooms \(open.count) applied \(applied)")
    await Load.awaitLine()
    all.finish()
    await running
  }
}
