import XCTest

@testable import AsyncChannels

/// Elements that take no room, much room, or say nothing (C7).
final class ElementTests: XCTestCase {
  private struct Nothing: Sendable, Equatable {}

  /// 4.5 KiB: a segment holds only a few of them.
  private struct Page: Sendable, Equatable {
    private typealias Line = SIMD64<UInt64>
    private let lines: (Line, Line, Line, Line, Line, Line, Line, Line, Line)

    init(_ number: Int) {
      let line = Line(repeating: UInt64(number))
      lines = (line, line &+ 1, line &+ 2, line, line, line, line, line, line &+ 8)
    }

    static func == (one: Page, other: Page) -> Bool {
      (one.lines.0, one.lines.1, one.lines.2, one.lines.3, one.lines.4)
        == (other.lines.0, other.lines.1, other.lines.2, other.lines.3, other.lines.4)
        && (one.lines.5, one.lines.6, one.lines.7, one.lines.8)
          == (other.lines.5, other.lines.6, other.lines.7, other.lines.8)
    }
  }

  func test_C7_voidIsDeliveredAsOftenAsItWasSent() async throws {
    for count in countsAroundSegments {
      let channel = Channel<Void>(replaying: 3)
      let (first, second) = (channel.outlet.subscribe(), channel.outlet.subscribe())
      let bounded = channel.outlet.subscribe(buffering: .bufferingOldest(count))
      for _ in 0..<count { channel.send() }
      let late = channel.outlet.subscribe()
      channel.inlet.send()
      channel.finish()
      let received = try await (first.collect().count, second.collect().count)
      XCTAssertEqual(received.0, count + 1)
      XCTAssertEqual(received.1, count + 1)
      let (kept, replayed) = try await (bounded.collect().count, late.collect().count)
      XCTAssertEqual(kept, count)
      XCTAssertEqual(bounded.droppedCount, 1)
      XCTAssertEqual(replayed, min(3, count) + 1)
    }
  }

  func test_C7_optionalsThatAreNilDoNotEndTheLoop() async throws {
    try await deliver((0..<130).map { $0.isMultiple(of: 3) ? nil : $0 })
    try await deliver([Int?](repeating: nil, count: 130))
    try await deliver([Int??](repeating: .some(nil), count: 65) + [nil, .some(.some(1)), nil])
  }

  func test_C7_nilOfAnObjectIsDelivered() async throws {
    let census = Census()
    let channel = Channel<Tracked?>(replaying: 2)
    let (first, second) = (channel.outlet.collecting(), channel.outlet.collecting())
    for number in 0..<200 {
      channel.send(number.isMultiple(of: 2) ? nil : Tracked(number, in: census))
    }
    let late = channel.outlet.collecting()
    channel.finish()
    for consumer in [first, second] {
      let received = try await consumer.value.map { $0?.number }
      XCTAssertEqual(received, (0..<200).map { $0.isMultiple(of: 2) ? nil : $0 })
    }
    assertEqual(try await late.value.map { $0?.number }, [nil, 199])
  }

  func test_C7_elementsOfSizeZeroAreDelivered() async throws {
    XCTAssertEqual(MemoryLayout<Nothing>.size, 0)
    try await deliver([Nothing](repeating: Nothing(), count: 129))
  }

  func test_C7_elementsLargerThanAPageAreDeliveredWhole() async throws {
    XCTAssertGreaterThan(MemoryLayout<Page>.size, 4096)
    for count in [1, 3, 4, 5, 8, 9, 65] { try await deliver((0..<count).map(Page.init)) }
  }

  func test_C7_elementsOfEverySizeBetweenAreDelivered() async throws {
    try await deliver((0..<200).map { UInt8($0) })
    try await deliver((0..<200).map { SIMD3<Double>(repeating: Double($0)) })
    try await deliver((0..<200).map { SIMD64<UInt8>(repeating: UInt8($0)) })
    try await deliver((0..<200).map { SIMD64<UInt32>(repeating: UInt32($0)) })
    try await deliver((0..<200).map { "number \($0), too long to be stored in place" })
  }

  func test_C7_elementsAreStoredWhereTheirAlignmentAsks() {
    func misalignment<Element>(of _: Element.Type) -> Int {
      let segment = Segment.make(for: Element.self, behind: nil)
      defer { segment.release() }
      return Int(bitPattern: segment.elements) % MemoryLayout<Element>.alignment
    }
    XCTAssertEqual(MemoryLayout<SIMD4<Float>>.alignment, 16)
    XCTAssertEqual(misalignment(of: UInt8.self), 0)
    XCTAssertEqual(misalignment(of: SIMD4<Float>.self), 0)
    XCTAssertEqual(misalignment(of: Page.self), 0)
  }

  /// Sends the elements to subscribers of all kinds, and looks whether each got them all.
  private func deliver<Element: Sendable & Equatable>(
    _ elements: [Element], line: UInt = #line
  ) async throws {
    // With one reader elements are moved out of the log, with two they are copied.
    for readers in [1, 2] {
      let channel = Channel<Element>(replaying: 5)
      var consumers = (0..<readers).map { _ in channel.outlet.collecting() }
      consumers.append(channel.outlet.collecting(buffering: .bufferingNewest(elements.count)))
      consumers.append(channel.outlet.map { $0 }.collecting())
      for element in elements { channel.send(element) }
      let late = channel.outlet.collecting()
      channel.finish()
      for consumer in consumers {
        let received = try await consumer.value
        XCTAssertTrue(received == elements, "\(received.count) of \(elements.count)", line: line)
      }
      let replayed = try await late.value
      XCTAssertTrue(replayed == elements.suffix(5), "\(replayed)", line: line)
    }
  }
}
