"""How a server is told where its database is, and how it finds it."""

import contextlib
import socket
import subprocess
import threading
import time
import unittest

from cases import PostgresCase
from programs import compiler, failing_system
from support import ENVIRONMENT, PROGRAM, free_port, until


class AddressTests(PostgresCase):
    def expect_members(self, address=None, environment={}, arguments=()):
        server = self.start(*arguments, postgres=address, environment=environment)
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
            query("GRANT USAGE ON SCHEMA member_log TO poor; GRANT SELECT, INSERT, UPDATE"
                  " ON ALL TABLES IN SCHEMA member_log TO poor")
        finally:
            self.database.url = url
        self.expect_members(address)

    def test_text_is_utf8_whatever_the_environment_and_the_address_say(self):
        name = "Zoë 家族 👩‍👩‍👧"
        for how in [{"environment": {"PGCLIENTENCODING": "LATIN1"}},
                    {"postgres": f"{self.database.url}?client_encoding=LATIN1"}]:
            server = self.start(**how)
            server.add(name)
            self.assertEqual(server.names()[-1], name)
            self.assertEqual(self.database.query(
                "SELECT split_part(convert_from(data, 'UTF8'), chr(10), 2)::json #>> '{add,name}' FROM member_log.entry"
                " ORDER BY index DESC LIMIT 1"), name)

    @contextlib.contextmanager
    def silent_host(self):
        """A port whose connections are neither accepted nor refused: its queue is full."""
        with socket.socket() as listener, socket.socket() as first:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            first.connect(listener.getsockname())
            yield listener.getsockname()[1]

    def test_each_of_several_hosts_has_its_time(self):
        with self.silent_host() as silent:
            self.expect_members(f"host=127.0.0.1,127.0.0.1 port={silent},{self.database.port} "
                                "user=members dbname=postgres")

    def test_the_time_to_connect_is_that_of_the_address(self):
        with self.silent_host() as silent:
            address = f"host=127.0.0.1 port={silent} dbname=postgres"
            for limit, how, more in [(3, {}, ""), (5, {}, " connect_timeout=5"),
                                     (2, {"PGCONNECT_TIMEOUT": "2"}, "")]:
                begin = time.monotonic()
                self.assertIn("timeout", self.refusal("--postgres", address + more, environment=how))
                self.assertGreater(time.monotonic() - begin, limit - 0.5)

    @unittest.skipUnless(compiler(), "SKIPPED: there is no C compiler")
    def test_a_server_ends_in_time_while_a_name_is_looked_up(self):
        system = failing_system(self.folder)
        address = f"host=database.example port={self.database.port} user=members dbname=postgres"
        server = self.start(postgres=address, environment=system)
        server.add("Ann")
        (self.folder / "lookup-hangs").touch()
        self.database.stop()
        try:
            asker = threading.Thread(target=self.ask, args=(server,), daemon=True)
            asker.start()
            until("it looks the name up", (self.folder / "looked-up").exists)
            took, _ = server.terminate(limit=40)
        finally:
            self.database.start()
        asker.join(20)
        print(f"SIGTERM while a name is looked up: {took:.2f} s")
        self.assertLess(took, 5.5)

    def ask(self, server):
        with contextlib.suppress(OSError):
            server.post("/members", name="Bob")


if __name__ == "__main__":
    unittest.main()
