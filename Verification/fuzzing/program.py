"""Runs the program as a user would, and says in a sentence what is wrong with how it went."""

import os
import signal
import subprocess
import threading
import time
import unicodedata

from . import inputs, model

# No input here takes a second; the rest is for a machine that is busy with something else.
DEADLINE = 30
# A crash is reported by the signal alone: the runtime's backtrace takes seconds.
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}


class Run:
  """What one run of the program gave. `status` is None if it had to be killed."""

  def __init__(self, program, demo, chunks):
    process = subprocess.Popen(
      [program, demo], bufsize=0, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
      stderr=subprocess.PIPE)
    feeder = threading.Thread(target=feed, args=(process.stdin, chunks))
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    watchdog = threading.Timer(DEADLINE, process.kill)
    begin = time.monotonic()
    for thread in (watchdog, feeder, reader):
      thread.start()
    self.output = _read_all(process.stdout)
    self.status = process.wait()
    self.seconds = time.monotonic() - begin
    watchdog.cancel()
    for thread in (feeder, reader):
      thread.join()
    self.errors = errors[0]
    process.stdout.close()
    process.stderr.close()
    if self.seconds >= DEADLINE and self.status == -signal.SIGKILL:
      self.status = None

  def problem(self):
    """What is wrong with it, whatever the input was."""
    if self.status is None:
      return f"it did not end within {DEADLINE} s"
    if self.status < 0:
      return f"it was ended by {signal.Signals(-self.status).name}"
    if self.status != 0:
      return f"it should end with 0, and ended with {self.status}; it said {self.errors[:500]!r}"
    if self.errors:
      return f"nothing should be on its standard error, but there is {self.errors[:500]!r}"
    try:
      text = self.output.decode()
    except UnicodeDecodeError as error:
      return f"its output is not UTF-8: {error}"
    if text and not text.endswith("\n"):
      return f"the last line of its output has no end: {text[-200:]!r}"
    for character in sorted(set(text) - {"\n"}):
      category = unicodedata.category(character)
      if category in ("Cc", "Zl", "Zp") or category == "Cf" and not _is_part_of_text(character):
        return f"its output has the control character {character!r}"
    return None


def _is_part_of_text(character):
  """Whether it is one of the format characters that scripts and emoji need."""
  return character in "\u200c\u200d" or "\U000e0020" <= character <= "\U000e007f"


def check(program, demo, data, again=None):
  """Runs a demo on an input, and returns what is wrong or None.

  With `again`, a source of random numbers, it is run a second time on the same bytes cut at random
  places.
  """
  run = Run(program, demo, [data])
  problem = run.problem() or model.predict(demo, data).mismatch(run.output.decode())
  if problem or again is None:
    return problem
  second = Run(program, demo, inputs.pieces(data, again))
  problem = second.problem()
  if problem:
    return "the second time " + problem
  if second.output != run.output:
    return f"the same input gave {len(run.output)} other bytes of output the second time"
  return None


def feed(pipe, chunks):
  """Writes what the program takes. One that has ended takes no more, and may do so."""
  try:
    for chunk in chunks:
      rest = memoryview(chunk)
      while rest:
        rest = rest[pipe.write(rest):]
  except (BrokenPipeError, ValueError):
    pass
  try:
    pipe.close()
  except BrokenPipeError:
    pass


def _read_all(pipe):
  parts = []
  while part := pipe.read(1 << 20):
    parts.append(part)
  return b"".join(parts)
