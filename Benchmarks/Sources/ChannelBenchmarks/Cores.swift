import Foundation
import Journeys

/// On how many cores this process runs.
enum Cores {
  /// Whether it can be tied to one.
  static var canPin: Bool {
    #if os(Linux)
      set != nil && get != nil
    #else
      false
    #endif
  }

  /// Does some work while all threads of this process share one core, and lets them run on all of
  /// those that they had before when it is done.
  static func one<Result>(_ work: () async throws -> Result) async throws -> Result {
    #if os(Linux)
      let before = try allowed
      let index = before.firstIndex { $0 != 0 } ?? 0
      var single = [UInt8](repeating: 0, count: before.count)
      single[index] = before[index] & ~(before[index] - 1)
      try tie(to: single)
      do {
        let result = try await work()
        try tie(to: before)
        return result
      } catch {
        try tie(to: before)
        throw error
      }
    #else
      return try await work()
    #endif
  }

  #if os(Linux)
    private typealias Affinity = @convention(c) (pid_t, Int, UnsafeMutableRawPointer) -> Int32

    /// Looked up by name: the headers that Swift sees leave these two out.
    private static let get = affinity("sched_getaffinity")
    private static let set = affinity("sched_setaffinity")
    private static let maskSize = 128

    private static func affinity(_ name: String) -> Affinity? {
      dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Affinity.self) }
    }

    /// The cores that this thread may run on, a bit for each.
    private static var allowed: [UInt8] {
      get throws {
        var mask = [UInt8](repeating: 0, count: maskSize)
        guard let get, get(0, maskSize, &mask) >= 0 else {
          throw WrongCount(description: "the system does not tell on which cores a thread may run")
        }
        return mask
      }
    }

    /// Every thread there is: those that are made later have what their makers have.
    private static func tie(to cores: [UInt8]) throws {
      var cores = cores
      for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task") {
        // One that has just ended is no loss.
        if let thread = pid_t(thread) { _ = set?(thread, maskSize, &cores) }
      }
    }
  #endif
}
