import AsyncChannels
import Synchronization

/// Reads what is recorded while it is recorded, on a queue of its own.
///
/// The ring of the recording is its buffer: it has a place in it, as a subscription has in a log. So one that is slow,
/// or stands still, costs a sender nothing, and the memory does not grow; it is told how many events it missed.
final class FlowReader: Sendable {
  private let store: EventStore
  private let queue = ReadingQueue()
  private let isCancelled = Locked(false)
  /// Returns false if it wants no more. Called on the queue.
  private let read: @Sendable (FlowBatch) -> Bool

  init(of store: EventStore, _ read: @escaping @Sendable (FlowBatch) -> Bool) {
    self.store = store
    self.read = read
    store.withState { $0.readers.append(ReaderState(self, lanes: $0.lanes.indices)) }
    wakeUp()
  }

  func cancel() {
    isCancelled.withLock { $0 = true }
    store.withState { $0.readers.removeAll { $0.reader == nil || $0.reader === self } }
  }

  /// Also called with a log's lock held: it only enqueues. Later, so that many events are read in one go.
  func wakeUp() {
    queue.add(after: .milliseconds(10)) { self.readAll() }
  }

  /// Asks each second, and begins again with the oldest event that is kept if the answer is yes.
  func beginAgain(whenever isWanted: @escaping @Sendable () -> Bool) {
    queue.add { [weak self] in
      guard let self, !self.isCancelled.withLock({ $0 }) else { return }
      if isWanted() { self.store.withState { $0.beginAgain(self) } }
      self.readAll()
      self.queue.add(after: .seconds(1)) { [weak self] in
        self?.beginAgain(whenever: isWanted)
      }
    }
  }

  /// Whether everything was read in time.
  func flush(within limit: Duration) -> Bool {
    queue.finish({ self.readAll() }, within: limit)
  }

  private func readAll() {
    while !isCancelled.withLock({ $0 }), let batch = store.withState({ $0.read(by: self) }) {
      if !read(batch) { return cancel() }
    }
  }
}

/// What is new, in this order.
struct FlowBatch: Sendable {
  var missed = 0
  var lanes: [(number: Int, lane: Flow.Lane)] = []
  var events: [KeptEvent] = []
  /// Those of which more is known than when they were read.
  var changed: [KeptEvent] = []
}

/// Where a reader is.
struct ReaderState: Sendable {
  private(set) weak var reader: FlowReader?
  private var next = 0
  private var lanes: Set<Int>
  private var changed: Set<Int> = []
  /// The reader was woken, and has not found that there is nothing more.
  private var isAwake = true

  init(_ reader: FlowReader, lanes: Range<Int>) {
    self.reader = reader
    self.lanes = Set(lanes)
  }

  mutating func wakeUp() {
    guard !isAwake else { return }
    isAwake = true
    reader?.wakeUp()
  }

  mutating func note(lane: Int) {
    lanes.insert(lane)
    wakeUp()
  }

  mutating func note(changed event: Int) {
    if event < next { changed.insert(event) }
    wakeUp()
  }

  /// Nil if there is nothing new.
  mutating func read(_ state: EventStoreState) -> FlowBatch? {
    isAwake = next < state.next || !lanes.isEmpty || !changed.isEmpty
    guard isAwake else { return nil }
    var batch = FlowBatch(missed: max(0, state.leftOut - next))
    batch.lanes = lanes.sorted().map { ($0, state.lanes[$0].lane) }
    batch.changed = changed.sorted().filter(state.keeps).map { state[$0] }
    let start = max(next, state.leftOut)
    next = min(state.next, start + 512)
    batch.events = (start..<next).map { state[$0] }
    (lanes, changed) = ([], [])
    return batch
  }
}

extension EventStoreState {
  mutating func read(by reader: FlowReader) -> FlowBatch? {
    guard let place = readers.firstIndex(where: { $0.reader === reader }) else { return nil }
    var own = readers[place]
    defer { readers[place] = own }
    return own.read(self)
  }

  mutating func beginAgain(_ reader: FlowReader) {
    guard let place = readers.firstIndex(where: { $0.reader === reader }) else { return }
    readers[place] = ReaderState(reader, lanes: lanes.indices)
  }
}
