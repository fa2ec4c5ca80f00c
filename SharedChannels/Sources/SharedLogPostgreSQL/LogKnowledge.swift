import SharedChannels

/// What a handle knows of its log: up to where it is durable, and whether its reader has all of which it was told. Not what
/// was appended here and waits to be read.
struct LogKnowledge {
  /// What was told, what an append has stored, or what a read has found that has waited for the disk.
  private var durable: DurableEntry?
  /// How often there was a reason to read all, whatever is known.
  private var unknowns = 1
  /// The ``unknowns`` for which all was read.
  private var completed = 0
  /// How often there was a reason to read the database.
  private var told = 0
  /// How often the reader went on without the database.
  private var takes = 0
  /// Where the reader has all of the database that was told before this number.
  private var caughtUp: (position: Position?, told: Int)?

  /// What was known when a read of the database began.
  struct Moment {
    /// Up to where the read may go without waiting for the disk; nil if it has to read all.
    let durable: DurableEntry?
    fileprivate let unknowns, told, takes: Int
  }

  var moment: Moment {
    Moment(
      durable: completed == unknowns ? durable : nil, unknowns: unknowns, told: told, takes: takes)
  }

  /// Something is durable, and its reader has it without the database.
  mutating func learn(_ entry: DurableEntry) {
    if entry.index > durable?.index ?? 0 { durable = entry }
  }

  /// There is a reason to read up to an entry at least; nil if it may be any, or if the log may have been set back.
  mutating func tell(_ entry: DurableEntry?) {
    told += 1
    guard let entry else {
      (durable, unknowns) = (nil, unknowns + 1)
      return
    }
    learn(entry)
  }

  /// The log's end is there: a reason to read if it is not known.
  ///
  /// - Returns: Whether it is one.
  mutating func tell(ofEnd end: Position) -> Bool {
    let known = durable?.index ?? 0
    if end.index == known, end.index == 0 || durable?.mark == end.mark { return false }
    // At or before what is known, the log was set back, or this is older than what was told.
    tell(end.index > known ? DurableEntry(end) : nil)
    return true
  }

  /// The reader goes on to a position without the database. Others may have appended behind it, so it has still to read all
  /// of which it was told since.
  mutating func take(after known: Position?, upTo position: Position) {
    takes += 1
    caughtUp = caughtUp.flatMap { $0.position == known ? (position, $0.told) : nil }
  }

  /// The reader is not where it was thought to be.
  mutating func forgetReader() {
    takes += 1
    caughtUp = nil
  }

  /// A read has found all that there was.
  ///
  /// - Parameter position: The reader's when it has that.
  mutating func note(_ position: Position?, asOf moment: Moment) {
    if completed < moment.unknowns {
      completed = moment.unknowns
      // Else the log may have been set back since.
      if let position, position.index > 0, completed == unknowns { learn(DurableEntry(position)) }
    }
    // Else it is of a reader that was elsewhere.
    caughtUp = takes == moment.takes ? (position, moment.told) : nil
  }

  /// Whether the reader at this position waits until it is told more.
  func hasAll(upTo position: Position?) -> Bool {
    caughtUp.map { $0 == (position, told) } ?? false
  }
}

/// An entry that is durable, and with it all before it.
struct DurableEntry: Equatable {
  let index: Int64
  let mark: Int64

  init(_ position: Position) {
    (index, mark) = (position.index, position.mark)
  }

  private init(index: Int64, mark: Int64) {
    (self.index, self.mark) = (index, mark)
  }

  /// Nil if one was stored before, behind which there may be others of which nobody was told.
  init?(newestOf receipts: [Receipt]) {
    guard !receipts.contains(where: \.isRepeated),
      let newest = receipts.max(by: { $0.position.index < $1.position.index })
    else { return nil }
    self.init(newest.position)
  }

  /// - Returns: For each log, the newest entry that notifications tell; nil if it has to be read, whatever is known of it.
  static func told(by texts: [String]) -> [String: DurableEntry?] {
    Dictionary(texts.map(told)) { one, other in
      one.flatMap { one in other.map { one.index > $0.index ? one : $0 } }
    }
  }

  private static func told(by text: String) -> (log: String, entry: DurableEntry?) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let numbers = parts[0].split(separator: " ").compactMap { Int64($0) }
    guard parts.count == 2, numbers.count == 2 else { return (text, nil) }
    let entry = numbers[0] == 0 ? nil : DurableEntry(index: numbers[0], mark: numbers[1])
    return (String(parts[1]), entry)
  }
}
