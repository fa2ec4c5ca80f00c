"""What is silent: servers that are frozen, tables and files that are locked, and clients that go away."""

import os
import queue
import signal
import socket
import sqlite3
import struct
import threading
import time
import unittest

from cases import PostgresCase, ServerCase
from clients import Clients, post_and_go
from support import until


class DatabaseTests(PostgresCase):
    def waiting(self):
        """How many backends of servers wait for a lock."""
        return int(self.database.query(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))

    def test_a_frozen_server_holds_up_no_other(self):
        """With 400 kB of entries to read, more than the buffers of a Unix socket: who does not read makes its backend wait."""
        frozen, other = (self.start(postgres=self.database.socket_url) for _ in range(2))
        other.post("/members/remove-all")
        self.database.fill(990, "\U0001f600" * 100)
        until("both have the list", lambda: len(frozen.names()) == len(other.names()) == 990)
        ends, answers = threading.Event(), queue.SimpleQueue()

        def ask():
            while not ends.is_set():
                try:
                    answers.put(frozen.post("/members/999999999/remove")[0])
                except OSError:
                    pass

        askers = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
        for asker in askers:
            asker.start()
        longest = 0
        try:
            for _ in range(6):
                count = answers.qsize()
                until("it works", lambda: answers.qsize() > count + 8)
                frozen.freeze()
                begin = time.monotonic()
                status, text, _ = other.post("/members/999999999/remove")
                longest = max(longest, time.monotonic() - begin)
                self.assertEqual(status, 404, text)
                frozen.thaw()
        finally:
            frozen.thaw()
            ends.set()
        print(f"beside a frozen server: at most {longest:.2f} s for a command")
        self.assertLess(longest, 8)
        other.post("/members/remove-all")

    def test_a_locked_table_ends_the_wait_of_a_command(self):
        server = self.start()
        session = self.lock()
        begin = time.monotonic()
        status, text, _ = server.post("/members", name="Ann")
        self.assertEqual((status, text), (503, "The database does not answer now."))
        self.assertLess(time.monotonic() - begin, 15)
        self.release(session)
        until("it goes on", lambda: server.post("/members", name="Ann")[0] == 204)

    def test_a_server_ends_in_time_behind_a_locked_table(self):
        for table in ["member_log.entry", "member_log.log"]:
            server = self.start()
            session = self.lock(table)
            waiting = Clients([server], 4, 4)
            until("they wait", self.waiting)
            took, _ = server.terminate(limit=20)
            print(f"SIGTERM behind the locked table {table}: {took:.2f} s")
            self.assertLess(took, 7)
            self.release(session)
            server.restart()
            waiting.join()
            server.terminate()

    def test_a_server_ends_in_time_with_a_frozen_backend(self):
        server = self.start()
        until("it is idle", lambda: set(self.backends("state").split("\n")) == {"idle"})
        backends = [int(pid) for pid in self.backends("pid").split()]
        for pid in backends:
            os.kill(pid, signal.SIGSTOP)
        files = server.files()
        try:
            waiting = Clients([server], 4, 4)
            until("they are there", lambda: server.files() >= files + 4)
            time.sleep(0.5)  # and wait for the database, which nothing outside shows
            took, _ = server.terminate(limit=20)
        finally:
            for pid in backends:
                os.kill(pid, signal.SIGCONT)
        print(f"SIGTERM with a frozen backend: {took:.2f} s")
        self.assertLess(took, 7)
        server.restart()
        waiting.join()

    def backends(self, column):
        return self.database.query(
            f"SELECT {column} FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()")

    def test_commands_of_clients_that_went_away_are_bounded_and_not_carried_out(self):
        server = self.start("--connections", "500")
        server.add("Ann")
        before, count = server.resident(), len(server.names())
        session = self.lock()
        slowest = 0
        for number in range(3000):
            post_and_go(server, f"gone-{number}").close()
            if number % 300 == 0:
                begin = time.monotonic()
                self.assertEqual(server.request("GET", "/", timeout=60)[0], 200)
                slowest = max(slowest, time.monotonic() - begin)
        files, more = server.files(), server.resident() - before
        self.release(session)
        until("it goes on", lambda: server.post("/members", name="Bob")[0] == 204)
        carried_out = len(server.names()) - count - 1
        print(f"3000 who went away: {files} files, {more} KiB more, {carried_out} carried out, "
              f"a page after {slowest:.2f} s")
        self.assertLess(files, 700)
        self.assertLess(more, 64 * 1024)
        self.assertLess(carried_out, 300)
        self.assertLess(slowest, 20)


class FileTests(ServerCase):
    def lock(self):
        other = sqlite3.connect(self.file, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        return other

    def test_a_server_ends_in_time_while_another_program_has_locked_the_file(self):
        """The command that is carried out when the time is over has begun to wait just before."""
        server = self.start()
        other = self.lock()
        waiting = Clients([server], 4, 4)
        until("one was refused", lambda: server.metric("failed_commits_total") > 0)
        time.sleep(0.2)
        took, _ = server.terminate(limit=20)
        print(f"SIGTERM behind a locked file: {took:.2f} s")
        self.assertLess(took, 5)
        other.execute("COMMIT")
        server.restart()
        waiting.join()
        server.kill()

    def test_askers_that_were_reset_do_not_count_as_waiting(self):
        server = self.start()
        other = self.lock()
        first = []

        def one_waits():
            first.append(post_and_go(server, "first"))
            return server.metric("waiting_commands") > 0

        until("one waits while another waits for the file", one_waits)
        files = server.files()
        for number in range(100):
            client = post_and_go(server, f"gone-{number}")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            if number % 2:
                time.sleep(0.002)
            client.close()
        until("the server has closed what was reset", lambda: server.files() <= files)
        time.sleep(0.3)  # and has told their tasks, which nothing outside shows
        other.execute("COMMIT")
        server.add("last")
        for client in first:
            client.close()
        names = server.names()
        print(f"{len([n for n in names if n.startswith('gone')])} carried out of 100 whose askers were reset")
        self.assertEqual([n for n in names if n.startswith("gone")], [])


if __name__ == "__main__":
    unittest.main()
