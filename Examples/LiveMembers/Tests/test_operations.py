"""What an operator sees and gives: settings, logs, checks, limits, and a second server on one file."""

import pathlib
import re
import socket
import sqlite3
import time
import unittest

from cases import ServerCase
from clients import Clients
from databases import Postgres
from support import until


class OperationTests(ServerCase):
    def test_two_servers_on_a_file_show_one_list(self):
        server, other = self.start(), self.start()
        server.add("Ann")
        until("the other shows it", lambda: other.names() == ["Ann"])
        other.add("Bob")
        self.assertEqual(other.names(), ["Ann", "Bob"])
        server.kill()
        other.add("Cy")
        server.restart()
        self.assertEqual(server.names(), ["Ann", "Bob", "Cy"])

    def test_commands_wait_for_other_programs_that_use_the_file(self):
        server = self.start()
        with sqlite3.connect(self.file, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            clients = Clients([server], 4, 4)
            time.sleep(0.3)  # they find the file locked, on any machine that is fast enough to matter
            other.execute("COMMIT")
        other.close()
        clients.join()
        self.assertEqual(len(server.names()), 4)
        self.assertNotIn("failed", server.messages())

    def test_numbers_out_of_range_are_refused(self):
        for arguments in [["--port", 70000], ["--port", -1], ["--heartbeat", 10**18],
                          ["--health-port", 70000], ["--health-port", -1], ["--health-port", "http"],
                          ["--heartbeat", 3601], ["--streams-per-client", -1], ["--log-level", "loud"]]:
            message = self.refusal(*arguments)
            self.assertRegex(message, "at most|no log level|Missing value|Unknown option|valid", arguments)
            self.assertNotIn("Fatal", message)
        for variable in ["PORT", "HEALTH_PORT"]:
            message = self.refusal(environment={variable: "http"})
            self.assertIn(f"Error: ${variable} is not a number.\n", message)

    def test_it_prints_an_address_that_a_browser_takes(self):
        server = self.start()
        self.assertEqual(server.address, f"http://127.0.0.1:{server.port}/")
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("this machine has no IPv6")
        server = self.start("--host", "::1", file=self.folder / "other.sqlite")
        self.assertEqual(server.address, f"http://[::1]:{server.port}/")

    def test_requests_are_logged_if_asked_for(self):
        server = self.start("--log-level", "info")
        server.add("Ann")
        server.request("GET", "/nothing")
        until("both are there", lambda: "GET /nothing: 404" in server.messages())
        self.assertIn("POST /members: 204", server.messages())
        self.assertNotIn("Ann", server.messages())
        quiet = self.start("--connections", "100", file=self.folder / "other.sqlite")
        quiet.add("Ann")
        self.assertEqual(quiet.messages(), "")

    def test_metrics_and_checks(self):
        server = self.start()
        server.add("Ann")
        server.post("/members", name=" ")
        text = server.request("GET", "/metrics")[1]
        for line in ["live_members_members 1", "live_members_revision 1", "live_members_streams 0",
                     "live_members_database_up 1", 'live_members_commands_total{outcome="done"} 1',
                     'live_members_commands_total{outcome="invalidName"} 1']:
            self.assertIn(line + "\n", text)
        seconds = float(re.search(r"^live_members_commit_seconds_total (\S+)$", text, re.M)[1])
        self.assertTrue(0 < seconds < 60, seconds)
        self.assertEqual(server.request("GET", "/health")[0], 200)
        self.assertEqual(server.request("GET", "/ready")[0], 200)

    def test_names_that_cannot_be_seen_or_turn_the_text_are_refused(self):
        server = self.start()
        bad = ["\u200b", "\u2060\u200d", "\u3164", "\u2800", "a\u202eb", "a\u2066b", "a\u200fb",
               "\u0301", "a\u2028b", "\ufeff", "a\tb"]
        for name in bad:
            self.assertEqual(server.post("/members", name=name)[0], 422, ascii(name))
        good = ["invalid name", "👩‍👩‍👧", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "می‌خواهم", "שלום", "❤️", "é"]
        for name in good:
            server.add(name)
        self.assertEqual(server.names(), good)

    def test_the_stored_key_tells_nothing_of_the_program(self):
        server = self.start()
        server.add("Ann", key="k1")
        server.post("/members/1/remove", key="k2")
        server.post("/members/remove-all", key="k3")
        with sqlite3.connect(self.file) as database:
            keys = [key for key, in database.execute('SELECT key FROM entry ORDER BY "index"')]
        database.close()
        self.assertEqual(keys, ["k1 add f999bd199ff42d18", "k2 remove 1", "k3 remove all"])

    def test_what_it_leaves_git_does_not_see(self):
        self.start().add("Ann")
        ignored = (pathlib.Path(__file__).parents[3] / ".gitignore").read_text()
        self.assertIn("members.sqlite*", ignored)
        self.assertTrue(all(p.name.startswith("members.sqlite") for p in self.folder.iterdir()))

    @unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
    def test_while_the_database_is_away_little_is_logged_and_no_server_is_ready(self):
        database = Postgres()
        self.addCleanup(database.close)
        server = self.start(file=None, postgres=database.url)
        self.assertEqual(server.request("GET", "/ready")[0], 200)
        database.stop()
        try:
            until("it is not ready", lambda: server.request("GET", "/ready")[0] == 503)
            # A command that cannot be stored, and whose asker leaves: afterwards, no other clears that.
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            with self.assertRaises(TimeoutError):
                server.request("POST", "/members", "name=Ann", form, timeout=0.5)
            begin, before = time.monotonic(), server.messages().count("\n")
            self.assertEqual(server.request("GET", "/health")[0], 200)
            time.sleep(4)  # what is looked at is how much is written
            rate = (server.messages().count("\n") - before) / (time.monotonic() - begin)
        finally:
            database.start()
        until("it is ready again", lambda: server.request("GET", "/ready")[0] == 200, 10)
        print(f"{rate:.1f} lines a second while the database is away")
        self.assertLess(rate, 2)
        until("the log says so", lambda: "answers again" in server.messages())


if __name__ == "__main__":
    unittest.main()
