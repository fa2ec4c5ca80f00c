import AsyncChannelsRecording

let recording = Recording()
let logger = Log()

struct Log: Sendable {
  func trace(_ text: String) {}
}
