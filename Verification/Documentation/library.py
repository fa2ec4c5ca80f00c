"""The libraries as their clients see them: modules and symbol graphs, made without a build."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = (ROOT / "Package.swift").read_text()


def names():
    """The libraries, each after those that it imports."""
    found, sorted_ = re.findall(r'\.library\(\s*name: "(\w+)"', MANIFEST), []
    while rest := [name for name in found if name not in sorted_]:
        sorted_.append(next(name for name in rest if not any(imports(name, other) for other in rest if other != name)))
    return sorted_


def imports(name, other):
    pattern = re.compile(rf"(?m)^(?:public |@\w+ )*import {other}$")
    return any(pattern.search(file.read_text()) for file in sources(name))


def sources(name, root=ROOT):
    return sorted((root / "Sources" / name).rglob("*.swift"))


def settings():
    features = dict.fromkeys(re.findall(r'\.enableUpcomingFeature\("(\w+)"\)', MANIFEST))
    return [word for feature in features for word in ("-enable-upcoming-feature", feature)]


def emit(name, folder, root=ROOT, *options):
    """Writes the module and its symbol graphs, extensions of other modules included.

    Bodies that no client inlines are not looked at: the build does that."""
    run(
        "swiftc", "-wmo", "-emit-module", "-parse-as-library", "-swift-version", "6", "-package-name", "AsyncChannels",
        "-module-name", name, "-emit-module-path", folder / f"{name}.swiftmodule", "-I", folder,
        "-emit-symbol-graph", "-emit-symbol-graph-dir", folder, "-emit-extension-block-symbols",
        "-Xfrontend", "-experimental-skip-non-inlinable-function-bodies",
        *settings(), *options, *sources(name, root))


def graphs(name, folder):
    """The module's own symbol graph, and one for each module that it extends."""
    for file in sorted([*folder.glob(f"{name}.symbols.json"), *folder.glob(f"{name}@*.symbols.json")]):
        yield json.loads(file.read_text())


def symbols(name, folder, inherited=False):
    """What the library declares itself, and not what it gets from the protocols of others. If `inherited`, also what
    its types get from its own protocols."""
    for graph in graphs(name, folder):
        for symbol in graph["symbols"]:
            precise = symbol["identifier"]["precise"]
            if "::SYNTHESIZED::" not in precise or inherited and precise.startswith(f"s:{len(name)}{name}"):
                yield symbol


def path(symbol):
    return ".".join(symbol["pathComponents"])


def run(*command):
    """What a command printed; exits with that if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command[:3]))} …: exit status {done.returncode}\n"
                         f"{done.stdout}{done.stderr}")
    return done.stdout
