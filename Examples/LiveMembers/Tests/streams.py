"""Event streams, and threads that read them."""

import socket
import threading
import time
import urllib.parse

from support import names


class Events:
    """An event stream over a socket of its own, chunk by chunk, so that its end can be told from a
    connection that breaks."""

    def __init__(self, server, last_id=None, after=None, receive_buffer=None, client=None, source=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
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

    def receive(self, size=65536):
        received = self.socket.recv(size)
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
