"""`evaluate`: matches of a network."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from ..files import sync_folder
from ..match import about, play, specification
from ..worker import LAB, find_program


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "evaluate",
        help="matches of a network against other engines",
        description="Plays one network against three of each other engine by "
        "`taikyoku-lab match blokus --one-against-three`, "
        "whose statistics these are, prints its share of the win (chance is 0.25) with a 95 % interval over blocks of "
        "games, and appends the whole result to DIR/evaluations.jsonl.",
    )
    parser.add_argument("--model", type=Path, required=True, metavar="FILE.onnx")
    parser.add_argument("--against", nargs="+", required=True, metavar="ENGINE", help="such as mcts-maxn:playouts=800")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="of each match (default: %(default)s)")
    parser.add_argument("--simulations", type=int, metavar="N", help="of the network's searches")
    parser.add_argument("--ms", type=int, metavar="N", help="milliseconds of the network's moves, instead")
    parser.add_argument("--options", default="", metavar="key=value:...", help="more options of the network's engine")
    parser.add_argument("--nn-engine", default="auto", help="auto, ort or rten")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="games at a time (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="(default: the folder of the model)")
    parser.add_argument("--lab", metavar="PATH", help="taikyoku-lab (default: as built, or in $TAIKYOKU_BIN)")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """The command."""
    if not (options.simulations or options.ms):
        raise ValueError("how long may it think? --simulations N or --ms N")
    told = about(options.model)
    lab = find_program(LAB, options.lab)
    ours = specification(options.model, options.simulations, options.ms, options.nn_engine, options.options)
    folder = options.out or options.model.parent
    folder.mkdir(parents=True, exist_ok=True)
    for against in options.against:
        result = play(lab, ours, against, options.games, options.seed, options.threads)
        record = {
            "time": round(time.time(), 3),
            "model": str(options.model),
            "steps": int(told.get("taikyoku.steps", 0)),
            "ours": ours,
            "against": against,
            "games": result["match"]["games"],
            **result,
        }
        with open(folder / "evaluations.jsonl", "a") as file:
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(folder)
        print(
            f"{ours} against three {against}: {record['games']} games, share of the win "
            f"{record['share']:.3f} ({record['low']:.3f} to {record['high']:.3f})",
            flush=True,
        )
    return 0
