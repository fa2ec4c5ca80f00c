import CGtk

/// Rows of text, of which only those on the screen have widgets.
@MainActor
public final class ListView: Widget {
  private let strings: OpaquePointer

  public init() {
    strings = gtk_string_list_new(nil)
    let factory = gtk_signal_list_item_factory_new()!
    // The view takes the factory and the selection, and the selection the strings.
    g_object_ref(UnsafeMutableRawPointer(strings))
    super.init(gtk_list_view_new(gtk_no_selection_new(strings), factory))
    connect(UnsafeMutableRawPointer(factory), "setup") { row in
      let label = gtk_label_new(nil)!
      gtk_label_set_xalign(OpaquePointer(label), 0)
      gtk_list_item_set_child(OpaquePointer(row), label)
    }
    connect(UnsafeMutableRawPointer(factory), "bind") { row in
      let row = OpaquePointer(row)
      let text = gtk_string_object_get_string(OpaquePointer(gtk_list_item_get_item(row)))
      gtk_label_set_text(OpaquePointer(gtk_list_item_get_child(row)), text)
    }
  }

  isolated deinit {
    g_object_unref(UnsafeMutableRawPointer(strings))
  }

  /// Shows these rows instead of those there are.
  public func show(_ rows: [String]) {
    var copies = rows.map { UnsafePointer(g_strdup($0)) } + [nil]
    gtk_string_list_splice(strings, 0, g_list_model_get_n_items(strings), &copies)
    copies.forEach { g_free(UnsafeMutableRawPointer(mutating: $0)) }
  }
}
