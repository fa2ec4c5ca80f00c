"""What is stored, and which versions of this program may use it."""

import sqlite3
import subprocess
import unittest

from cases import PostgresCase, ServerCase
from programs import compiler, failing_system
from support import PROGRAM, until


class FileTests(ServerCase):
    def query(self, statement):
        database = sqlite3.connect(self.file, isolation_level=None)
        try:
            return database.execute(statement).fetchall()
        finally:
            database.close()

    def test_a_refused_command_changes_no_page(self):
        server = self.start()
        server.add("Ann", key="done")
        tab = self.events(server)
        shown = tab.next()
        for number in range(20):
            self.assertEqual(server.post("/members/99/remove", key=f"refused-{number}")[0], 404)
        for _ in range(2):
            server.add("Ann", key="done")
        server.add("Bob")
        following = tab.next()
        self.assertEqual([names for _, names in [shown, following]], [["Ann"], ["Ann", "Bob"]])

    def test_a_command_that_nobody_knows_leaves_the_server_with_its_list_and_not_ready(self):
        """Behind it, it would have another list than the others."""
        server = self.start()
        server.add("Ann")
        self.assertEqual(server.request("GET", "/ready")[0], 200)
        self.query("INSERT INTO entry (mark, key, data) VALUES (1, 'newer', CAST('{\"rename\":{}}' AS BLOB))")
        until("it is not ready", lambda: server.request("GET", "/ready")[0] == 503)
        self.assertIn("at entry 2 of the log: the entry cannot be decoded", server.messages())
        later = self.start()
        for one in [server, later]:
            self.assertEqual(one.names(), ["Ann"])
            self.assertEqual(one.request("GET", "/ready")[0], 503)
            self.assertEqual(one.post("/members", name="Bob", key="b")[0], 503)

    def test_a_deleted_entry_leaves_a_server_with_the_list_before_it_and_not_ready(self):
        server = self.start()
        for name in ["Ann", "Bob", "Cy"]:
            server.add(name)
        server.kill()
        self.query('DELETE FROM entry WHERE "index" = 2')
        server = self.start()
        self.assertEqual(server.names(), ["Ann"])
        self.assertEqual(server.request("GET", "/ready")[0], 503)
        self.assertEqual(server.post("/members", name="Di", key="d")[0], 503)
        self.assertIn("after the entry 1 the log has the entry 3: put back", server.messages())

    def test_a_history_is_deleted_up_to_its_length_and_the_list_stays(self):
        server = self.start()
        server.add("Ann")
        server.kill()
        self.query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)"
            " INSERT INTO entry (mark, key, data) SELECT 1, 'blank ' || i, x'' FROM n")
        # It stores the list when it has read so many.
        server = self.start("--history", "10000")
        until("old commands are gone", lambda: self.query('SELECT min("index") FROM entry') == [(15_001,)])
        server.add("Bob")
        server.kill()
        later = self.start()
        self.assertEqual(later.names(), ["Ann", "Bob"])
        self.assertEqual(later.request("GET", "/ready")[0], 200)

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
    def test_what_an_administrator_runs_can_be_run_again(self):
        self.start().add("Ann")
        schema = subprocess.run([PROGRAM, "schema"], capture_output=True, text=True, check=True).stdout
        self.database.query(schema)
        self.assertEqual(self.start().names()[-1], "Ann")

    def test_a_database_of_an_older_version_is_brought_up_to_date(self):
        self.start().terminate()
        comment = "SELECT obj_description(to_regnamespace('member_log'), 'pg_namespace')"
        version = self.database.query(comment)
        self.database.query("COMMENT ON SCHEMA member_log IS 'shared log 1';"
                            "DROP FUNCTION member_log.last")
        self.start().add("Bob")
        self.assertEqual(self.database.query(comment), version)


if __name__ == "__main__":
    unittest.main()
