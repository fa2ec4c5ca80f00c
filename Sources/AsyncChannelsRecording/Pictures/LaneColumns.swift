import AsyncChannels

/// Where the lanes of a text are, and the lines that name them.
///
/// Names stand side by side if they fit; else each has a line of its own, like the branches of a tree.
/// Of very many lanes the last ones share a column, and their lines begin with their names.
struct LaneColumns {
  let header: [String]
  private let places: [Int: Int]
  private let folded: Set<Int>
  private let width: Int
  private let bar: Character

  /// What may be used for lanes; the rest of a line is for words.
  private static let limit = 58

  /// - Parameter flow: Its lanes' names are printed as they are.
  init(_ flow: Flow, bar: Character) {
    let all = flow.activeLanes
    let lanes = Array(all.prefix(Self.limit / 2))
    self.bar = bar
    folded = Set(all.dropFirst(lanes.count))
    let names = lanes.map { flow.lanes[$0].name }
    let owners = lanes.map { flow.lanes[$0].owner }
    let widths = names.map { max(2, $0.columns + 2) }
    let isWide = folded.isEmpty && widths.reduce(0, +) <= Self.limit
    let steps = isWide ? widths : names.map { _ in 2 }
    var places: [Int: Int] = [:]
    var place = 0
    for (lane, step) in zip(lanes, steps) {
      places[lane] = place
      place += step
    }
    for lane in folded { places[lane] = place }
    self.places = places
    // Words begin behind the last name.
    width = max(isWide ? place - 2 : 0, (places.values.max() ?? 0) + 1)
    let columns = lanes.compactMap { places[$0] }
    header =
      isWide
      ? Self.owners(owners, columns) + [zip(names, steps).map { $0.padded(to: $1) }.joined()]
      : Self.staggered(zip(owners, names).map { $0.isEmpty ? $1 : "\($0).\($1)" }, columns, bar)
        + (folded.isEmpty ? [] : [Self.bars(columns, place, bar) + "others"])
  }

  func column(of lane: Int) -> Int { places[lane] ?? 0 }

  func isFolded(_ lane: Int) -> Bool { folded.contains(lane) }

  /// A bar for each lane that has not ended.
  func bars(without ended: Set<Int>) -> [Character] {
    var cells = [Character](repeating: " ", count: width)
    for (lane, place) in places where !ended.contains(lane) || folded.contains(lane) {
      cells[place] = bar
    }
    return cells
  }

  /// Each owner above its first lane; on further lines, where they would touch.
  private static func owners(_ owners: [String], _ columns: [Int]) -> [String] {
    var lines: [String] = []
    var last: String?
    for (owner, column) in zip(owners, columns) where owner != last {
      last = owner
      if owner.isEmpty { continue }
      if let line = lines.firstIndex(where: { $0.isEmpty || $0.columns + 2 <= column }) {
        lines[line] = lines[line].padded(to: column) + owner
      } else {
        lines.append("".padded(to: column) + owner)
      }
    }
    return lines
  }

  private static func staggered(
    _ names: [String], _ columns: [Int], _ bar: Character
  ) -> [String] {
    names.indices.map { index in bars(Array(columns[..<index]), columns[index], bar) + names[index]
    }
  }

  private static func bars(_ columns: [Int], _ width: Int, _ bar: Character) -> String {
    var cells = [Character](repeating: " ", count: width)
    for column in columns { cells[column] = bar }
    return String(cells)
  }
}
