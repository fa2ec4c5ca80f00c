import CGtk

/// One line of text that the user edits, and the program may.
public final class TextField: Widget {
  /// While the program edits. `onChange` tells of the user's edits only.
  private var isShowing = false

  public init(placeholder: String = "", isSecret: Bool = false) {
    super.init(gtk_entry_new())
    let entry = pointer.assumingMemoryBound(to: GtkEntry.self)
    gtk_entry_set_placeholder_text(entry, placeholder)
    gtk_entry_set_visibility(entry, isSecret ? 0 : 1)
    gtk_widget_set_hexpand(widget, 1)
  }

  public var text: String { String(cString: gtk_editable_get_text(opaque)) }

  /// Shows a text, and leaves the cursor where it is.
  ///
  /// Only what differs is replaced. So the cursor stays between the two characters where it was,
  /// an equal text changes nothing, and a text that an input method is composing is not disturbed.
  public func show(_ new: String) {
    let old = Array(text.unicodeScalars)
    let new = Array(new.unicodeScalars)
    guard old != new else { return }
    let before = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - before
    let after = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    var inserted = String.UnicodeScalarView()
    inserted.append(contentsOf: new[before..<(new.count - after)])
    isShowing = true
    defer { isShowing = false }
    let cursor = gtk_editable_get_position(opaque)
    var position = gint(before)
    gtk_editable_delete_text(opaque, position, gint(old.count - after))
    gtk_editable_insert_text(opaque, String(inserted), -1, &position)
    // A cursor inside what was replaced stays as far from its beginning as it was.
    if cursor > gint(before), cursor <= gint(old.count - after) {
      gtk_editable_set_position(opaque, min(cursor, position))
    }
  }

  /// Selects all of it, so that what is typed next replaces it.
  public func selectAll() {
    gtk_editable_select_region(opaque, 0, -1)
  }

  /// Called with the whole text after each edit of the user's.
  public func onChange(_ body: @escaping (String) -> Void) {
    connect(pointer, "changed") { [unowned self] _ in
      if !isShowing { body(text) }
    }
  }

  /// Called when the user presses the return key.
  public func onReturn(_ body: @escaping () -> Void) {
    connect(pointer, "activate") { _ in body() }
  }
}
