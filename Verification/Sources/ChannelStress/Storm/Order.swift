import AsyncChannels
import Proof

/// The one order of a storm's elements, and whether what subscribers got agrees with it.
///
/// One unbounded subscriber, which was there from the beginning to the end, gives it.
struct Order {
  private let replays: Int
  private let count: Int
  /// Where in the order the elements of each sender are.
  private let places: [[Int]]

  /// - Parameter accepted: How many elements of each sender were.
  init(_ all: [Identity], accepted: [Int], replays: Int) {
    var places = [[Int]](repeating: [], count: accepted.count)
    for (place, identity) in all.enumerated() {
      guard accepted.indices.contains(identity.sender),
        identity.number == places[identity.sender].count
      else { fail("\(identity) is out of its sender's order, at \(place)") }
      places[identity.sender].append(place)
    }
    for (sender, accepted) in accepted.enumerated() where places[sender].count != accepted {
      fail("of \(accepted) elements that sender \(sender) sent, \(places[sender].count) arrived")
    }
    self.replays = replays
    self.places = places
    count = all.count
  }

  func check(_ stay: Stay) {
    let got = placesTaken(stay)
    if stay.beginning == .afterTheEnd {
      if !got.isEmpty || stay.dropped != 0 { reject(stay, "it began after the end") }
      return
    }
    // Who subscribes as the channel ends, and gets nothing, may have come too late.
    if stay.beginning == .unknown, got.isEmpty { return }
    let starts = starts(of: stay)
    switch stay.policy {
    case .unbounded: checkUnbounded(stay, got, starts)
    case .bufferingNewest(let limit): checkNewest(stay, got, starts, limit)
    case .bufferingOldest(let limit): checkOldest(stay, got, starts, limit)
    }
  }

  /// In the one order. Consumers that displace each other take by turns, each in order.
  private func placesTaken(_ stay: Stay) -> [Int] {
    for take in stay.takes {
      for (last, next) in zip(take, take.dropFirst()) where place(of: next) <= place(of: last) {
        reject(stay, "\(next) came after \(last)")
      }
    }
    let places = stay.received.map(place).sorted()
    for (last, next) in zip(places, places.dropFirst()) where last == next {
      reject(stay, "two consumers got the element at \(next)")
    }
    return places
  }

  private func place(of identity: Identity) -> Int {
    guard places.indices.contains(identity.sender),
      places[identity.sender].indices.contains(identity.number)
    else { fail("\(identity) was received, and never accepted") }
    return places[identity.sender][identity.number]
  }

  /// Where a stay can have begun, with what was replayed.
  private func starts(of stay: Stay) -> ClosedRange<Int> {
    var (earliest, latest) = (0, count)
    for (sender, places) in places.enumerated() {
      let before = min(stay.sentBefore[sender], places.count)
      if before > 0 { earliest = max(earliest, places[before - 1] + 1) }
      let after = stay.begunAfter[sender]
      if after < places.count { latest = min(latest, places[after]) }
    }
    if earliest > latest { reject(stay, "it began at \(latest), with \(earliest) sent before") }
    return max(0, earliest - replays)...max(0, latest - replays)
  }

  private func checkUnbounded(_ stay: Stay, _ got: [Int], _ starts: ClosedRange<Int>) {
    if stay.dropped != 0 { reject(stay, "it is unbounded") }
    checkIsWhole(stay, got[...])
    if let first = got.first, !starts.contains(first) {
      reject(stay, "it began at \(first), not in \(starts)")
    }
    if stay.lastsToTheEnd { checkSum(stay, got, starts) }
  }

  /// The last ones offered are there, and what is missing was counted.
  private func checkNewest(
    _ stay: Stay, _ got: [Int], _ starts: ClosedRange<Int>, _ limit: Int
  ) {
    if let first = got.first, first < starts.lowerBound { reject(stay, "it began too early") }
    guard stay.lastsToTheEnd else { return checkBound(stay, got, starts) }
    checkSum(stay, got, starts)
    let newest = got.suffix(limit)
    checkIsWhole(stay, newest)
    if let last = newest.last, last != count - 1 { reject(stay, "the newest is missing") }
  }

  /// The first ones offered are there: so it is known exactly where it began, and with that how many
  /// it was offered.
  private func checkOldest(
    _ stay: Stay, _ got: [Int], _ starts: ClosedRange<Int>, _ limit: Int
  ) {
    checkIsWhole(stay, got.prefix(limit))
    if let first = got.first, !starts.contains(first) {
      reject(stay, "it began at \(first), not in \(starts)")
    }
    guard stay.lastsToTheEnd else { return checkBound(stay, got, starts) }
    checkSum(stay, got, got.first.map { $0...$0 } ?? starts)
  }

  /// What it got and what it dropped is all that was offered.
  private func checkSum(_ stay: Stay, _ got: [Int], _ starts: ClosedRange<Int>) {
    let start = count - got.count - stay.dropped
    if !starts.contains(start) {
      reject(stay, "\(stay.dropped) dropped: that would begin at \(start), not in \(starts)")
    }
  }

  private func checkBound(_ stay: Stay, _ got: [Int], _ starts: ClosedRange<Int>) {
    if got.count + stay.dropped > count - starts.lowerBound {
      reject(stay, "\(stay.dropped) dropped, more than were sent")
    }
  }

  private func checkIsWhole(_ stay: Stay, _ got: ArraySlice<Int>) {
    guard let first = got.first, let last = got.last else { return }
    if last - first + 1 != got.count {
      reject(stay, "\(last - first + 1 - got.count) are missing from \(first) to \(last)")
    }
  }

  private func reject(_ stay: Stay, _ reason: String) -> Never {
    let ends = "\(stay.received.prefix(3)) to \(stay.received.suffix(3))"
    fail("a subscriber, \(stay.policy), got \(stay.received.count), \(ends) of \(count): \(reason)")
  }
}
