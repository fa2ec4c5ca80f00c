"""The live list: order, reconnecting, and clients that vanish or do not read."""

import concurrent.futures
import random
import socket
import struct
import subprocess
import tempfile
import unittest

from cases import ServerCase
from clients import Clients
from streams import Events, Readers
from support import PROGRAM, until


class EventTests(ServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.start("--heartbeat", "1")

    def test_each_tab_sees_each_change_in_order(self):
        tabs = [self.events(self.server) for _ in range(10)]
        expected = [[]]
        for tab in tabs:
            self.assertEqual(tab.next()[1], [])
        for number in range(20):
            self.server.add(f"m{number}")
            expected.append(expected[-1] + [f"m{number}"])
            # One at a time, so none is skipped.
            for tab in tabs:
                self.assertEqual(tab.next()[1], expected[-1])

    def test_a_tab_that_falls_behind_goes_on_with_the_newest(self):
        tab = self.events(self.server)
        clients = Clients([self.server], 8, 200)
        clients.join()
        final = self.server.names()
        self.assertEqual(sorted(final), sorted(f"m{n}" for n in range(200)))
        for before, after in zip(seen := tab.until_names(final), seen[1:]):
            self.assertEqual(after[:len(before)], before, "a list is not what follows the one before")

    def test_reconnecting_gives_what_is_new_and_nothing_twice(self):
        self.server.add("Ann")
        first = self.events(self.server)
        known, _ = first.next()
        first.close()
        for how in [{"last_id": known}, {"after": known}, {"last_id": known, "after": "x-1"}]:
            tab = self.events(self.server, **how)
            self.assertIn("retry", tab.field())
            self.assertEqual(
                tab.field(), {"event": "beat", "data": known}, f"{how}: no sign of life, but news")
            tab.close()
        self.server.add("Bob")
        tab = self.events(self.server, last_id=known)
        self.assertEqual(tab.next()[1], ["Ann", "Bob"])
        newest = known.rpartition("-")[0] + "-9999"
        for odd in ["", "x", "-", "x-y", "other-1", "other-9999", "9" * 5000 + "-1"]:
            tab = self.events(self.server, last_id=odd)
            self.assertEqual(tab.next()[1], ["Ann", "Bob"], odd)
        ahead = self.events(self.server, last_id=newest)
        ahead.field()
        self.assertEqual(
            ahead.field()["event"], "beat", "a tab of a server that is ahead was set back")

    def test_a_tab_goes_on_after_a_restart_with_what_it_missed(self):
        self.server.add("Ann")
        tab = self.events(self.server)
        known, _ = tab.next()
        self.server.kill()
        with self.assertRaises(OSError):
            tab.next()
        self.server.restart()
        self.server.add("Bob")
        self.assertEqual(self.events(self.server, last_id=known).next()[1], ["Ann", "Bob"])

    def test_clients_that_go_are_noticed(self):
        for how in ["closed", "half-closed", "reset", "before the answer"]:
            tabs = [Events(self.server) for _ in range(50)]
            if how != "before the answer":
                for tab in tabs:
                    tab.open().next()
                self.assertEqual(self.server.tabs(), 50)
            for tab in tabs:
                if how == "half-closed":
                    tab.socket.shutdown(socket.SHUT_WR)
                elif how == "reset":
                    tab.socket.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    tab.close()
                else:
                    tab.close()
            until(f"{how}: the count is zero", lambda: self.server.tabs() == 0, 2)
            for tab in tabs:
                tab.close()

    def test_clients_that_do_not_read_cost_little_and_are_closed(self):
        # Long names, so that what waits fills all buffers.
        for number in range(100):
            self.server.add(f"{number} " + "x" * 90)
        stuck = [Events(self.server, receive_buffer=4096) for _ in range(20)]
        reading = self.events(self.server)
        until("all are there", lambda: self.server.tabs() == 21)
        before = self.server.resident()
        # It reads meanwhile: on a busy machine the changes take longer than the server waits for a client.
        with concurrent.futures.ThreadPoolExecutor() as threads:
            emptied = threads.submit(reading.until_names, [], 60)
            for number in range(300):
                self.server.post("/members/remove-all" if number == 299 else "/members", name=f"n{number}")
            emptied.result()
        until("those that do not read are closed", lambda: self.server.tabs() == 1, 40)
        self.assertLess(self.server.resident() - before, 16 * 1024)
        self.server.add("Ann")
        self.assertEqual(reading.next()[1], ["Ann"])
        for tab in stuck:
            tab.close()

    def test_tabs_that_come_and_go_under_load_leave_nothing(self):
        random.seed(1)
        clients = Clients([self.server], 4, 400)
        tabs = []
        while any(thread.is_alive() for thread in clients.threads):
            tabs.append(Events(self.server))
            if random.random() < 0.5:
                tabs[-1].open()
            if len(tabs) > 20:
                tabs.pop(random.randrange(len(tabs))).close()
        clients.join()
        for tab in tabs:
            tab.close()
        until("the count is zero", lambda: self.server.tabs() == 0, 2)
        self.assertEqual(len(self.server.names()), 400)


class EndTests(ServerCase):
    def setUp(self):
        super().setUp()
        self.server = self.start()

    def test_a_killed_server_has_all_that_it_acknowledged_and_nothing_twice(self):
        clients = Clients([self.server], 64, 1000)
        until("400 are acknowledged", lambda: clients.acknowledged.qsize() >= 400, 60)
        self.server.kill()
        acknowledged = [clients.acknowledged.get() for _ in range(clients.acknowledged.qsize())]
        self.assertLess(len(acknowledged), 1000)
        self.server.restart()
        self.assertLessEqual(set(acknowledged), set(self.server.names()))
        clients.join()
        self.assertEqual(sorted(self.server.names()), sorted(f"m{n}" for n in range(1000)))
        print(f"kill -9 after {len(acknowledged)} of 1000 commands: none lost, none twice")

    def test_a_server_that_is_asked_to_end_answers_all_and_ends_its_streams(self):
        readers = Readers([Events(self.server).open() for _ in range(20)])
        clients = Clients([self.server], 16, 1000)
        until("some are acknowledged", lambda: clients.acknowledged.qsize() >= 200, 60)
        took, status = self.server.terminate()
        self.assertEqual(status, 0, self.server.messages())
        self.assertLess(took, 3)
        readers.join()
        self.assertTrue(all(tab.ended for tab in readers.tabs), "a stream broke off")
        acknowledged = [clients.acknowledged.get() for _ in range(clients.acknowledged.qsize())]
        self.server.restart()
        self.assertLessEqual(set(acknowledged), set(self.server.names()))
        clients.join()
        self.assertEqual(sorted(self.server.names()), sorted(f"m{n}" for n in range(1000)))

    def test_a_client_that_does_not_read_delays_the_end_for_a_limited_time(self):
        for number in range(200):
            self.server.add(f"{number} " + "x" * 90)
        stuck = [Events(self.server, receive_buffer=4096) for _ in range(3)]
        until("all are there", lambda: self.server.tabs() == 3)
        for number in range(150):
            self.server.add(f"n{number}")
        took, _ = self.server.terminate()
        self.assertLess(took, 8)
        for tab in stuck:
            tab.close()

    def test_a_server_that_cannot_start_says_why(self):
        cases = [
            (["--file", "/nowhere/members.sqlite"], "unable to open database file"),
            (["--postgres", "postgresql://127.0.0.1:1/x"], "Connection refused"),
            (["--port", str(self.server.port)], "Address already in use"),
            (["--heartbeat", "0"], "must be more than zero"),
            (["--connections", "0"], "must be more than zero"),
        ]
        for arguments, why in cases:
            with self.subTest(arguments=arguments), tempfile.TemporaryDirectory() as folder:
                result = subprocess.run(
                    [PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, timeout=20)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(why, result.stderr)


if __name__ == "__main__":
    unittest.main()
