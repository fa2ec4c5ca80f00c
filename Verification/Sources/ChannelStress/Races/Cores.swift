import Foundation

/// Puts threads on different cores: two that wait for each other by yielding may else stay on one,
/// and run by turns.
enum Cores {
  #if os(Linux)
    private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    /// Looked up by name: the headers that Swift sees leave these two out.
    private static let get = affinity("sched_getaffinity")
    private static let set = affinity("sched_setaffinity")
    private static let maskSize = 128

    private static func affinity(_ name: String) -> Affinity? {
      dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Affinity.self) }
    }
  #endif

  /// Moves this thread, and leaves it free to be moved again: the threads it makes must not be tied
  /// to where it is. Does nothing where the system has no such call.
  static func move(to number: Int) {
    #if os(Linux)
      guard let get, let set else { return }
      var allowed = [UInt8](repeating: 0, count: maskSize)
      guard get(0, maskSize, &allowed) >= 0 else { return }
      let cores = (0..<maskSize * 8).filter { allowed[$0 / 8] & (1 << ($0 % 8)) != 0 }
      let core = cores[number % cores.count]
      var one = [UInt8](repeating: 0, count: maskSize)
      one[core / 8] = 1 << (core % 8)
      _ = set(0, maskSize, &one)
      _ = set(0, maskSize, &allowed)
    #endif
  }
}
