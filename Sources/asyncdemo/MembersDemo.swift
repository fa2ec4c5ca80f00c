import AsyncChannelsRecording
import AsyncChannelsRunning
import AsyncViewModels

/// The members in a terminal: the three members view models, and nothing else, joined to lines of
/// text.
///
/// Each command's effect is printed before the next line is taken, so the same input gives the same
/// output. The view does not poll or sleep for that: every command it sends causes exactly one
/// publication, and it waits for that in the view models.
struct MembersDemo: Demo {
  static let name = "members"
  static let summary = "reads commands line by line and shows the members; 'help' lists them"
  static let script = [
    "add Ann", "add Bob", "remove 1", "add invalid name", "add Cy", "reset",
  ]

  private let console: Console
  private let lines: any LineSource

  private let manager = DefaultMemberManager()
  private let counter: MembersSummaryViewModel
  private let list: MembersViewModel
  private let form: NewMemberViewModel

  /// What the view follows.
  private let counts: Subscription<Int>
  private let lists: Subscription<[Member]>
  private let failures: Subscription<MemberFailure?>

  init(console: Console, lines: any LineSource, arguments: [String]) throws {
    try UsageError.refuse(arguments, of: Self.self)
    self.console = console
    self.lines = lines
    counter = MembersSummaryViewModel(manager: manager)
    list = MembersViewModel(manager: manager)
    form = NewMemberViewModel(manager: manager)
    counts = counter.memberCount.subscribe()
    lists = list.members.subscribe()
    failures = form.failure.subscribe()
  }

  func record(in recording: Recording) async {
    recording.add(form)
    recording.add(list)
    await recording.add(manager)
    recording.add(counter)
  }

  func run() async throws {
    try await withRunning(manager.run) {
      try await withRunning(counter, list, form) {
        try await show()
      }
    }
  }

  private func show() async throws {
    // What the view models hold when they are made, before they have heard from the manager.
    _ = (await counts.next(), await lists.next(), await failures.next())
    var members = try await publication().get()
    try render(members)
    while let line = try await lines.next() {
      switch Command(line) {
      case .add(let name):
        form.name = name
        form.add.send()
        switch await publication() {
        case .success(let new):
          members = new
          try render(members)
        case .failure(.invalidName):
          try console.write("\(name.quoted) is not a valid name; nothing was added\n")
        }
      case .remove(let id):
        guard let member = members.first(where: { $0.id == id }) else {
          try console.write("there is no member \(id)\n")
          continue
        }
        list.remove.send(member)
        members = try await publication().get()
        try render(members)
      case .reset:
        list.reset.send()
        members = try await publication().get()
        try render(members)
      case .list: try render(members)
      case .help: try console.write(Self.commands)
      case .nothing: break
      case .quit: return
      case .bad(let sentence): try console.write(sentence + "\n")
      }
    }
  }

  /// Waits for what one command causes: one result for the form, and if it is a success, one
  /// list and one count.
  private func publication() async -> Result<[Member], MemberFailure> {
    if case .some(.some(let failure)) = await failures.next() { return .failure(failure) }
    let members = await lists.next() ?? []
    _ = await counts.next()
    return .success(members)
  }

  private func render(_ members: [Member]) throws {
    var view = console.bold("Number of members: \(counter.memberCount.value)") + "\n"
    for member in members { view += "  \(member.id)  \(member.name.printable)\n" }
    try console.write(view)
  }
}

extension MembersDemo {
  /// A line of input, understood.
  private enum Command {
    case add(String), remove(Int), list, reset, help, quit, nothing
    case bad(String)

    init(_ line: InputLine) {
      if case .text(let text) = line {
        self.init(text)
      } else {
        self = .bad(line.problem ?? "")
      }
    }

    private init(_ text: String) {
      let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
      let argument = words.count > 1 ? words[1].trimmed : ""
      switch words.first {
      case nil: self = .nothing
      case "add": self = .add(argument)
      case "remove":
        if let id = Int(argument) {
          self = .remove(id)
        } else {
          self = .bad("'remove' takes a member's number, not \(argument.quoted)")
        }
      case "list" where argument.isEmpty: self = .list
      case "reset" where argument.isEmpty: self = .reset
      case "help" where argument.isEmpty: self = .help
      case "quit" where argument.isEmpty: self = .quit
      case let word?:
        self =
          ["list", "reset", "help", "quit"].contains(word)
          ? .bad("'\(word)' takes nothing after it")
          : .bad("there is no command \(word.quoted); 'help' lists them")
      }
    }
  }

  static let help = """
    usage: asyncdemo members

    Reads one command from each line of standard input. Shows the members at the start and after each
    command that changed them.

    \(commands)
    """

  private static let commands = """
      add NAME    adds a member; the rest of the line is the name
      remove ID   removes the member with this number
      list        shows the members again
      reset       removes all members
      help        shows this
      quit        ends; so does the end of input

    """
}
