/// How the program ends. The numbers are those of `sysexits`.
enum ExitStatus: Int32 {
  case success = 0
  case failure = 1
  case usage = 64
  case inputOutput = 74

  func exit() -> Never { endProcess(rawValue) }
}
