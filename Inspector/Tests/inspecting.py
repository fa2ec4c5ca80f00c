"""What the tests share: an inspector as a process, programs that it watches, and its page in a browser."""

import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(PACKAGE.parent / "Examples/LiveMembers/Tests"))

from support import until  # noqa: E402
from webdriver import Browser  # noqa: E402

BUILT = pathlib.Path(os.environ.get("BUILT", PACKAGE / ".build/debug"))
ASYNCDEMO = os.environ.get("ASYNCDEMO", PACKAGE.parent / ".build/debug/asyncdemo")
HEAD = {"v": 1, "program": "test", "run": "1"}


def lines(*objects):
    return "".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in objects).encode()


class Inspector:
    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [BUILT / "inspector", "--port", "0", "--programs", "0", *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.programs = self.process.stdout.readline().split("connect to ")[1].split()[0]

    def connect(self):
        return socket.create_connection(("127.0.0.1", int(self.programs.rsplit(":", 1)[1])), 20)

    def send(self, data):
        """As a program that ends then."""
        with self.connect() as program:
            program.sendall(data)

    def get(self, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        status = answer.status
        connection.close()
        return status

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(20)
        self.process.stdin.close()
        self.process.stdout.close()


class InspectorCase(unittest.TestCase):
    def start(self, *arguments):
        inspector = Inspector(*arguments)
        self.addCleanup(inspector.close)
        return inspector

    def stream(self, inspector, wanted):
        connection = http.client.HTTPConnection("127.0.0.1", inspector.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request("GET", "/stream")
        answer, seen = connection.getresponse(), []
        while wanted:
            seen.append(answer.readline().decode())
            wanted = [each for each in wanted if each not in seen[-1]]
        return "".join(seen)

    def program(self, *arguments, stdin=subprocess.PIPE):
        program = subprocess.Popen(
            [str(each) for each in arguments], stdin=stdin, stdout=subprocess.DEVNULL, text=True)

        def end():
            program.kill()
            program.wait(20)
            if program.stdin:
                program.stdin.close()

        self.addCleanup(end)
        return program


@unittest.skipUnless(Browser.is_installed(), "SKIPPED: Chromium is not installed")
class PageCase(InspectorCase):
    STATE = """return JSON.stringify({events: events.length, missed, bad, hidden: document.hidden, stream: stream?.readyState,
      last, lanes: lanes.length, tail: events.slice(-3).map(sentence)})"""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def page(self, inspector, path=None):
        tab = self.browser.tab(path or inspector.address)
        self.addCleanup(tab.close)
        return tab

    def until(self, tab, script, *arguments):
        """The first value of an expression in the page that is true."""
        try:
            return until(script, lambda: tab.script(f"return {script}", *arguments), 30)
        except AssertionError as error:
            raise AssertionError(f"{error}; {tab.script(self.STATE)}") from None

    def words(self, tab, id):
        return tab.script("return document.getElementById(arguments[0]).innerText", id)

    def choose(self, tab, condition):
        """Chooses the first event of which it is true."""
        self.until(tab, f"events.some(e => {condition})")
        return tab.script(f"choose(events.find(e => {condition})); return words(chosen)")
