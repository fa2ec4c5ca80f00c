"""Programs with a fault each, which must be found: otherwise finding nothing means nothing."""

import os
import random
import tempfile

from . import inputs, program

# Each takes all of its input, like the demos, and is sound but for the one thing.
_FAULTS = {
  "ended by SIGSEGV": "kill -SEGV $$",
  "ended with 3": "exit 3",
  "did not end": "exec sleep 1000",
  "standard error": "echo oops >&2",
  "of a password": f"echo 'wrong: {inputs.SECRETS[0]}'",
  "not UTF-8": r"printf '\377\n'",
  "has no end": "printf x",
  "control character": r"printf '\033[31m\n'",
  "the same input": "echo $$",
}


def missed():
  """A sentence for each that is not found, and for a sound one that is."""
  with tempfile.TemporaryDirectory() as folder:
    for expected, fault in {"None": "echo fine", **_FAULTS}.items():
      # The others end by themselves, on a busy machine late.
      deadline = 1 if expected == "did not end" else program.DEADLINE
      path = os.path.join(folder, "program")
      with open(path, "w") as file:
        file.write(f"#!/bin/sh\ncat >/dev/null\n{fault}\n")
      os.chmod(path, 0o755)
      found = program.check(path, "auth", b"ann\nsecret\n", random.Random(0), deadline)
      if expected not in str(found):
        yield f"a program with '{fault}' should have '{expected}', and has '{found}'"
