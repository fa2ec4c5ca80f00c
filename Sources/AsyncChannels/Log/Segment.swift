public import Synchronization

/// A segment's block begins with this.
@frozen @usableFromInline
struct SegmentHeader: ~Copyable {
  /// The number of holders: the cursors in it, the segment before it, the log if it is the tail.
  @usableFromInline let holders = Atomic<Int>(1)
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
///     ┌ holders next … ┬ pendingReads[0] pendingReads[1] … ┬ element[0] element[1] … ┐
///
/// Slots have numbers, which go on from one segment to the next.
///
/// Invariants:
/// - A slot whose number is below the log's `published` never moves. Only the sender that holds the
///   log's lock writes the slot with that number, and then releases `published`.
/// - `pendingReads[i]` counts the readers that have not yet read or skipped slot `i`. Each of them
///   has its cursor in this segment or in one before it, so the segment is held. The reader that
///   brings the count to zero destroys the element, and no reader looks at that slot again. So when
///   the last holder lets go, no slot has an element any more, and the block is freed without
///   looking at them.
/// - Elements of a trivial type need no destroying, and their reads are not counted.
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

  /// The first of a log, which has room for a few elements, since many logs never hold more, or the
  /// one behind its end. One holder: the caller.
  static func make<Element>(for _: Element.Type, behind end: LogEnd?) -> Segment {
    let capacity = end == nil ? fewestSlots : capacity(for: Element.self)
    return make(for: Element.self, capacity: capacity, start: end?.number ?? 0)
  }

  /// A segment that one subscriber reads before it goes on at the end of the log. So what was sent
  /// before it came is read as the log is: without a lock.
  ///
  /// - Parameters:
  ///   - next: Where it goes on; nil if there is nothing to go on with.
  ///   - number: That of the slot with which it goes on.
  @usableFromInline
  static func make<Element>(
    for _: Element.Type, before next: Segment?, number: Int, holding count: Int
  ) -> Segment {
    let segment = make(for: Element.self, capacity: count, start: number - count)
    if let next { segment.link(next) }
    return segment
  }

  private static func make<Element>(
    for _: Element.Type, capacity: Int, start: Int
  ) -> Segment {
    let countsEnd = countsOffset + capacity * MemoryLayout<Atomic<UInt32>>.stride
    let mask = MemoryLayout<Element>.alignment - 1
    let elementsOffset = (countsEnd + mask) & ~mask
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: elementsOffset + capacity * MemoryLayout<Element>.stride,
      alignment: max(MemoryLayout<SegmentHeader>.alignment, MemoryLayout<Element>.alignment))
    let header = block.bindMemory(to: SegmentHeader.self, capacity: 1)
    header.initialize(
      to: SegmentHeader(capacity: capacity, start: start, elementsOffset: elementsOffset))
    (block + countsOffset).bindMemory(to: Atomic<UInt32>.self, capacity: capacity)
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

  @inlinable
  init(header: UnsafeMutablePointer<SegmentHeader>) {
    self.header = header
  }

  @inlinable
  var capacity: Int { header.pointee.capacity }

  /// The number of its first slot among all slots of the log.
  @inlinable
  var start: Int { header.pointee.start }

  /// The number of the first slot behind it.
  var end: Int { start + capacity }

  /// For each slot, the number of readers that still owe it a read.
  @inlinable
  var pendingReads: UnsafeMutablePointer<Atomic<UInt32>> {
    Self.pendingReads(in: UnsafeMutableRawPointer(header))
  }

  @inlinable @inline(__always)
  static func pendingReads(
    in block: UnsafeMutableRawPointer
  ) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (block + countsOffset).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// The slots, bound to the log's type of element.
  @inlinable
  var elements: UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(header) + header.pointee.elementsOffset
  }

  var next: Segment? {
    header.pointee.next.load(ordering: .acquiring).map {
      Segment(header: $0.assumingMemoryBound(to: SegmentHeader.self))
    }
  }

  /// Writes a slot. Nobody may read it before it is published (`BroadcastLogBase.publish`).
  ///
  @inlinable
  func write<Element>(_ element: Element, at index: Int, pendingReads readers: Int) {
    (elements.assumingMemoryBound(to: Element.self) + index).initialize(to: element)
    if !_isPOD(Element.self) {
      (pendingReads + index).initialize(to: Atomic(UInt32(readers)))
    }
  }

  /// Takes the element of a slot that the caller has claimed.
  ///
  /// A reader that is the only one left moves the element out; others copy it and then count down.
  /// Counting down releases this reader's copy and acquires the copies of the others. So a reader
  /// that brings the count to zero, or reads a count of one, knows that all other copies are
  /// complete, and that no other reader will come.
  ///
  /// An element of a trivial type is nobody's to destroy, so it is copied and not counted.
  @inlinable @inline(__always)
  static func take<Element>(
    from place: UnsafeMutablePointer<Element>, _ pendingReads: UnsafeMutablePointer<Atomic<UInt32>>
  ) -> Element {
    if _isPOD(Element.self) { return place.pointee }
    if pendingReads.pointee.load(ordering: .acquiring) == 1 {
      pendingReads.pointee.store(0, ordering: .relaxed)
      return place.move()
    }
    let element = place.pointee
    if pendingReads.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      place.deinitialize(count: 1)
    }
    return element
  }

  /// Links a segment behind this one. Only with the log's lock held, or before anybody reads this one.
  func link(_ next: Segment) {
    next.retain()
    header.pointee.next.store(UnsafeMutableRawPointer(next.header), ordering: .releasing)
  }

  @usableFromInline
  func retain() {
    header.pointee.holders.wrappingAdd(1, ordering: .relaxed)
  }

  /// Lets go, and holds the next segment instead. Nil if there is none: then it has not let go.
  func releaseForNext() -> Segment? {
    guard let next else { return nil }
    next.retain()
    release()
    return next
  }

  /// Lets go. The last holder frees the segment and lets go of the next in turn: in a loop, so that
  /// a chain of any length needs no stack.
  @usableFromInline
  func release() {
    var segment = self
    while segment.header.pointee.holders.wrappingSubtract(1, ordering: .acquiringAndReleasing)
      .newValue == 0
    {
      let next = segment.next
      UnsafeMutableRawPointer(segment.header).deallocate()
      guard let next else { return }
      segment = next
    }
  }
}

extension Segment {
  /// What a subscriber has not read, with its hold.
  @frozen @usableFromInline
  struct Rest {
    @usableFromInline let first: Segment
    /// That of the first slot.
    @usableFromInline let number: Int
    @usableFromInline let end: LogEnd

    /// Gives the slots up unread, and the hold.
    ///
    /// Elements may be destroyed here, and run code of theirs.
    @usableFromInline
    func abandon<Element>(_: Element.Type) {
      var (segment, index) = (first, number - first.start)
      while segment != end.segment {
        segment.skip(Element.self, from: index, to: segment.capacity)
        let number = segment.end
        guard let next = segment.releaseForNext() else { return segment.release() }
        (segment, index) = (next, number - next.start)
      }
      segment.skip(Element.self, from: index, to: end.index)
      segment.release()
    }
  }

  /// Counting down acquires the copies of the readers before, for the one that destroys the
  /// element. There is nothing to release: the element was not read here.
  private func skip<Element>(_: Element.Type, from first: Int, to end: Int) {
    if _isPOD(Element.self) { return }
    let places = elements.assumingMemoryBound(to: Element.self)
    var slot = first
    while slot < end {
      defer { slot += 1 }
      if pendingReads[slot].wrappingSubtract(1, ordering: .acquiring).newValue == 0 {
        (places + slot).deinitialize(count: 1)
      }
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
  @inlinable
  var number: Int { segment.start + index }
}
