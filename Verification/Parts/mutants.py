"""Mutants of the sources by rule: nobody has to write them.

A mutant is one line, or two, that a rule has changed: a comparison or a condition negated, a bound moved by one, an
ordering weakened, a statement dropped, two statements swapped. Lines that decide nothing are left out: declarations,
documentation, imports, attributes and preconditions.
"""

import collections
import hashlib
import re

FOLDERS = ["AsyncChannels/Log", "AsyncChannels/Waking", "AsyncChannelsRunning", "AsyncChannels/State"]
# A statement that stands on a line of its own, and whose effect is what it is there for.
STATEMENT = re.compile(
    r"^ +(?:_ = |self\.)?[a-zA-Z_][\w.?!]*(?:\[[^\]]*\])?(?: [-+&|]?[-+&]?= .+|\(.*\))$")
NO_STATEMENT = re.compile(
    r"^ *(?:return|let|var|guard|if|for|while|switch|case|func|init|super|self\.init|precondition|assert|defer|import"
    r"|throw|\(|@|fatalError|preconditionFailure)\b|^ +\(")
NOTHING_DECIDED = re.compile(
    r"^\s*(?://|@|import|public import|(?:[\w@()]+ )*(?:func|init|class|struct|enum|protocol|extension|typealias|case"
    r"|subscript|deinit)\b|precondition|assert|#)")
# A condition that is more than one comparison: another rule negates that.
CONDITION = r"(?!let|var|case|#)(?!\S+ [!=]==? \S+ (?:\{|else))"
CHANGES = [
    ("negated", r" == ", " != "), ("negated", r" != ", " == "),
    ("negated", r" === ", " !== "), ("negated", r" !== ", " === "),
    ("bound moved", r" < ", " <= "), ("bound moved", r" <= ", " < "),
    ("bound moved", r" > ", " >= "), ("bound moved", r" >= ", " > "),
    ("one more", r" \+= 1\b", " += 2"), ("one less", r" -= 1\b", " -= 0"),
    ("one more", r" (&?)\+ 1\b", r" \1+ 2"), ("one less", r" (&?)- 1\b", r" \1- 0"),
    ("and for or", r" \|\| ", " && "), ("or for and", r" && ", " || "),
    ("true for false", r"\bfalse\b", "true"), ("false for true", r"\btrue\b", "false"),
    ("negated", rf"\b(if|while) {CONDITION}([^,{{]+) \{{$", r"\1 !(\2) {"),
    ("negated", rf"\bguard {CONDITION}([^,{{]+) else", r"guard !(\1) else"),
    ("weakened", r"\.(?:acquiring|releasing|acquiringAndReleasing)\b", ".relaxed"),
]

ASSIGNMENT = re.compile(r"^ +(?:self\.)?([\w.?!]+(?:\[\w+\])?) [-+]?= [^(]*$")
# Compiled for Thread Sanitizer only.
SANITIZED = re.compile(r"^ *#if ASYNCCHANNELS_PTHREAD_LOCK\n.*?^ *#endif", re.M | re.S)
DECLARATION = re.compile(r"^ {0,4}(?:[\w@()]+ )*(?:func ([^\s(<]+)|(init|deinit|subscript)\b|var (\w+)\b.*\{$)")


class Mutant(collections.namedtuple("Mutant", "path index rule line changed where")):
    """The line at `index` as it is, and as it is changed: None if it is dropped, or swapped with the next."""

    @property
    def name(self):
        return f"{self.path.name}:{self.index + 1} {self.rule}"

    @property
    def text(self):
        """What names it, whatever number its line has."""
        return f"{self.path.stem}.{self.where} {self.rule}: {(self.changed or self.line).strip()}"


def is_statement(line):
    return bool(STATEMENT.match(line)) and not NO_STATEMENT.match(line) and (
        line.count("(") == line.count(")") and line.count("{") == line.count("}"))


def changed_lines(line):
    """Each (rule, changed line)."""
    if NOTHING_DECIDED.match(line):
        return
    code = line.split("//")[0]
    if '"' in code:
        return
    for rule, pattern, new in CHANGES:
        for match in re.finditer(pattern, code):
            yield rule, code[:match.start()] + match.expand(new) + line[match.end():]
    if is_statement(line):
        yield "dropped", None


def depend(one, other):
    """Whether two statements name something that both touch: otherwise their order makes no difference. Two plain
    assignments depend on each other if one names the other's target."""
    words = [set(re.findall(r"[a-zA-Z_]\w*", line)) - {"self", "nil", "_"} for line in (one, other)]
    targets = [ASSIGNMENT.match(line) for line in (one, other)]
    if all(targets):
        return targets[0][1] in other or targets[1][1] in one
    return one != other and bool(words[0] & words[1])


def of(path):
    """All mutants of a file."""
    # As many lines, so that the others keep their numbers.
    text = SANITIZED.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
    lines, where = text.split("\n"), ""
    for index, line in enumerate(lines):
        if declaration := DECLARATION.match(line):
            where = next(filter(None, declaration.groups()))
        for rule, changed in changed_lines(line):
            yield Mutant(path, index, rule, line, changed, where)
        after = lines[index + 1] if index + 1 < len(lines) else ""
        if is_statement(line) and is_statement(after) and depend(line, after):
            yield Mutant(path, index, "swapped", line, None, where)


def all_of(root):
    return [
        mutant for folder in FOLDERS
        for path in sorted((root / "Sources" / folder).rglob("*.swift")) for mutant in of(path)]


def sample(every, count, seed):
    """So many of all mutants, chosen at random. A change of the sources changes hardly more of the choice than its own lines."""
    before = collections.Counter()

    def order(mutant):
        before[mutant.text] += 1
        return hashlib.sha256(f"{seed} {mutant.text} {before[mutant.text]}".encode()).digest()

    return sorted(every, key=order)[:count]
