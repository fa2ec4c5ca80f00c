"""Commands a second of 1, 2, 4 and 8 server processes over one PostgreSQL, with the same clients in all. Then the start
of a server on a log of 1,000,000 entries, without a snapshot and with one. Then servers of many rooms, each of which has
rooms of its own.

usage: load.py WORKER ADDRESS [SECONDS [CLIENTS]]

Prints a line for each trial. Fails if the servers' states differ at its end.
"""

import os
import pathlib
import subprocess
import sys
import time
import uuid


class Server:
    def __init__(self, program, *arguments, kind="load"):
        self.process = subprocess.Popen(
            [program, kind, *map(str, arguments)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=1)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a server has ended before its time")
        return line.split()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def processor_time(self):
        """Of all its threads, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """In MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) // 1024


def new_log(address):
    """What the worker calls it."""
    return ["postgres", address, "load" + uuid.uuid4().hex[:16]]


def trial(program, address, servers, clients, members, seconds):
    log = new_log(address)
    all_servers = [
        Server(program, *log, clients // servers, members, seconds)
        for _ in range(servers)]
    for server in all_servers:
        server.read()
    for server in all_servers:
        server.go_on()
    results = [server.read() for server in all_servers]
    for server in all_servers:
        server.go_on()
    states = {tuple(server.read()[1:]) for server in all_servers}
    for server in all_servers:
        server.process.wait(timeout=60)
    answered = sum(int(result[1]) for result in results)
    median = max(int(result[3]) for result in results) / 1000
    slow = max(int(result[5]) for result in results) / 1000
    print(f"{servers} servers, {clients} clients, {members} members: "
          f"{answered / seconds:,.0f} commands/s, median {median:.1f} ms, 99 % {slow:.1f} ms", flush=True)
    if len(states) != 1:
        raise SystemExit(f"the states differ: {states}")
    if int(next(iter(states))[0]) != answered:
        raise SystemExit(f"{answered} commands were answered, and the state has {states}")


def start(program, log):
    """Seconds until a server is ready, and its memory."""
    began = time.monotonic()
    server = Server(program, *log, 0, 1_000, 0)
    server.read()
    seconds = time.monotonic() - began
    time.sleep(3)  # it stores a snapshot
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    for _ in range(2):
        server.go_on()
        server.read()
    server.process.wait(timeout=60)
    return f"{seconds:.2f} s, {peak / 1024:.0f} MiB"


def fill(address, name, count):
    subprocess.run(
        ["psql", "-qAt", address, "-c",
         f"""INSERT INTO {name}.entry SELECT 'log', number, 1, 'k' || number,
           convert_to('{{"member":' || number % 1000 || ',"name":"m' || number || '"}}', 'UTF8')
         FROM generate_series(1, {count}) AS number"""], check=True)


def starts(program, address, count=1_000_000):
    log = new_log(address)
    start(program, log)
    fill(address, log[2], count)
    print(f"a start with {count:,} entries, without a snapshot:", start(program, log))
    print(f"a start with {count:,} entries, with a snapshot:", start(program, log), flush=True)


def rooms_trial(program, address, servers, rooms, limit, clients, seconds):
    schema = "load" + uuid.uuid4().hex[:16]
    began = time.monotonic()
    all_servers = [
        Server(program, address, schema, number * rooms, rooms, limit, clients // servers, seconds, kind="rooms")
        for number in range(servers)]
    for server in all_servers:
        server.read()
    opened = time.monotonic() - began
    idle, spent = [[server.processor_time() for server in all_servers]], []
    time.sleep(3)
    idle.append([server.processor_time() for server in all_servers])
    for server in all_servers:
        server.go_on()
    results = [server.read() for server in all_servers]
    spent = sum(server.processor_time() for server in all_servers) - sum(idle[1])
    connections = subprocess.run(
        ["psql", "-qAt", address, "-c",
         "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shared_channels'"],
        check=True, capture_output=True, text=True).stdout.strip()
    memory = max(server.memory() for server in all_servers)
    answered = sum(int(result[1]) for result in results)
    print(f"{servers} servers, {rooms:,} rooms each of which {limit:,} may be open, {clients} clients: "
          f"{answered / seconds:,.0f} commands/s, {spent / answered * 1e6:.0f} us of a server's processor each, "
          f"median {max(int(result[3]) for result in results) / 1000:.1f} ms; opened in {opened:.1f} s; "
          f"{connections} connections, {memory} MiB, {(sum(idle[1]) - sum(idle[0])) / 3 / servers:.1%} of a core idle",
          flush=True)
    for server in all_servers:
        server.go_on()
        server.read()
        server.go_on()
    for server in all_servers:
        server.process.wait(timeout=60)


def main():
    program, address = sys.argv[1:3]
    seconds, clients = [int(text) for text in sys.argv[3:5]] + [5, 64][len(sys.argv) - 3:]
    for members in (0, 1_000):
        for servers in (1, 2, 4, 8):
            trial(program, address, servers, clients, members, seconds)
    starts(program, address)
    for servers in (1, 2, 4):
        rooms_trial(program, address, servers, 200, 200, clients, seconds)
        rooms_trial(program, address, servers, 200, 200, clients * servers, seconds)
    rooms_trial(program, address, 2, 5_000, 200, clients, seconds * 4)


main()
