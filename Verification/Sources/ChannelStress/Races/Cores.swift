import Foundation

/// On which cores threads run. Two that wait for each other by yielding are put on different ones: they
/// may else stay on one, and run by turns.
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
      guard let allowed else { return }
      run(on: mask(of: number, among: allowed))
      run(on: allowed)
    #endif
  }

  /// Ties this thread, and all that are made from now on, to one core. False where the system has no
  /// such call.
  static func stayOnOne() -> Bool {
    #if os(Linux)
      guard let allowed else { return false }
      return run(on: mask(of: 0, among: allowed))
    #else
      false
    #endif
  }

  #if os(Linux)
    /// The cores that this thread may run on, a bit for each.
    private static var allowed: [UInt8]? {
      var mask = [UInt8](repeating: 0, count: maskSize)
      guard let get, get(0, maskSize, &mask) >= 0 else { return nil }
      return mask
    }

    /// One of these cores; they are counted around.
    private static func mask(of number: Int, among allowed: [UInt8]) -> [UInt8] {
      let cores = (0..<maskSize * 8).filter { allowed[$0 / 8] & (1 << ($0 % 8)) != 0 }
      let core = cores[number % cores.count]
      var one = [UInt8](repeating: 0, count: maskSize)
      one[core / 8] = 1 << (core % 8)
      return one
    }

    @discardableResult
    private static func run(on mask: [UInt8]) -> Bool {
      var mask = mask
      return set?(0, maskSize, &mask) == 0
    }
  #endif
}
