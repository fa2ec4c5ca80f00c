"""What a person finds at the page: many tabs, a silent server, and a list that others change meanwhile."""

import pathlib
import shutil
import sqlite3
import threading
import unittest

from browsing import BrowserCase
from support import member_id, names, until


class TabTests(BrowserCase):
    ARGUMENTS = ["--heartbeat", "1"]

    def test_eight_windows_of_one_browser_have_one_stream(self):
        """A browser has six connections to a server, and each stream holds one."""
        windows = [self.tab(kind="window") for _ in range(8)]
        for number, window in enumerate(windows):
            window.until(connection="Live")
            window.add(f"m{number}")
            window.until(names=[f"m{n}" for n in range(number + 1)], error="", typed="")
        for window in windows:
            window.until(connection="Live", names=[f"m{n}" for n in range(8)])
            self.assertEqual(window.script("return document.visibilityState"), "visible")
        until("one has the stream", lambda: self.server.tabs() == 1)
        # The one that has the stream goes; another takes it over.
        windows[0].go("about:blank")
        self.server.add("after")
        for window in windows[1:]:
            window.until(connection="Live", count="9 members")
        until("one has the stream", lambda: self.server.tabs() == 1)

    def test_a_tab_that_nobody_sees_has_no_stream_and_catches_up(self):
        one = self.tab()
        one.until(connection="Live")
        empty = self.tab(path="/status")
        self.assertEqual(one.browser.do("GET", "/window"), empty.handle)
        until("nobody has a stream", lambda: self.server.tabs() == 0)
        self.server.add("Ann")
        one.until(connection="Live", names=["Ann"])
        until("it has one again", lambda: self.server.tabs() == 1)

    def test_without_locks_each_visible_window_has_a_stream(self):
        """As on a page from another machine without encryption."""
        windows = [self.tab(kind="window") for _ in range(2)]
        script = {"source": "Object.defineProperty(Navigator.prototype, 'locks', {value: undefined})"}
        for window in windows:
            window.front()
            self.browser.developer("Page.addScriptToEvaluateOnNewDocument", **script)
            window.go(f"http://127.0.0.1:{self.server.port}/")
            window.until(connection="Live")
        until("both have one", lambda: self.server.tabs() == 2)
        self.server.add("Ann")
        for window in windows:
            window.until(names=["Ann"])


class SilenceTests(BrowserCase):
    ARGUMENTS = ["--heartbeat", "1"]

    def test_a_silent_server_is_told_and_a_command_is_done_once_when_it_answers(self):
        one, other = self.tab(kind="window"), self.tab(kind="window")
        for tab in [one, other]:
            tab.until(connection="Live")
        self.server.freeze()
        try:
            one.add("Ann")
            for tab in [one, other]:
                tab.until(connection="Reconnecting …")
            one.until(error="Waiting for the server …")
            one.until(error="The server does not answer; trying again …")
        finally:
            self.server.thaw()
        for tab in [one, other]:
            tab.until(connection="Live", names=["Ann"], error="")

    def test_a_database_that_refuses_is_told_as_it_is(self):
        tab = self.tab()
        tab.until(connection="Live")
        with sqlite3.connect(self.file, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            tab.add("Ann")
            tab.until(error="The database cannot store that now; trying again …")
            other.execute("COMMIT")
        other.close()
        tab.until(names=["Ann"], error="", typed="")

    def test_a_list_that_was_set_back_while_the_server_was_away_is_shown(self):
        for number in range(3):
            self.server.add(f"m{number}")
        self.server.terminate()
        backup = pathlib.Path(self.file + "-backup")
        shutil.copy(self.file, backup)
        self.server.restart()
        self.server.add("late")
        tab = self.tab()
        tab.until(connection="Live", count="4 members")
        self.server.terminate()
        for left in ["", "-wal", "-shm"]:
            pathlib.Path(self.file + left).unlink(missing_ok=True)
        shutil.move(backup, self.file)
        self.server.restart()
        tab.until(connection="Live", names=["m0", "m1", "m2"], count="3 members")


class ListTests(BrowserCase):
    def changes(self):
        """Others, who change the end of the list without a pause, until the test ends."""
        ends = threading.Event()

        def change():
            number = 0
            while not ends.is_set():
                self.server.add(f"other {number}")
                number += 1
                page = self.server.page()
                if number > 3:
                    oldest = [n for n in names(page) if n.startswith("other")][0]
                    self.server.post(f"/members/{member_id(page, oldest)}/remove")
                self.count += 1

        self.count = 0
        thread = threading.Thread(target=change, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ends.set)

    def test_clicks_that_straddle_changes_take_effect(self):
        kept = [f"kept {number}" for number in range(15)]
        for name in kept:
            self.server.add(name)
        tab = self.tab()
        tab.until(connection="Live", count="15 members")
        self.changes()
        for name in kept:
            tab.press("li:first-child button")
            count = self.count
            until("others have changed it", lambda: self.count > count + 1)
            tab.release()
            until(f"{name} is removed", lambda: name not in self.server.names())
            until("it is seen", lambda: tab.state()["names"][0] != name)
        self.assertEqual(tab.state()["error"], "")

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
