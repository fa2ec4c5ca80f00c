import Foundation
import Synchronization

/// Something that happens once.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  func set() {
    value.store(true, ordering: .releasing)
  }
}

/// Says where the program is, for a thread that ends it when it goes nowhere.
enum Progress {
  private static let place = Mutex(("", 0))

  static func note(_ name: String, _ cycle: Int) {
    place.withLock { $0 = (name, cycle) }
  }

  /// - Parameter patience: For how many seconds a cycle may take before that is a hang.
  static func watch(patience: Int) {
    Thread.detachNewThread {
      var last = place.withLock { $0 }
      var quiet = 0
      while quiet < patience {
        sleep(1)
        let now = place.withLock { $0 }
        quiet = now == last ? quiet + 1 : 0
        last = now
      }
      complain("FAILED: \(last.0) hung in cycle \(last.1)")
      _exit(2)
    }
  }
}

func complain(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
