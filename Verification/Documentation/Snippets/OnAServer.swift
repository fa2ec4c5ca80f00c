import AsyncChannels

struct Order: Sendable {}
struct Receipt: Sendable {}
struct Receipts: Sendable {
  let list: [Order]
  let all: [Receipt]
}
struct Database: Sendable {
  func commit(_ orders: [Order]) async throws -> Receipts { Receipts(list: orders, all: []) }
}
let database = Database()

struct Frame: Sendable {
  let event: String
}
struct Page: Sendable {
  let frames: StateOutlet<Frame>
}
let page = Page(frames: .constant(Frame(event: "")))
func write(_ event: String) async throws {}

//# actor Store {
/*block*/
//# let frames = page.frames.subscribe
func tab() async throws {
/*block*/
}
