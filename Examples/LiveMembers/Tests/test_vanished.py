"""A client whose machine vanishes without a word."""

import os
import subprocess
import time
import unittest

from cases import ServerCase
from support import until


@unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/usr/sbin/ip"),
                     "SKIPPED: networks of its own need root and iproute2")
class NetworkTests(ServerCase):
    """A server and a client in networks of their own, with a cable between them that can be cut."""

    SERVER, CLIENT = f"members-server-{os.getpid()}", f"members-client-{os.getpid()}"

    def setUp(self):
        super().setUp()
        for name in [self.SERVER, self.CLIENT]:
            if self.fails("ip", "netns", "add", name):
                self.skip()
            self.addCleanup(subprocess.run, ["ip", "netns", "del", name], check=True)
            if self.fails("ip", "netns", "exec", name, "true"):
                self.skip()
        cable = f"link add cable type veth peer name cable netns {self.CLIENT}"
        if self.fails("ip", "-n", self.SERVER, *cable.split()):
            self.skip()
        for name, address in [(self.SERVER, "10.97.3.1/24"), (self.CLIENT, "10.97.3.2/24")]:
            self.ip(name, f"addr add {address} dev cable")
            self.ip(name, "link set cable up")
            self.ip(name, "link set lo up")

    def fails(self, *command):
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0

    def skip(self):
        # Printed too: without -v, unittest does not show why it skips.
        print("SKIPPED: networks of its own cannot be made here")
        self.skipTest("SKIPPED: networks of its own cannot be made here")

    def ip(self, network, *arguments):
        words = " ".join(arguments).split()
        subprocess.run(["ip", "-n", network, *words], check=True)

    def test_streams_to_hosts_that_vanished_are_noticed(self):
        server = self.start(
            "--heartbeat", "1", "--host", "0.0.0.0", within=["ip", "netns", "exec", self.SERVER])
        client = subprocess.Popen(
            ["ip", "netns", "exec", self.CLIENT, "python3", "-c", STREAMS, str(server.port)],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.wait)
        self.addCleanup(client.kill)
        self.assertEqual(client.stdout.readline(), "open\n")
        self.assertEqual(self.streams(server), 50)
        # The client's host does not know its own address any more: what comes is dropped without a word.
        self.ip(self.CLIENT, "addr flush dev cable")
        begin = time.monotonic()
        until("none is counted", lambda: self.streams(server) == 0, 40)
        print(f"50 streams to a host that vanished: noticed after {time.monotonic() - begin:.1f} s")

    def streams(self, server):
        result = subprocess.run(
            ["ip", "netns", "exec", self.SERVER, "python3", "-c", STATUS, str(server.port)],
            stdout=subprocess.PIPE, text=True, check=True, timeout=20)
        return int(result.stdout)


STREAMS = """
import socket, sys, time
streams = [socket.create_connection(("10.97.3.1", int(sys.argv[1])), 20) for _ in range(50)]
for stream in streams:
    stream.sendall(b"GET /events HTTP/1.1\\r\\nHost: 10.97.3.1\\r\\n\\r\\n")
for stream in streams:
    text = b""
    while b"event: list" not in text:
        text += stream.recv(65536)
print("open", flush=True)
time.sleep(600)
"""

STATUS = """
import json, sys, urllib.request
with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/status", timeout=10) as answer:
    print(json.load(answer)["tabs"])
"""


if __name__ == "__main__":
    unittest.main()
