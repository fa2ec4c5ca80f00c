"""A small load, with the load program of the package; `check --load`, on an idle machine, takes a full one.

Each figure is printed, and the limits that a debug build on a busy machine cannot keep count with
LOAD=full alone.
"""

import os
import re
import resource
import subprocess
import time
import unittest

from cases import ServerCase
from databases import Postgres
from streams import Events
from support import PROGRAM, until

FULL = os.environ.get("LOAD") == "full"
SECONDS = 5 if FULL else 2

# A tab is an open file, in the server and in the load program, which inherit the limit.
FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))


def load(*arguments):
    result = subprocess.run(
        [PROGRAM.with_name("LiveMembersLoad"), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    print(result.stdout, end="")
    if result.returncode:
        raise AssertionError(f"{result.stdout}{result.stderr}")
    return result.stdout


def commands_a_second(server):
    output = load("commands", "--port", server.port, "--seconds", SECONDS)
    return int(re.search(r"(\d+) commands a second", output)[1])


class LoadTests(ServerCase):
    def expect_no_tabs(self, server):
        begin = time.monotonic()
        until("the count is zero", lambda: server.tabs() == 0, 2)
        print(f"disconnected: the count is back to zero within {time.monotonic() - begin:.2f} s")

    def changes_in_tabs(self, tabs, rate):
        """Gives KiB a tab, and the median and longest seconds until all tabs have a change."""
        server = self.start()
        output = load("tabs", "--port", server.port, "--tabs", tabs, "--changes", 40,
                      "--rate", rate, "--pid", server.process.pid)
        self.assertIn(" 0 missed, 0 not everywhere", output)
        self.expect_no_tabs(server)
        return (int(re.search(r"(\d+) KiB a tab", output)[1]),
                *(float(re.search(rf"{what} ([\d.e-]+)", output)[1]) for what in ["median", "longest"]))

    def test_all_tabs_have_each_change(self):
        memory, median, _ = self.changes_in_tabs(1000 if FULL else 200, rate=20)
        if FULL:
            self.assertLessEqual(memory, 45)
            self.assertLess(median, 0.1)

    @unittest.skipUnless(FULL, "LOAD=full only")
    @unittest.skipUnless(FILES > 11_000, f"SKIPPED: {FILES} files may be open, which is too few")
    def test_ten_thousand_tabs_have_each_change_within_a_second(self):
        self.assertLess(self.changes_in_tabs(10_000, rate=2)[2], 1)

    def test_commands_that_wait_are_committed_together(self):
        single = self.start("--group", "1", file=self.folder / "single.sqlite")
        grouped = self.start(file=self.folder / "grouped.sqlite")
        self.compare(single, grouped)

    @unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
    def test_commands_that_wait_are_committed_together_in_postgres_too(self):
        database = Postgres()
        self.addCleanup(database.close)
        self.compare(
            self.start("--group", "1", postgres=database.url, file=None), self.start(postgres=database.url, file=None))

    def compare(self, single, grouped):
        rates = [commands_a_second(server) for server in (single, grouped)]
        sizes = [rate * SECONDS / server.metric("commits_total") for rate, server in zip(rates, (single, grouped))]
        print(f"commands that are committed together: {rates[1] / rates[0]:.1f} times as many a second, "
              f"{sizes[1]:.1f} in a commit")
        self.assertLess(sizes[0], 1.1)  # the rate is rounded
        self.assertGreater(sizes[1], 1.5)
        if FULL:
            self.assertGreater(rates[1], 1.5 * rates[0])

    def test_tabs_that_never_read_cost_little_memory(self):
        server = self.start()
        for number in range(20):
            server.add(f"member {number}")
        stuck = [Events(server, receive_buffer=4096) for _ in range(100)]
        until("all are there", lambda: server.tabs() == 100)
        before, first = server.resident(), server.revision()
        changes = 0
        while changes < (10_000 if FULL else 1000):
            load("commands", "--port", server.port, "--clients", 8, "--seconds", 2)
            changes = server.revision() - first
        more = server.resident() - before
        print(f"{more} KiB more after {changes} changes, with 100 tabs that never read")
        self.assertLess(more, 16 * 1024)
        for tab in stuck:
            tab.close()
        self.expect_no_tabs(server)

    def test_many_streams_end_in_time(self):
        server = self.start()
        streams, process, status = self.end(server)
        self.assertEqual(status, 0, server.messages())
        self.assertLess(streams, 1 if FULL else 10)
        self.assertLess(process, 3 if FULL else 10)

    def test_many_streams_end_in_time_beside_a_client_that_is_stuck(self):
        server = self.start()
        for number in range(200):
            server.add(f"{number} " + "x" * 90)
        stuck = Events(server, receive_buffer=4096)
        self.addCleanup(stuck.close)
        until("it is there", lambda: server.tabs() == 1)
        # Until all buffers between the server and the one that does not read are full.
        for number in range(150):
            server.add(f"n{number}")
        streams, process, _ = self.end(server, besides="with a stuck client ")
        self.assertLess(streams, 1 if FULL else 10)
        self.assertLess(process, 8 if FULL else 15)

    def end(self, server, besides=""):
        """Opens streams and asks the server to end; gives the seconds until all streams have, and until
        the process has, and its exit status."""
        tabs = [Events(server).open() for _ in range(1000 if FULL else 200)]
        for tab in tabs:
            tab.next()
        begin = time.monotonic()
        server.process.terminate()
        for tab in tabs:
            while tab.next():
                pass  # the page may not have shown the last change yet
            self.assertTrue(tab.ended, "a stream broke off")
        streams = time.monotonic() - begin
        status = server.wait()
        process = time.monotonic() - begin
        print(f"SIGTERM {besides}with {len(tabs)} streams: they ended within {streams:.2f} s, "
              f"the process within {process:.2f} s")
        for tab in tabs:
            tab.close()
        return streams, process, status


if __name__ == "__main__":
    unittest.main()
