public import Synchronization

/// A segment's block begins with this.
@frozen @usableFromInline
struct SegmentHeader: ~Copyable {
  /// The number of holders: the cursors in it, the segment before it, the log if it is the tail.
  @usableFromInline let holders = Atomic<Int>(1)
  /// How many slots are written. Released by the sender, acquired by readers.
  @usableFromInline let published = Atomic<Int>(0)
  /// The segment after this one; written once. This segment holds it.
  @usableFromInline let next = Atomic<UnsafeMutableRawPointer?>(nil)
  @usableFromInline let capacity: Int
  /// The number of its first slot among all slots of the log.
  @usableFromInline let start: Int
  /// Where the elements begin in the block, in bytes.
  @usableFromInline let elementsOffset: Int
}

/// A fixed number of slots of the log, in one block of memory: header, counts, elements.
///
///     ┌ holders published next … ┬ pendingReads[0] pendingReads[1] … ┬ element[0] element[1] … ┐
///
/// Invariants:
/// - Slots below `published` never move. Only the sender that holds the log's lock writes the slot
///   at `published`, and then releases `published`.
/// - `pendingReads[i]` counts the readers that have not yet read or skipped slot `i`. Each of them
///   has its cursor in this segment or in one before it, so the segment is held. The reader that
///   brings the count to zero destroys the element, and no reader looks at that slot again. So when
///   the last holder lets go, no slot has an element any more, and the block is freed without
///   looking at them.
/// - Elements of a trivial type need no destroying, and are counted only where somebody asks whether
///   all was read (`LogState.countsAll`). The count of one that is not counted is zero.
///
/// References are counted by hand: a position is used at every delivery, where retaining an object
/// would cost more than the delivery. A copy of this value is a borrowed pointer. And the caller
/// has to know the element's type: so code that does not touch elements need not be generic, and
/// generic code that another module does not specialize is slow.
///
/// `@unchecked Sendable`: what is behind the pointer is shared as the invariants allow.
@frozen @usableFromInline
struct Segment: Equatable, @unchecked Sendable {
  @usableFromInline let header: UnsafeMutablePointer<SegmentHeader>

  /// One holder: the caller.
  ///
  /// - Parameter end: The end of the log, which the segment goes behind. Nil for the first of a log,
  ///   which has room for a few elements, since many logs never hold more.
  static func make<Element>(for _: Element.Type, behind end: LogEnd?) -> Segment {
    let capacity = end == nil ? fewestSlots : capacity(for: Element.self)
    let start = end?.number ?? 0
    let countsEnd = countsOffset + capacity * MemoryLayout<Atomic<UInt32>>.stride
    let mask = MemoryLayout<Element>.alignment - 1
    let elementsOffset = (countsEnd + mask) & ~mask
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: elementsOffset + capacity * MemoryLayout<Element>.stride,
      alignment: max(MemoryLayout<SegmentHeader>.alignment, MemoryLayout<Element>.alignment))
    let header = block.bindMemory(to: SegmentHeader.self, capacity: 1)
    header.initialize(
      to: SegmentHeader(capacity: capacity, start: start, elementsOffset: elementsOffset))
    let pendingReads = (block + countsOffset).bindMemory(
      to: Atomic<UInt32>.self, capacity: capacity)
    for slot in 0..<capacity { (pendingReads + slot).initialize(to: Atomic(0)) }
    (block + elementsOffset).bindMemory(to: Element.self, capacity: capacity)
    return Segment(header: header)
  }

  /// At most 64, which is also how often a busy consumer looks at its task's cancellation (C19);
  /// fewer where elements are large, so that a segment stays below a few KiB.
  private static func capacity<Element>(for _: Element.Type) -> Int {
    min(64, max(fewestSlots, 4096 / MemoryLayout<Element>.stride))
  }

  private static var fewestSlots: Int { 4 }

  @inlinable
  static var countsOffset: Int { MemoryLayout<SegmentHeader>.stride }

  private init(header: UnsafeMutablePointer<SegmentHeader>) {
    self.header = header
  }

  @inlinable
  var capacity: Int { header.pointee.capacity }

  /// The number of its first slot among all slots of the log.
  var start: Int { header.pointee.start }

  /// For each slot, the number of readers that still owe it a read.
  @inlinable
  var pendingReads: UnsafeMutablePointer<Atomic<UInt32>> {
    (UnsafeMutableRawPointer(header) + Self.countsOffset)
      .assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// The slots, bound to the log's type of element.
  @inlinable
  var elements: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(header) + header.pointee.elementsOffset
  }

  /// How many slots can be read. Acquires what their sender wrote.
  @inlinable
  var published: Int { header.pointee.published.load(ordering: .acquiring) }

  var next: Segment? {
    header.pointee.next.load(ordering: .acquiring).map {
      Segment(header: $0.assumingMemoryBound(to: SegmentHeader.self))
    }
  }

  /// Writes the slot after the last one and publishes it. Only with the log's lock held.
  ///
  /// A releasing fence and a relaxed store, rather than a releasing store: where this is inlined, the
  /// optimizer (6.3.1) moves the element's retain behind such a store, since it takes that for one
  /// that releases no object. A reader could then destroy the element before it was retained. It
  /// moves nothing over a fence.
  ///
  /// - Parameter readers: Zero if the reads are not counted.
  @inlinable
  func append<Element>(_ element: Element, pendingReads readers: Int) {
    let slot = header.pointee.published.load(ordering: .relaxed)
    (elements.assumingMemoryBound(to: Element.self) + slot).initialize(to: element)
    if readers > 0 { pendingReads[slot].store(UInt32(readers), ordering: .relaxed) }
    #if ASYNCCHANNELS_PTHREAD_LOCK
      // Thread Sanitizer does not know fences. This tells it the same.
      header.pointee.published.add(0, ordering: .releasing)
    #endif
    atomicMemoryFence(ordering: .releasing)
    header.pointee.published.store(slot + 1, ordering: .relaxed)
  }

  /// Links a new segment behind this one. Only with the log's lock held.
  func link(_ next: Segment) {
    next.retain()
    header.pointee.next.store(UnsafeMutableRawPointer(next.header), ordering: .releasing)
  }

  func retain() {
    header.pointee.holders.wrappingAdd(1, ordering: .relaxed)
  }

  /// Lets go. The last holder frees the segment and lets go of the next in turn: in a loop, so that
  /// a chain of any length needs no stack.
  func release() {
    var segment = self
    while segment.header.pointee.holders.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      .newValue == 0
    {
      let next = segment.next
      segment.header.deinitialize(count: 1)
      UnsafeMutableRawPointer(segment.header).deallocate()
      guard let next else { return }
      segment = next
    }
  }
}

/// Where the next element will be written. Valid with the log's lock held, and after that for as
/// long as the segment, or one before it, is held.
@frozen @usableFromInline
struct LogEnd: Sendable {
  @usableFromInline var segment: Segment
  @usableFromInline var index: Int

  /// How many slots of the log are before it.
  var number: Int { segment.start + index }

  /// Whether no reader owes the slot before it a read, of a log that counts all. To be called with
  /// the log's lock held.
  var isReadByAll: Bool {
    index == 0 || segment.pendingReads[index - 1].load(ordering: .acquiring) == 0
  }
}
