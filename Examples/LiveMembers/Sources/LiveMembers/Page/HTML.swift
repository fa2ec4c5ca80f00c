import Foundation

/// The whole page, with why this person's last command was refused and what was typed, if it was. It
/// works without its script, which makes it live.
func pageHTML(_ roster: Roster, error: String = "", name: String = "") -> String {
  let values = [
    "name": escaped(name), "key": UUID().uuidString, "error": escaped(error), "id": roster.id,
    "list": listHTML(roster),
  ]
  // Split once, so that braces in a name are not taken for a place.
  return pageTemplate.map { values[$0] ?? $0 }.joined()
}

private let pageTemplate = String(decoding: PackageResources.page_html, as: UTF8.self)
  .split { "{}".contains($0) }.map(String.init)

/// The part that changes, without line breaks. Its keys are the same for everybody: removing a member
/// twice is removing it once, and so is removing everybody while nobody has come since.
func listHTML(_ roster: Roster) -> String {
  let count = roster.members.count
  let rows = roster.members.map { member in
    let name = escaped(member.name)
    let button = buttonHTML(
      "Remove", label: "Remove \(name)", action: "/members/\(member.id)/remove",
      key: "remove-\(roster.list)-\(member.id)")
    return "<li><bdi>\(name)</bdi>\(button)</li>"
  }
  let removeAll = buttonHTML(
    "Remove all", label: "Remove all members", action: "/members/remove-all",
    key: "clear-\(roster.id)")
  return """
    <h2 id="count">\(count == 0 ? "No" : "\(count)") member\(count == 1 ? "" : "s")</h2>\
    <ul>\(rows.joined())</ul>\(count == 0 ? "" : removeAll)
    """
}

private func buttonHTML(_ text: String, label: String, action: String, key: String) -> String {
  """
  <form method="post" action="\(action)"><input type="hidden" name="key" value="\(key)">\
  <button id="\(key)" aria-label="\(label)">\(text)</button></form>
  """
}

/// Text as it is written in HTML, inside and outside attributes.
private func escaped(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { html, scalar in
    let isMarkup = "&<>\"'\n\r".unicodeScalars.contains(scalar)
    html += isMarkup ? "&#\(scalar.value);" : String(scalar)
  }
}
