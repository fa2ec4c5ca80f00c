"""Runs the program as a user would, and says in a sentence what is wrong with how it went."""

import os
import signal
import subprocess
import threading
import unicodedata

from . import inputs

# No input here takes a second; the rest is for a machine that is busy with something else.
DEADLINE = 30
# A crash is reported by the signal alone: the runtime's backtrace takes seconds.
ENVIRONMENT = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}


def check(program, demo, data, source, deadline=DEADLINE):
  """Runs a demo twice on an input, and returns what is wrong or None.

  The second time it gets the same bytes cut at random places.
  """
  outputs = []
  for chunks in [data], inputs.pieces(data, source):
    output, errors, status = _run(program, demo, chunks, deadline)
    problem = (f"it did not end within {deadline} s" if status is None
               else fault(output, errors, status))
    if problem:
      return f"{'the second time ' if outputs else ''}{problem}"
    outputs.append(output)
  if outputs[0] != outputs[1]:
    return f"the same input gave other output in other pieces: {[each[-200:] for each in outputs]}"
  return None


def fault(output, errors, status):
  """What is wrong with such an end, whatever the input was."""
  if status < 0:
    return f"it was ended by {signal.Signals(-status).name}"
  if status != 0:
    return f"it should end with 0, and ended with {status}; it said {errors[:500]!r}"
  if errors:
    return f"nothing should be on its standard error, but there is {errors[:500]!r}"
  if shown := inputs.secret_in(output):
    return f"its output shows {shown!r} of a password"
  try:
    text = output.decode()
  except UnicodeDecodeError as error:
    return f"its output is not UTF-8: {error}"
  if text and not text.endswith("\n"):
    return f"the last line of its output has no end: {text[-200:]!r}"
  for character in sorted(set(text) - {"\n"}):
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp") or category == "Cf" and not _is_part_of_text(character):
      return f"its output has the control character {character!r}"
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


def _run(program, demo, chunks, deadline):
  """Its output, its errors, and its status, which is None if it had to be killed."""
  process = subprocess.Popen(
    [program, demo], bufsize=0, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    stderr=subprocess.PIPE)
  # It is the feeder's, and `communicate` leaves it alone.
  pipe, process.stdin = process.stdin, None
  feeder = threading.Thread(target=feed, args=(pipe, chunks))
  feeder.start()
  try:
    output, errors = process.communicate(timeout=deadline)
    status = process.returncode
  except subprocess.TimeoutExpired:
    process.kill()
    output, errors = process.communicate()
    status = None
  feeder.join()
  return output, errors, status


def _is_part_of_text(character):
  """Whether it is one of the format characters that scripts and emoji need."""
  return character in "\u200c\u200d" or "\U000e0020" <= character <= "\U000e007f"
