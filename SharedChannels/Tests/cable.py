"""A network cable to a server of this machine, which can be cut: the clients' packets are lost without a word.

usage: cable.py FOLDER plug HOST:PORT  makes it, and prints the address of the server at its other end as HOST:PORT
       cable.py FOLDER cut
       cable.py FOLDER mend
       cable.py FOLDER unplug          removes it

The other end is in a network namespace, so it needs root. A process there takes connections and gives them through a
socket in the folder to a process here, which connects to the server.
"""

import asyncio
import os
import pathlib
import random
import signal
import subprocess
import sys
import time


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def launch(folder, *command):
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    with open(folder / "processes", "a") as file:
        file.write(f"{process.pid}\n")


def plug(folder, server):
    name, net = f"cable{random.randrange(10 ** 8)}", f"10.231.{random.randrange(256)}"
    folder.mkdir()
    (folder / "name").write_text(name)
    ip("netns", "add", name)
    ip("link", "add", name, "type", "veth", "peer", "name", name, "netns", name)
    ip("address", "add", f"{net}.1/24", "dev", name)
    ip("-n", name, "address", "add", f"{net}.2/24", "dev", name)
    ip("link", "set", name, "up")
    ip("-n", name, "link", "set", name, "up")
    script = pathlib.Path(__file__).resolve()
    launch(folder, sys.executable, script, folder, "here", server)
    launch(folder, "ip", "netns", "exec", name, sys.executable, script, folder, "there", f"{net}.2")
    while not (folder / "ready").exists():
        time.sleep(0.05)
    print(f"{net}.2:7000")


async def copy(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def connect(reader, writer, opening):
    try:
        other_reader, other_writer = await opening()
    except OSError:
        writer.close()
        return
    await asyncio.gather(copy(reader, other_writer), copy(other_reader, writer))


async def here(folder, server):
    host, port = server.split(":")
    listening = await asyncio.start_unix_server(
        lambda reader, writer: connect(reader, writer, lambda: asyncio.open_connection(host, int(port))),
        folder / "socket")
    await listening.serve_forever()


async def there(folder, host):
    listening = await asyncio.start_server(
        lambda reader, writer: connect(reader, writer, lambda: asyncio.open_unix_connection(folder / "socket")),
        host, 7000)
    (folder / "ready").touch()
    await listening.serve_forever()


def unplug(folder):
    for number in (folder / "processes").read_text().split():
        try:
            os.kill(int(number), signal.SIGKILL)
        except ProcessLookupError:
            pass
    # The other end of the cable goes with it.
    ip("link", "del", (folder / "name").read_text())
    ip("netns", "del", (folder / "name").read_text())


def main():
    folder, command, *rest = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    name = folder / "name"
    match command:
        case "plug":
            plug(folder, *rest)
        case "cut":
            ip("-n", name.read_text(), "link", "set", name.read_text(), "down")
        case "mend":
            ip("-n", name.read_text(), "link", "set", name.read_text(), "up")
        case "unplug":
            unplug(folder)
        case "here":
            asyncio.run(here(folder, *rest))
        case "there":
            asyncio.run(there(folder, *rest))
        case _:
            raise SystemExit(__doc__)


main()
