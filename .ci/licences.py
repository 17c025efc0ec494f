#!/usr/bin/env python3
"""Writes the licences of the crates that are compiled into the programs, with their texts, as cargo names them.

.ci/licences.py [--target TRIPLE]... [--features LIST]
                                         those of the programs on these platforms, to standard output
.ci/licences.py --wheel                  those of the wheel, into python/LICENSE-DEPENDENCIES
.ci/licences.py --check                  exit status 1 when that file is not what would be written
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import supply_chain

ROOT = Path(__file__).resolve().parent.parent
WHEEL = ROOT / "python" / "LICENSE-DEPENDENCIES"
#: The packages that are shipped.
PROGRAMS = ("taikyoku", "taikyoku-bots", "taikyoku-lab", "taikyoku-web")
EXTENSION = ("taikyoku-python",)
#: The platforms of the wheel, and of the programs unless others are given.
PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-apple-darwin")
#: Files with the text of a licence, or with notices that go with it.
TEXTS = re.compile(r"(UN)?LICEN[CS]E|COPYING|COPYRIGHT|NOTICE", re.IGNORECASE)
RULE = "=" * 100


def shipped(roots: tuple[str, ...], targets: Sequence[str] = PLATFORMS, features: str = "") -> list[dict]:
    """The packages of other authors in what is built of some packages: no macros, no tools of the build, no tests."""
    command = "cargo tree --locked --edges normal,no-proc-macro --prefix none --features".split() + [features]
    for words in [("--package", root) for root in roots] + [("--target", target) for target in targets]:
        command += words
    tree = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    found = {tuple(line.split()[:2]) for line in tree.splitlines()}
    packages = supply_chain.metadata()["packages"]
    others = [one for one in packages if one["source"] and (one["name"], f"v{one['version']}") in found]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def texts(package: dict) -> list[str]:
    """The texts that go with a package. Where its licences are a choice, that is the text of MIT alone."""
    folder = Path(package["manifest_path"]).parent
    files = [path for path in sorted(folder.iterdir()) if TEXTS.match(path.name) and path.is_file()]
    if " AND " not in package["license"]:
        mit = [path for path in files if "MIT" in path.name.upper()]
        files = [path for path in files if path in mit or "NOTICE" in path.name.upper()] if mit else files
    # A package without a text has that of the licence itself.
    files = files or [ROOT / "LICENSE-APACHE"]
    read = (path.read_text(errors="replace").strip() for path in files)
    return ["\n".join(line.rstrip() for line in text.splitlines()) for text in read]


def listing(packages: list[dict]) -> str:
    """A list of packages, then each text once, below the names of its packages."""
    lines = [
        "The software of other authors that is a part of Taikyoku, with its licences. Where they are a choice, MIT is",
        "chosen, else Apache-2.0. The standard library of Rust is a part as well: MIT OR Apache-2.0,",
        "https://www.rust-lang.org",
        "",
    ]
    by_text: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        where = package["repository"] or f"https://crates.io/crates/{package['name']}"
        lines.append(f"{name}: {package['license']}, {where}")
        for text in texts(package):
            by_text[text].append(name)
    for text, names in by_text.items():
        lines += ["", RULE, *wrapped(names), RULE, "", text]
    return "\n".join(lines) + "\n"


def wrapped(names: list[str]) -> list[str]:
    """Names with commas between them, in lines of the width of the rule."""
    lines = [""]
    for name in [f"{name}," for name in names[:-1]] + names[-1:]:
        if lines[-1] and len(lines[-1]) + 1 + len(name) > len(RULE):
            lines.append("")
        lines[-1] = f"{lines[-1]} {name}".strip()
    return lines


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", action="append", metavar="TRIPLE", help="such as x86_64-unknown-linux-gnu")
    parser.add_argument("--features", default="", help="of the programs, besides the default ones")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--wheel", action="store_true", help="write the file of the wheel")
    what.add_argument("--check", action="store_true", help="compare the file of the wheel")
    options = parser.parse_args()
    if not (options.wheel or options.check):
        sys.stdout.write(listing(shipped(PROGRAMS, options.target or PLATFORMS, options.features)))
        return
    text = listing(shipped(EXTENSION))
    if options.wheel:
        WHEEL.write_text(text)
    elif not WHEEL.exists() or WHEEL.read_text() != text:
        print(f"licences: {WHEEL.relative_to(ROOT)} is not current: run .ci/licences.py --wheel")
        sys.exit(1)


if __name__ == "__main__":
    main()
