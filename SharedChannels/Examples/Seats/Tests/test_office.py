"""Runs offices over one log, kills them, and checks what is in the tables for reports. OFFICE is the program."""

import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ.get("OFFICE", ".build/debug/BoxOffice")


class Office:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [PROGRAM, folder / "sales.sqlite", folder / "reports.sqlite"], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def sell(self, seat, name):
        """What it answers; nothing if it was killed."""
        try:
            self.process.stdin.write(f"{seat} {name}\n")
            return self.process.stdout.readline().strip()
        except BrokenPipeError:
            return ""

    def kill(self):
        self.process.kill()
        self.close()

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code

    def close(self):
        self.process.wait(timeout=60)
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.close()


class OfficeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.offices = []
        self.addCleanup(lambda: [office.kill() for office in self.offices if office.process.poll() is None])

    def open(self):
        self.offices.append(Office(self.folder))
        return self.offices[-1]

    def query(self, text):
        database = sqlite3.connect(self.folder / "reports.sqlite", timeout=10)
        try:
            with database:
                return database.execute(text).fetchall()
        finally:
            database.close()

    def require(self, text, expected):
        end = time.monotonic() + 60
        while (found := self.query(text)) != expected and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(found, expected)

    def test_each_seat_is_in_the_table_and_has_one_mail_whatever_is_killed(self):
        names = {seat: f"n{seat}" for seat in range(60)}
        one, other = self.open(), self.open()
        for seat, name in names.items():
            if seat % 12 == 6:
                # Perhaps while it writes a mail.
                time.sleep(random.uniform(0, 0.2))
                one.kill()
                one, other = other, self.open()
            self.assertEqual(one.sell(seat, name), f"{seat} sold")
            self.assertEqual(other.sell(seat, "late"), f"{seat} taken by {name}")
        rows = list(names.items())
        self.require("SELECT number, owner FROM seat ORDER BY number", rows)
        self.require("SELECT seat, recipient FROM mail ORDER BY seat", rows)
        self.assertEqual([one.end(), other.end()], [0, 0])

    def test_a_table_that_was_emptied_is_made_anew(self):
        office = self.open()
        for seat in range(3):
            self.assertEqual(office.sell(seat, "Ann"), f"{seat} sold")
        rows = [(seat, "Ann") for seat in range(3)]
        self.require("SELECT number, owner FROM seat ORDER BY number", rows)
        self.assertEqual(office.end(), 0)
        for text in ["DELETE FROM seat", "DELETE FROM place"]:
            self.query(text)
        office = self.open()
        self.require("SELECT number, owner FROM seat ORDER BY number", rows)
        office.process.send_signal(signal.SIGTERM)
        self.assertEqual(office.end(), 0)

    def test_a_line_that_says_nothing_is_named(self):
        office = self.open()
        self.assertIn("a line has a number and a name", office.sell("seven", "Ann"))
        self.assertEqual(office.sell(7, "Ann"), "7 sold")
        self.assertEqual(office.end(), 0)


if __name__ == "__main__":
    unittest.main()
