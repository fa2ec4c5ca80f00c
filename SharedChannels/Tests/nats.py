"""NATS servers with JetStream of the tests' own, on one machine: one, or a cluster.

usage: nats.py FOLDER init COUNT [PROGRAM]  makes the folder for so many servers, and prints their address
       nats.py FOLDER start         starts those that do not run, and waits until they serve
       nats.py FOLDER stop          kills all, frozen ones too
       nats.py FOLDER crash         kills all, and starts them again
       nats.py FOLDER kill-one      kills a server that is drawn at random
       nats.py FOLDER freeze        stops all (SIGSTOP)
       nats.py FOLDER thaw          lets them go on
       nats.py FOLDER freeze-leader NAME  stops the server that leads a stream
       nats.py FOLDER backup NAME   keeps a copy of what all have on their disks, while none runs
       nats.py FOLDER restore NAME  puts the copy in its place
       nats.py FOLDER fill ADDRESS NAME COUNT       appends entries to an empty log that is there, 100 in a batch
"""

import base64
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.request

CONFIGURATION = """\
server_name: server{number}
listen: 127.0.0.1:{client}
http: 127.0.0.1:{monitor}
max_payload: 16MB
jetstream {{ store_dir: "{folder}/data/{number}", max_file_store: 20GB }}
authorization {{ users: [{{user: anybody, password: ""}}, {{user: ann, password: "se@cret/50%"}}] }}
no_auth_user: anybody
"""
CLUSTER = "cluster {{ name: cluster, listen: 127.0.0.1:{route}, routes: [{routes}] }}\n"


def free_ports(count):
    """None of those that the system gives to clients: one that looks for a server that is down could get its port."""
    sockets = []
    while len(sockets) < count:
        try:
            sockets.append(socket.create_server(("127.0.0.1", random.randrange(10_000, 30_000))))
        except OSError:
            continue
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def init(folder, count, program="nats-server"):
    ports = free_ports(3 * count)
    clients, monitors, routes = ports[:count], ports[count:2 * count], ports[2 * count:]
    for number in range(count):
        text = CONFIGURATION.format(
            number=number, client=clients[number], monitor=monitors[number], folder=folder)
        if count > 1:
            text += CLUSTER.format(
                route=routes[number], routes=", ".join(f'"nats://127.0.0.1:{port}"' for port in routes))
        (folder / f"{number}.conf").write_text(text)
    (folder / "monitors").write_text(json.dumps(monitors))
    (folder / "program").write_text(program)
    print(",".join(f"nats://127.0.0.1:{port}" for port in clients))


def process_of(folder, number):
    """The number of a server's process; None if it does not run."""
    try:
        process = int((folder / f"{number}.pid").read_text())
    except (FileNotFoundError, ValueError):
        return None
    return process if runs(process) else None


def runs(process):
    """Whether there is such a server, and not only what is left of it until it is reaped."""
    try:
        _, name, state = re.split(r"[()]", pathlib.Path(f"/proc/{process}/stat").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return False
    return name == "nats-server" and not state.startswith(" Z")


def start(folder):
    monitors = json.loads((folder / "monitors").read_text())
    launched = {}
    end = time.monotonic() + 60
    while not all(serves(port) for port in monitors):
        for number in range(len(monitors)):
            # A server ends at once while threads of the one that was killed before still have its port.
            process = launched.get(number)
            if process.poll() is not None if process else process_of(folder, number) is None:
                launched[number] = launch(folder, number)
        if time.monotonic() > end:
            raise SystemExit("the servers do not serve after a minute")
        time.sleep(0.05)


def launch(folder, number):
    return subprocess.Popen(
        [(folder / "program").read_text(), "-c", folder / f"{number}.conf", "-P", folder / f"{number}.pid", "-l",
         folder / f"{number}.log"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True)


def ask_monitor(port, path):
    """None if the server does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=2) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


def serves(port):
    return ask_monitor(port, "healthz") == {"status": "ok"}


def leader_of(folder, stream):
    """The number of the server that leads a stream. Waits until one does."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for port in json.loads((folder / "monitors").read_text()):
            answer = ask_monitor(port, "jsz?streams=true") or {}
            for account in answer.get("account_details", []):
                for detail in account.get("stream_detail", []):
                    if detail["name"] == stream and (leader := detail["cluster"].get("leader")):
                        return int(leader.removeprefix("server"))
        time.sleep(0.1)
    raise SystemExit(f"no server leads {stream}")


def send(what, folder, numbers):
    """Returns the processes of those that run."""
    processes = [process for number in numbers if (process := process_of(folder, number))]
    for process in processes:
        os.kill(process, what)
    return processes


def kill(folder, numbers):
    processes = send(signal.SIGKILL, folder, numbers)
    while any(runs(process) for process in processes):
        time.sleep(0.01)


def connect(address):
    host, port = address.split(",")[0].removeprefix("nats://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=60)
    connection.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB answer 1\r\n')
    return connection, connection.makefile("rb")


def await_answer(lines):
    """The next answer of the server."""
    while True:
        line = lines.readline()
        if not line or b'"error"' in line or line.startswith(b"-ERR"):
            raise SystemExit(f"the server answers {line}")
        if line.startswith(b"{"):
            return json.loads(line)


def ask(connection, lines, subject, text):
    connection.sendall(f"PUB {subject} answer {len(text)}\r\n{text}\r\n".encode())
    return await_answer(lines)


def fill(address, name, count, size=100):
    connection, lines = connect(address)
    newest = ask(connection, lines, f"$JS.API.STREAM.MSG.GET.{name}", json.dumps({"last_by_subj": f"{name}.b"}))
    sequence = newest["message"]["seq"]
    epoch = base64.b64decode(newest["message"]["hdrs"]).split()[-1].decode()
    mark = 0
    for start in range(0, count, size):
        identifier = random.getrandbits(64) | 1
        data = b""
        for number in range(start, start + size):
            key = f"k{number}".encode()
            value = json.dumps({"member": number % 1_000, "name": f"m{number}"}).encode()
            data += struct.pack("<BI", len(key), len(value)) + key + value
        head = (f"NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: {sequence}\r\n"
                f"Log: {identifier:x} {start} {mark} {size} 1 {epoch}\r\n\r\n").encode()
        connection.sendall(f"HPUB {name}.b answer {len(head)} {len(head) + len(data)}\r\n".encode() + head + data + b"\r\n")
        sequence = await_answer(lines)["seq"]
        mark = identifier >> 41 << 40 | sequence


def main():
    folder, command = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    every = range(len(list(folder.glob("*.conf"))))
    match command:
        case "init":
            init(folder, int(sys.argv[3]), *sys.argv[4:])
        case "start":
            start(folder)
        case "stop":
            kill(folder, every)
        case "crash":
            kill(folder, every)
            start(folder)
        case "kill-one":
            kill(folder, [random.choice(every)])
        case "freeze":
            send(signal.SIGSTOP, folder, every)
        case "thaw":
            send(signal.SIGCONT, folder, every)
        case "freeze-leader":
            send(signal.SIGSTOP, folder, [leader_of(folder, sys.argv[3])])
        case "backup":
            kill(folder, every)
            shutil.copytree(folder / "data", folder / sys.argv[3])
            start(folder)
        case "restore":
            kill(folder, every)
            shutil.rmtree(folder / "data")
            shutil.copytree(folder / sys.argv[3], folder / "data")
            start(folder)
        case "fill":
            fill(*sys.argv[3:5], int(sys.argv[5]))
        case _:
            raise SystemExit(__doc__)


main()
