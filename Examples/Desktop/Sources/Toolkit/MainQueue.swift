import CGtk
import Dispatch

/// Serves the main queue, and with it the main actor, from GLib's loop.
///
/// **When.** The main actor's jobs come first: so what a key has changed, and what a page that was just
/// opened has to show, is in the next frame, the window's first included, which GTK draws before it looks
/// for anything less urgent than events. But when they have taken half a frame, keys, clicks, layout and
/// drawing have their turn. With a fixed priority, either jobs without end would keep the window from being
/// drawn, or a frame would show the state of before.
public enum MainQueue {
  /// How many times the loop ran what waited in the main queue.
  public private(set) static var turns = 0

  private static let beforeEvents = G_PRIORITY_DEFAULT - 1
  /// Sources of one priority take turns.
  private static let withDrawing = G_PRIORITY_HIGH_IDLE + 20
  /// Half of a frame, at 60 frames a second, in microseconds.
  private static let share = 8_000
  /// What jobs have used of the thread since they last gave way, or since a pause.
  private static var used = 0
  private static var source: UnsafeMutablePointer<GSource>?
  /// When the last turn ended.
  private static var ended = 0

  /// To be called once, on the main thread, before the loop runs.
  public static func serve() {
    g_unix_fd_add_full(
      beforeEvents, _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
      { handle, _, _ in
        MainActor.assumeIsolated { MainQueue.run(handle) }
        return 1
      }, nil, nil)
  }

  private static func run(_ handle: gint) {
    // An event descriptor stays ready until it is read. This has to come first: what is enqueued
    // while the queue is drained makes it ready anew.
    var wakings: UInt64 = 0
    read(handle, &wakings, MemoryLayout.size(ofValue: wakings))
    turns += 1
    if time(CLOCK_MONOTONIC) - ended > share { used = 0 }
    let start = time(CLOCK_THREAD_CPUTIME_ID)
    _dispatch_main_queue_callback_4CF(nil)
    used += time(CLOCK_THREAD_CPUTIME_ID) - start
    ended = time(CLOCK_MONOTONIC)
    if used > share { giveWay() }
  }

  /// Until all that is more urgent than drawing, and a frame that is due, have had their turn.
  private static func giveWay() {
    used = 0
    source = g_main_current_source()
    g_source_set_priority(source, withDrawing)
    g_idle_add_full(
      withDrawing,
      { _ in
        MainActor.assumeIsolated { g_source_set_priority(MainQueue.source, MainQueue.beforeEvents) }
        return 0
      }, nil, nil)
  }

  /// In microseconds. What other programs use does not count in the time of a thread.
  private static func time(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
  }
}
