import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Whether the terminal shows what is typed. However the program ends, it does again afterwards.
final class TerminalEcho: Sendable {
  static let shared = TerminalEcho()

  /// The settings as they were, while they are changed.
  private let original = Mutex<termios?>(nil)

  func hide() {
    original.withLock { original in
      var settings = termios()
      guard original == nil, tcgetattr(0, &settings) == 0 else { return }
      original = settings
      settings.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(0, TCSAFLUSH, &settings)
    }
  }

  func restore() {
    original.withLock { original in
      guard var settings = original else { return }
      tcsetattr(0, TCSANOW, &settings)
      original = nil
    }
  }
}
