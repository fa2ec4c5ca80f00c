"""What is stored, what is told of it, and which versions of this program may use it."""

import sqlite3
import subprocess
import unittest

from cases import PostgresCase, ServerCase
from programs import compiler, failing_system
from support import PROGRAM


def refuse_many(server):
    """One command that is done, and many that are refused."""
    server.add("Ann", key="done")
    for number in range(20):
        assert server.post("/members/99/remove", key=f"refused-{number}")[0] == 404
    for _ in range(2):
        server.add("Ann", key="done")
    assert server.names() == ["Ann"]


class FileTests(ServerCase):
    def query(self, statement):
        database = sqlite3.connect(self.file, isolation_level=None)
        try:
            return database.execute(statement).fetchall()
        finally:
            database.close()

    def test_commands_that_were_refused_leave_nothing(self):
        refuse_many(self.start())
        self.assertEqual(self.query("SELECT key FROM command"), [("done add Ann",)])

    def test_commands_are_forgotten_after_an_hour(self):
        server = self.start()
        server.add("Ann", key="old")
        self.query("UPDATE command SET at = unixepoch() - 3601")
        server.add("Bob", key="new")
        self.assertEqual(self.query("SELECT key FROM command"), [("new add Bob",)])

    def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(self):
        self.start().terminate()
        self.assertEqual(self.query("PRAGMA user_version"), [(1,)])
        self.query("PRAGMA user_version = 99")
        self.assertIn("A newer version of this program", self.refusal("--port", 0, "--file", self.file))
        self.assertEqual(self.query("PRAGMA user_version"), [(99,)])

    @unittest.skipUnless(compiler(), "SKIPPED: there is no C compiler")
    def test_what_a_disk_may_have_stored_is_not_called_refused(self):
        """The transaction may be in the file when the disk cannot tell. The next answer is the true one."""
        server = self.start(environment=failing_system(self.folder))
        server.add("Ann", key="before")
        fails = self.folder / "sync-fails"
        fails.touch()
        status, text, _ = server.post("/members", name="Bob", key="meanwhile")
        self.assertEqual((status, text), (503, "The database does not answer now."))
        fails.unlink()
        server.add("Bob", key="meanwhile")
        self.assertEqual(server.names(), ["Ann", "Bob"])


class DatabaseTests(PostgresCase):
    def test_commands_that_were_refused_leave_nothing(self):
        server = self.start()
        self.database.query("DELETE FROM live_members.command; DELETE FROM live_members.member")
        refuse_many(server)
        self.assertEqual(self.database.query("SELECT key FROM live_members.command"), "done add Ann")

    def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(self):
        self.start().terminate()
        comment = "SELECT obj_description(to_regnamespace('live_members'), 'pg_namespace')"
        version = self.database.query(comment)
        self.database.query("COMMENT ON SCHEMA live_members IS 'live members 99'")
        try:
            self.assertIn("A newer version of this program",
                          self.refusal("--port", 0, "--postgres", self.database.url))
            # An administrator's way, which is one transaction.
            schema = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True).stdout
            session = self.database.session(stderr=subprocess.PIPE)
            self.assertIn("A newer version of this program", session.communicate(schema, timeout=20)[1])
            self.assertEqual(self.database.query(comment), "live members 99")
        finally:
            self.database.query(f"COMMENT ON SCHEMA live_members IS '{version}'")
        self.start().add("Ann")

    def test_a_database_of_an_older_version_is_brought_up_to_date(self):
        self.start().terminate()
        comment = "SELECT obj_description(to_regnamespace('live_members'), 'pg_namespace')"
        version = self.database.query(comment)
        self.database.query("COMMENT ON SCHEMA live_members IS 'live members 1';"
                            "DROP FUNCTION live_members.roster_id")
        self.start().add("Ann")
        self.assertEqual(self.database.query(comment), version)


if __name__ == "__main__":
    unittest.main()
