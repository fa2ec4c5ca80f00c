"""Clients that send commands, one, or until all are done."""

import http.client
import queue
import socket
import threading
import time
import uuid

FORM = b"Content-Type: application/x-www-form-urlencoded\r\nHost: 127.0.0.1\r\n"


def post_and_go(server, name):
    """A connection on which a command was sent."""
    body = b"name=" + name.encode()
    client = socket.create_connection(("127.0.0.1", server.port), 20)
    client.sendall(b"POST /members HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (FORM, len(body), body))
    return client


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
