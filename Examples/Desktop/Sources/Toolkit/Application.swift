import CGtk

/// A program with windows. It ends when the last of them was closed.
@MainActor
public final class Application {
  let application: UnsafeMutablePointer<GtkApplication>

  public init(id: String) {
    application = gtk_application_new(id, G_APPLICATION_NON_UNIQUE)
  }

  isolated deinit {
    g_object_unref(application)
  }

  /// Runs the loop, and in it the main actor, until the program ends.
  ///
  /// - Parameter body: Opens the first window.
  public func run(_ body: @escaping () -> Void) -> Int32 {
    MainQueue.serve()
    connect(application, "activate") { _ in body() }
    return g_application_run(
      UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self), 0, nil)
  }

  /// Goes on without a window.
  public func hold() {
    g_application_hold(
      UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self))
  }
}
