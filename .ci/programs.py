"""The programs of the project as their `--help` describes them: commands, options, texts."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

#: Where the tests build the programs.
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).resolve().parent.parent / "target")) / "debug"
#: The programs that users start, in the order of the documentation.
NAMES = (
    "taikyoku",
    "daihinmin",
    "geister",
    "blokus",
    "dobutsu",
    "score-four",
    "dobutsu-solve",
    "engine-bridge",
    "taikyoku-lab",
)
#: Of these commands `taikyoku` only passes the arguments on to another program.
PASSED_ON = {("taikyoku", "bot")}
#: These commands are programs that are described themselves.
OTHERS = {("taikyoku", "lab"): "taikyoku-lab"}
#: How a help text names aliases.
ALIASES = re.compile(r"\[(?:short )?alias(?:es)?: ([^]]*)\]")


@dataclass
class Entry:
    """An option, an argument or a command: how it is written, and the lines that describe it."""

    spec: str
    lines: list[str] = field(default_factory=list)


@dataclass
class Command:
    """A program or one of its commands."""

    path: tuple[str, ...]
    about: str
    usage: str
    #: Headings with their options or arguments.
    sections: list[tuple[str, list[Entry]]]
    #: Examples and all else below the options.
    tail: str
    #: By name.
    commands: dict[str, Command] = field(default_factory=dict)
    #: Other names of the commands.
    aliases: dict[str, str] = field(default_factory=dict)

    def options(self) -> set[str]:
        """The options that it takes, such as `-n` and `--name`."""
        found = {"-h", "--help"}
        for _, entries in self.sections:
            for entry in entries:
                if entry.spec.startswith("-"):
                    found.update(re.findall(r"(?<![\w-])--?[\w?][\w-]*", re.sub(r"<[^>]*>|\[[^]]*\]", "", entry.spec)))
                for line in entry.lines:
                    if aliases := ALIASES.fullmatch(line.strip()):
                        found.update(aliases[1].split(", "))
        return found

    def all(self) -> list[Command]:
        """This command, and all below it."""
        return [self] + [one for command in self.commands.values() for one in command.all()]


def entries_of(lines: list[str]) -> list[Entry]:
    """The options, arguments or commands of a section."""
    found: list[Entry] = []
    for line in lines:
        new = re.match(r" {2,6}(?=[-<\[\w])(\S.*?)(?: {2,}(\S.*))?$", line)
        if new and len(line) - len(line.lstrip()) <= 6 and not line.startswith(" " * 8):
            found.append(Entry(new[1], [new[2]] if new[2] else []))
        elif found:
            found[-1].lines.append(line.strip())
    return found


def parse(path: tuple[str, ...], text: str) -> Command:
    """A command from what its `--help` prints."""
    about, _, rest = text.partition("Usage:")
    usage, _, rest = rest.partition("\n\n")
    sections: list[tuple[str, list[str]]] = []
    tail: list[str] = []
    for line in rest.splitlines():
        heading = re.fullmatch(r"([A-Z][\w ,']*):", line)
        if tail or heading and heading[1] == "Examples" or line and not heading and not line.startswith(" "):
            tail.append(line)
        elif heading:
            sections.append((heading[1], []))
        elif sections:
            sections[-1][1].append(line)
    parsed = [(heading, entries_of(lines)) for heading, lines in sections]
    return Command(path, about.strip(), " ".join(usage.split()), parsed, "\n".join(tail).strip())


def ask(folder: Path, path: tuple[str, ...]) -> Command:
    """A command of a program in a folder, with all commands below it."""
    asked = subprocess.run(
        [folder / path[0], *path[1:], "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
    )
    if asked.returncode != 0:
        raise RuntimeError(f"{' '.join(path)} --help: {asked.stderr.strip()}")
    command = parse(path, asked.stdout)
    if path not in PASSED_ON:
        for heading, entries in command.sections:
            if heading == "Commands":
                for entry in entries:
                    if entry.spec != "help" and (*path, entry.spec) not in OTHERS:
                        command.commands[entry.spec] = ask(folder, (*path, entry.spec))
                    if aliases := ALIASES.search(" ".join(entry.lines)):
                        command.aliases.update(dict.fromkeys(aliases[1].split(", "), entry.spec))
    return command


def read(folder: Path) -> dict[str, Command]:
    """All programs of a folder, by name.

    Raises `FileNotFoundError` where one is missing.
    """
    with ThreadPoolExecutor() as pool:
        return dict(zip(NAMES, pool.map(lambda name: ask(folder, (name,)), NAMES)))
