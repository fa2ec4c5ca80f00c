import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

private struct Message: Sendable, Equatable {
  let author: String
  let text: String
}

private actor ChatRoom {
  private let posts = Input<Message>()
  private let messages = Channel<Message>(replaying: 20)

  nonisolated var post: Inlet<Message> { posts.inlet }
  nonisolated var conversation: Outlet<Message> { messages.outlet }
  nonisolated var memberCount: StateOutlet<Int> { messages.subscriberCounts }

  func run() async {
    for await message in posts.received { messages.send(message) }
  }
}

@MainActor
private final class ChatViewModel: ViewModel, Observable {
  let write: Inlet<String>
  @CurrentValue private(set) var lines: [String] = []
  private let conversation: Subscription<Message>

  init(_ name: String, in room: ChatRoom) {
    write = room.post.compactContramap { text in
      text.isEmpty ? nil : Message(author: name, text: text)
    }
    conversation = room.conversation.subscribe(buffering: .bufferingNewest(100))
  }

  func run() async {
    for await message in conversation { lines.append("\(message.author): \(message.text)") }
  }
}

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
