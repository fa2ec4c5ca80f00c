"""What stands between a browser, the server and its database: proxies, poolers, and names."""

import shutil
import subprocess
import unittest

from cases import PostgresCase, ServerCase
from programs import nginx, pgbouncer
from support import PROGRAM, Server

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class NameTests(ServerCase):
    def test_a_name_that_is_not_the_servers_gets_nothing(self):
        """Or a page elsewhere, whose name is made to point here, is of one origin with this server."""
        server = self.start()
        for host in ["elsewhere.example", "127.0.0.1.elsewhere.example", "localhost.example", "x"]:
            for port in ["", f":{server.port}"]:
                headers = {"Host": host + port}
                self.assertEqual(server.request("GET", "/", None, headers)[0], 421, host)
                headers |= {"Origin": f"http://{host}{port}", "Sec-Fetch-Site": "same-origin", **FORM}
                self.assertEqual(server.request("POST", "/members", "name=Eve", headers)[0], 421)
        # An orchestrator asks by its own name for the machine.
        for path in ["/health", "/ready", "/metrics"]:
            self.assertEqual(server.request("GET", path, None, {"Host": "node-7.internal"})[0], 200, path)
        self.assertEqual(server.request("GET", "/status", None, {"Host": "node-7.internal"})[0], 421)
        for host in ["127.0.0.1", "localhost", f"localhost:{server.port}", "[::1]:80", "192.168.7.7"]:
            self.assertEqual(server.request("GET", "/", None, {"Host": host})[0], 200, host)
        self.assertEqual(server.names(), [])

    def test_browsers_tell_where_a_form_comes_from(self):
        server = self.start("--origin", "https://members.example")
        cases = [
            (204, {"Host": "members.example", "Origin": "https://members.example"}),
            (204, {"Host": "127.0.0.1:1", "Origin": "https://members.example"}),
            (204, {"Host": "127.0.0.1:1", "Origin": "https://a", "Sec-Fetch-Site": "same-origin"}),
            (403, {"Host": "members.example", "Origin": "https://elsewhere.example"}),
            (403, {"Host": "members.example", "Sec-Fetch-Site": "cross-site"}),
            (403, {"Host": "members.example", "Sec-Fetch-Site": "same-site",
                   "Origin": "https://members.example"}),
            (421, {"Host": "other.example"}),
        ]
        for expected, headers in cases:
            status, text, _ = server.request("POST", "/members", "name=A", {**FORM, **headers})
            self.assertEqual((status, "{" in text), (expected, False), headers)

    def test_an_origin_that_is_none_is_refused(self):
        for origin in ["members.example", "https://members.example/path", "ftp://a", "https://"]:
            result = subprocess.run(
                [PROGRAM, "--origin", origin], capture_output=True, text=True, timeout=20)
            self.assertEqual(result.returncode, 64)
            self.assertIn("An origin is a scheme and a name", result.stderr)

    @unittest.skipUnless(shutil.which("nginx"), "SKIPPED: nginx is not installed")
    def test_behind_nginx(self):
        server = self.start("--heartbeat", "1", "--origin", "http://members.example")
        for header in ["", "proxy_set_header Host $host;", "proxy_set_header Host $http_host;"]:
            with self.subTest(header=header):
                proxy = nginx(server, header)
                self.addCleanup(proxy.close)
                names = [f"127.0.0.1:{proxy.port}"] + ["members.example"] * (header != "")
                for name in names:
                    # As of a browser on a page with encryption, and of one on a page without.
                    for told in [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://members.example"}]:
                        status, text, _ = Server.request(proxy, "POST", "/members", "name=Ann", {
                            **FORM, "Host": name, "Origin": f"http://{name}", **told})
                        self.assertEqual(status, 204, text)
                stream = self.events(proxy)
                before = server.names()
                stream.until_names(before)  # a stream may begin with the list before the last change
                server.add("Bob")
                self.assertEqual(stream.next(5)[1], before + ["Bob"])


@unittest.skipUnless(shutil.which("pgbouncer"), "SKIPPED: PgBouncer is not installed")
class PoolerTests(PostgresCase):
    def test_behind_a_pooler_that_keeps_connections(self):
        pooler = pgbouncer(self.database)
        self.addCleanup(pooler.close)
        address = f"postgresql://members@127.0.0.1:{pooler.port}/postgres"
        servers = [self.start("--heartbeat", "1", postgres=address) for _ in range(2)]
        servers[0].post("/members/remove-all")
        tabs = [self.events(server) for server in servers]
        for number in range(5):
            servers[number % 2].add(f"m{number}")
            for tab in tabs:
                tab.until_names([f"m{n}" for n in range(number + 1)], 10)


if __name__ == "__main__":
    unittest.main()
