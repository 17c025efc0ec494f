#!/usr/bin/env python3
"""Measures the sources: lines, files, circles of files, names and comments.

.ci/measure.py [REVISION] [--json] [--list]     the working tree unless a revision of git is given

What counts:
- Test lines of Rust are those of files below `tests/`, `benches/`, `fuzz/` or `examples/`, of `tests.rs`, `testing.rs`
  and `conformance.rs`, and of all other files from a line `#[cfg(test)]` above `mod NAME {` on. All other lines of Rust
  are product, comments and blanks too. The rest of the figures is about product alone.
- A crate is the nearest folder above with a `Cargo.toml`; its programs belong to it.
- A file uses another one of its crate if it names an item of it by a path, in `use` or elsewhere. A name that a module
  only re-exports leads to the file that has the item. A `mod.rs` (or `lib.rs`, `main.rs`) is a file of its own, but
  what it uses of the files below it is its table of contents and makes no circle. A circle is a set of two or more
  files that use each other, directly or through others of the set.
- Types are `struct`, `enum`, `trait`, `union` and `type`, without associated types. A shared name is one that types of
  several files of a crate have.
- A short comment is a block of `///` of five words or fewer.
- A word that leaves counts where it is a word of the name of a type, a file or a folder; those of `WHOLE` only where
  they are the whole name of a type.
- Documents are the files of Markdown.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
#: Metaphors and participles that name what the field has a word for.
LEAVES = frozenset(
    """
    foyer gate knock visitor stranger door greeters guesses places hall gallery reel film story narrator
    sitting sat station wishes word said told news asked given due seen fate again anew aside stay deed act orders desk
    patience manners lateness pace strays harvest crowd crew keeper carrier tongue trouble lots sheets tally
    """.split()
)
#: Words that say nothing where a type has no other name.
WHOLE = frozenset({"Way", "Kind", "Can", "Call", "Mark"})
TEST_FILE = re.compile(r"(^|/)(tests?|benches|fuzz|examples)(/|\.rs$)|(tests|testing|conformance)\.rs$")
TEST_MODULE = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{", re.MULTILINE)
TYPE = re.compile(r"^([ \t]*)(?:pub(?:\([^)]*\))? )?(?:unsafe )?(struct|enum|trait|union|type) (\w+)", re.MULTILINE)
#: A comment, a string or a character: there are no paths in them.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])'", re.DOTALL)
USE = re.compile(r"^[ \t]*(pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
MODULE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))? )?mod (\w+);", re.MULTILINE)
PATH = re.compile(r"(?<![\w:])(?:\w+::)+\w+")
#: The name under which a glob import stands.
GLOB = "*"


@dataclass
class Crate:
    """The figures of a crate."""

    product: int = 0
    tests: int = 0
    #: Product lines of each file that has any.
    files: dict[str, int] = field(default_factory=dict)


@dataclass
class Module:
    """A file of a crate as a module."""

    file: str
    path: tuple[str, ...]
    #: Names that `use` brings in, with the paths that they lead to, and whether the module re-exports them.
    names: list[tuple[str, tuple[str, ...], bool]]
    #: Paths that stand elsewhere.
    paths: set[tuple[str, ...]]
    #: Types, functions and all else that it has itself.
    items: set[str]


def working_tree() -> dict[str, str]:
    """The texts of the repository's files by path, as they are on the disk, also of new ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return {name: (ROOT / name).read_text() for name in names if is_read(name) and (ROOT / name).is_file()}


def revision(name: str) -> dict[str, str]:
    """The texts of a revision's files by path."""
    archive = subprocess.run(["git", "archive", name], cwd=ROOT, check=True, capture_output=True).stdout
    texts = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for entry in files:
            if is_read(entry.name) and (content := files.extractfile(entry)):
                texts[entry.name] = content.read().decode()
    return texts


def is_read(name: str) -> bool:
    """Whether a file has anything that is measured."""
    return name.endswith((".rs", ".md", "Cargo.toml"))


def product_of(name: str, text: str) -> str:
    """The part of a file of Rust that is product."""
    if TEST_FILE.search(name):
        return ""
    tests = TEST_MODULE.search(text)
    return text[: tests.start()] if tests else text


def crate_of(name: str, manifests: Iterable[str]) -> str:
    """The folder of the crate that a file belongs to."""
    folders = (manifest.rpartition("/")[0] for manifest in manifests)
    return max((folder for folder in folders if name.startswith(f"{folder}/")), key=len, default="")


def spread(tree: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of a tree of `use`, each with its path."""
    tree = tree.strip()
    opening = tree.find("{")
    if opening < 0:
        path, _, name = tree.partition(" as ")
        words = tuple(word.strip() for word in path.split("::") if word.strip())
        if words and words[-1] == "self":
            words = words[:-1]
        if words:
            yield name.strip() or words[-1], words
        return
    before = tuple(word.strip() for word in tree[:opening].split("::") if word.strip())
    depth, part = 0, ""
    for letter in tree[opening + 1 : tree.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            for name, path in spread(part):
                inner = () if part.strip() == "self" else path
                yield (before[-1] if not inner and before else name), before + inner
            part = ""
        else:
            part += letter


def module(file: str, path: tuple[str, ...], text: str) -> Module:
    """Reads a file as a module."""
    text = TEXT.sub('""', text)
    names = [(name, full, bool(use[1])) for use in USE.finditer(text) for name, full in spread(use[2])]
    paths = {tuple(found[0].split("::")) for found in PATH.finditer(USE.sub("", text))}
    items = set(re.findall(r"\b(?:struct|enum|trait|union|type|fn|const|static|macro_rules!) (\w+)", text))
    return Module(file, path, names, paths, items)


def modules_of(texts: dict[str, str]) -> list[dict[tuple[str, ...], Module]]:
    """The modules of the product of one crate by path: those of its library, and those of each program."""
    trees = []
    for root in texts:
        if re.search(r"(^|/)src/(lib\.rs|main\.rs|bin/\w[\w-]*\.rs|bin/[\w-]+/main\.rs)$", root):
            tree: dict[tuple[str, ...], Module] = {}
            waiting: list[tuple[str, tuple[str, ...]]] = [(root, ())]
            while waiting:
                file, path = waiting.pop()
                tree[path] = module(file, path, texts[file])
                is_top = not path or file.endswith("/mod.rs")
                folder = file.rpartition("/")[0] if is_top else file.removesuffix(".rs")
                for name in MODULE.findall(TEXT.sub("", texts[file])):
                    for below in (f"{folder}/{name}.rs", f"{folder}/{name}/mod.rs"):
                        if below in texts:
                            waiting.append((below, (*path, name)))
            trees.append(tree)
    return trees


def target(tree: dict[tuple[str, ...], Module], at: Module, path: tuple[str, ...], depth: int = 0) -> Module | None:
    """The module whose file has what a path of a module leads to; `None` outside the crate."""
    if depth > 20:
        return None
    here = at.path
    if path[0] == "crate":
        here, path = (), path[1:]
    elif path[0] in ("self", "super"):
        while path and path[0] in ("self", "super"):
            here, path = (here[:-1] if path[0] == "super" else here), path[1:]
    elif (*here, path[0]) not in tree:
        for name, full, _ in at.names:
            if name == path[0] and full != path and depth < 20:
                return target(tree, at, (*full, *path[1:]), depth + 1) if full[0] != path[0] else None
        return None
    while path and (*here, path[0]) in tree:
        here, path = (*here, path[0]), path[1:]
    found = tree.get(here)
    if found is None or not path or path[0] in found.items:
        return found
    # A name that the module re-exports.
    for name, full, _ in found.names:
        if name == path[0]:
            return target(tree, found, full, depth + 1) or found
    for name, full, _ in found.names:
        if name == GLOB and (inner := target(tree, found, full[:-1], depth + 1)) and path[0] in inner.items:
            return inner
    return found


def uses(tree: dict[tuple[str, ...], Module]) -> dict[str, set[str]]:
    """The files that each file of a tree of modules uses, without a module's table of contents."""
    graph: dict[str, set[str]] = {}
    for one in tree.values():
        found = graph.setdefault(one.file, set())
        for path in [full for _, full, _ in one.names] + list(one.paths):
            other = target(tree, one, tuple(word for word in path if word != GLOB) or path)
            if other and other.path[: len(one.path)] != one.path:
                found.add(other.file)
    return graph


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of two or more files (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def types_of(text: str) -> set[str]:
    """The names of the types of a file; a `type` that is not at the margin is an associated one."""
    return {name for margin, keyword, name in TYPE.findall(text) if keyword != "type" or not margin}


def short_comments(text: str) -> int:
    """The blocks of `///` of five words or fewer."""
    blocks = re.findall(r"(?:^[ \t]*///(?!/).*\n?)+", text, re.MULTILINE)
    return sum(len(block.replace("///", " ").split()) <= 5 for block in blocks)


def leaving(name: str) -> bool:
    """Whether the name of a type, a file or a folder has a word that leaves."""
    words = re.findall(r"[A-Z][a-z0-9]*|[a-z0-9]+", name)
    return name in WHOLE or any(word.lower() in LEAVES for word in words)


def measure(texts: dict[str, str]) -> dict[str, Any]:
    """All figures of a repository."""
    manifests = [name for name in texts if name.endswith("Cargo.toml")]
    crates: defaultdict[str, Crate] = defaultdict(Crate)
    product: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name, text in texts.items():
        if name.endswith(".rs"):
            part = product_of(name, text)
            crate = crates[crate_of(name, manifests)]
            crate.product += part.count("\n")
            crate.tests += text.count("\n") - part.count("\n")
            if part:
                crate.files[name] = part.count("\n")
                product[crate_of(name, manifests)][name] = part
    sizes = {name: lines for crate in crates.values() for name, lines in crate.files.items()}
    shared = []
    words: Counter[str] = Counter()
    for crate, files in product.items():
        where: defaultdict[str, list[str]] = defaultdict(list)
        for name, text in files.items():
            for type_ in types_of(text):
                where[type_].append(name)
                words[f"type {type_} ({crate})"] += leaving(type_)
        shared += [f"{type_} ({crate}: {len(at)})" for type_, at in where.items() if len(at) > 1]
    for name in sizes:
        parts = name.split("/")
        for depth, part in enumerate(parts, 1):
            if leaving(part.removesuffix(".rs")):
                words["/".join(parts[:depth])] = 1
    all_circles = {tuple(c) for files in product.values() for tree in modules_of(files) for c in circles(uses(tree))}
    documents = {name: text.count("\n") for name, text in texts.items() if name.endswith(".md")}
    return {
        "crates": {name: {"product": c.product, "tests": c.tests} for name, c in sorted(crates.items())},
        "product": sum(crate.product for crate in crates.values()),
        "tests": sum(crate.tests for crate in crates.values()),
        "files": len(sizes),
        "median": int(median(sizes.values())) if sizes else 0,
        "largest": max(sizes.values(), default=0),
        "largest_file": max(sizes, key=lambda name: sizes[name], default=""),
        "circles": sorted(map(list, all_circles), key=len, reverse=True),
        "shared_names": sorted(shared),
        "short_comments": sum(short_comments(text) for files in product.values() for text in files.values()),
        "words_that_leave": sorted(+words),
        "documents": sum(documents.values()),
        "documents_of_docs": sum(lines for name, lines in documents.items() if name.startswith("docs/")),
    }


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", metavar="REVISION")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--list", action="store_true", help="name the circles, shared names and words that leave")
    arguments = parser.parse_args()
    sys.setrecursionlimit(10_000)
    figures = measure(revision(arguments.revision) if arguments.revision else working_tree())
    if arguments.json:
        print(json.dumps(figures, indent=1))
        return
    for name, crate in figures["crates"].items():
        print(f"{name or '.':<18} {crate['product']:>8,} product {crate['tests']:>8,} tests")
    print(f"{'all':<18} {figures['product']:>8,} product {figures['tests']:>8,} tests")
    largest = f"largest {figures['largest']} ({figures['largest_file']})"
    print(f"files of product: {figures['files']}, median {figures['median']} lines, {largest}")
    for title, key in (
        ("circles of files", "circles"),
        ("names that types share", "shared_names"),
        ("names with a word that leaves", "words_that_leave"),
    ):
        print(f"{title}: {len(figures[key])}")
        for entry in figures[key] if arguments.list else []:
            print(f"  {entry if isinstance(entry, str) else ' '.join(entry)}")
    print(f"doc comments of five words or fewer: {figures['short_comments']:,}")
    print(f"lines of documents: {figures['documents']:,}, of them {figures['documents_of_docs']:,} in docs/")


if __name__ == "__main__":
    main()
