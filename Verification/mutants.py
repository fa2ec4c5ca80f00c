"""Mutants of the sources by rule, for plant-faults: nobody has to write them, and a change of the sources does not
make them stale.

A mutant is one line, or two, that a rule has changed: a comparison or a condition negated, a bound moved by one, an
ordering weakened, a statement dropped, two statements swapped. Lines that decide nothing are left out: declarations,
documentation, imports, attributes and preconditions.
"""

import pathlib
import random
import re

FOLDERS = ["Log", "Waking", "Running", "State"]
# A statement that stands on a line of its own, and whose effect is what it is there for.
STATEMENT = re.compile(
    r"^ +(?:_ = |self\.)?[a-zA-Z_][\w.?!]*(?:\[[^\]]*\])?(?: [-+&|]?[-+&]?= .+|\(.*\))$")
NO_STATEMENT = re.compile(
    r"^ *(?:return|let|var|guard|if|for|while|switch|case|func|init|super|self\.init|precondition|assert|defer|import"
    r"|throw|\(|@|fatalError|preconditionFailure)\b|^ +\(")
NOTHING_DECIDED = re.compile(
    r"^\s*(?://|@|import|public import|(?:[\w@()]+ )*(?:func|init|class|struct|enum|protocol|extension|typealias|case"
    r"|subscript|deinit)\b|precondition|assert|#)")
CHANGES = [
    ("negated", r" == ", " != "), ("negated", r" != ", " == "),
    ("negated", r" === ", " !== "), ("negated", r" !== ", " === "),
    ("bound moved", r" < ", " <= "), ("bound moved", r" <= ", " < "),
    ("bound moved", r" > ", " >= "), ("bound moved", r" >= ", " > "),
    ("one more", r" \+= 1\b", " += 2"), ("one less", r" -= 1\b", " -= 0"),
    ("one more", r" (&?)\+ 1\b", r" \1+ 2"), ("one less", r" (&?)- 1\b", r" \1- 0"),
    ("and for or", r" \|\| ", " && "), ("or for and", r" && ", " || "),
    ("true for false", r"\bfalse\b", "true"), ("false for true", r"\btrue\b", "false"),
    ("negated", r"\b(if|while) (?!let|var|case|#)([^,{]+) \{$", r"\1 !(\2) {"),
    ("negated", r"\bguard (?!let|var|case)([^,{]+) else", r"guard !(\1) else"),
    ("weakened", r"\.(?:acquiring|releasing|acquiringAndReleasing)\b", ".relaxed"),
]
# Mutants that do the same as the original: the file, the line as it was, the rule, and why.
EQUIVALENT = []


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
    """Whether two statements name something that both touch: otherwise their order makes no difference."""
    words = [set(re.findall(r"[a-zA-Z_]\w*", line)) - {"self", "nil", "_"} for line in (one, other)]
    return one != other and bool(words[0] & words[1])


def unique(lines, first, last, changed):
    """The text to be replaced, with as many lines before it as make it unique, and the text that replaces it."""
    text = "\n".join(lines)
    begin = first
    while text.count("\n".join(lines[begin:last + 1])) != 1:
        begin -= 1
    return "\n".join(lines[begin:last + 1]), "\n".join(lines[begin:first] + changed)


def of(path):
    """All mutants of a file, as faults: name, file, old text, new text."""
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines):
        found = [(rule, number, [] if new is None else [new]) for rule, new in changed_lines(line)]
        after = lines[number + 1] if number + 1 < len(lines) else ""
        if is_statement(line) and is_statement(after) and depend(line, after):
            found.append(("swapped", number + 1, [after, line]))
        for rule, last, changed in found:
            if (path.name, line.strip(), rule) in [entry[:3] for entry in EQUIVALENT]:
                continue
            old, new = unique(lines, number, last, changed)
            yield f"{path.name}:{number + 1} {rule}", path.name, old, new


def sample(root, count, seed):
    """So many of all mutants, chosen at random."""
    sources = pathlib.Path(root) / "Sources/AsyncChannels"
    every = [
        mutant for folder in FOLDERS for path in sorted((sources / folder).rglob("*.swift"))
        for mutant in of(path)]
    return random.Random(seed).sample(every, min(count, len(every))), len(every)
