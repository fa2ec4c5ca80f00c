"""A small load, with the load program of the package; by hand it takes a full one.

LOAD=full, for a release build (PROGRAM=.build/release/LiveMembers) on an idle machine: 1,000 tabs have a
change within 100 ms in the median, at 45 KiB a tab at most, and longer loads.
"""

import os
import re
import subprocess
import tempfile
import unittest

from support import PROGRAM, Events, Postgres, Server, until

FULL = os.environ.get("LOAD") == "full"


def load(*arguments):
    result = subprocess.run(
        [PROGRAM, "load", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    print(result.stdout, end="")
    if result.returncode:
        raise AssertionError(f"{result.stdout}{result.stderr}")
    return result.stdout


def commands_a_second(server):
    output = load("commands", "--port", server.port, "--seconds", 5 if FULL else 2)
    return int(re.search(r"(\d+) commands a second", output)[1])


class LoadTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def server(self, *arguments, **database):
        database = database or {"file": f"{self.folder}/members.sqlite"}
        server = Server(*arguments, **database)
        self.addCleanup(server.close)
        return server

    def test_all_tabs_have_each_change(self):
        server = self.server()
        output = load("tabs", "--port", server.port, "--tabs", 1000 if FULL else 200,
                      "--changes", 40, "--rate", 20, "--pid", server.process.pid)
        self.assertIn(" 0 missed, 0 not everywhere", output)
        until("the count is zero", lambda: server.tabs() == 0, 2)
        if FULL:
            self.assertLessEqual(int(re.search(r"(\d+) KiB a tab", output)[1]), 45)
            self.assertLess(float(re.search(r"median ([\d.e-]+)", output)[1]), 0.1)

    def test_commands_that_wait_are_committed_together(self):
        single = self.server("--group", "1", file=f"{self.folder}/single.sqlite")
        grouped = self.server(file=f"{self.folder}/grouped.sqlite")
        self.compare(single, grouped)

    @unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
    def test_commands_that_wait_are_committed_together_in_postgres_too(self):
        database = Postgres()
        self.addCleanup(database.close)
        self.compare(
            self.server("--group", "1", postgres=database.url), self.server(postgres=database.url))

    def compare(self, single, grouped):
        """One after the other, and once more, so that one moment of the machine does not decide."""
        rates = [[commands_a_second(server) for server in (single, grouped)] for _ in range(2)]
        self.assertGreater(max(pair[1] for pair in rates), 1.5 * min(pair[0] for pair in rates))

    def test_tabs_that_never_read_cost_little_memory(self):
        server = self.server()
        for number in range(20):
            server.add(f"member {number}")
        stuck = [Events(server, receive_buffer=4096) for _ in range(100)]
        until("all are there", lambda: server.tabs() == 100)
        before = server.resident()
        load("commands", "--port", server.port, "--clients", 8, "--seconds", 10 if FULL else 3)
        more = server.resident() - before
        print(f"{more} KiB more with 100 tabs that never read")
        self.assertLess(more, 16 * 1024)
        for tab in stuck:
            tab.close()
        until("the count is zero", lambda: server.tabs() == 0, 2)

    def test_many_streams_end_in_time(self):
        server = self.server()
        tabs = [Events(server).open() for _ in range(1000 if FULL else 200)]
        for tab in tabs:
            tab.next()
        took, status = server.terminate()
        print(f"{len(tabs)} streams and the server ended in {took:.2f} s")
        self.assertEqual(status, 0, server.messages())
        self.assertLess(took, 3)
        for tab in tabs:
            self.assertIsNone(tab.next())
            self.assertTrue(tab.ended, "a stream broke off")
            tab.close()


if __name__ == "__main__":
    unittest.main()
