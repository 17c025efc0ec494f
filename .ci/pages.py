#!/usr/bin/env python3
"""Checks the documentation, in seconds.

    .ci/pages.py [--programs FOLDER]     FOLDER has the programs: target/debug unless given

- Every link of every Markdown file leads to a file and, with a fragment, to a heading of it. Every page that sources,
  help texts and settings name is there, and so is every path between backticks.
- Every page is in docs/SUMMARY.md, once.
- A page in Japanese and the one in English lead to each other.
- The links of the reference of options and results, which is made from the programs and the schemas, lead somewhere.
- The commands in `sh` blocks, and those between backticks, name programs, commands and options that exist, and files,
  packages and targets of the repository.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import time
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import options
import programs
from programs import Command

ROOT = Path(__file__).resolve().parent.parent
SUMMARY = ROOT / "docs" / "SUMMARY.md"
#: A link, or the definition of one.
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^]]+\]:\s*(\S+)", re.MULTILINE)
#: Words of the shell before a command.
KEYWORDS = {"do", "done", "then", "fi", "while", "until", "if", "else", "for", "time", "nice", "!"}
#: Programs of others whose arguments name files of the repository.
INTERPRETERS = {"python", "python3", "$PY", "java", "node", "cc"}


@dataclass
class Page:
    """A Markdown file: its links, its anchors and its commands, each with the number of its line."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[tuple[int, str]] = field(default_factory=list)
    commands: list[tuple[int, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return str(self.path.relative_to(ROOT))


def anchor(heading: str) -> str:
    """The fragment by which forges and mdBook reach a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", text))


def read(path: Path, text: str | None = None) -> Page:
    """Reads a page, or its text before it is written."""
    page = Page(path)
    fence = language = ""
    held = ""
    paragraph: list[tuple[int, str]] = []

    def inline() -> None:
        """Links and code of the paragraph that ends; a link or a piece of code may be in two of its lines."""
        text = "\n".join(line for _, line in paragraph)
        first = paragraph[0][0] if paragraph else 0
        for code in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
            page.commands.append((first + text.count("\n", 0, code.start()), " ".join(code[1].split())))
        bare = re.sub(r"`[^`]*`", lambda code: re.sub(r"[^\n]", "x", code[0]), text)
        for link in LINK.finditer(bare):
            page.links.append((first + text.count("\n", 0, link.start()), link[1] or link[2]))
        paragraph.clear()

    for number, line in enumerate((path.read_text() if text is None else text).splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)(.*)", line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            elif language == "sh":
                held += line.rstrip("\\") + " "
                if not line.endswith("\\"):
                    page.commands.append((number, f"$ {held}"))
                    held = ""
        elif mark:
            inline()
            fence, language = mark[1], mark[2].strip()
        elif heading := re.match(r"#{1,6}\s+(.*?)\s*#*$", line):
            inline()
            found = anchor(heading[1])
            count = 0
            while f"{found}-{count}" in page.anchors if count else found in page.anchors:
                count += 1
            page.anchors.add(f"{found}-{count}" if count else found)
            paragraph.append((number, heading[1]))
            inline()
        elif not line.strip():
            inline()
        else:
            paragraph.append((number, line))
    inline()
    return page


def tracked() -> list[Path]:
    """The files of the repository, also those that are new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def link_faults(pages: dict[Path, Page], files: Collection[Path]) -> Iterator[str]:
    """Links that lead neither to a page, nor to a file or a folder of the repository."""
    known = {*pages, *files, *(folder for file in files for folder in file.parents)} - {*ROOT.parents}
    for page in pages.values():
        for number, link in page.links:
            if re.match(r"[a-z][a-z+.-]*:", link):
                continue
            file, _, fragment = link.partition("#")
            target = (page.path.parent / unquote(file)).resolve() if file else page.path
            if target not in known:
                yield f"{page.name}:{number}: there is no {link}"
            elif fragment and target in pages and unquote(fragment) not in pages[target].anchors:
                yield f"{page.name}:{number}: {file or page.name} has no heading #{fragment}"


def mention_faults(files: list[Path]) -> Iterator[str]:
    """Pages of the repository that sources, settings and scripts name, and that are not there."""
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()}
    for path in files:
        if path.suffix in {".rs", ".py", ".toml", ".js", ".java", ".c"}:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                for name in re.findall(r"(?<![\w./-])(\w+/[\w/.-]*\.md)\b", line):
                    if name.split("/")[0] in folders and not (ROOT / name).exists():
                        yield f"{path.relative_to(ROOT)}:{number}: there is no {name}"


def path_faults(pages: dict[Path, Page], files: Collection[Path]) -> Iterator[str]:
    """Files and folders between backticks that are not there, from the root or from the folder of their page."""
    folders = {path.relative_to(ROOT).parts[0] for path in files}
    for page in pages.values():
        for number, text in page.commands:
            if re.fullmatch(r"[a-z_]+(/[a-z_.\d-]+)+/?", text) and text.split("/")[0] in folders:
                if page.name != "CHANGELOG.md" and not ((ROOT / text).exists() or (page.path.parent / text).exists()):
                    yield f"{page.name}:{number}: there is no {text}"


def summary_faults(pages: dict[Path, Page]) -> Iterator[str]:
    """Pages that are not in the table of contents, or twice."""
    listed = [(SUMMARY.parent / link).resolve() for _, link in pages[SUMMARY].links]
    for path, page in pages.items():
        count = listed.count(path)
        if path != SUMMARY and count != 1:
            yield f"{page.name} is {'not' if count == 0 else f'{count} times'} in docs/SUMMARY.md"


def language_faults(pages: dict[Path, Page]) -> Iterator[str]:
    """Pages in Japanese without one in English, and pages that do not lead to the other language."""
    for path, page in pages.items():
        if not path.name.endswith(".ja.md"):
            continue
        english = path.with_name(path.name.removesuffix(".ja.md") + ".md")
        if english not in pages:
            yield f"{page.name}: there is no {english.name}"
            continue
        for one, other in [(page, english.name), (pages[english], path.name)]:
            if other not in [link.partition("#")[0] for _, link in one.links]:
                yield f"{one.name} does not lead to {other}"


def simple_commands(text: str) -> list[list[str]]:
    """The words of each simple command of a line of the shell, without redirections and what sets variables.

    Raises `ValueError` where a quotation has no end.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();|&")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    found: list[list[str]] = [[]]
    for token in lexer:
        if re.fullmatch(r"[();|&]+", token):
            found.append([])
        elif not re.match(r"\d?[<>]", token):
            found[-1].append(token)
    for words in found:
        while words and (words[0] in KEYWORDS or re.match(r"[A-Z_]+=", words[0])):
            if words.pop(0) == "for":
                words.clear()
    return [words for words in found if words]


def shell_lines(pages: dict[Path, Page], names: Collection[str]) -> Iterator[tuple[Page, int, str, bool]]:
    """The lines of the shell of all pages, and whether each is in a block; others begin with a program."""
    for page in pages.values():
        for number, text in page.commands:
            is_block = text.startswith("$ ")
            text = text.removeprefix("$ ").strip()
            # A change of the past may name what is no longer there.
            if not is_block and (page.name == "CHANGELOG.md" or not re.match(r"[\w-]+ ", text)):
                continue
            if text and not text.startswith("#") and (is_block or text.split()[0] in names):
                yield page, number, text, is_block


@dataclass
class Shop:
    """What commands may name."""

    programs: dict[str, Command]
    #: Packages with their examples, benches, tests and programs.
    packages: dict[str, set[str]]
    #: Words of the Python package of the training that look like options and commands.
    training: set[str]

    def faults(self, text: str) -> Iterator[str]:
        """What is wrong with a line of the shell."""
        try:
            for words in simple_commands(text):
                yield from self.command(words)
        except ValueError as error:
            yield str(error)

    def command(self, words: list[str]) -> Iterator[str]:
        """What is wrong with a simple command."""
        name = words[0].removeprefix("./target/release/")
        if name in self.programs:
            yield from self.own(self.programs[name], words[1:])
        elif name == "cargo":
            yield from self.cargo(words[1:])
        elif name in INTERPRETERS:
            yield from self.script(words[1:])
        elif "/" in name and not name.startswith(("./client", "./mybot", "./engine", "./my-", "./uecda_client", "/")):
            if not name.startswith("$") and not (ROOT / name).exists():
                yield f"there is no {name}"

    def own(self, command: Command, words: list[str]) -> Iterator[str]:
        """What is wrong with the arguments of a program of the project."""
        position = 0
        while position < len(words) and command.commands:
            word = command.aliases.get(words[position], words[position])
            if command.path == ("taikyoku", "bot"):
                if word in self.programs:
                    command = self.programs[word]
                    position += 1
                break
            if other := programs.OTHERS.get((*command.path, word)):
                command = self.programs[other]
                position += 1
            elif word in command.commands:
                command = command.commands[word]
                position += 1
            elif word.startswith(("-", "[")) or re.fullmatch(r"[A-Z_.|]+|\.\.\.|.*[.].*", word):
                break
            else:
                yield f"`{' '.join(command.path)}` has no command `{word}`"
                return
        known = command.options()
        for below in command.all():
            known |= below.options() if any(w.isupper() for w in words) else set()
        for word in words[position:]:
            # What follows is a command of another program.
            if word == "--" or word.startswith("./"):
                return
            for option in re.findall(r"^\[?(--?[A-Za-z?][\w-]*)", word):
                if option not in known and not (option[1] != "-" and option[:2] in known):
                    yield f"`{' '.join(command.path)}` has no option `{option}`"

    def cargo(self, words: list[str]) -> Iterator[str]:
        """What is wrong with the arguments of cargo."""
        package = ""
        for word, value in zip(words, [*words[1:], ""]):
            if word == "--":
                return
            if word in {"-p", "--package"}:
                package = value
                if value not in self.packages:
                    yield f"there is no package {value}"
            if word in {"--bin", "--bench", "--test", "--example"} and value not in {"*", "it"}:
                targets = self.packages.get(package) or set().union(*self.packages.values())
                if value not in targets:
                    yield f"{package or 'no package'} has no target {value}"

    def script(self, words: list[str]) -> Iterator[str]:
        """What is wrong with the arguments of an interpreter."""
        if words[:2] == ["-m", "taikyoku_train"]:
            for word in words[2:]:
                if re.match(r"--[a-z]", word) or word == words[2]:
                    if word.strip("[]") not in self.training and not word.isupper():
                        yield f"taikyoku_train has no `{word}`"
            return
        for word in words:
            if re.fullmatch(r"[\w-]+/[\w/-]+(\.(py|js|java|c))?", word) and not (ROOT / word).exists():
                yield f"there is no {word}"


def shop(folder: Path) -> Shop:
    """What commands may name, with the programs of a folder."""
    packages: dict[str, set[str]] = {}
    for manifest in ROOT.glob("*/Cargo.toml"):
        read_manifest = tomllib.loads(manifest.read_text())
        targets = {bin_["name"] for kind in ("bin", "bench", "test") for bin_ in read_manifest.get(kind, [])}
        for pattern in ("src/bin/*", "examples/*", "benches/*", "tests/*"):
            targets |= {path.stem for path in manifest.parent.glob(pattern)}
        packages[read_manifest["package"]["name"]] = targets
    sources = "\n".join(path.read_text() for path in (ROOT / "models" / "train" / "taikyoku_train").rglob("*.py"))
    words = set(re.findall(r"[\"'](-{0,2}[a-z][\w-]*)[\"']", sources))
    words |= {path.stem.replace("_", "-") for path in (ROOT / "models/train/taikyoku_train/commands").glob("*.py")}
    return Shop(programs.read(folder), packages, words)


def main() -> None:
    """The program; exit status 1 when something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=programs.BUILT, metavar="FOLDER")
    arguments = parser.parse_args()
    began = time.monotonic()
    files = tracked()
    pages = {path: read(path) for path in files if path.suffix == ".md"}
    faults = [*link_faults(pages, files), *mention_faults(files), *path_faults(pages, files)]
    faults += [*summary_faults(pages), *language_faults(pages)]
    all_of_it = shop(arguments.programs)
    reference = {path: read(path, text) for path, text in options.pages_of(all_of_it.programs).items()}
    faults += link_faults(reference, files)
    commands = 0
    for page, number, text, _ in shell_lines(pages, all_of_it.programs):
        commands += 1
        faults += [f"{page.name}:{number}: {fault}: {text[:80]}" for fault in all_of_it.faults(text)]
    for fault in faults:
        print(f"pages: {fault}")
    links = sum(len(page.links) for page in pages.values())
    print(
        f"pages: {len(pages)} pages, {links} links, {commands} commands, {len(faults)} faults, "
        f"{time.monotonic() - began:.1f} s"
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
