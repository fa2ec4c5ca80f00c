"""Random inputs: valid commands, and everything a hostile or broken source may send instead."""

import random

# What the program reads at a time, and the longest line it keeps.
CHUNK = 64 * 1024
LIMIT = 1 << 20

# Passwords, which must never be shown.
SECRETS = ["super_secret_password", "0ther-pa55-phr4se"]
# So much of one is more than chance, and in none of the demos' sentences.
SHOWN = 12

WORDS = {
  "members": ["add Ann", "add Bob", "add Zoë", "add もしも", "add invalid name", "add INVALID NAME",
              "add", "add  two  words ", "remove 1", "remove 2", "remove 3", "remove 7",
              "remove +2", "remove -1", "remove", "remove x", "reset", "list", "help", "list all",
              "reset now", "ADD Ann", "  add\tTab", "frob", "quit now"],
  "auth": ["iankeen", *SECRETS, "wrong", "Iankeen", " iankeen", "もしも"],
  "workout": ["squats", "lunges", "plank", "もしも"],
  "filter": ["n", "ne", "new", "news", "newt", "もしもn", "もしもの", "Zoëë", "    "],
  "profile": ["1", "2", "3", "7", "0", "-1", "+2", " 3 ", "\t1\r", "1e3", "0x1", "１", "1 2",
              "--1", "x"],
}

NUMBERS = ["9223372036854775807", "9223372036854775808", "-9223372036854775808",
           "-9223372036854775809", "0" * 40 + "1", "9" * 400, "+", "-", "+-1", "1_000", "1.0",
           "٣", "①", "NaN", "inf"]

# Each of these is a line's content, or stands inside one.
ODDITIES = [
  b"", b" ", b"\t", b"\r", b"\r\r", b"\0", b"a\0b", b"\x7f", b"\x08\x08", b"\x0b\x0c",
  # Escape sequences, whole and cut off.
  b"\x1b[31mred\x1b[0m", b"\x1b[", b"\x1b", b"\x1b]0;title\x07", b"\x1b]0;no end", b"\x1bP",
  b"\x1b[999999999999999999999A", b"\xc2\x9b31m",
  # Not UTF-8: stray, cut off, overlong, a surrogate, beyond the last code point.
  b"\xff", b"\xfe\xff", b"\x80", b"\xc3", b"\xe3\x82", b"\xf0\x9f\x91", b"\xc0\x80",
  b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
] + [text.encode() for text in [
  "\u0085", "\u00a0", "\u2028", "\u2029", "\u3000", "\ufeff", "\u200b", "\u202edcba", "\ufffd",
  "\u0301", "e\u0301" * 4, "👩‍👩‍👧" * 4, "🇩🇪🇫🇷", "🇩", "👍🏽", "각", "ᄀ" * 5, "क्षि",
  "ﷺ", "\U0010ffff", "\uffff", "Ω", "ſ", "İ", "ß", "a" + "\u0301" * 300,
]]

# What a very long line is made of.
LONG_UNITS = [b"x", b"7", b" ", b"\t", b"\0", b"\r", b"\xff", b"\x1b[", "é".encode(), "も".encode(),
              "\u0301".encode(), "👩‍👧".encode(), "🇩".encode(), "\u2028".encode()]
LONG_BYTES = [CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + CHUNK,
              3 * LIMIT]


def make(seed, demo, number):
  """The input with this number. It depends on nothing else."""
  source = random.Random(f"{seed} {demo} {number}")
  count = source.choice([0, 1, 1, 2, 3, 5, 8, 13, 21, 40])
  if source.random() < 0.01:
    count = 400
  parts = []
  long_line = source.randrange(count) if count and source.random() < 0.02 else None
  for index in range(count):
    parts.append(_long_line(source, demo) if index == long_line else _line(source, demo))
    parts.append(source.choice([b"\n"] * 12 + [b"\r\n", b"\n\n", b"\r", b"\n\r\n"]))
  if count and source.random() < 0.4:
    parts.pop()
  if source.random() < 0.2:
    parts = [_damaged(source, part) for part in parts]
  if demo == "members" and source.random() < 0.1:
    parts.append(b"\nquit\n" + source.choice([b"", b"add Late\n", b"\xff"]))
  return b"".join(parts)


def secret_in(output):
  """The part of a password that is in an output, or None."""
  for secret in SECRETS:
    for start in range(len(secret) - SHOWN + 1):
      part = secret[start:start + SHOWN].encode()
      if part in output:
        return part
  return None


def pieces(data, source):
  """The same bytes cut at random places, as a pipe may deliver them."""
  start = 0
  while start < len(data):
    longest = source.choice([1, 7, 300, CHUNK, 200_000])
    # Not one system call for each byte of a long input.
    end = start + max(source.randint(1, longest), len(data) // 500)
    yield data[start:end]
    start = end


def _line(source, demo):
  kind = source.random()
  if kind < 0.6:
    return source.choice(WORDS[demo]).encode()
  if kind < 0.7:
    prefix = source.choice(["", "remove ", "add ", " "])
    return (prefix + source.choice(NUMBERS + [str(source.getrandbits(70))])).encode()
  if kind < 0.85:
    parts = [source.choice(ODDITIES) for _ in range(source.randint(1, 4))]
    words = source.choice(WORDS[demo]).encode()
    parts.insert(source.randint(0, len(parts)), source.choice([b"", words, words + b" "]))
    return b"".join(parts).replace(b"\n", b"")
  if kind < 0.93:
    return source.randbytes(source.randint(0, 60))
  first = source.choice([0x20, 0x80, 0x300, 0x1f1e6, 0x3040, 0x1f300])
  text = "".join(chr(first + source.randrange(200)) for _ in range(source.randint(1, 120)))
  return (source.choice(["", "add ", "remove "]) + text).encode()


def _long_line(source, demo):
  """Mostly about as long as a line may be; such a length is where something may go wrong."""
  unit = source.choice(LONG_UNITS)
  before = source.choice([b"", b"add ", b"remove ", b" ", source.choice(WORDS[demo]).encode()])
  after = source.choice([b"", b"", b" ", b"y", b"\r", b"\xe3"])
  length = source.choice(LONG_BYTES) - source.choice([0, len(before) + len(after)])
  return before + unit * max(1, length // len(unit)) + after


def _damaged(source, part):
  """Mostly as it was; else a byte is changed, lost, doubled or put in."""
  if not part or source.random() < 0.8:
    return part
  place = source.randrange(len(part))
  byte = bytes([source.choice([0, 10, 13, 27, 32, 127, 128, 195, 255, source.randrange(256)])])
  middle = source.choice([byte, b"", part[place:place + 1] * 2, byte + part[place:place + 1]])
  return part[:place] + middle + part[place + 1:]
