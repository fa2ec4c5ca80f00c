"""What the tests share: a screen, the program on it, and a person's hands.

Only the standard library. Everything that waits has a deadline.
"""

import os
import pathlib
import select
import subprocess
import time

PACKAGE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PROGRAM", PACKAGE / ".build/release/Desktop")).resolve()
SCREENSHOTS = os.environ.get("SCREENSHOTS")
THEME = os.environ.get("GTK_THEME", "Adwaita")
SUFFIX = "-dark" if THEME.endswith(":dark") else ""


def until(what, condition, limit=20.0):
    """The first value of `condition` that is true; the program is asked every 10 ms."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what() if callable(what) else what}: not within {limit} s")
        time.sleep(0.005)


class Screen:
    """An X server of its own, without a window manager."""

    def __init__(self, size="860x480"):
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
            pass_fds=[writing], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            if not select.select([pipe], [], [], 20)[0]:
                raise AssertionError("Xvfb has not begun within 20 s")
            self.display = ":" + pipe.readline().strip()

    @property
    def environment(self):
        return {**os.environ, "DISPLAY": self.display, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                "GTK_A11Y": "none", "LC_ALL": "C.UTF-8"}

    def xdotool(self, *arguments):
        return subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, check=True,
                              stdout=subprocess.PIPE, text=True, timeout=60).stdout

    def shoot(self, window, path):
        subprocess.run(["import", "-window", window, "-strip", "+dither", "-colors", "64", f"png8:{path}"],
                       env=self.environment, check=True, timeout=60)

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Program:
    """The program in test mode: see TestLine.swift."""

    def __init__(self, screen, *arguments):
        self.screen = screen
        self.process = subprocess.Popen(
            [PROGRAM, "--test", *arguments], env={**screen.environment, "GTK_THEME": THEME},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.pending = b""

    def ask(self, *words, limit=20.0):
        """The program's one line in answer to a command."""
        self.process.stdin.write("\t".join(words).encode() + b"\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + limit
        while b"\n" not in self.pending:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"{words}: no answer within {limit} s")
            read = os.read(self.process.stdout.fileno(), 1 << 16)
            if not read:
                raise AssertionError(f"{words}: the program ended with {self.process.wait(10)}")
            self.pending += read
        line, self.pending = self.pending.split(b"\n", 1)
        return line.decode()

    def open(self, page=None):
        self.ask("open")
        if page:
            self.ask("page", page)
        self.draw()
        window = until("a window", lambda: self.screen.xdotool("search", "--onlyvisible", "--name", "AsyncChannels"))
        self.window = window.split()[-1]
        self.screen.xdotool("windowfocus", "--sync", self.window)

    def page(self, title):
        self.ask("page", title)
        self.draw()

    def draw(self):
        """Waits for two frames: the one that may be under way, and the next."""
        before = self.number("frames")
        until("two frames", lambda: self.ask("frame") and self.number("frames") > before + 1)

    def number(self, *words):
        return int(self.ask(*words))

    def text(self, widget, property="label"):
        return self.ask("get", widget, property)

    def click(self, widget):
        place = until(f"{widget} on the screen", lambda: self.ask("place", widget).replace("none", ""))
        self.screen.xdotool("mousemove", *place.split(), "click", 1)

    def type(self, widget, text, delay=0):
        """Clicks into a field and types there, with so many milliseconds from letter to letter."""
        self.click(widget)
        until(f"{widget} has the focus", lambda: self.ask("focus", widget) == "TRUE")
        self.screen.xdotool("type", "--delay", delay, text)

    def keys(self, *keys):
        self.screen.xdotool("key", *keys)

    def history(self):
        """For each watched widget what was on the screen: pairs of seconds and text."""
        shown = {}
        for line in self.ask("history").split("\x1e"):
            name, *rest = line.split("\x1f")
            shown[name] = [(int(when) / 1e6, text) for when, text in zip(rest[::2], rest[1::2])]
        return shown

    def expect(self, widget, text, property="label", limit=20.0):
        until(lambda: f"{widget}: {text!r}, but it is {self.text(widget, property)!r}",
              lambda: self.text(widget, property) == text, limit)

    def expect_shown(self, widget, text):
        """The widget is watched, and the newest frame shows the text."""
        until(lambda: f"{widget}: {text!r} on the screen, but {self.history()[widget]}",
              lambda: self.history()[widget][-1:] and self.history()[widget][-1][1] == text)

    def shoot(self, name):
        if SCREENSHOTS:
            self.draw()
            self.screen.shoot(self.window, os.path.join(SCREENSHOTS, f"{name}{SUFFIX}.png"))

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
