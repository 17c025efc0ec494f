#!/usr/bin/env python3
"""Makes a Python environment with the wheel of this folder and all that its tests need; prints its interpreter.

    PY=$(python3 python/environment.py) && $PY -m pytest python     # compiled fast, for tests
    PY=$(python3 python/environment.py --release)                   # optimised, for training and measurements

It is in the `target` of the repository. What `uv.lock` names is installed with its hashes, by `uv` as
`models/train/setup_env.py` has it; then maturin builds the wheel with cargo, in the same `target`, where most of it is
compiled already, and it is installed. The wheels are in
`target/wheels` of this folder: `pip install` takes them on any Python from 3.11 on.

With --dist ARCHIVE it only makes a wheel that also has the programs, networks, man pages and completions of an archive
of `cargo xtask dist`, and prints its path.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models" / "train"))
sys.dont_write_bytecode = True

from setup_env import UV, default_env, has, note, sync  # noqa: E402

LOCK = HERE / "uv.lock"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
STAMP = "taikyoku-wheel.stamp"


def build(python: Path, release: bool, kind: str, compatibility: str = "linux") -> Path:
    """Builds the wheel, and gives its file in a folder of its kind."""
    wheels = HERE / "target" / "wheels" / kind
    for old in wheels.glob("*.whl"):
        old.unlink()
    command = [str(python.parent / "maturin"), "build", "--locked", "--quiet", "--compatibility", compatibility]
    command += ["--profile", "release" if release else "dev", "--manifest-path", str(HERE / "Cargo.toml")]
    command += ["--interpreter", str(python), "--target-dir", str(TARGET), "--out", str(wheels)]
    subprocess.run(command, check=True, stdout=sys.stderr)
    (wheel,) = wheels.glob("*.whl")
    return wheel


def placed(member: tarfile.TarInfo, _: str) -> tarfile.TarInfo | None:
    """Where a file of the archive goes in the data of the wheel, if it does."""
    _, folder, *rest = member.name.split("/")
    name = "/".join(rest)
    if "onnxruntime" in name:
        return None
    if folder == "LICENSE-DEPENDENCIES":
        return member.replace(name=f"data/share/doc/taikyoku/{folder}", deep=False)
    top = {"bin": "scripts", "share": "data/share"}.get(folder)
    return member.replace(name=f"{top}/{name}", deep=False) if top else None


def build_with(python: Path, release: bool, archive: Path, compatibility: str) -> Path:
    """Builds the wheel with the programs of an archive."""
    # Maturin looks for it under this name.
    data = HERE / "taikyoku._native.data"
    shutil.rmtree(data, ignore_errors=True)
    try:
        with tarfile.open(archive) as packed:
            packed.extractall(data, filter=placed)
        return build(python, release, "dist", compatibility)
    finally:
        shutil.rmtree(data)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--env", type=Path, default=default_env("wheel"), metavar="DIR", help="where (default: %(default)s)"
    )
    parser.add_argument("--release", action="store_true", help="build the wheel optimised")
    parser.add_argument("--packages", action="store_true", help="build and install no wheel")
    parser.add_argument("--dist", type=Path, metavar="ARCHIVE", help="make a wheel with the programs of this archive")
    parser.add_argument("--compatibility", default="linux", metavar="TAG", help="platform of that wheel")
    options = parser.parse_args()

    env = options.env.expanduser().resolve()
    python = env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    mark = hashlib.sha256(LOCK.read_bytes() + UV.read_bytes()).hexdigest()
    if not has(env, STAMP, mark):
        note("installing uv.lock")
        sync(env, python, [], HERE)
        (env / STAMP).write_text(mark)
    if options.dist:
        note("building the wheel")
        print(build_with(python, options.release, options.dist, options.compatibility))
        return
    if not options.packages:
        note("building the wheel")
        wheel = build(python, options.release, "release" if options.release else "dev")
        pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "--no-deps", "--force-reinstall", str(wheel)], check=True, stdout=sys.stderr)
    print(python)


if __name__ == "__main__":
    main()
