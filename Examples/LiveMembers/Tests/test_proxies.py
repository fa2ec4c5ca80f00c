"""What stands between a browser, the server and its database: proxies, poolers, names, and backups."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from support import ENVIRONMENT, PROGRAM, Events, Postgres, Server, until

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program:
    """A server program with a configuration file, in a folder of its own."""

    def __init__(self, *arguments, user=None, **files):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="livemembers-"))
        self.port = free_port()
        for name, text in files.items():
            text = text.replace("FOLDER", str(self.folder)).replace("PORT", str(self.port))
            (self.folder / name).write_text(text)
        if user and os.geteuid() == 0:
            shutil.chown(self.folder, user)
        arguments = [a.replace("FOLDER", str(self.folder)) for a in arguments]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, user=user if os.geteuid() == 0 else None)
        until("it listens", self.listens)

    def listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder)


class NameTests(unittest.TestCase):
    def server(self, *arguments):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = Server(*arguments, file=f"{folder.name}/members.sqlite")
        self.addCleanup(server.close)
        return server

    def test_a_name_that_is_not_the_servers_gets_nothing(self):
        """Or a page elsewhere, whose name is made to point here, is of one origin with this server."""
        server = self.server()
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
        server = self.server("--origin", "https://members.example")
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
        server = self.server("--heartbeat", "1", "--origin", "http://members.example")
        for header in ["", "proxy_set_header Host $host;", "proxy_set_header Host $http_host;"]:
            with self.subTest(header=header):
                nginx = Program("nginx", "-e", "FOLDER/error", "-c", "FOLDER/nginx.conf", **{
                    "nginx.conf": NGINX.replace("HEADER", header).replace("TO", str(server.port))})
                self.addCleanup(nginx.close)
                names = [f"127.0.0.1:{nginx.port}"] + ["members.example"] * (header != "")
                for name in names:
                    # As of a browser on a page with encryption, and of one on a page without.
                    for told in [{"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://members.example"}]:
                        status, text, _ = Server.request(nginx, "POST", "/members", "name=Ann", {
                            **FORM, "Host": name, "Origin": f"http://{name}", **told})
                        self.assertEqual(status, 204, text)
                stream = Events(nginx).open()
                self.addCleanup(stream.close)
                first = stream.next()[1]
                server.add("Bob")
                self.assertEqual(stream.next(5)[1], first + ["Bob"])


NGINX = """
daemon off; pid FOLDER/pid;
events {}
http {
  access_log off;
  client_body_temp_path FOLDER/a; proxy_temp_path FOLDER/b; fastcgi_temp_path FOLDER/c;
  uwsgi_temp_path FOLDER/d; scgi_temp_path FOLDER/e;
  server { listen 127.0.0.1:PORT; location / { proxy_pass http://127.0.0.1:TO; HEADER } }
}
"""


@unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
class AddressTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Postgres()
        cls.addClassCleanup(cls.database.close)

    def expect_members(self, address=None, environment={}, arguments=()):
        server = Server(*arguments, postgres=address, environment=environment)
        self.addCleanup(server.close)
        server.add("Ann")
        self.assertEqual(server.names()[-1], "Ann")
        return server

    def test_addresses_are_those_that_psql_takes(self):
        port = self.database.port
        self.database.query("""CREATE ROLE odd LOGIN SUPERUSER PASSWORD 'a?b=c&d'""")
        for address in [
            f"host=127.0.0.1 port={port} user=members dbname=postgres",
            f"postgres://odd:a?b=c&d@127.0.0.1:{port}/postgres",
            f"postgresql://members@127.0.0.1:{port}/postgres?connect_timeout=5&application_name=x",
            self.database.socket_url,
        ]:
            with self.subTest(address=address):
                self.expect_members(address)

    def test_the_environment_tells_address_password_and_port(self):
        port = self.database.port
        environment = {"DATABASE_URL": self.database.url, "PORT": "0", "LOG_LEVEL": "error"}
        server = self.expect_members(environment=environment)
        self.assertNotEqual(server.port, 8080)
        self.expect_members("postgres", {
            "PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "members", "PGPASSWORD": "any"})

    def test_a_password_is_never_shown(self):
        port = free_port()
        for address in [
            f"postgress://members:sEcr3t@127.0.0.1:{port}/x", f"members:sEcr3t@127.0.0.1:{port}",
            f"postgresql://members:sEcr3t@127.0.0.1:{port}/x", f"postgresql://members:sEcr3t%zz@h/x",
            f"host=127.0.0.1 port={port} password=sEcr3t", "host=h password=sEcr3t nonsense",
            f"postgresql://members:sEcr3t@127.0.0.1:{port}/sEcr3t?x=sEcr3t",
            # Without percent-encoding, the password's rest is a host, a port or a database.
            "postgres://members:pa@sEcr3t@localhost:1/x", "postgres://members:sEcr3t/ss@localhost:1/x",
            "postgres://members:1/sEcr3t@localhost:1/x", "postgres://members:pa@h:sEcr3t@localhost:1/x",
            "dbname=postgres://members:pa@sEcr3t@localhost:1/x",
        ]:
            for how in [{"args": [PROGRAM, "--postgres", address], "env": ENVIRONMENT},
                        {"args": [PROGRAM], "env": {**ENVIRONMENT, "DATABASE_URL": address}}]:
                result = subprocess.run(**how, capture_output=True, text=True, timeout=20)
                self.assertNotEqual(result.returncode, 0)
                self.assertNotIn("sEcr3t", result.stdout + result.stderr)
                self.assertRegex(result.stderr, "not valid|refused")

    def test_a_role_that_may_create_nothing(self):
        query = self.database.query
        query("CREATE DATABASE poor"), query("CREATE ROLE poor LOGIN")
        address = f"postgresql://poor@127.0.0.1:{self.database.port}/poor"
        result = subprocess.run(
            [PROGRAM, "--postgres", address], capture_output=True, text=True, timeout=20)
        self.assertIn("permission denied", result.stderr)
        schema = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True).stdout
        url, self.database.url = self.database.url, self.database.url.replace("/postgres", "/poor")
        try:
            query(schema)
            query("GRANT USAGE ON SCHEMA live_members TO poor; GRANT SELECT, INSERT, UPDATE, DELETE"
                  " ON ALL TABLES IN SCHEMA live_members TO poor")
        finally:
            self.database.url = url
        self.expect_members(address)

    def test_behind_a_pooler_that_keeps_notifications_back(self):
        if not shutil.which("pgbouncer"):
            self.skipTest("SKIPPED: PgBouncer is not installed")
        self.database.query("DELETE FROM live_members.member") if self.database.query(
            "SELECT to_regclass('live_members.member')") else None
        pooler = Program("pgbouncer", "-q", "FOLDER/ini", user="postgres", users='"members" ""\n', ini=f"""
[databases]
postgres = host=127.0.0.1 port={self.database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = PORT
unix_socket_dir =
auth_type = trust
auth_file = FOLDER/users
pool_mode = transaction
""")
        self.addCleanup(pooler.close)
        address = f"postgresql://members@127.0.0.1:{pooler.port}/postgres"
        servers = [Server("--heartbeat", "1", postgres=address) for _ in range(2)]
        for server in servers:
            self.addCleanup(server.close)
        tabs = [Events(server).open() for server in servers]
        for tab in tabs:
            self.addCleanup(tab.close)
        for number in range(5):
            servers[number % 2].add(f"m{number}")
            for tab in tabs:
                tab.until_names([f"m{n}" for n in range(number + 1)], 10)

    def test_a_database_that_is_set_back_is_shown_as_it_is(self):
        server = Server("--heartbeat", "1", postgres=self.database.url)
        self.addCleanup(server.close)
        other = Server("--heartbeat", "1", postgres=self.database.url)
        self.addCleanup(other.close)
        server.post("/members/remove-all")
        for number in range(6):
            server.add(f"m{number}")
        tabs = [Events(each).open() for each in [server, other]]
        for tab in tabs:
            self.addCleanup(tab.close)
        dump = subprocess.run(
            [Postgres.programs() / "pg_dump", "-n", "live_members", "--clean", self.database.url],
            capture_output=True, text=True, check=True, timeout=60).stdout
        for number in range(6, 10):
            server.add(f"m{number}")
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(10)])
        session = self.database.session()
        session.communicate(f"BEGIN; {dump}; COMMIT;", timeout=60)
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(6)], 15)
        server.add("after")
        for tab in tabs:
            tab.until_names([f"m{n}" for n in range(6)] + ["after"], 15)


if __name__ == "__main__":
    unittest.main()
