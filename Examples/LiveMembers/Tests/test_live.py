"""One stream for a browser's pages, and what they show when it is silent, slow, refused or behind."""

import pathlib
import shutil
import sqlite3
import time
import unittest
from contextlib import closing

from browsing import BrowserCase
from support import until


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
        backup = self.folder / "backup"
        # Not the file alone: what a process has not moved there when it ends lies beside it.
        with closing(sqlite3.connect(self.file)) as database, closing(sqlite3.connect(backup)) as copy:
            database.backup(copy)
        self.server.restart()
        self.server.add("late")
        tab = self.tab()
        tab.until(connection="Live", count="4 members")
        self.server.terminate()
        for left in ["", "-wal", "-shm"]:
            pathlib.Path(f"{self.file}{left}").unlink(missing_ok=True)
        shutil.move(backup, self.file)
        self.server.restart()
        tab.until(connection="Live", names=["m0", "m1", "m2"], count="3 members")

    def test_a_page_that_is_seen_again_is_not_live_before_it_is_connected(self):
        one = self.tab()
        one.until(connection="Live")
        self.tab(path="/status")
        until("nobody has a stream", lambda: self.server.tabs() == 0)
        self.server.freeze()
        try:
            self.assertEqual(one.state()["connection"], "Connecting …")
        finally:
            self.server.thaw()
        one.until(connection="Live")

    def test_a_slow_line_gets_its_list(self):
        """A list that takes longer than the page waits for a server that is silent."""
        one = self.tab()
        one.until(connection="Live")
        one.script("leave()")
        for number in range(300):
            self.server.add(f"{number} " + "\N{GRINNING FACE}" * 90)
        self.browser.developer("Network.enable")
        self.browser.developer("Network.emulateNetworkConditions", offline=False, latency=0,
                               downloadThroughput=40_000, uploadThroughput=40_000)
        begin = time.monotonic()
        one.script("update()")
        one.until(count="300 members", connection="Live", limit=60)
        print(f"a list that takes longer than three heartbeats is there after {time.monotonic() - begin:.1f} s")

    def test_a_page_whose_stream_is_refused_asks_less_and_less_often(self):
        server = self.start("--heartbeat", "1", "--streams-per-client", "1", "--log-level", "info",
                            file=self.folder / "other.sqlite")
        taken = self.events(server, client="192.0.2.1")
        tab = self.tab(path="/status")
        self.browser.developer("Network.enable")
        self.browser.developer("Network.setExtraHTTPHeaders", headers={"X-Forwarded-For": "192.0.2.1"})
        tab.go(f"http://127.0.0.1:{server.port}/")
        tab.until(connection="Reconnecting …")
        refusals = lambda: server.messages().count("GET /events: 429")
        until("it was refused", lambda: refusals() > 0)
        before = refusals()
        time.sleep(12)  # what is looked at is how often it asks
        self.assertLessEqual(refusals() - before, 4)
        taken.close()
        tab.until(connection="Live", limit=40)

    def test_a_page_is_not_set_back_by_one_that_is_behind(self):
        """Each may have loaded its list from another server."""
        windows = [self.tab(kind="window") for _ in range(2)]
        for window in windows:
            window.until(connection="Live")
        self.server.add("Ann")
        self.server.add("Bob")
        for window in windows:
            window.until(names=["Ann", "Bob"])
        leading = [window.script("return leads") for window in windows]
        self.assertEqual(sorted(leading), [False, True])
        follower = windows[leading.index(False)]
        name, _, revision = self.events(self.server).next()[0].rpartition("-")
        # What is told with the list shows that it was heard.
        follower.script("""
          new BroadcastChannel("live-members").postMessage({
            html: document.getElementById("list").innerHTML.replace(/<li.*?<\\/li>/, ""),
            id: arguments[0], state: "lost"});""", f"{name}-{int(revision) - 1}")
        follower.until(connection="Reconnecting …", names=["Ann", "Bob"])
        follower.until(connection="Live", names=["Ann", "Bob"])

    def test_a_page_gets_the_list_and_not_what_another_person_does_with_it(self):
        """Two windows of one browser: in one, a member is being removed, which takes long."""
        one, other = self.tab(kind="window"), self.tab(kind="window")
        self.server.add("Ann")
        for tab in [one, other]:
            tab.until(connection="Live", names=["Ann"])
        # As if it were behind another window: it has no part in the stream.
        other.script("leave()")
        self.server.add("Bob")
        one.until(connection="Live", names=["Ann", "Bob"])
        with sqlite3.connect(self.file, isolation_level=None) as lock:
            lock.execute("BEGIN IMMEDIATE")
            one.click("[aria-label='Remove Bob']")
            other.script("update()")
            other.until(connection="Live", names=["Ann", "Bob"])
            disabled = "return document.querySelectorAll('#list [aria-disabled=true]').length"
            self.assertEqual([tab.script(disabled) for tab in [one, other]], [1, 0])
            lock.execute("COMMIT")
        lock.close()
        for tab in [one, other]:
            tab.until(names=["Ann"], error="")


if __name__ == "__main__":
    unittest.main()
