#if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
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

  /// Whether the terminal shows what is typed. It does again after the program has ended, by itself
  /// or by a signal that can be handled. A program that is stopped leaves it as it is: shells restore
  /// it.
  final class TerminalEcho: Sendable {
    static let shared = TerminalEcho()

    private struct State {
      /// The settings as they were, while they are changed.
      var original: termios?
      /// Whether the program ends: then nothing hides what is typed again.
      var isFinal = false
    }

    private let state = Mutex(State())

    func hide() {
      state.withLock { state in
        var settings = termios()
        guard !state.isFinal, state.original == nil, tcgetattr(0, &settings) == 0 else { return }
        state.original = settings
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &settings)
      }
    }

    /// - Parameter isFinal: True just before the program ends, on whatever thread. Then this throws away
    ///   what a person typed unseen and nobody read: the terminal would show it, and the shell get it.
    func restore(isFinal: Bool = false) {
      state.withLock { state in
        state.isFinal = state.isFinal || isFinal
        guard var settings = state.original else { return }
        // `TCSAFLUSH` would not do: on Linux it leaves what is still on its way to the terminal's input.
        if isFinal { tcflush(0, TCIFLUSH) }
        tcsetattr(0, TCSANOW, &settings)
        state.original = nil
      }
    }
  }
#endif
