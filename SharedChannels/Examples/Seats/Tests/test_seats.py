"""Starts two servers over one log, and checks that they agree. SEATS is the program. With SHARED_LOG_POSTGRES, the
address of a database, they also run over PostgreSQL."""

import http.client
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ.get("SEATS", ".build/debug/Seats")


class Server:
    def __init__(self, place):
        # None of the ports that the system gives to clients.
        self.port = random.randrange(10_000, 30_000)
        self.process = subprocess.Popen(
            [PROGRAM, str(self.port), place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while self.ask("GET", "/ready") != (200, ""):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError("the server is not ready")
            time.sleep(0.05)

    def ask(self, method, path, text=None, key=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, text, {"Idempotency-Key": key} if key else {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return None
        finally:
            connection.close()

    def take(self, seat, name, key):
        return self.ask("POST", f"/seats/{seat}", name, key)

    def events(self, count):
        """The first of an open stream, and the connection."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/events")
        lines = connection.getresponse()
        return [lines.readline() + lines.readline() for _ in range(count)], lines

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)

    def kill(self):
        self.process.kill()
        self.process.wait()


class SeatsTests(unittest.TestCase):
    def two_servers(self, place):
        servers = [Server(place), Server(place)]
        for server in servers:
            self.addCleanup(server.kill)
        return servers

    def check(self, place):
        one, other = self.two_servers(place)
        self.assertEqual(one.take(7, "Ann", "a"), (201, "yours"))
        self.assertEqual(other.take(7, "Bob", "b"), (409, "taken by Ann"))
        self.assertEqual(other.take(7, "Ann", "a"), (201, "yours"))
        self.assertEqual(one.take(7, "Ann", None)[0], 400)
        self.assertEqual(one.take("x", "Ann", "c")[0], 400)
        # Both servers are asked for each seat at once. One of the two gets it.
        answers = {}

        def ask(server, seat, name):
            answers[seat, name] = server.take(seat, name, f"{seat} {name}")

        threads = [threading.Thread(target=ask, args=(server, seat, name))
                   for seat in range(10, 30) for server, name in ((one, "Ann"), (other, "Bob"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        owners = {7: "Ann"}
        for seat in range(10, 30):
            taken = [name for name in ("Ann", "Bob") if answers[seat, name] == (201, "yours")]
            self.assertEqual(len(taken), 1, seat)
            loser = "Bob" if taken == ["Ann"] else "Ann"
            self.assertEqual(answers[seat, loser], (409, f"taken by {taken[0]}"))
            owners[seat] = taken[0]
        expected = ", ".join(f"{seat} {name}" for seat, name in sorted(owners.items()))
        for server in one, other:
            end = time.monotonic() + 30
            while server.ask("GET", "/seats") != (200, expected) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertEqual(server.ask("GET", "/seats"), (200, expected))
        # What is answered is stored: a server is killed, and another has it.
        one.kill()
        events, stream = other.events(1)
        self.assertEqual(events, [f"data: {expected}\n\n".encode()])
        self.assertEqual(other.take(30, "Cy", "cy"), (201, "yours"))
        self.assertEqual(stream.readline(), f"data: {expected}, 30 Cy\n".encode())
        # An open stream does not delay the end.
        self.assertEqual(other.end(), 0)
        self.assertEqual(stream.read(), b"\n")
        again = Server(place)
        self.addCleanup(again.kill)
        self.assertEqual(again.ask("GET", "/seats"), (200, f"{expected}, 30 Cy"))

    def test_two_servers_over_sqlite_agree(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(str(pathlib.Path(folder) / "seats.sqlite"))

    @unittest.skipUnless(os.environ.get("SHARED_LOG_POSTGRES"), "there is no PostgreSQL in SHARED_LOG_POSTGRES")
    def test_two_servers_over_postgresql_agree(self):
        self.check(os.environ["SHARED_LOG_POSTGRES"])
