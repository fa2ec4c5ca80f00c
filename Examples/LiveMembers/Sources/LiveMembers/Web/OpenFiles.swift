import Foundation

/// How many files and sockets the system lets this process open. Most systems start a process with a low
/// limit, which it may raise to a higher one itself.
enum OpenFiles {
  /// What is no connection: standard output, the database, and three of each thread that serves sockets.
  private static let others = 64 + 3 * ProcessInfo.processInfo.processorCount

  /// Raises the limit as far as it goes, and gives how many of the wanted connections fit. More would be
  /// accepted by the system and then starve, in place of waiting for their turn.
  ///
  /// - Parameter files: What else may be open.
  static func connections(of wanted: Int, besides files: Int) -> Int {
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return wanted }
    let allowed = limit.rlim_cur
    limit.rlim_cur = limit.rlim_max
    if setrlimit(resource, &limit) != 0 { limit.rlim_cur = allowed }
    return max(1, min(wanted, Int(clamping: limit.rlim_cur) - others - files))
  }
}
