"""The port that operators have for themselves: for the checks when nobody else gets an answer, and for the metrics."""

import re
import socket
import sqlite3
import subprocess
import unittest

from cases import ServerCase
from clients import post_and_go
from support import ENVIRONMENT, PROGRAM, until

CONNECTIONS = 32
FILES = CONNECTIONS + 4


class HealthPortTests(ServerCase):
    def crowd(self, port, count):
        """Connections on which nothing is asked."""
        crowd = [socket.create_connection(("127.0.0.1", port), 5) for _ in range(count)]
        for one in crowd:
            self.addCleanup(one.close)
        return crowd

    def test_the_checks_are_answered_while_a_crowd_has_all_connections(self):
        server = self.start("--connections", "40", health=True)
        crowd = self.crowd(server.port, 100)
        for path in ["/health", "/ready"]:
            with self.assertRaises(TimeoutError):
                server.request("GET", path, timeout=1)
            self.assertEqual(server.check(path)[:2], (200, "ok\n"))
        self.assertEqual(server.metric("streams"), 0)
        for one in crowd:
            one.close()
        until("the page's port answers", lambda: server.request("GET", "/ready")[0] == 200)

    def test_it_answers_nothing_else_and_the_metrics_are_only_there(self):
        server = self.start(health=True)
        for path, own, other in [("/health", 200, 200), ("/ready", 200, 200), ("/metrics", 200, 404),
                                 ("/", 404, 200), ("/status", 404, 200), ("/events", 404, None)]:
            self.assertEqual(server.check(path)[0], own, path)
            if other:
                self.assertEqual(server.request("GET", path)[0], other, path)
        for path in ["/health", "/ready", "/metrics"]:
            status, _, headers = server.check(path, headers={"Host": "node-7.internal"})
            self.assertEqual((status, headers["Connection"]), (200, "close"), path)
        self.assertEqual(server.check("/", headers={"Host": "node-7.internal"})[0], 421)
        self.assertEqual(server.check("/health", "HEAD")[0], 200)
        self.assertEqual(server.check("/health", "POST")[0], 405)

    def test_its_connections_are_few_and_end_in_time_and_their_files_are_left_to_it(self):
        """With a limit of open files that a crowd on both ports would reach."""
        server = self.start(health=True, within=["prlimit", "--nofile=300"])
        before = server.files()
        crowd = self.crowd(server.health_port, 50)
        until("it has taken what it takes", lambda: server.files() >= before + CONNECTIONS)
        self.assertEqual(server.request("GET", "/")[0], 200)
        self.assertLessEqual(server.files(), before + FILES)
        connections = int(re.search(r"only (\d+) connections fit", server.messages())[1])
        self.crowd(server.port, 400)
        until("the page's are taken", lambda: server.files() >= before + connections)
        # When the crowd's first connections are closed, it is its turn.
        self.assertEqual(server.check("/health", timeout=20)[0], 200)
        for one in crowd[:CONNECTIONS]:
            self.assertEqual(one.recv(1), b"")
        self.assertNotIn("open files\n", server.messages().replace("(ulimit -n)", ""))
        alone = self.start(within=["prlimit", "--nofile=300"])
        more = int(re.search(r"only (\d+) connections fit", alone.messages())[1])
        self.assertEqual(more - connections, FILES)

    def test_a_client_that_sends_without_end_is_closed(self):
        server = self.start(health=True)
        head = b"GET /health HTTP/1.1\r\nHost: a\r\n"
        clients = self.crowd(server.health_port, 2)
        clients[0].sendall(head)
        clients[1].sendall(head + b"Content-Length: 1000000\r\n\r\n")

        def is_closed(client):
            try:
                client.sendall(b"x")
                return False
            except OSError:
                return True

        until("both are closed", lambda: all([is_closed(client) for client in clients]), 15)

    def refused(self, *arguments, environment={}):
        """The status and the error of a server that does not start."""
        result = subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=30,
            env={**ENVIRONMENT, **environment})
        return result.returncode, result.stderr

    def test_a_port_that_is_used_is_said(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            expected = 1, f"Error: Port {port} cannot be used: Address already in use.\n"
            self.assertEqual(self.refused("--port", port), expected)
            self.assertEqual(self.refused("--port", port, "--health-port", 0), expected)
            self.assertEqual(self.refused("--port", 0, "--health-port", port), expected)
            self.assertEqual(self.refused("--port", 0, environment={"HEALTH_PORT": str(port)}), expected)

    def test_the_pages_port_is_refused(self):
        for arguments, environment in [
            (["--port", 8123, "--health-port", 8123], {}), (["--health-port", 8080], {}),
            (["--port", 8123], {"HEALTH_PORT": "8123"}), ([], {"PORT": "8123", "HEALTH_PORT": "8123"}),
        ]:
            status, message = self.refused(*arguments, environment=environment)
            self.assertEqual(status, 64)
            self.assertIn("Error: The health port is another one than the page's.\n", message)

    def test_while_the_server_ends_it_answers_that_it_is_not_ready(self):
        server = self.start(health=True)
        other = sqlite3.connect(self.file, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        clients = []

        def one_waits():
            clients.append(post_and_go(server, f"m{len(clients)}"))
            self.addCleanup(clients[-1].close)
            return server.metric("waiting_commands") > 0

        until("one waits while another waits for the file", one_waits)
        self.assertEqual(server.check("/ready")[0], 200)
        server.process.terminate()
        until("it is not ready", lambda: server.check("/ready")[0] == 503)
        self.assertEqual(server.check("/ready")[1], "the server starts or ends\n")
        self.assertEqual(server.check("/health")[0], 200)
        self.assertIn("live_members_waiting_commands", server.check("/metrics")[1])
        other.execute("COMMIT")
        for client in clients:
            self.assertIn(b" 204 ", client.recv(4096))
        self.assertEqual(server.wait(), 0, server.messages())


if __name__ == "__main__":
    unittest.main()
