"""What one client, and all together, may have: streams, connections, files, and time to read."""

import http.client
import socket
import time
import unittest

from cases import ServerCase
from support import until


class LimitTests(ServerCase):
    def test_a_client_has_a_limited_number_of_streams(self):
        server = self.start("--streams-per-client", "10", "--heartbeat", "1")
        tabs = [self.events(server, client="192.0.2.1") for _ in range(10)]
        for tab in tabs:
            tab.next()
        refused = self.events(server, client="192.0.2.1")
        self.assertIn(b" 429 ", refused.head)
        other = self.events(server, client="192.0.2.2")
        self.assertEqual(other.next()[1], [])
        tabs.pop().close()
        until("its place is free", lambda: server.tabs() == 10)
        again = self.events(server, client="192.0.2.1")
        self.assertEqual(again.next()[1], [])

    def test_a_client_has_a_limited_number_of_connections(self):
        server = self.start("--connections", "40", "--connections-per-client", "20")

        def connect(source):
            return socket.create_connection(("127.0.0.1", server.port), 5, (source, 0))

        def is_closed(connection):
            connection.settimeout(0.2)
            try:
                return connection.recv(1) == b""
            except TimeoutError:
                return False
            except ConnectionResetError:
                return True

        # It asks for nothing, so without the limit it would hold all for as long as the server waits for a request.
        hog = [connect("127.0.0.3") for _ in range(200)]
        until("it has 20", lambda: sum(not is_closed(one) for one in hog) == 20)
        other = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5, source_address=("127.0.0.4", 0))
        other.request("GET", "/health")
        self.assertEqual(other.getresponse().status, 200)
        other.close()
        for one in hog:
            one.close()
        until("its places are free", lambda: not is_closed(connect("127.0.0.3")))
        # A proxy makes connections for others.
        many = [connect("127.0.0.1") for _ in range(30)]
        self.assertFalse(any(is_closed(one) for one in many))

    def test_streams_leave_connections_for_pages(self):
        server = self.start("--connections", "16")
        tabs = [self.events(server) for _ in range(14)]
        for tab in tabs:
            self.assertIn(b" 200 ", tab.head)
        refused = self.events(server)
        self.assertIn(b" 503 ", refused.head)
        self.assertEqual(server.request("GET", "/", timeout=5)[0], 200)

    def test_a_low_limit_of_open_files_is_raised_and_no_more_connections_are_promised(self):
        server = self.start("--heartbeat", "1", within=["prlimit", "--nofile=100:300"])
        tabs = [self.events(server) for _ in range(150)]
        for tab in tabs:
            self.assertEqual(tab.next()[1], [])
        self.assertRegex(server.messages(), r"only \d+ connections fit")
        # All that the streams may have are taken; what is answered at once still is.
        while b" 200 " in (tab := self.events(server)).head:
            tabs.append(tab)
            self.assertLess(len(tabs), 300)
        self.assertIn(b" 503 ", tab.head)
        server.add("Ann")
        for tab in tabs:
            tab.until_names(["Ann"])
        self.assertNotIn("open files\n", server.messages().replace("(ulimit -n)", ""))

    def expect(self, server, status, client, source=None):
        head = self.events(server, client=client, source=source).head
        self.assertIn(f" {status} ".encode(), head, client)

    def test_addresses_are_those_that_trusted_proxies_tell(self):
        server = self.start("--streams-per-client", "1", "--proxy", "127.0.0.2", "--proxy", "127.1.0.0/16")
        for number, proxy in enumerate(["127.0.0.2", "127.1.200.3", None]):
            client = f"192.0.2.{number}"
            self.expect(server, 200, client, proxy)
            self.expect(server, 429, client, proxy)
            # What a client has written itself stands before what the proxies add.
            self.expect(server, 429, f"198.51.100.7, {client}", proxy)
            self.expect(server, 429, f"198.51.100.8, {client}, 127.0.0.2", proxy)
            self.expect(server, 200, "unknown", proxy)
        # Who is no proxy is counted by the own address, whatever it tells.
        self.expect(server, 200, "192.0.2.50", "127.0.0.9")
        self.expect(server, 429, "192.0.2.51", "127.0.0.9")

    def test_a_machine_of_version_6_has_one_place_for_all_its_addresses(self):
        server = self.start("--streams-per-client", "1")
        for status, client in [
            (200, "2001:db8::1"), (429, "2001:db8::2"), (429, "[2001:db8::ffff:3]:1234"),
            (200, "2001:db8:0:1::1"), (200, "192.0.2.1"), (429, "::ffff:192.0.2.1"), (429, "192.0.2.1:80"),
            (200, "::ffff:192.0.2.2"), (429, "192.0.2.2"),
        ]:
            self.expect(server, status, client)

    def test_what_is_no_proxys_address_is_refused(self):
        for proxy in ["proxy.example", "10.1.2.3/33", "10.1/16", "", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/"]:
            self.assertIn("A proxy is an address or a network", self.refusal("--proxy", proxy), proxy)

    def test_a_client_that_does_not_read_is_cut_off_though_the_system_has_room_for_all(self):
        server = self.start("--heartbeat", "1")
        for number in range(60):
            server.add(f"{number} " + "x" * 90)
        stuck = self.events(server, receive_buffer=4096)
        until("it is there", lambda: server.tabs() == 1)
        until("it is cut off", lambda: server.tabs() == 0, 40)
        with self.assertRaises(ConnectionResetError):
            while True:
                stuck.receive()

    def test_a_client_that_reads_slowly_is_not_cut_off(self):
        """It takes a list longer than the server waits for one that does not read."""
        server = self.start("--heartbeat", "3")
        # One never has much room; the other says that it has room when most of its buffer is free.
        tabs = [self.events(server, receive_buffer=4096), self.events(server)]
        for tab in tabs:
            tab.next()
        # More than the system's buffer takes, so the rest waits in the server.
        for number in range(200):
            server.add(f"{number} " + "\N{GRINNING FACE}" * 90)
            tabs[0].receive(4096)
        # They wait for nothing else: a slow answer to another request may not make them some that do not read.
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for tab in tabs:
                tab.receive(2048)
            time.sleep(0.25)
        self.assertEqual(server.tabs(), 2, server.messages())
        # They get what they did not have yet as soon as they read on.
        for tab in tabs:
            tab.until_names(server.names())


if __name__ == "__main__":
    unittest.main()
