"""What the tests share: servers and databases as processes, requests, and event streams.

Only the standard library. Everything that waits has a deadline.
"""

import html
import http.client
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PROGRAM", PACKAGE / ".build/debug/LiveMembers")).resolve()
# Not what the person who runs the tests has set for servers.
ENVIRONMENT = {
    name: value for name, value in os.environ.items()
    if name not in ("PORT", "DATABASE_URL", "LOG_LEVEL") and not name.startswith("PG")}


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


def member_id(markup, name):
    row = rf"<bdi>{re.escape(html.escape(name))}</bdi><form [^>]*/members/(\d+)/"
    return int(re.search(row, markup)[1])


class Server:
    """A server process, on a SQLite file or a PostgreSQL database."""

    def __init__(self, *arguments, port=0, file=None, postgres=None, environment={}, within=()):
        self.within = list(within)  # a command that runs it, as in a network of its own
        self.arguments = [PROGRAM, "--port", str(port), *arguments]
        self.arguments += ["--postgres", postgres] if postgres else []
        self.arguments += ["--file", str(file)] if file else []
        self.environment = {**ENVIRONMENT, **environment}
        self.log = tempfile.TemporaryFile("w+")
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.within, *self.arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log, text=True, env=self.environment)
        line = self.process.stdout.readline()  # empty if it ends without a word
        if not line:
            raise AssertionError(f"the server did not start:\n{self.messages()}")
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1])

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

    def request(self, method, path, body=None, headers={}, timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers
        finally:
            connection.close()

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
        return int(re.search(r'data-id="\w+-(\d+)"', self.page())[1])

    def cpu(self):
        """Seconds of processor time until now."""
        times = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def tabs(self):
        return int(re.search(r'"tabs": (\d+)', self.request("GET", "/status")[1])[1])


class Events:
    """An event stream over a socket of its own, chunk by chunk, so that its end can be told from a
    connection that breaks."""

    def __init__(self, server, last_id=None, after=None, receive_buffer=None, client=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(20)
        self.socket.connect(("127.0.0.1", server.port))
        query = f"?after={urllib.parse.quote(after)}" if after else ""
        header = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
        header += f"X-Forwarded-For: {client}\r\n" if client else ""
        self.socket.sendall(
            f"GET /events{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n".encode())
        self.ended = False  # with the last chunk, as it should
        self.text = ""
        self.bytes = b""

    def open(self):
        """Reads the head of the answer."""
        while b"\r\n\r\n" not in self.bytes:
            self.receive()
        self.head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        return self

    def receive(self):
        received = self.socket.recv(65536)
        if not received:
            raise ConnectionError("the stream broke off")
        self.bytes += received

    def chunk(self):
        while b"\r\n" not in self.bytes:
            self.receive()
        size, _, rest = self.bytes.partition(b"\r\n")
        size = int(size, 16)
        while len(rest) < size + 2:
            self.receive()
            rest = self.bytes.partition(b"\r\n")[2]
        self.bytes = rest[size + 2:]
        self.ended = size == 0
        return rest[:size].decode()

    def field(self):
        """The next block of fields; None at the end."""
        while "\n\n" not in self.text:
            self.text += self.chunk()
            if self.ended:
                return None
        block, _, self.text = self.text.partition("\n\n")
        return dict(line.partition(": ")[::2] for line in block.split("\n"))

    def next(self, timeout=20):
        """The next event, as its id and the names in it; None at the end."""
        deadline = time.monotonic() + timeout
        self.socket.settimeout(timeout)
        while (block := self.field()) is not None:
            if block.get("event") == "list":
                return block["id"], names(block["data"])
            if time.monotonic() > deadline:
                raise TimeoutError(f"no list within {timeout} s, only signs of life")
        return None

    def until_names(self, expected, limit=20):
        """Reads on until the list is this one; gives all lists on the way."""
        deadline = time.monotonic() + limit
        seen = []
        while not seen or seen[-1] != expected:
            event = self.next(max(0.01, deadline - time.monotonic()))
            if event is None:
                raise AssertionError(f"the stream ended at {seen[-1:]}")
            seen.append(event[1])
        return seen

    def close(self):
        self.socket.close()


class Readers:
    """Threads that read event streams to their end, one each."""

    def __init__(self, tabs):
        self.tabs = tabs
        self.lists = [[] for _ in tabs]
        self.threads = [
            threading.Thread(target=self.read, args=(n,), daemon=True) for n in range(len(tabs))]
        for thread in self.threads:
            thread.start()

    def read(self, number):
        tab = self.tabs[number]
        try:
            while event := tab.next():
                self.lists[number].append(event[1])
        except OSError:
            pass  # broken off: `ended` is false
        tab.close()

    def join(self, limit=20):
        deadline = time.monotonic() + limit
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))
            if thread.is_alive():
                raise AssertionError(f"not all streams ended within {limit} s")


class Clients:
    """Threads that add members, one command under way in each, and ask again with the same key until
    each has its answer."""

    def __init__(self, servers, count, commands):
        self.servers = servers
        self.acknowledged = queue.SimpleQueue()
        self.times = queue.SimpleQueue()
        self.left = queue.SimpleQueue()
        self.names = [f"m{number}" for number in range(commands)]
        # Another key in each run: a database that is kept knows those of the run before.
        self.run = uuid.uuid4().hex
        for name in self.names:
            self.left.put(name)
        self.threads = [
            threading.Thread(target=self.work, args=(n,), daemon=True) for n in range(count)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        server = self.servers[number % len(self.servers)]
        connection = None
        while True:
            try:
                name = self.left.get_nowait()
            except queue.Empty:
                if connection:
                    connection.close()
                return
            while True:
                try:
                    connection = connection or http.client.HTTPConnection(
                        "127.0.0.1", server.port, timeout=20)
                    connection.request(
                        "POST", "/members", f"name={name}&key={name}-{self.run}",
                        {"Content-Type": "application/x-www-form-urlencoded"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status == 204:
                        self.acknowledged.put(name)
                        self.times.put(time.monotonic())
                        break
                    assert answer.status == 503, answer.status
                except (OSError, http.client.HTTPException):
                    if connection:
                        connection.close()
                    connection = None
                time.sleep(0.02)

    def join(self, limit=60):
        deadline = time.monotonic() + limit
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))
            if thread.is_alive():
                raise AssertionError(f"not all commands were answered within {limit} s")


class Postgres:
    """A PostgreSQL server of the test's own, in a temporary folder. It refuses to run as root."""

    @staticmethod
    def programs():
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return found[-1].parent if found else None

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="livemembers-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "members", "--no-sync")
        self.start()
        self.url = f"postgresql://members@127.0.0.1:{self.port}/postgres"
        self.socket_url = f"postgresql://members@/postgres?host={self.folder}&port={self.port}"

    def run(self, program, *arguments):
        user = {"user": "postgres"} if os.geteuid() == 0 else {}
        subprocess.run(
            [self.programs() / program, *arguments], check=True, cwd=self.folder, timeout=60,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)

    def start(self):
        self.run(
            "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o",
            f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1", "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def query(self, statement):
        """What `psql` prints for it."""
        result = subprocess.run(
            [self.programs() / "psql", "-qAt", self.url, "-c", statement], text=True, timeout=60,
            capture_output=True, check=True)
        return result.stdout.strip()

    def fill(self, count, name):
        """Members without commands: as many as wanted, in one transaction."""
        self.query(
            f"INSERT INTO live_members.member (name) SELECT '{name}' FROM generate_series(1, {count});"
            "UPDATE live_members.list SET revision = revision + 1; NOTIFY live_members;")

    def session(self):
        """A connection of somebody else's, which takes statements."""
        return subprocess.Popen(
            [self.programs() / "psql", "-qAt", self.url], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=1)

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder)
