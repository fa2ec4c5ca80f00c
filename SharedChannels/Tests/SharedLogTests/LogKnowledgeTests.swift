import SharedChannels
import XCTest

@testable import SharedLogPostgreSQL

/// When a reader of a log over PostgreSQL waits, it has all that is durable and was told, in each order of what happens.
final class LogKnowledgeTests: XCTestCase {
  func test_aReaderThatWaitsHasAll() {
    for seed in 1...60_000 {
      var trial = Trial(seed: UInt64(seed))
      for _ in 0..<40 { trial.step() }
      trial.settle()
      guard trial.position == trial.end else {
        return XCTFail("seed \(seed): the reader waits at \(trial.position) of \(trial.end)")
      }
    }
  }

  func test_ofSeveralNotificationsTheNewestEntryCountsUnlessOneTellsToReadAll() {
    let told = DurableEntry.told(by: [
      "7 1/a", "9 2/b/c d", "6 1/a", "3 1/x", "0 0/x", "4 1/x", "?",
    ])
    XCTAssertEqual(Set(told.keys), ["a", "b/c d", "x", "?"])
    XCTAssertEqual(told["a"], DurableEntry(Position(epoch: "e", index: 7, mark: 1)))
    XCTAssertEqual(told["b/c d"], DurableEntry(Position(epoch: "e", index: 9, mark: 2)))
    XCTAssertEqual(told["x"], .some(nil))
    XCTAssertEqual(told["?"], .some(nil))
  }

  func test_aReadThatEndsWhenTheReaderHasGoneOnTellsNothingOfIt() {
    let positions = (1...2).map { Position(epoch: "e", index: $0, mark: $0) }
    var knowledge = LogKnowledge()
    knowledge.note(positions[0], asOf: knowledge.moment)
    XCTAssertTrue(knowledge.hasAll(upTo: positions[0]))
    let moment = knowledge.moment
    knowledge.learn(DurableEntry(positions[1]))
    knowledge.take(after: positions[0], upTo: positions[1])
    XCTAssertTrue(knowledge.hasAll(upTo: positions[1]))
    knowledge.note(positions[0], asOf: moment)
    XCTAssertFalse(knowledge.hasAll(upTo: positions[0]), "the reader may ask again from there")
  }

  /// A database, one handle, and its reader, whose reads take any time and may be given up.
  private struct Trial {
    private struct Read {
      let position: Int64
      let moment: LogKnowledge.Moment
      /// Up to where the database has answered; nil if it has not.
      var found: Int64?
      /// Nobody waits for it any more.
      var isGivenUp = false
    }

    private var random: Random
    private var knowledge = LogKnowledge()
    private(set) var end: Int64 = 0
    private(set) var position: Int64 = 0
    /// Notifications on their way.
    private var notifications: [Int64] = []
    /// What was appended here, whose receipt is on its way; and what was not read yet.
    private var receipts: [Int64] = []
    private var own: [Int64] = []
    private var reads: [Read] = []
    /// Whether there may be entries of which nobody told.
    private var isUntold = false

    /// Half of the trials have no entries of which nobody tells, and answers that come at once.
    private let kinds: Int

    init(seed: UInt64) {
      random = Random(state: seed)
      kinds = seed.isMultiple(of: 2) ? 10 : 12
    }

    mutating func step() {
      switch Int.random(in: 0..<kinds, using: &random) {
      case 10: answerRead()
      case 11:
        end += 1
        isUntold = true
      case 0:
        end += 1
        notifications.append(end)
      case 1:
        end += 1
        receipts.append(end)
      case 2: deliverNotification()
      case 3: deliverReceipt()
      case 4, 5: read()
      case 6, 7: finishRead()
      case 8: giveUp()
      default:
        isUntold = false
        if Bool.random(using: &random) {
          knowledge.tell(nil)
        } else {
          _ = knowledge.tell(ofEnd: at(end))
        }
      }
    }

    /// All that is on its way arrives, and the reader goes on until it waits.
    mutating func settle() {
      if isUntold { knowledge.tell(nil) }
      while !reads.isEmpty || !notifications.isEmpty || !receipts.isEmpty {
        deliverNotification()
        deliverReceipt()
        finishRead()
      }
      while read() {
        finishRead()
      }
    }

    private mutating func deliverNotification() {
      if !notifications.isEmpty { knowledge.tell(DurableEntry(at(notifications.removeFirst()))) }
    }

    private mutating func deliverReceipt() {
      guard !receipts.isEmpty else { return }
      let receipt = receipts.removeFirst()
      knowledge.learn(DurableEntry(at(receipt)))
      own.append(receipt)
    }

    /// As `PostgresLog.entries(after:)`. Gives whether the reader does not wait.
    @discardableResult
    private mutating func read() -> Bool {
      if reads.contains(where: { !$0.isGivenUp }) { return true }
      let count = own.count
      own.removeAll { $0 <= position }
      if own.count < count { knowledge.forgetReader() }
      var last = position
      while own.first == last + 1 { last = own.removeFirst() }
      if last > position {
        knowledge.take(after: at(position), upTo: at(last))
        // Its task was cancelled, and it asks again for the same.
        if Int.random(in: 0..<8, using: &random) > 0 { position = last }
        return true
      }
      if own.isEmpty, knowledge.hasAll(upTo: at(position)) { return false }
      reads.append(Read(position: position, moment: knowledge.moment))
      return true
    }

    /// The database answers any of them, in full.
    private mutating func answerRead() {
      guard let place = reads.indices.randomElement(using: &random), reads[place].found == nil
      else {
        return
      }
      reads[place].found =
        reads[place].moment.durable.map { max($0.index, reads[place].position) } ?? end
    }

    private mutating func finishRead() {
      answerRead()
      guard let place = reads.indices.randomElement(using: &random), let found = reads[place].found
      else { return }
      let read = reads.remove(at: place)
      knowledge.note(at(found), asOf: read.moment)
      if !read.isGivenUp { position = found }
    }

    private mutating func giveUp() {
      for place in reads.indices { reads[place].isGivenUp = true }
    }

    private func at(_ index: Int64) -> Position { Position(epoch: "e", index: index, mark: index) }
  }

  /// SplitMix64.
  private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
      return mixed ^ (mixed >> 31)
    }
  }
}
