"""Other programs around a server: proxies, poolers, and a system whose calls fail or take long."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from support import free_port, until


class Program:
    """A program that listens, with configuration files, in a folder of its own."""

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


def nginx(server, header):
    """An nginx before a server, with a line more in its configuration."""
    return Program("nginx", "-e", "FOLDER/error", "-c", "FOLDER/nginx.conf", **{"nginx.conf": f"""
daemon off; pid FOLDER/pid;
events {{}}
http {{
  access_log off;
  client_body_temp_path FOLDER/a; proxy_temp_path FOLDER/b; fastcgi_temp_path FOLDER/c;
  uwsgi_temp_path FOLDER/d; scgi_temp_path FOLDER/e;
  server {{ listen 127.0.0.1:PORT; location / {{ proxy_pass http://127.0.0.1:{server.port}; {header} }} }}
}}
"""})


def pgbouncer(database):
    """A PgBouncer before a database, which keeps the connection of a client (session mode)."""
    return Program("pgbouncer", "-q", "FOLDER/ini", user="postgres", users='"members" ""\n', ini=f"""
[databases]
postgres = host=127.0.0.1 port={database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = PORT
unix_socket_dir =
auth_type = trust
auth_file = FOLDER/users
pool_mode = session
""")


def compiler():
    return shutil.which("cc") or shutil.which("clang")


def failing_system(folder):
    """The environment for a server whose calls of the system fail while a file in the folder says so."""
    library = folder / "system.so"
    source = pathlib.Path(__file__).with_name("system.c")
    subprocess.run([compiler(), "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
    return {"LD_PRELOAD": str(library), "SYSTEM_FOLDER": str(folder)}
