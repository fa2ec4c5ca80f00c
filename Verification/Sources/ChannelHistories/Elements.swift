import Proof

/// What histories are made of.
protocol Numbered: Sendable {
  init(_ number: Int, in census: Census)
  /// -1 if it is damaged.
  var number: Int { get }
}

/// Of the size of a pointer: a segment of the log has room for 64.
struct Narrow: Numbered {
  private let tracked: Tracked

  init(_ number: Int, in census: Census) {
    tracked = Tracked(number, in: census)
  }

  var number: Int { tracked.number }
}

/// Of more than 1 KiB: a segment has room for four.
struct Wide: Numbered {
  private let tracked: Tracked
  private let first: SIMD64<Int64>
  private let second: SIMD64<Int64>

  init(_ number: Int, in census: Census) {
    tracked = Tracked(number, in: census)
    first = SIMD64(repeating: Int64(number))
    second = SIMD64(repeating: Int64(-number))
  }

  var number: Int {
    let number = tracked.number
    let isWhole = first[number & 63] == Int64(number) && second[63] == Int64(-number)
    return isWhole ? number : -1
  }
}
