"""What the classes of tests share: a folder, servers and streams that end with each test, and a database."""

import pathlib
import subprocess
import tempfile
import unittest

from databases import Postgres
from streams import Events
from support import ENVIRONMENT, PROGRAM, Server


class ServerCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "members.sqlite"

    def start(self, *arguments, **more):
        server = Server(*arguments, **{"file": self.file, **more})
        self.addCleanup(server.close)
        return server

    def events(self, server, **how):
        """A stream of which the head of the answer was read."""
        stream = Events(server, **how)
        self.addCleanup(stream.close)
        return stream.open()

    def refusal(self, *arguments, environment={}):
        """What a server that does not start says."""
        result = subprocess.run(
            [PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
            timeout=30, env={**ENVIRONMENT, **environment})
        self.assertNotEqual(result.returncode, 0)
        return result.stdout + result.stderr


@unittest.skipUnless(Postgres.programs(), "SKIPPED: PostgreSQL is not installed")
class PostgresCase(ServerCase):
    """A database for a class of tests, and servers on it."""

    @classmethod
    def setUpClass(cls):
        cls.database = Postgres()
        cls.addClassCleanup(cls.database.close)

    def start(self, *arguments, **more):
        return super().start(*arguments, **{"file": None, "postgres": self.database.url, **more})

    def lock(self, table="member_log.entry"):
        """Somebody else's transaction that has the table; ended with `release`."""
        session = self.database.session()
        self.addCleanup(session.communicate)
        session.stdin.write(f"BEGIN; LOCK TABLE {table}; SELECT 'locked';\n")
        self.assertEqual(session.stdout.readline(), "locked\n")
        return session

    def release(self, session):
        session.stdin.write("COMMIT; SELECT 'released';\n")
        self.assertEqual(session.stdout.readline(), "released\n")
