"""What the demos have to answer, said a second time and by other means than theirs.

A prediction is a list of lines. An entry that is a string is the whole line, a `Beginning` only its
beginning. It ends early (`Prediction.is_whole` is false) at the first line whose meaning depends on
where the characters that people see begin and end, which Python does not know.
"""

import re

LINE_LIMIT = 1 << 20
TOO_LONG = f"a line is longer than {LINE_LIMIT} bytes; it was ignored"
NOT_UTF8 = "a line is not valid UTF-8; it was ignored"

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
  chr(code) for code in range(0x2000, 0x200b))
# Each of these is a character by itself, whatever stands beside it.
_PLAIN = re.compile("[\x00-\x7f\x80-\xac\xae-\u024f\u2028\u2029\u3000\u3041-\u3096\u30a1-\u30fa"
                    "\u4e00-\u9fff]*")
_ESCAPED = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BY_NAME = {"\0": r"\0", "\t": r"\t", "\r": r"\r", "\n": r"\n"}


class Beginning(str):
  """The beginning of a line whose rest is not predicted."""


class Prediction:
  def __init__(self):
    self.lines = []
    self.is_whole = True

  def mismatch(self, output):
    """A sentence about the first line of the output that is not as predicted, or None."""
    lines = output.split("\n")[:-1]
    for number, expected in enumerate(self.lines):
      if number == len(lines):
        return f"line {number + 1} of the output is missing: {_shortened(expected)}"
      line = lines[number]
      if not (line.startswith(expected) if isinstance(expected, Beginning) else line == expected):
        return (f"line {number + 1} of the output should be {_shortened(expected)}"
                f" but is {_shortened(line)}")
    if self.is_whole and len(lines) > len(self.lines):
      return f"the output should end before {_shortened(lines[len(self.lines)])}"
    return None


def predict(demo, data):
  prediction = Prediction()
  try:
    _DEMOS[demo](_lines(data), prediction.lines)
  except _Unknown:
    prediction.is_whole = False
  return prediction


class _Unknown(Exception):
  pass


def _lines(data):
  """Text, or for what is none the sentence about it in a tuple."""
  lines = data.split(b"\n")
  if not lines[-1]:
    lines.pop()
  for line in lines:
    if len(line) > LINE_LIMIT:
      yield (TOO_LONG,)
      continue
    try:
      yield line.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
      yield (NOT_UTF8,)


def _is_plain(text):
  # In the middle of a line, carriage returns stand alone: no line feed can follow.
  return _PLAIN.fullmatch(text) is not None


def _plain(text):
  if not _is_plain(text):
    raise _Unknown
  return text


def _printable(text):
  return _ESCAPED.sub(
    lambda match: _BY_NAME.get(match[0]) or
    ("\\u{%02X}" if match[0] < "\x80" else "\\u{%04X}") % ord(match[0]), text)


def _quoted(text):
  return f'"{_printable(text[:80])}{"…" if len(text) > 80 else ""}"'


def _integer(text):
  # Python refuses to read very many digits.
  if not re.fullmatch("[+-]?[0-9]+", text) or len(text.lstrip("+-0")) > 19:
    return None
  number = int(text.lstrip("+-0") or "0") * (-1 if text[0] == "-" else 1)
  return number if -(1 << 63) <= number < 1 << 63 else None


def _workout(lines, output):
  count = 0
  output.append("Exercises done: 0")
  for line in lines:
    if isinstance(line, tuple):
      output.append(line[0])
    else:
      count += 1
      output.append(f"Exercises done: {count}")


def _auth(lines, output):
  username = None
  for line in lines:
    if isinstance(line, tuple):
      output.append(line[0])
    elif username is None:
      username = line
    else:
      known = (username, line) == ("iankeen", "super_secret_password")
      output.append(
        "Signed in." if known else "Not signed in. The user name or the password is wrong.")
      username = None
  if username is not None:
    output.append("There was a user name, but no password.")


def _filter(lines, output):
  typed = shown = ""
  for line in lines:
    if isinstance(line, tuple):
      output.append(line[0])
    elif _plain(line) != typed:
      typed = line
      if len(line) > 3 and line != shown:
        shown = line
        output.append(f"Output: {_printable(line)}")


def _profile(lines, output):
  users = {1: "Ann", 2: "Bob", 3: "Cy"}
  last = None
  for line in lines:
    if isinstance(line, tuple):
      output.append(line[0])
      continue
    text = _plain(line).strip(WHITE_SPACE)
    number = last if not text and last is not None else _integer(text)
    if number is None:
      output.append(f"a user has a number, not {_quoted(text)}")
      continue
    last = number
    output.append("Loading …")
    output.append(f"User {number}: {users[number]}" if number in users
                  else f"Failed: there is no user {number}")


_COMMANDS = [Beginning(f"  {name}") for name in
             ["add NAME ", "remove ID ", "list ", "reset ", "help ", "quit "]]


def _members(lines, output):
  members, last = {}, 0

  def render():
    output.append(f"Number of members: {len(members)}")
    output.extend(f"  {number}  {name}" for number, name in members.items())

  render()
  for line in lines:
    if isinstance(line, tuple):
      output.append(line[0])
      continue
    words = _plain(line).strip(WHITE_SPACE)
    word = re.match(f"[^{WHITE_SPACE}]*", words)[0]
    rest = words[len(word):].strip(WHITE_SPACE)
    if word == "add":
      if not rest or rest.lower() == "invalid name":
        output.append(f"{_quoted(rest)} is not a valid name; nothing was added")
        continue
      last += 1
      members[last] = _printable(rest)
      render()
    elif word == "remove":
      number = _integer(rest)
      if number is None:
        output.append(f"'remove' takes a member's number, not {_quoted(rest)}")
      elif number not in members:
        output.append(f"there is no member {number}")
      else:
        del members[number]
        render()
    elif word in ("list", "reset", "help", "quit"):
      if rest:
        output.append(f"'{word}' takes nothing after it")
      elif word == "quit":
        return
      elif word == "help":
        output.extend(_COMMANDS)
      else:
        if word == "reset":
          members.clear()
        render()
    elif word:
      output.append(f"there is no command {_quoted(word)}; 'help' lists them")


def _shortened(text):
  ending = " …" if len(text) > 200 or isinstance(text, Beginning) else ""
  return repr(str(text[:200])) + ending


_DEMOS = {"members": _members, "auth": _auth, "workout": _workout, "filter": _filter,
          "profile": _profile}
DEMOS = list(_DEMOS)
