#!/usr/bin/env python3
"""A worker that plays made-up games: its files hold a line of game number and network for each."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]


def numbers(path: Path) -> list[int]:
    """The games of a file; a torn line at the end is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    path.write_bytes(whole)
    return [int(line.split()[0]) for line in whole.splitlines()]


def play(options: argparse.Namespace) -> None:
    """Plays what is missing."""
    out = Path(options.out)
    missing = sorted(set(range(options.first_game, options.first_game + options.games)) - set(numbers(out)))
    network = hashlib.sha256(Path(options.model).read_bytes()).hexdigest()[:12] if options.model else "none"
    with open(out, "a") as file:
        for count, game in enumerate(missing):
            time.sleep(options.pause)
            file.write(f"{game} ")
            file.flush()
            file.write(f"{network}\n")
            file.flush()
            print(json.dumps({"games": count + 1, "positions": 6 * count + 6, "seconds": 0.1}), file=sys.stderr, flush=True)


def encode(options: argparse.Namespace) -> None:
    """Writes sample blocks, in the order of the files."""
    from blocks import make_block, to_bytes
    from taikyoku_train.layouts import layout

    for path in options.files:
        for game in reversed(numbers(Path(path))):
            sys.stdout.buffer.write(to_bytes(make_block(layout(options.layout), game), layout(options.layout)))


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command")
    for name in ("play", "teach"):
        command = commands.add_parser(name)
        if name == "play":
            command.add_argument("layout")
        command.add_argument("--out")
        command.add_argument("--games", type=int)
        command.add_argument("--first-game", type=int, default=0)
        command.add_argument("--model")
        command.add_argument("--json", action="store_true")
    command = commands.add_parser("encode")
    command.add_argument("layout")
    command.add_argument("files", nargs="+")
    options, _ = parser.parse_known_args()
    options.pause = float(os.environ.get("MOCK_PAUSE", "0"))
    encode(options) if options.command == "encode" else play(options)


if __name__ == "__main__":
    main()
