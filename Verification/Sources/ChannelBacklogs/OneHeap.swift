import Foundation

// `Resident.swift` is the tests' own.

extension Resident {
  /// To be called before there are other threads. Of the heaps that it makes for them glibc keeps the
  /// end, up to 64 MiB of each, which looks like a leak.
  static func useOneHeap() {
    let arenaMax: CInt = -8  // M_ARENA_MAX
    _ = setOption?(arenaMax, 1)
  }

  /// Glibc's, which its module does not declare; nil elsewhere.
  private static let setOption: (@convention(c) (CInt, CInt) -> CInt)? = dlsym(
    dlopen(nil, RTLD_NOW), "mallopt"
  ).map { unsafeBitCast($0, to: (@convention(c) (CInt, CInt) -> CInt).self) }
}

extension Int {
  var mebibytes: String { String(format: "%.1f MiB", Double(self) / 1_048_576) }
}
