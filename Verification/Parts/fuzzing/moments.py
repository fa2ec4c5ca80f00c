"""Ends the program from outside at random moments: signals, and an output that nobody reads."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import threading
import time

from . import inputs, program

# It has to end this soon: it takes milliseconds, and on a busy machine more.
LIMIT = 5.0
# When it is killed instead.
PATIENCE = 10
# Longer than the program takes to start.
SPREAD = 0.06

# Endless input of which every few lines cause output.
_LINES = {
  "members": [b"add Ann\nadd Bob\nremove 1\nreset\n", b"list\nfrob\n"],
  "auth": [b"iankeen\nsuper_secret_password\n", b"a\nb\n"],
  "workout": [b"squats\n", b"\xff\n"],
  "filter": [b"news\nnewt\n", b"\xff\nlunge\n"],
  "profile": [b"1\n7\n", b"x\n"],
}
_KINDS = ["SIGINT", "SIGTERM", "closed output"]


class Moment:
  """One attempt: what was done, and what is wrong with how the program took it."""

  def __init__(self, path, source, demo=None):
    self.path = path
    self.source = source
    self.problem = None
    self.seconds = 0
    on_terminal = source.random() < 0.5 and demo in (None, "auth")
    self.demo = "auth" if on_terminal else demo or source.choice(list(_LINES))
    if on_terminal:
      self._on_terminal()
    else:
      self._on_pipes()

  def _on_pipes(self):
    kind = self.source.choice(_KINDS)
    reads = kind == "closed output" or self.source.random() < 0.7
    line = self.source.choice(_LINES[self.demo])
    delay = self.source.uniform(0, SPREAD)
    self.what = (f"{self.demo} on an endless input of {line!r}, {'read' if reads else 'not read'},"
                 f" {kind} after {delay * 1000:.3f} ms")
    process = subprocess.Popen(
      [self.path, self.demo], bufsize=0, env=program.ENVIRONMENT, stdin=subprocess.PIPE,
      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    feeder = threading.Thread(target=program.feed, args=(process.stdin, _endless(line)))
    feeder.start()
    moment = time.monotonic() + delay
    said = False
    while (left := moment - time.monotonic()) > 0:
      if not reads:
        time.sleep(left)
      elif select.select([process.stdout], [], [], left)[0]:
        said = bool(process.stdout.read(1 << 16)) or said
    if kind == "closed output":
      process.stdout.close()
      self._wait(process)
      self._check_status(process.returncode, [0])
    else:
      number = signal.Signals[kind]
      process.send_signal(number)
      self._wait(process)
      # Until the handler is installed, which is before anything is said, the signal does it.
      said = bool(process.stdout.read(1)) or said
      self._check_status(process.returncode, [128 + number] + ([] if said else [-number]))
      process.stdout.close()
    if errors := process.stderr.read():
      self._note(f"it said {errors[:500]!r} on its standard error")
    process.stderr.close()
    feeder.join()

  def _on_terminal(self):
    kind = self.source.choice(["SIGINT", "SIGTERM", "control-C"])
    stage = self.source.choice(["start", "user name", "name typed", "password", "password typed"])
    rounds = 0 if stage == "start" else self.source.randint(0, 2)
    delay = self.source.uniform(0, SPREAD if stage == "start" else 0.001)
    self.what = (f"auth on a terminal, {rounds} sign-ins before, {kind} {delay * 1000:.3f} ms after"
                 f" '{stage}'")
    user, device = pty.openpty()
    before = termios.tcgetattr(device)
    process = subprocess.Popen(
      [self.path, "auth"], env=program.ENVIRONMENT, stdin=device, stdout=device, stderr=device,
      start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    screen = _Screen(user)
    secret = self.source.choice(inputs.SECRETS).encode()
    try:
      for _ in range(rounds):
        screen.answer(b"User name: ", b"iankeen\n")
        screen.answer(b"Password: ", secret + b"\n")
      if stage != "start":
        screen.answer(b"User name: ", b"" if stage == "user name" else b"iankeen\n")
      if stage.startswith("password"):
        screen.answer(b"Password: ", secret + (b"" if stage == "password" else b"\n"))
      time.sleep(delay)
      if kind == "control-C":
        os.write(user, b"\x03")
      else:
        process.send_signal(signal.Signals[kind])
      self._wait(process, screen)
      screen.read(0)
      number = signal.SIGTERM if kind == "SIGTERM" else signal.SIGINT
      said = b"User name: " in screen.seen
      self._check_status(process.returncode, [128 + number] + ([] if said else [-number]))
      if shown := inputs.secret_in(screen.seen):
        self._note(f"the screen shows {shown!r} of a password")
      after = termios.tcgetattr(device)
      if not after[3] & termios.ECHO:
        self._note("the terminal does not echo afterwards")
      elif after != before:
        self._note(f"the terminal's settings were {before} and are {after}")
    except TimeoutError as error:
      self._note(str(error))
    finally:
      if process.poll() is None:
        process.kill()
        process.wait()
      os.close(user)
      os.close(device)

  def _wait(self, process, screen=None):
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() < begin + PATIENCE:
      if screen:
        screen.read(0.001)
      else:
        time.sleep(0.001)
    self.seconds = time.monotonic() - begin
    if process.poll() is None:
      process.kill()
      process.wait()
      self._note(f"it did not end within {PATIENCE} s")
    elif self.seconds > LIMIT:
      self._note(f"it took {self.seconds:.1f} s to end")

  def _check_status(self, status, expected):
    if status not in expected:
      names = [_name(one) for one in expected]
      self._note(f"it should end with {' or '.join(names)}, and ended with {_name(status)}")

  def _note(self, problem):
    self.problem = self.problem or problem


class _Screen:
  """What the program and the terminal's echo have written."""

  def __init__(self, user):
    self.user = user
    self.seen = b""
    self.place = 0

  def answer(self, prompt, text):
    """Waits for the next such prompt, and types."""
    deadline = time.monotonic() + PATIENCE
    while (found := self.seen.find(prompt, self.place)) < 0:
      if time.monotonic() > deadline:
        raise TimeoutError(f"{prompt!r} did not come; the screen shows {self.seen!r}")
      self.read(0.1)
    self.place = found + len(prompt)
    os.write(self.user, text)

  def read(self, timeout):
    while select.select([self.user], [], [], timeout)[0]:
      try:
        part = os.read(self.user, 1 << 16)
      except OSError:
        return
      self.seen += part
      timeout = 0


def _endless(line):
  while True:
    yield line * 100


def _name(status):
  return str(status) if status >= 0 else signal.Signals(-status).name
