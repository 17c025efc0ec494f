"""`curves`: a picture of a run."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..curves import draw


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser("curves", help="draw the curves of a run", description="Writes DIR/curves.png.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder of a run")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """The command."""
    if not (options.folder / "log.jsonl").is_file():
        raise ValueError(f"{options.folder}: no run there (no log.jsonl)")
    print(draw(options.folder))
    return 0
