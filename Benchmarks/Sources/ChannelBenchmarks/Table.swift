import Foundation
import Journeys

/// Figures as a person reads them.
struct Table {
  private let figures: [Figure]

  init(_ figures: [Figure]) {
    self.figures = figures
  }

  var text: String {
    let header = [
      "workload", "S", "element", "subject", "median", "low", "high", "worst", "per", "ratio",
    ]
    let rows = [header] + figures.map(cells)
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.indices.map { pad(row[$0], to: widths[$0], right: isNumber($0)) }
        .joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private func cells(_ figure: Figure) -> [String] {
    let unit = figure.unit == "byte" ? "bytes each" : "ns a \(figure.unit)"
    return [
      figure.workload, "\(figure.subscribers)", figure.element, figure.subject,
      number(figure.nanoseconds), number(figure.low), number(figure.high),
      figure.worst.map(number) ?? "", unit,
      String(format: "%.3f", figure.ratio) + (figure.subject == figure.reference ? " ref" : "    "),
    ]
  }

  private func number(_ value: Double) -> String {
    String(format: value < 100 ? "%.1f" : "%.0f", value)
  }

  private func isNumber(_ column: Int) -> Bool {
    [1, 4, 5, 6, 7, 9].contains(column)
  }

  private func pad(_ text: String, to width: Int, right: Bool) -> String {
    let spaces = String(repeating: " ", count: width - text.count)
    return right ? spaces + text : text + spaces
  }
}
