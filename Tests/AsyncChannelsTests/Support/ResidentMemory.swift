import Foundation

/// The memory of this process that is really there, in bytes, after the allocator has given back what
/// it keeps for later (where it can be asked to).
func residentMemory() -> Int {
  #if os(Linux)
    // Not declared in Glibc's module.
    if let trim = dlsym(dlopen(nil, RTLD_NOW), "malloc_trim") {
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> CInt).self)(0)
    }
    // Pages: the whole, and what of it is resident.
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    guard let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      preconditionFailure("/proc/self/statm says \(text)")
    }
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
