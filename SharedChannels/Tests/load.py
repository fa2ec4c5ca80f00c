"""Commands a second of 1, 2, 4 and 8 server processes over one PostgreSQL, or over NATS, with the same clients in all.
Then the start of a server on a log of 1,000,000 entries, without a snapshot and with one.

usage: load.py WORKER postgres|nats ADDRESS [SECONDS [CLIENTS]]

Prints a line for each trial. Fails if the servers' states differ at its end.
"""

import pathlib
import subprocess
import sys
import time
import uuid


class Server:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen(
            [program, "load", *map(str, arguments)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=1)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a server has ended before its time")
        return line.split()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()


def new_log(engine, address):
    """What the worker calls it."""
    name = "load" + uuid.uuid4().hex[:16]
    return [engine, address, name] + ([len(address.split(","))] if engine == "nats" else [])


def trial(program, engine, address, servers, clients, members, seconds):
    log = new_log(engine, address)
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


def fill(engine, address, name, count):
    if engine == "nats":
        script = pathlib.Path(__file__).parent / "nats.py"
        subprocess.run(["python3", script, ".", "fill", address, name, str(count)], check=True)
        return
    subprocess.run(
        ["psql", "-qAt", address, "-c",
         f"""INSERT INTO {name}.entry SELECT number, 1, 'k' || number,
           convert_to('{{"member":' || number % 1000 || ',"name":"m' || number || '"}}', 'UTF8')
         FROM generate_series(1, {count}) AS number"""], check=True)


def starts(program, engine, address, count=1_000_000):
    log = new_log(engine, address)
    start(program, log)
    fill(engine, address, log[2], count)
    print(f"a start with {count:,} entries, without a snapshot:", start(program, log))
    print(f"a start with {count:,} entries, with a snapshot:", start(program, log), flush=True)


def main():
    program, engine, address = sys.argv[1:4]
    seconds, clients = [int(text) for text in sys.argv[4:6]] + [5, 64][len(sys.argv) - 4:]
    for members in (0, 1_000):
        for servers in (1, 2, 4, 8):
            trial(program, engine, address, servers, clients, members, seconds)
    starts(program, engine, address)


main()
