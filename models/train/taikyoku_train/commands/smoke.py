"""`smoke`: the whole loop in little."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch

from ..smoke import Smoke
from ..worker import LAB, find_program


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "smoke",
        help="the whole loop in little, in minutes",
        description="Games of a classical engine, learning, export in fp32 and int8, self-play, "
        "a crash in the middle of it, "
        "going on, agreement of all engines and a match, with a tiny network. Exit status 1 when something is wrong.",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder (default: one that is removed)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--worker", metavar="PATH", help="taikyoku-lab (default: as built, or in $TAIKYOKU_BIN)")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """The command."""
    worker = find_program(LAB, options.worker)
    torch.set_num_threads(max(1, options.threads))
    with tempfile.TemporaryDirectory(prefix="taikyoku-smoke-") as folder:
        out = options.out or Path(folder)
        if out.exists() and any(out.iterdir()):
            raise ValueError(f"{out} is not empty")
        return 0 if Smoke(out, worker, max(1, options.threads)).run() else 1
