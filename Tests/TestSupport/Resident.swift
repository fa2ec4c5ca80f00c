import Foundation

/// The memory of this process that is really there, in bytes.
package enum Resident {
  /// What the allocator keeps for later is given back first, where that is possible: the question is
  /// what the program holds.
  package static var held: Int {
    _ = trim?(0)
    return now
  }

  /// Glibc's, which its module does not declare; nil elsewhere.
  private static let trim: (@convention(c) (Int) -> CInt)? = dlsym(
    dlopen(nil, RTLD_NOW), "malloc_trim"
  ).map { unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self) }

  package static var now: Int {
    #if os(Linux)
      // Pages: the whole, and what of it is resident.
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      guard let pages else { preconditionFailure("/proc/self/statm says \(text)") }
      return pages * sysconf(Int32(_SC_PAGESIZE))
    #else
      var info = mach_task_basic_info()
      var count = mach_msg_type_number_t(
        MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
      let status = withUnsafeMutablePointer(to: &info) { info in
        info.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
          task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
        }
      }
      precondition(status == KERN_SUCCESS, "task_info failed with \(status)")
      return Int(info.resident_size)
    #endif
  }
}
