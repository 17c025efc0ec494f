#!/usr/bin/env python3
"""Checks what the workspace and the package for Python depend on, by `cargo metadata` alone, offline and in a second.

Licences are free ones without copyleft, everything comes from crates.io with a checksum, no crate is there
in three versions or more, the package for Python has the versions of the workspace (both share what they compile),
and every dependency that a package of the workspace names is used by its sources. cargo-deny
and cargo-machete know more, and take minutes to compile on a fresh machine.
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
#: The workspace, and what is no part of it.
MANIFESTS = ("Cargo.toml", "python/Cargo.toml")
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


def metadata(manifest: str, *options: str) -> dict:
    """What cargo says of a manifest of the repository and of all that it leads to."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", ROOT / manifest, *options]
    asked = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(asked.stdout)


def packages(manifest: str) -> dict[str, dict]:
    """The packages that a manifest leads to, by their ids."""
    return {package["id"]: package for package in metadata(manifest)["packages"]}


def main() -> None:
    """The program; exit status 1 when something is wrong."""
    faults, versions = [], defaultdict(set)
    workspace, python = (packages(manifest) for manifest in MANIFESTS)
    every = workspace | python
    names = {package["name"] for package in workspace.values()}
    others = [package for key, package in python.items() if key not in workspace and package["name"] in names]
    faults += [
        f"python/Cargo.lock has {package['name']} {package['version']}: not that of Cargo.lock" for package in others
    ]
    for package in every.values():
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
