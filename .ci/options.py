#!/usr/bin/env python3
"""Writes the reference of all options from what the programs say with `--help`, and that of what they print as JSON
from the schemas in `docs/schema/`, into `docs/reference/`, which git ignores. `.ci/site` builds the site with it.

.ci/options.py [--programs FOLDER]     FOLDER is debug in $CARGO_TARGET_DIR or target unless given
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import programs
import schemas
from programs import Command, Entry

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "reference"
#: Notes in brackets below the text of an option, and how the page says them.
NOTES = {"default": "Default", "env": "Variable", "alias": "Also", "aliases": "Also", "possible values": "Values"}
#: Where a text names a schema, and the link to it.
SCHEMA = re.compile(r"\bschema: (?:docs/schema/)?([\w-]+\.json)(?:, or ([\w-]+\.json))?")
NOTE = re.compile(rf" ?\[({'|'.join(NOTES)}): ([^]]*)\]")


def escaped(text: str) -> str:
    """A text of a help page as Markdown: what is not code has no markup of its own."""
    parts = text.split("`")
    text = "`".join(re.sub(r"([<*])", r"\\\1", part) if i % 2 == 0 else part for i, part in enumerate(parts))
    return SCHEMA.sub(linked, text)


def linked(found: re.Match[str]) -> str:
    """Links to the schemas that a text names."""
    names = [name for name in found.groups() if name]
    return "schema: " + ", ".join(f"[{name}](../schema/{name})" for name in names)


def described(entry: Entry) -> list[str]:
    """An option, an argument or a command as an item of a list."""
    texts: list[str] = []
    values: list[str] = []
    notes: list[str] = []

    def note(found: re.Match[str]) -> str:
        value = found[2] if " " in found[2] and not found[2].startswith("-") else f"`{found[2]}`"
        notes.append(f"{NOTES[found[1]]}: {value}.")
        return ""

    for line in entry.lines:
        text = NOTE.sub(note, line).strip()
        if value := re.fullmatch(r"- ([\w-]+)(?::\s+(.*))?", text):
            values.append(f"  - `{value[1]}`" + (f": {escaped(value[2])}" if value[2] else ""))
        elif text and text != "Possible values:":
            texts.append(escaped(text) if text.endswith((".", ":", "?")) else f"{escaped(text)}.")
    return [" ".join([f"- `{entry.spec}`:", *texts, *notes]).rstrip(":"), *values]


def section(command: Command) -> list[str]:
    """A command and all commands below it, each under a heading of its own."""
    name = " ".join(command.path)
    lines = [f"## {name}" if len(command.path) > 1 else f"# {name}", ""]
    if len(command.path) == 1:
        lines += [f"This page is what `{name} --help` prints. [Exit codes](../exit_codes.md)", ""]
    for paragraph in command.about.split("\n\n"):
        lines += [escaped(" ".join(paragraph.split())), ""]
    lines += ["```text", command.usage, "```", ""]
    for heading, entries in command.sections:
        shown = [entry for entry in entries if not re.search(r"--(help|version)$", entry.spec) and entry.spec != "help"]
        if shown:
            lines += [f"**{heading}**", ""]
            for entry in shown:
                if heading == "Commands" and entry.spec in command.commands:
                    text = described(entry)
                    anchor = f"{name} {entry.spec}".replace(" ", "-")
                    lines += [text[0].replace(f"`{entry.spec}`", f"[`{entry.spec}`](#{anchor})", 1), *text[1:]]
                else:
                    lines += described(entry)
            lines.append("")
    if command.tail:
        lines += ["```text", command.tail, "```", ""]
    for below in command.commands.values():
        lines += section(below)
    return lines


def pages_of(all_programs: dict[str, Command]) -> dict[Path, str]:
    """The text of each page by its path: the programs, and the results."""
    texts = {name: "\n".join(section(command)).rstrip() + "\n" for name, command in all_programs.items()}
    return {**{PAGES / f"{name}.md": text for name, text in texts.items()}, PAGES / "results.md": schemas.page()}


def write(folder: Path) -> list[Path]:
    """Writes the pages, of the programs in a folder."""
    PAGES.mkdir(exist_ok=True)
    written = pages_of(programs.read(folder))
    for path, text in written.items():
        path.write_text(text)
    return list(written)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=programs.BUILT, metavar="FOLDER")
    write(parser.parse_args().programs)


if __name__ == "__main__":
    main()
