import Foundation
import XCTest

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

  /// They keep what was released, so memory says nothing.
  package static func skipUnderSanitizers() throws {
    let program = dlopen(nil, RTLD_NOW)
    for sanitizer in ["__asan_init", "__tsan_init"] where dlsym(program, sanitizer) != nil {
      throw XCTSkip("A sanitizer keeps what was released, so memory says nothing.")
    }
  }

  package static var now: Int {
    #if os(Linux)
      // Pages: the whole, what of it is resident, and what of that is of files, as the program's code.
      let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
      let pages = text.split(separator: " ").compactMap { Int($0) }
      guard pages.count > 2 else { preconditionFailure("/proc/self/statm says \(text)") }
      return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
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
