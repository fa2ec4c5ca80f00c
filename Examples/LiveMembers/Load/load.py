#!/usr/bin/env python3
"""Measures a server that runs, without anything of its own language: load.py PORT PID TABS RATE SECONDS

Opens the tabs, then sends commands at a fixed rate: a command whose turn it is waits for no other, and its time
counts from its turn. Empties the list first, and after every twenty commands. One thread and raw sockets, so
that the client takes little of the machine.
"""

import collections
import os
import pathlib
import re
import resource
import select
import socket
import sys
import time

CONNECTIONS = 32  # for commands
ID = re.compile(rb"id: \w+-(\d+)\n")
NAME = re.compile(rb"<bdi>(\w+)</bdi>")


def processor_time(pid):
    times = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    def __init__(self, port, tabs):
        self.port = port
        self.poll = select.epoll()
        self.handlers = {}
        self.revisions = [-1] * tabs
        self.tails = [b""] * tabs
        self.open = 0
        self.counts = collections.Counter()  # of tabs that have a revision
        self.everywhere = {}  # when all had it
        self.first = {}  # the first revision in which a name was seen
        self.idle = []  # connections for commands
        self.statuses = collections.Counter()
        self.answered = {}  # when a command was
        for number in range(tabs):
            self.connect(lambda tab, number=number: self.read(tab, number)).sendall(
                b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        for _ in range(CONNECTIONS):
            self.idle.append(self.connect(None))

    def connect(self, handler):
        connection = socket.create_connection(("127.0.0.1", self.port), 20)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
        self.handlers[connection.fileno()] = (connection, handler)
        self.poll.register(connection, select.EPOLLIN)
        return connection

    def read(self, tab, number):
        data = self.tails[number] + tab.recv(1 << 18)
        found = None
        for found in ID.finditer(data):
            pass
        # The names in the first tab tell in which revision a command was first seen.
        if number == 0:
            return self.read_names(data, found)
        self.tails[number] = data[found.end() if found else 0:][-60:]
        if found:
            self.saw(number, int(found[1]))

    def read_names(self, data, found):
        *events, self.tails[0] = data.split(b"\n\n")
        for event in events:
            if found := ID.search(event):
                revision = int(found[1])
                for name in NAME.findall(event):
                    self.first.setdefault(name, revision)
                self.saw(0, revision)

    def saw(self, number, revision):
        old, self.revisions[number] = self.revisions[number], revision
        if old < 0:
            self.open += 1
            return
        for each in range(old + 1, revision + 1):
            self.counts[each] += 1
            if self.counts[each] == len(self.revisions):
                self.everywhere[each] = time.monotonic()

    def send(self, path, body, key):
        connection = self.idle.pop()
        self.handlers[connection.fileno()] = (connection, lambda connection: self.take_answer(connection, key))
        connection.sendall((
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode())

    def take_answer(self, connection, key):
        self.statuses[int(connection.recv(1 << 16).split(b" ", 2)[1])] += 1
        self.answered[key] = time.monotonic()
        self.idle.append(connection)

    def step(self, limit):
        for number, _ in self.poll.poll(max(0, limit), 512):
            connection, handler = self.handlers[number]
            handler(connection)

    def until(self, what, condition, limit=120):
        deadline = time.monotonic() + limit
        while not condition():
            if time.monotonic() > deadline:
                sys.exit(f"{what}: not within {limit} s")
            self.step(0.05)


def milliseconds(times):
    times = sorted(times)
    if not times:
        return "none"
    return f"median {1000 * times[len(times) // 2]:.1f} ms, 99 % {1000 * times[len(times) * 99 // 100]:.1f} ms"


def main(port, pid, tabs, rate, seconds):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    load = Load(port, tabs)
    load.until("all tabs have a list", lambda: load.open == tabs)
    load.send("/members/remove-all", "", "empty")
    load.until("the list is empty", lambda: "empty" in load.answered)

    quiet, before = time.monotonic() + 3, processor_time(pid)
    while time.monotonic() < quiet:
        load.step(quiet - time.monotonic())
    idle = (processor_time(pid) - before) / 3

    begin, before = time.monotonic(), processor_time(pid)
    turns = {}
    count = int(rate * seconds)
    while len(turns) < count and time.monotonic() < begin + 2 * seconds:
        turn = begin + len(turns) / rate
        if time.monotonic() < turn or not load.idle:
            load.step(min(turn - time.monotonic(), 0.05) if load.idle else 0.05)
            continue
        number = len(turns) + 1
        turns[number] = turn
        load.send(*(("/members/remove-all", "") if number % 20 == 0 else ("/members", f"name=n{number}")), number)
    load.until("all are answered", lambda: len(load.idle) == CONNECTIONS)
    took, used = time.monotonic() - begin, processor_time(pid) - before
    newest = max(load.revisions)
    load.until("all tabs have the last list", lambda: min(load.revisions) >= newest)

    seen = {number: load.first.get(b"n%d" % number) for number in turns}
    shown = [load.everywhere[revision] - turns[number] for number, revision in seen.items() if revision in load.everywhere]
    print(f"{tabs} tabs, {rate:g} commands a second: {len(turns) / took:.1f} a second, statuses {dict(load.statuses)}")
    print(f"  answered: {milliseconds(load.answered[number] - turn for number, turn in turns.items())}")
    print(f"  in all tabs: {milliseconds(shown)}, of {len(shown)} added members that the first tab has seen")
    print(f"  processor: {100 * used / took:.1f} % of one ({100 * idle:.1f} % before), "
          f"{1000 * used / len(turns):.2f} ms a command")


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
