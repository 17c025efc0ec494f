"""Training of the networks of Taikyoku: self-play, learning, export, evaluation."""

from __future__ import annotations

import argparse
import sys

from . import commands
from .worker import WorkerError


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; its exit status: 0 done, 1 something went wrong, 2 wrong arguments or files."""
    parser = argparse.ArgumentParser(prog="python -m taikyoku_train", description=__doc__)
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in commands.ALL:
        add(subparsers)
    options = parser.parse_args(arguments)
    try:
        return options.function(options) or 0
    except (ValueError, OSError, WorkerError) as error:
        print(f"taikyoku_train {options.command}: {error}", file=sys.stderr)
        return 1 if isinstance(error, WorkerError) else 2


if __name__ == "__main__":
    sys.exit(main())
