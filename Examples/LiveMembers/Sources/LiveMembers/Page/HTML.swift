import Foundation

/// The whole page, with why this person's last command was refused and what was typed, if it was. It
/// works without its scripts, which make it live.
func pageHTML(
  _ roster: Roster, heartbeat: Duration, error: String = "", name: String = ""
) -> String {
  let values = [
    "name": escaped(name), "key": UUID().uuidString, "error": escaped(error), "id": roster.id,
    "heartbeat": "\(heartbeat.components.seconds)", "list": listHTML(roster),
  ]
  // Split once, so that braces in a name are not taken for a place.
  return pageTemplate.map { values[$0] ?? $0 }.joined()
}

private let pageTemplate = String(decoding: PackageResources.page_html, as: UTF8.self)
  .split { "{}".contains($0) }.map(String.init)

/// The part that changes, without line breaks. A row is the same for as long as its id is, and so is its key: removing a
/// member twice is removing it once. The key to remove all is this rendering's: if it could be foreseen, anybody could use
/// it up.
func listHTML(_ roster: Roster) -> String {
  let count = roster.members.count
  let rows = roster.members.map { member in
    let name = escaped(member.name)
    let key = "remove-\(roster.list)-\(member.id)"
    let form = formHTML(
      action: "/members/\(member.id)/remove", key: key,
      button: #"<button aria-label="Remove \#(name)">Remove</button>"#)
    return #"<li id="\#(key)" tabindex="-1"><bdi>\#(name)</bdi>\#(form)</li>"#
  }
  let removeAll = formHTML(
    action: "/members/remove-all", key: UUID().uuidString,
    button: "<button>Yes, remove all members</button>")
  return """
    <h2 id="count" role="status">\(count == 0 ? "No" : "\(count)") member\(count == 1 ? "" : "s")</h2>\
    <ul>\(rows.joined())</ul>\
    <details id="clear"\(count == 0 ? " hidden" : "")><summary>Remove all …</summary>\(removeAll)</details>
    """
}

private func formHTML(action: String, key: String, button: String) -> String {
  """
  <form method="post" action="\(action)"><input type="hidden" name="key" value="\(key)">\(button)</form>
  """
}

/// Text as it is written in HTML, inside and outside attributes.
private func escaped(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { html, scalar in
    let isMarkup = "&<>\"'\n\r".unicodeScalars.contains(scalar)
    html += isMarkup ? "&#\(scalar.value);" : String(scalar)
  }
}
