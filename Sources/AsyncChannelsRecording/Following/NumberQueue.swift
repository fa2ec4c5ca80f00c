/// The numbers of the elements in a queue, the oldest first; nil for one that was there before the
/// recording began.
///
/// Each step is O(1), and moves no more than one block: it is done with a log's lock held.
struct NumberQueue: Sendable {
  private static let blockSize = 64
  private static let unknown = -1

  /// How many unknown ones are before all others.
  private var unknowns: Int
  /// Blocks of at most `blockSize` numbers. Only the last one has room. Those before `firstBlock` are empty.
  private var blocks: [[Int]] = []
  private var firstBlock = 0
  /// How many numbers of the first block have been taken.
  private var taken = 0
  private(set) var count: Int

  init(unknown count: Int = 0) {
    unknowns = count
    self.count = count
  }

  mutating func append(_ element: Int?) {
    count += 1
    if blocks.last.map({ $0.count == Self.blockSize }) ?? true { blocks.append([]) }
    blocks[blocks.count - 1].append(element ?? Self.unknown)
  }

  /// Takes the oldest one. There has to be one.
  mutating func removeFirst() -> Int? {
    count -= 1
    if unknowns > 0 {
      unknowns -= 1
      return nil
    }
    let number = blocks[firstBlock][taken]
    taken += 1
    if taken == blocks[firstBlock].count { removeFirstBlock() }
    return number == Self.unknown ? nil : number
  }

  private mutating func removeFirstBlock() {
    taken = 0
    if firstBlock + 1 == blocks.count {
      blocks[firstBlock].removeAll(keepingCapacity: true)
    } else {
      blocks[firstBlock] = []
      firstBlock += 1
    }
    if firstBlock >= Self.blockSize, firstBlock * 2 >= blocks.count {
      blocks.removeFirst(firstBlock)
      firstBlock = 0
    }
  }

  /// The one at a place, the oldest being the first; nil if there is none.
  subscript(place: Int) -> Int? {
    guard (unknowns..<count).contains(place) else { return nil }
    let place = taken + place - unknowns
    let number = blocks[firstBlock + place / Self.blockSize][place % Self.blockSize]
    return number == Self.unknown ? nil : number
  }

  /// All, the oldest first.
  var all: [Int?] {
    Array(repeating: nil, count: unknowns)
      + blocks[firstBlock...].joined().dropFirst(taken).map { $0 == Self.unknown ? nil : $0 }
  }
}
