import AsyncChannelsRunning
import AsyncChannelsTesting
import Observation
import XCTest

//# final class Player:
/*block*/
//# final class PlayerTests
@MainActor
final class Player: ViewModel {
  @Input var play: Inlet<Bool>
  @Input var sleepAfter: Inlet<Duration?>
  @CurrentValue private(set) var isPlaying = false
  @CurrentValue private(set) var position = 0
  init(clock: any Clock<Duration>) {}
  func run() async {}
}
/*block*/
//# final class UploadViewModel:
/*block*/
//# actor ChatRoom
/*block*/
//# final class ChatViewModel:
struct Message: Sendable, Equatable {
  let author: String
  let text: String
}
actor ChatRoom {
  nonisolated var post: Inlet<Message> { Inlet { _ in } }
  nonisolated var conversation: Outlet<Message> { .never }
}
/*block*/
//# final class RemoteChatViewModel:
/*block*/
//# final class RemoteChatTests
protocol Connection: Sendable {
  func send(_ text: String) async throws
  func receive() async throws -> String
}
@MainActor
final class RemoteChatViewModel: ViewModel {
  @Input var write: Inlet<String>
  @CurrentValue private(set) var lines: [String] = []
  let isConnected = false
  init(clock: any Clock<Duration>, connect: @escaping @Sendable () async throws -> any Connection) {}
  func run() async {}
}
/*block*/
//# final class NoteViewModelTests
@MainActor
final class NoteViewModel: ViewModel {
  @CurrentValue var text = ""
  @CurrentValue private(set) var savedText = ""
  init(
    _ text: String, clock: any Clock<Duration>, save: @escaping @Sendable (String) async throws -> Void
  ) {}
  func finish() {}
  func run() async {}
}
/*block*/
