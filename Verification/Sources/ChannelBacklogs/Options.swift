import Proof

/// The command line.
struct Options {
  var measure: (any Measure.Type)?
  var wantsHelp = false
  var sends = 100_000_000
  var seconds = 60
  var megabytes = 1500
  /// For one measure, in seconds: many times what it takes.
  var deadline: Double { Double(60 + 10 * seconds + sends / 100_000) }

  init(_ arguments: ArraySlice<String>) throws(UsageError) {
    // First, so that other options can be said before it and after it.
    if arguments.contains("--quick") {
      (sends, seconds, megabytes) = (3_000_000, 3, 100)
    }
    var arguments = arguments
    while let argument = arguments.popFirst() {
      switch argument {
      case "--quick": break
      case "--help", "-h": wantsHelp = true
      case "--sends": sends = try Self.number(argument, &arguments)
      case "--seconds": seconds = try Self.number(argument, &arguments)
      case "--megabytes": megabytes = try Self.number(argument, &arguments)
      default:
        guard let named = ChannelBacklogs.measures.first(where: { $0.name == argument }) else {
          throw UsageError("there is no measure and no option \(argument); see --help")
        }
        guard measure == nil else { throw UsageError("name one measure, or none for all") }
        measure = named
      }
    }
  }

  private static func number(
    _ option: String, _ arguments: inout ArraySlice<String>
  ) throws(UsageError) -> Int {
    // More than a year of sending, and no overflow in what is computed of it.
    guard let text = arguments.popFirst(), let number = Int(text), (1...1 << 50).contains(number)
    else { throw UsageError("\(option) takes a whole number greater than zero") }
    return number
  }
}
