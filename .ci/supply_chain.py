#!/usr/bin/env python3
"""Checks what the workspace depends on, by `cargo metadata` alone, offline and in a second.

Licences are free ones without copyleft, everything comes from crates.io with a checksum, no crate is there
in three versions or more, and every dependency that a package of the workspace names is used by its sources.
cargo-deny and cargo-machete know more, and take minutes to compile on a fresh machine.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LICENCES = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
#: Dependencies that no source names, with the reason.
UNNAMED = {
    "criterion": "unifies the features of its dependencies between benches and tests",
    "web": "unifies the features of axum's dependencies between programs and tests",
}


def is_free(licence: str) -> bool:
    """Whether one of the alternatives of an SPDX expression is made of free licences only."""
    alternatives = re.split(r"\s+OR\s+|/", licence.replace("(", "").replace(")", ""))
    return any(all(part.strip() in LICENCES for part in a.split(" AND ")) for a in alternatives)


def unused(package: dict) -> list[str]:
    """The dependencies of a package that no source of it names."""
    folder = Path(package["manifest_path"]).parent
    text = "\n".join(path.read_text() for path in folder.rglob("*.rs") if "target" not in path.parts)
    names = {(d["rename"] or d["name"]) for d in package["dependencies"]} - UNNAMED.keys()
    return sorted(n for n in names if not re.search(rf"\b{re.escape(n.replace('-', '_'))}\b", text))


def metadata() -> dict:
    """What cargo says of the workspace and of all that it leads to."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    asked = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    return json.loads(asked.stdout)


def main() -> None:
    """The program; exit status 1 when something is wrong."""
    faults, versions = [], defaultdict(set)
    for package in metadata()["packages"]:
        name = f"{package['name']} {package['version']}"
        if package["source"] is None and Path(package["manifest_path"]).is_relative_to(ROOT):
            faults += [f"{package['name']}: {dependency} is named and not used" for dependency in unused(package)]
            continue
        versions[package["name"]].add(package["version"])
        if package["source"] != CRATES_IO:
            faults.append(f"{name} comes from {package['source']}")
        if not is_free(package["license"] or ""):
            faults.append(f"{name} has the licence {package['license']}")
    faults += [f"{name} is there {len(v)} times: {', '.join(sorted(v))}" for name, v in versions.items() if len(v) > 2]
    for fault in faults:
        print(f"supply chain: {fault}")
    twice = sum(len(v) == 2 for v in versions.values())
    print(f"supply chain: {len(versions)} crates, {twice} of them in two versions, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
