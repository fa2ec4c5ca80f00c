"""The page in a real browser, headless: two tabs, and what a person sees.

With SCREENSHOTS=folder it leaves pictures of the page there, for somebody to look at.
"""

import os
import pathlib
import tempfile
import time
import unittest

from browsing import BrowserCase
from databases import Postgres
from support import Server, until

# It would turn the text that comes after it.
REFUSED = "turned\u202e"
REFUSAL = f"“\u2068{REFUSED}\u2069” is not a valid name; nothing was added."


class BrowserTests(BrowserCase):
    def test_what_one_tab_does_the_other_shows(self):
        one, other = self.tab(), self.tab()
        one.until(connection="Live", count="No members")
        other.until(connection="Live", count="No members")
        one.add("Ann")
        one.until(names=["Ann"], typed="", focused="name")
        other.until(names=["Ann"], count="1 member", typed="")
        other.add("Bob")
        one.until(names=["Ann", "Bob"], count="2 members")
        one.click("li:first-child button")
        other.until(names=["Bob"], error="")
        other.click("#clear summary")
        other.click("#clear button")
        one.until(names=[], count="No members")

    def test_a_refusal_is_shown_to_who_asked_alone(self):
        one, other = self.tab(), self.tab()
        other.until(connection="Live")
        one.add(REFUSED)
        one.until(error=REFUSAL,
                  typed=REFUSED)
        other.add("Bob")
        other.until(names=["Bob"], error="")
        # Somebody else's success does not take the sentence away, one's own does.
        one.until(names=["Bob"], error=REFUSAL)
        one.add("Ann")
        one.until(names=["Bob", "Ann"], error="")

    def test_a_member_that_somebody_else_has_removed(self):
        self.server.add("Ann")
        tab = self.tab()
        tab.until(connection="Live", names=["Ann"])
        # The button of a tab that has not heard of it yet.
        tab.script("window.kept = document.querySelector('li form').cloneNode(true);")
        self.server.post("/members/1/remove")
        tab.until(names=[])
        tab.script("document.body.append(window.kept); window.kept.requestSubmit();")
        tab.until(error="That member is not in the list any more.")

    def test_a_name_that_is_a_script_is_a_name(self):
        name = "<script>document.title = 'broken'</script><img src=x onerror=\"document.title='broken'\">"
        tab = self.tab()
        tab.until(connection="Live")
        tab.add(name)
        tab.until(names=[name], scripts=2)
        reloaded = self.tab()
        reloaded.until(names=[name], scripts=2)
        for each in [tab, reloaded]:
            self.assertEqual(each.script("return document.title"), "Live members")

    def test_it_connects_again_after_a_restart_and_shows_what_it_missed(self):
        tab = self.tab()
        tab.until(connection="Live")
        tab.type("half a na")
        self.server.kill()
        tab.until(connection="Reconnecting …")
        self.server.restart()
        self.server.add("Ann")
        tab.until(connection="Live", names=["Ann"], typed="half a na")

    def test_a_command_that_was_sent_while_the_server_was_away_is_done_once(self):
        tab = self.tab()
        tab.until(connection="Live")
        self.server.kill()
        tab.add("Ann")
        tab.until(error="The server does not answer; trying again …")
        self.server.restart()
        tab.until(names=["Ann"], error="", typed="")

    def test_what_is_typed_before_the_answer_stays(self):
        tab = self.tab()
        tab.until(connection="Live")
        self.server.freeze()
        try:
            tab.add("Ann")
            tab.type("half a na")
        finally:
            self.server.thaw()
        self.until_answered(tab)
        tab.until(names=["Ann"], typed="half a na", focused="name", error="")

    def test_the_answer_does_not_take_the_focus_from_elsewhere(self):
        self.server.add("Bob")
        tab = self.tab()
        tab.until(connection="Live", names=["Bob"])
        self.server.freeze()
        try:
            tab.add("Ann")
            focused = tab.script("const b = document.querySelector('#clear summary'); b.id = 'elsewhere';"
                                 "b.focus(); return document.activeElement.id")
        finally:
            self.server.thaw()
        self.assertEqual(focused, "elsewhere")
        self.until_answered(tab)
        tab.until(names=["Bob", "Ann"], typed="", focused="elsewhere", error="")

    def until_answered(self, tab):
        until("the answer is there", lambda: tab.script(
            "return document.querySelector('#add button').ariaDisabled !== 'true'"))

    def test_without_its_scripts_the_page_works_all_the_same(self):
        self.expect_plain_forms("*/page.js", "*/live.js")

    def test_without_the_script_of_the_forms_the_page_works_all_the_same(self):
        self.expect_plain_forms("*/page.js")

    def test_without_the_script_of_the_stream_the_page_works_all_the_same(self):
        self.expect_plain_forms("*/live.js")

    def expect_plain_forms(self, *blocked):
        tab = self.tab(path="/status")
        self.browser.developer("Network.enable")
        self.browser.developer("Network.setBlockedURLs", urls=blocked)
        tab.go(f"http://127.0.0.1:{self.server.port}/")
        self.assertEqual(tab.state()["connection"], "Reload to see changes")
        tab.add("Ann")
        tab.until(names=["Ann"], typed="")
        tab.add(REFUSED)
        tab.until(names=["Ann"], typed=REFUSED,
                  error=REFUSAL)
        tab.add("Bob")
        tab.until(names=["Ann", "Bob"], error="", typed="")
        tab.click("li:first-child button")
        tab.until(names=["Bob"])
        tab.click("#clear summary")
        tab.click("#clear button")
        tab.until(names=[])

    def test_the_focus_stays_when_the_list_changes(self):
        self.server.add("Ann")
        tab = self.tab()
        tab.until(connection="Live", names=["Ann"])
        focused = tab.script("const b = document.querySelector('li button'); b.focus(); return b.id")
        self.server.add("Bob")
        tab.until(names=["Ann", "Bob"], focused=focused)

    @unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
    def test_two_tabs_on_two_servers_over_one_database(self):
        database = Postgres()
        self.addCleanup(database.close)
        servers = [Server(postgres=database.url) for _ in range(2)]
        for server in servers:
            self.addCleanup(server.close)
        one, other = self.tab(servers[0]), self.tab(servers[1])
        one.until(connection="Live")
        other.until(connection="Live")
        one.add("Ann")
        begin = time.monotonic()
        other.until(names=["Ann"], limit=10)
        print(f"seen in the other browser tab after {1000 * (time.monotonic() - begin):.0f} ms")
        other.click("li button")
        one.until(names=[], limit=10)

    def test_it_is_pleasant_to_look_at(self):
        for name in ["Ann", "Zoë Ångström", "家族", "A" * 100, "invalid-name", "Bob"]:
            self.server.add(name)
        tab = self.tab()
        tab.until(connection="Live")
        tab.add(REFUSED)
        tab.until(error=REFUSAL)
        tab.front()
        folder = pathlib.Path(os.environ.get("SCREENSHOTS") or tempfile.mkdtemp(dir="/tmp"))
        folder.mkdir(exist_ok=True)
        backgrounds = set()
        for scheme in ["light", "dark"]:
            self.browser.developer("Emulation.setEmulatedMedia", features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            for screen, width in [("screen", 900), ("phone", 360)]:
                self.browser.developer("Emulation.setDeviceMetricsOverride", width=width,
                                       height=760, deviceScaleFactor=1, mobile=width < 400)
                self.assertFalse(tab.state()["wide"], f"{screen}: it scrolls sideways")
                tab.screenshot(folder / f"{scheme}-{screen}.png")
            backgrounds.add(tab.script("return getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(backgrounds), 2, "dark is like light")
        self.browser.developer("Emulation.clearDeviceMetricsOverride")


if __name__ == "__main__":
    unittest.main()
