"""Many mutants in one build: each is in the sources beside the original, behind a switch.

The environment variable MUTANT says which mutant is active. So a mutant costs a run of the tests that reach it, not a
build. A mutant replaces a *region*: an expression, or a whole statement. Regions are nested or disjoint. Only the
original's branch contains the mutants of the regions within it. No line moves, so the compiler's errors tell which
mutants do not build.
"""

import re

# The number of a mutant is below this.
MOST = 4096
SWITCH = f"""\
import Foundation

private let active = Int(ProcessInfo.processInfo.environment["MUTANT"] ?? "") ?? 0

/// A byte for each mutant, in a file that processes share: 1 if the mutant was reached.
private nonisolated(unsafe) let reached: UnsafeMutablePointer<UInt8>? = {{
  guard let path = ProcessInfo.processInfo.environment["MUTANTS_REACHED"] else {{ return nil }}
  let file = open(path, O_RDWR)
  let bytes = mmap(nil, {MOST}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
  return bytes == MAP_FAILED ? nil : bytes?.assumingMemoryBound(to: UInt8.self)
}}()

@usableFromInline
func mutant(_ number: Int) -> Bool {{
  if let reached {{ reached[number] = 1 }}
  return number == active
}}
"""
LITERALS = {("false", "true"): "mutant(%d)", ("true", "false"): "!mutant(%d)"}
ASSIGNMENT = re.compile(r"(?<= )[-+*/&|]{0,2}=\s$")
ASSIGNING = re.compile(r"^ +(?:_ = |self\.)?[a-zA-Z_][\w.?!]*(?:\[[^\]]*\])? [-+&|]{0,2}= ")
HEAD = re.compile(r"\b(?:if|guard|while|switch|for|where)$")
KEYWORD = re.compile(r"\b(?:if|guard|while|return|else|in|try|await|throw|switch|case|let|var|where)$")
# What a line that goes on ends with, and what a line begins with that goes on from the line before.
OPEN_END = re.compile(r"(?:&&|\|\||[=+\-*?:<>,]|\bin)$")
OPEN_BEGIN = re.compile(r"[.?:+\-*,]|&&|\|\||==|!=|<|>|\{")


def masked(text):
    """The text with blanks for comments and the contents of strings."""
    return re.sub(
        r'"(?:\\.|[^"\\\n])*"|//[^\n]*', lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def goes_on(text, newline):
    """Whether the statement before a line's end goes on behind it."""
    before = text[text.rfind("\n", 0, newline) + 1:newline].strip()
    after = text[newline + 1:].split("\n", 1)[0].strip()
    return bool(before and after and (OPEN_END.search(before) or OPEN_BEGIN.match(after)))


def enclosing(text, position):
    """What opens the brackets around a position."""
    depth = 0
    for place in range(position - 1, -1, -1):
        depth += (text[place] in ")]}") - (text[place] in "([{")
        if depth < 0:
            return text[place]
    return "{"


def start(text, position, is_list):
    """Where the expression around a position begins, and whether an assignment operator is before it."""
    depth, place = 0, position
    while place > 0:
        before = text[:place]
        if text[place - 1] in ")]}":
            depth += 1
        elif text[place - 1] in "([{":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0:
            if text[place - 1] in ",;" or text[place - 1] == "\n" and not (
                    is_list or goes_on(text, place - 1)):
                break
            if ASSIGNMENT.search(before[-5:]) or re.search(r"\w: $", before[-3:]):
                break
            if text[place - 1] in " \n" and KEYWORD.search(before[-8:].rstrip()):
                break
        place -= 1
    return place + len(text[place:position]) - len(text[place:position].lstrip())


def is_head(text, place):
    """Whether an expression that begins here is a condition, behind which a block begins."""
    depth = 0
    while place > 0:
        place -= 1
        depth += (text[place] in ")]}") - (text[place] in "([{")
        if depth < 0 or depth == 0 and text[place] == "\n" and not goes_on(text, place):
            return False
        if depth == 0 and text[place] == " " and HEAD.search(text[max(0, place - 7):place]):
            return True
    return False


def end(text, position, is_list, is_condition):
    """Where the expression around a position ends."""
    depth, place = 0, position
    while place < len(text):
        if depth == 0:
            if text[place] in ",;)]}" or re.match(r" else\b", text[place:place + 6]):
                break
            if text[place] == "\n" and not (is_list or goes_on(text, place)):
                break
            if is_condition and text[place] == "{":
                break
        depth += (text[place] in "([{") - (text[place] in ")]}")
        place += 1
    return position + len(text[position:place].rstrip())


def difference(old, new):
    """Where two texts differ: the first place, and the last in each."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    # A word that differs is replaced as a whole.
    while first > 0 and re.match(r"\w\w", old[first - 1:first + 1]):
        first -= 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    while last > 0 and re.match(r"\w\w", old[len(old) - last - 1:len(old) - last + 1]):
        last -= 1
    return first, len(old) - last, len(new) - last


def flat(text):
    """On one line, without comments."""
    return " ".join(re.sub(r"//[^\n]*", "", text).split("\n"))


class Region:
    """A part of a file that some mutants replace."""

    def __init__(self, first, last, is_statement):
        self.first, self.last, self.is_statement = first, last, is_statement
        self.mutants = []  # (number, text that replaces it)


def regions(text, mutants):
    """The regions of a file's mutants, the outer ones first.

    - mutants: (number, mutant)
    """
    lines = text.split("\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    code, found = masked(text), {}

    def add(first, last, statement, number, new):
        region = found.setdefault((first, last, statement), Region(first, last, statement))
        region.mutants.append((number, new))

    for number, mutant in mutants:
        _, index, rule, line, changed, _ = mutant
        indentation = len(line) - len(line.lstrip())
        whole = (offsets[index] + indentation, offsets[index] + len(masked(line).rstrip()), True)
        if rule == "dropped":
            add(*whole, number, "")
        elif rule == "swapped":
            add(*whole, number, flat(lines[index + 1]).strip())
            after = lines[index + 1]
            begin = offsets[index + 1]
            add(begin + len(after) - len(after.lstrip()), begin + len(masked(after).rstrip()), True,
                number, flat(line).strip())
        else:
            first, last, last_changed = difference(line, changed)
            old, new = line[first:last], changed[first:last_changed]
            first, last = offsets[index] + first, offsets[index] + last
            if (old, new) in LITERALS:
                add(first, last, False, number, LITERALS[old, new] % number)
            elif old.isdigit():
                add(first, last, False, number, new)
            elif ASSIGNING.search(line) and enclosing(code, first) == "{":
                add(*whole, number, changed.split("//")[0].strip())
            else:
                is_list = enclosing(code, first) in "(["
                begin = start(code, first, is_list)
                finish = end(code, begin, is_list, is_head(code, begin))
                add(begin, finish, False, number, text[begin:first] + new + text[last:finish])
    return sorted(found.values(), key=lambda region: (region.first, -region.last, not region.is_statement))


def written(text, found, first=0, last=None):
    """The part of a file from `first` to `last` with its regions' mutants."""
    last = len(text) if last is None else last
    parts, place = [], first
    while found:
        region = found.pop(0)
        inner = []
        while found and found[0].last <= region.last:
            inner.append(found.pop(0))
        if found and found[0].first < region.last:
            raise ValueError(f"regions overlap: {text[region.first:region.last]}")
        parts.append(text[place:region.first])
        body = written(text, inner, region.first, region.last)
        for number, new in reversed(region.mutants):
            new = flat(new)
            if "mutant(" in new:
                body = new
            elif region.is_statement and new:
                body = f"if mutant({number}) {{ {new} }} else {{ {body} }}"
            elif region.is_statement:
                body = f"if !mutant({number}) {{ {body} }}"
            else:
                body = f"(mutant({number}) ? {new} : {body})"
        parts.append(body)
        place = region.last
    return "".join(parts) + text[place:last]
