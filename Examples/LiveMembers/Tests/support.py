"""What all tests share: a server as a process, and what is asked of it.

Only the standard library. Everything that waits has a deadline.
"""

import html
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PROGRAM", PACKAGE / ".build/debug/LiveMembers")).resolve()
# Not what the person who runs the tests has set for servers.
ENVIRONMENT = {
    name: value for name, value in os.environ.items()
    if name not in ("PORT", "HEALTH_PORT", "DATABASE_URL", "LOG_LEVEL") and not name.startswith("PG")}


def until(what, condition, limit=20.0):
    """The first value of `condition` that is true; what others did is looked at every 5 ms."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {limit} s")
        time.sleep(0.005)


def names(markup):
    """The members' names in a page, or in an event's data."""
    return [html.unescape(name) for name in re.findall(r"<bdi>(.*?)</bdi>", markup, re.S)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def member_id(markup, name):
    row = rf"<bdi>{re.escape(html.escape(name))}</bdi><form [^>]*/members/(\d+)/"
    return int(re.search(row, markup)[1])


class Server:
    """A server process, on a SQLite file or a PostgreSQL database."""

    def __init__(
            self, *arguments, port=0, health=False, file=None, postgres=None, environment={}, within=()):
        self.within = list(within)  # a command that runs it, as in a network of its own
        self.has_health_port = health
        self.arguments = [PROGRAM, "--port", str(port), *arguments]
        self.arguments += ["--health-port", "0"] if health else []
        self.arguments += ["--postgres", postgres] if postgres else []
        self.arguments += ["--file", str(file)] if file else []
        self.environment = {**ENVIRONMENT, **environment}
        # Appended: the process and this one share a place in the file.
        self.log = tempfile.TemporaryFile("a+")
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.within, *self.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log, text=True, env=self.environment)
        # Empty if it ends without a word.
        lines = [self.process.stdout.readline() for _ in range(1 + self.has_health_port)]
        if not all(lines):
            raise AssertionError(f"the server did not start:\n{self.messages()}")
        lines.sort(key=lambda line: line.endswith("/health\n"))
        self.address = lines[0].rstrip("\n")
        # That of the page, if it has none of its own for checks and metrics.
        self.port, self.health_port = (
            int(re.search(r":(\d+)/(health)?$", line)[1]) for line in (lines[0], lines[-1]))

    def restart(self):
        """Starts it anew on the same port."""
        self.arguments[2] = str(self.port)
        self.start()

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def files(self):
        """How many files and sockets it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()

    def terminate(self, limit=20):
        """Asks it to end; gives how long that took, and its exit status."""
        begin = time.monotonic()
        self.process.terminate()
        status = self.wait(limit)
        return time.monotonic() - begin, status

    def wait(self, limit=20):
        """Gives its exit status when it has ended."""
        status = self.process.wait(limit)
        self.process.stdout.close()
        return status

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.log.close()

    def resident(self):
        """KiB of memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def request(self, method, path, body=None, headers={}, timeout=20, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers
        finally:
            connection.close()

    def check(self, path, method="GET", headers={}, timeout=5):
        """Asks the port for checks and metrics."""
        return self.request(method, path, None, headers, timeout, self.health_port)

    def post(self, path, headers={}, **fields):
        return self.request(
            "POST", path, urllib.parse.urlencode(fields),
            {"Content-Type": "application/x-www-form-urlencoded", **headers})

    def add(self, name, **fields):
        status, text, _ = self.post("/members", name=name, **fields)
        if status != 204:
            raise AssertionError(f"adding {name}: {status} {text}")

    def page(self):
        return self.request("GET", "/")[1]

    def names(self):
        return names(self.page())

    def revision(self):
        return int(re.search(r'data-id="[\w-]+-(\d+)"', self.page())[1])

    def cpu(self):
        """Seconds of processor time until now."""
        times = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def metric(self, name):
        return int(re.search(rf"^live_members_{name} (\d+)$", self.check("/metrics", timeout=20)[1], re.M)[1])

    def tabs(self):
        return int(re.search(r'"tabs": (\d+)', self.request("GET", "/status")[1])[1])
