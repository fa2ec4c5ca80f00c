"""Several servers over one PostgreSQL: the same lists in the same order at all, whatever happens."""

import subprocess
import time
import unittest

from cases import PostgresCase
from clients import Clients
from databases import Postgres
from streams import Events, Readers
from support import until


class PostgresTests(PostgresCase):
    def setUp(self):
        super().setUp()
        self.servers = [self.start("--heartbeat", "1") for _ in range(2)]
        self.servers[0].post("/members/remove-all")
        # A list that was empty before is a new one too.
        emptied = self.servers[0].revision()
        until("both have the emptied list", lambda: self.servers[1].revision() == emptied)

    def test_what_is_added_at_one_is_seen_at_the_other(self):
        tabs = [self.events(server) for server in self.servers]
        for tab in tabs:
            tab.until_names([])
        expected = []
        for number in range(20):
            self.servers[number % 2].add(f"m{number}")
            expected.append(f"m{number}")
            begin = time.monotonic()
            for tab in tabs:
                self.assertEqual(tab.next()[1], expected)
            self.assertLess(time.monotonic() - begin, 10)

    def test_all_tabs_of_both_see_the_lists_in_one_order(self):
        readers = Readers([Events(self.servers[n % 2]).open() for n in range(8)])
        clients = Clients(self.servers, 16, 400)
        clients.join()
        until("one has all", lambda: sorted(self.servers[0].names()) == sorted(clients.names))
        final = self.servers[0].names()
        until("all have the last list", lambda: all(l and l[-1] == final for l in readers.lists))
        for lists in readers.lists:
            for names in lists:
                self.assertEqual(names, final[:len(names)], "a list that never was")
            self.assertEqual([len(names) for names in lists], sorted({len(names) for names in lists}))
        for server in self.servers:
            self.assertEqual(server.terminate()[1], 0, server.messages())
        readers.join()

    def test_a_command_with_one_key_at_both_servers_is_done_once(self):
        for server in [*self.servers, *self.servers]:
            server.add("Ann", key="the-same-key")
        self.assertEqual(self.servers[0].names(), ["Ann"])

    def test_a_database_that_is_restarted_under_load_is_found_again(self):
        for mode in ["fast", "immediate"]:
            with self.subTest(mode=mode):
                self.servers[0].post("/members/remove-all")
                tabs = Readers([Events(server).open() for server in self.servers])
                clients = Clients(self.servers, 64, 500)
                until("100 are acknowledged", lambda: clients.acknowledged.qsize() >= 100, 60)
                self.database.stop(mode)
                self.database.start()
                accepting = time.monotonic()
                # All may be acknowledged before this looks.
                count = min(clients.acknowledged.qsize(), 499)
                until("it goes on", lambda: clients.acknowledged.qsize() > count, 10)
                pause = time.monotonic() - accepting
                print(f"{mode} restart of the database: went on {pause:.2f} s after it accepts")
                self.assertLess(pause, 3)
                clients.join()
                for server in self.servers:
                    until("each is there once", lambda: sorted(server.names()) == sorted(
                        clients.names))
                # What the others do is seen again, too.
                self.servers[0].add("Ann")
                until("both see it", lambda: all(
                    lists and lists[-1][-1:] == ["Ann"] for lists in tabs.lists))

    def test_a_server_that_is_killed_in_the_middle_loses_nothing_and_the_other_goes_on(self):
        clients = Clients(self.servers, 64, 500)
        until("100 are acknowledged", lambda: clients.acknowledged.qsize() >= 100, 60)
        self.servers[0].kill()
        self.servers[0].restart()
        clients.join()
        for server in self.servers:
            until("each is there once", lambda: sorted(server.names()) == sorted(clients.names))

    def test_while_the_database_is_away_the_page_is_there_and_commands_wait(self):
        self.servers[0].add("Ann")
        self.database.stop()
        try:
            self.assertEqual(self.servers[0].names(), ["Ann"])
            waiting = Clients(self.servers[:1], 1, 1)
        finally:
            self.database.start()
        waiting.join()
        self.assertEqual(self.servers[0].names(), ["Ann", *waiting.names])

    def test_changes_that_come_while_the_list_is_read_do_not_keep_a_server_busy(self):
        """Notifications wait for the reader, which is in its query."""
        server = self.servers[0]
        locking, telling = self.database.session(), self.database.session()
        for session in [locking, telling]:
            self.addCleanup(session.communicate)
        locking.stdin.write("BEGIN; LOCK TABLE member_log.entry; SELECT 'locked';\n")
        self.assertEqual(locking.stdout.readline(), "locked\n")
        for _ in range(20):
            telling.stdin.write(f"BEGIN; {self.database.TELL}; COMMIT; SELECT 'told';\n")
            while (line := telling.stdout.readline()) != "told\n":
                self.assertTrue(line)
        begin = server.cpu()
        time.sleep(1)  # what is looked at is that nothing happens
        used = server.cpu() - begin
        print(f"{1000 * used:.0f} ms of processor time in a second with changes that wait")
        self.assertLess(used, 0.3)
        locking.stdin.write("COMMIT; SELECT 'released';\n")
        self.assertEqual(locking.stdout.readline(), "released\n")
        self.database.fill(1, "Eve")
        until("it goes on", lambda: server.names() == ["Eve"])

    def test_a_server_can_end_while_the_database_is_away(self):
        self.database.stop()
        try:
            waiting = Clients(self.servers[:1], 4, 4)
            took, _ = self.servers[0].terminate()
            self.assertLess(took, 8)
        finally:
            self.database.start()
        self.servers[0].restart()
        waiting.join()
        self.assertEqual(sorted(self.servers[0].names()), sorted(waiting.names))

    def test_a_database_that_is_set_back_is_shown_as_it_is(self):
        server, other = self.servers
        for number in range(6):
            server.add(f"m{number}")
        tabs = [self.events(each) for each in self.servers]
        dump = subprocess.run(
            [Postgres.programs() / "pg_dump", "-n", "member_log", "--clean", self.database.url],
            capture_output=True, text=True, check=True, timeout=60).stdout
        for number in range(6, 10):
            server.add(f"m{number}")
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(10)])
        session = self.database.session()
        session.communicate(f"BEGIN; {dump}; COMMIT;", timeout=60)
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(6)], 15)
        server.add("after")
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(6)] + ["after"], 15)


if __name__ == "__main__":
    unittest.main()
