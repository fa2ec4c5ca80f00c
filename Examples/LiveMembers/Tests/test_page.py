"""What a person finds at the list that others change meanwhile: with a mouse, a keyboard, or a screen reader."""

import unittest

from browsing import BrowserCase
from support import member_id, until


class ListTests(BrowserCase):
    def test_a_click_takes_effect_though_its_row_moves_between_press_and_release(self):
        """Others remove the row above the one that is pressed, so what is below moves up."""
        count = 10
        for number in range(count):
            self.server.add(f"above {number}")
            self.server.add(f"kept {number}")
        tab = self.tab()
        tab.until(connection="Live", count=f"{2 * count} members")
        for number in range(count):
            page = self.server.page()
            others = f"/members/{member_id(page, f'above {number}')}/remove"
            tab.press(f"[aria-label='Remove kept {number}']")
            self.assertEqual(self.server.post(others)[0], 204)
            until("the page has heard of it", lambda: tab.script("return pending !== null"))
            tab.release()
            until("what was pressed is removed", lambda: f"kept {number}" not in self.server.names())
            left = [f"{which} {n}" for n in range(number + 1, count) for which in ["above", "kept"]]
            tab.until(names=left, error="")

    def test_a_selection_and_what_is_typed_stay(self):
        self.server.add("Ann")
        tab = self.tab()
        tab.until(connection="Live", names=["Ann"])
        tab.script("getSelection().selectAllChildren(document.querySelector('bdi'))")
        for number in range(5):
            self.server.add(f"m{number}")
        tab.until(count="6 members")
        self.assertEqual(tab.script("return getSelection().toString()"), "Ann")

    def test_the_keyboard_alone_is_enough(self):
        for name in ["Ann", "Bob", "Cy", "Di"]:
            self.server.add(name)
        tab = self.tab()
        tab.until(connection="Live")
        focused = "return document.activeElement.ariaLabel || document.activeElement.id"
        tab.key("[aria-label='Remove Bob']", "\ue007")
        tab.until(names=["Ann", "Cy", "Di"])
        self.assertEqual(tab.script(focused), "Remove Cy")
        # What somebody else removes: the next key is not for the next member.
        self.server.post("/members/3/remove")
        tab.until(names=["Ann", "Di"])
        self.assertEqual(tab.script("return document.activeElement.querySelector('bdi').textContent"), "Di")
        tab.key("[aria-label='Remove Di']", "\ue007")
        tab.until(names=["Ann"])
        self.assertEqual(tab.script(focused), "Remove Ann")
        tab.key("[aria-label='Remove Ann']", "\ue007")
        tab.until(names=[])
        self.assertEqual(tab.script(focused), "name")

    def test_remove_all_asks_first(self):
        self.server.add("Ann")
        tab = self.tab()
        tab.until(connection="Live")
        tab.click("#clear summary")
        self.assertEqual(self.server.names(), ["Ann"])
        self.server.add("Bob")  # the question stays open while the list changes
        tab.until(names=["Ann", "Bob"])
        tab.key("#clear button", "\ue007")
        tab.until(names=[], error="", focused="name")

    def test_only_the_count_is_announced(self):
        for number in range(30):
            self.server.add(f"member {number}")
        tab = self.tab()
        tab.until(connection="Live")
        tab.script("""
          window.announced = "";
          new MutationObserver(changes => {
            for (const change of changes) {
              const element = change.target.nodeType === 1 ? change.target : change.target.parentElement;
              const region = element.closest("[aria-live]:not([aria-live=off]), [role=status], [role=alert]");
              if (region) for (const node of change.addedNodes) window.announced += node.textContent;
            }
          }).observe(document.body, {subtree: true, childList: true, characterData: true});""")
        self.server.add("Ann")
        tab.until(count="31 members")
        self.assertEqual(tab.script("return window.announced"), "31 members")
        # And as a screen reader is told.
        nodes = self.browser.developer("Accessibility.getFullAXTree")["nodes"]
        live = {node["role"]["value"] for node in nodes for each in node.get("properties", [])
                if each["name"] == "live" and each["value"]["value"] != "off"}
        self.assertEqual(live, {"status", "alert"})
        rows = [node for node in nodes if node["role"]["value"] == "listitem" and not node["ignored"]]
        self.assertEqual(len(rows), 31)

    def test_borders_of_fields_can_be_seen(self):
        tab = self.tab()
        for scheme in ["light", "dark"]:
            tab.front()
            self.browser.developer("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            contrast = tab.script("""
              const parts = color => color.match(/\\d+/g).slice(0, 3).map(Number).map(part =>
                (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
              const light = color => {
                const [r, g, b] = parts(color);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
              };
              const style = getComputedStyle(document.getElementById("name"));
              const pair = [light(style.borderTopColor), light(style.backgroundColor)].sort();
              return pair[1] / pair[0];""")
            self.assertGreater(contrast, 3, scheme)


if __name__ == "__main__":
    unittest.main()
