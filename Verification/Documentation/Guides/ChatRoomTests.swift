import AsyncChannelsRunning
import AsyncChannelsTesting
import XCTest

final class ChatRoomTests: XCTestCase {
  @MainActor
  func test_membersReadTheSameConversation() async throws {
    try await withTestTime { time in
      let room = ChatRoom()
      let ann = ChatViewModel("Ann", in: room)
      await withRunning(room.run) {
        await withRunning(ann) {
          ann.write.send("Hello")
          ann.write.send("")
          await time.idle()
          let bob = ChatViewModel("Bob", in: room)
          await withRunning(bob) {
            bob.write.send("Hello, Ann")
            await time.idle()
            XCTAssertEqual(ann.lines, ["Ann: Hello", "Bob: Hello, Ann"])
            XCTAssertEqual(bob.lines, ann.lines)
            XCTAssertEqual(room.memberCount.value, 2)
          }
        }
      }
    }
  }
}
