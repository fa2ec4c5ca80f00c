import CGtk
import Dispatch

/// Serves the main queue, and with it the main actor, from GLib's loop.
public enum MainQueue {
  /// How many times the loop ran what waited in the main queue.
  public private(set) static var turns = 0

  /// To be called once, on the main thread, before the loop runs.
  ///
  /// **Priority.** Sources of one priority take turns. With that of redrawing, jobs without end on
  /// the main actor leave each frame its turn; with GLib's default, which is higher, they would keep
  /// the window from being drawn. Keys and clicks have a higher one, and come before both.
  public static func serve() {
    let redrawing = G_PRIORITY_HIGH_IDLE + 20
    g_unix_fd_add_full(
      redrawing, _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
      { handle, _, _ in
        // An event descriptor stays ready until it is read. This has to come first: what is enqueued
        // while the queue is drained makes it ready anew.
        var wakings: UInt64 = 0
        read(handle, &wakings, MemoryLayout.size(ofValue: wakings))
        MainActor.assumeIsolated { MainQueue.turns += 1 }
        _dispatch_main_queue_callback_4CF(nil)
        return gboolean(1)
      }, nil, nil)
  }
}
