import AsyncChannels

struct Frame: Sendable {
  let event: String
}
struct Page: Sendable {
  let frames: StateOutlet<Frame>
}
let page = Page(frames: .constant(Frame(event: "")))
func write(_ event: String) async throws {}

//# let frames = page.frames.subscribe
func tab() async throws {
/*block*/
}
