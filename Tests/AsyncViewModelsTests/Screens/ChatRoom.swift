import AsyncChannelsRunning
import Observation

/// A chat room that three view models share: the messages, who is there, and what is being written.
actor ChatRoom {
  private enum Command { case join(String), leave(String), say(Message) }
  private let commands = Input<Command>()
  private let history = CurrentValue<[Message]>([])
  private let present = CurrentValue<[String]>([])
  nonisolated var messages: StateOutlet<[Message]> { history.projectedValue }
  nonisolated var people: StateOutlet<[String]> { present.projectedValue }
  nonisolated var join: Inlet<String> { commands.inlet(Command.join) }
  nonisolated var leave: Inlet<String> { commands.inlet(Command.leave) }
  nonisolated var say: Inlet<Message> { commands.inlet(Command.say) }

  func run() async {
    for await command in commands.received {
      switch command {
      case .join(let name): present.value.append(name)
      case .leave(let name): present.value.removeAll { $0 == name }
      case .say(let message) where present.value.contains(message.author):
        history.value.append(message)
      case .say: break
      }
    }
  }
}

struct Message: Sendable, Equatable {
  let author, text: String
}

@MainActor
final class Messages: Observable {
  let shown: StateOutlet<[String]>

  init(of room: ChatRoom) {
    shown = room.messages.map { $0.map { "\($0.author): \($0.text)" } }
  }
}

@MainActor
final class People: Observable {
  let title: StateOutlet<String>

  init(of room: ChatRoom) {
    title = room.people.map { "\($0.count) here" }
  }
}

@MainActor
final class Composer: ViewModel, Observable {
  @CurrentValue var draft = ""
  @Input var send: Inlet<Void>
  private let room: ChatRoom
  private let name: String

  init(in room: ChatRoom, as name: String) {
    (self.room, self.name) = (room, name)
  }

  func run() async {
    room.join.send(name)
    for await _ in _send.received where !draft.isEmpty {
      room.say.send(Message(author: name, text: draft))
      draft = ""
    }
    room.leave.send(name)
  }
}
