import CGtk

/// A window with a page for each title, and a switcher between them in its title bar.
public final class Window: Widget {
  private let stack: OpaquePointer

  public init(of application: Application, title: String, width: Int32, height: Int32) {
    stack = OpaquePointer(gtk_stack_new())
    super.init(gtk_application_window_new(application.application))
    gtk_window_set_title(window, title)
    gtk_window_set_default_size(window, width, height)
    let switcher = gtk_stack_switcher_new()!
    gtk_stack_switcher_set_stack(OpaquePointer(switcher), stack)
    let bar = gtk_header_bar_new()!
    gtk_header_bar_set_title_widget(OpaquePointer(bar), switcher)
    gtk_window_set_titlebar(window, bar)
    gtk_window_set_child(window, UnsafeMutablePointer<GtkWidget>(stack))
  }

  private var window: UnsafeMutablePointer<GtkWindow> {
    pointer.assumingMemoryBound(to: GtkWindow.self)
  }

  public func addPage(_ page: Widget, title: String) {
    gtk_stack_add_titled(stack, page.widget, title, title)
  }

  public func showPage(_ title: String) {
    gtk_stack_set_visible_child_name(stack, title)
  }

  public func present() { gtk_window_present(window) }

  public func close() { gtk_window_close(window) }

  /// Called when the window was closed, by the user or by the program, in a later turn of the main
  /// actor: the window may be let go then. (Its "destroy" comes only after everybody has let it go.)
  public func onClose(_ body: @escaping () -> Void) {
    connect(pointer, "unrealize") { _ in Task { body() } }
  }
}
