"""PostgreSQL servers of the tests' own."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from support import free_port


class Postgres:
    """A PostgreSQL server of the test's own, in a temporary folder. It refuses to run as root."""

    @staticmethod
    def programs():
        found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        return found[-1].parent if found else None

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="livemembers-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.port = free_port()
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "members", "-E", "UTF8", "--no-sync")
        self.start()
        self.url = f"postgresql://members@127.0.0.1:{self.port}/postgres"
        self.socket_url = f"postgresql://members@/postgres?host={self.folder}&port={self.port}"

    def run(self, program, *arguments):
        user = {"user": "postgres"} if os.geteuid() == 0 else {}
        subprocess.run(
            [self.programs() / program, *arguments], check=True, cwd=self.folder, timeout=60,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)

    def start(self):
        self.run(
            "pg_ctl", "-D", self.data, "-w", "-l", self.folder / "log", "-o",
            f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1", "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def query(self, statement):
        """What `psql` prints for it."""
        result = subprocess.run(
            [self.programs() / "psql", "-qAt", self.url, "-c", statement], text=True, timeout=60,
            capture_output=True, check=True)
        return result.stdout.strip()

    # Tells all servers to read, whatever they know.
    TELL = "SELECT pg_notify(channel, '0 0/log') FROM member_log.follower"

    def fill(self, count, name):
        """Members that no server was asked for: as many as wanted, in one transaction."""
        self.query(
            "INSERT INTO member_log.entry (log, index, mark, key, data)"
            " SELECT 'log', before + n, 1, gen_random_uuid()::text, convert_to("
            f"   json_build_object('add', json_build_object('name', '{name}'))::text, 'UTF8')"
            " FROM (SELECT coalesce(max(index), 0) AS before FROM member_log.entry) AS log,"
            f"   generate_series(1, {count}) AS n;"
            f"{self.TELL};")

    def session(self, **more):
        """A connection of somebody else's, which takes statements."""
        return subprocess.Popen(
            [self.programs() / "psql", "-qAt", self.url], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, bufsize=1, **more)

    def close(self):
        self.stop("immediate")
        shutil.rmtree(self.folder)
