"""`export`: a checkpoint as an .onnx file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from .. import checkpoint, preset
from ..agreement import agreement
from ..export import export, int8_path, quantise
from ..networks import build
from ..samples import encode
from ..window import Window
from ..worker import LAB, find_program


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "export",
        help="write a checkpoint as an .onnx file",
        description="Writes the averaged weights of a checkpoint as an .onnx file. "
        "With --int8 also NAME.int8.onnx, whose "
        "ranges are found on positions of games, and how far the two agree, on other positions.",
    )
    parser.add_argument("checkpoint", type=Path, help="folder of a run, or a step-N.json in its checkpoints")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.onnx")
    parser.add_argument("--int8", action="store_true", help="also NAME.int8.onnx")
    parser.add_argument("--calibrate", type=Path, nargs="+", default=[], metavar="FILE.tkg", help="games for --int8")
    parser.add_argument(
        "--recipe", metavar="TEXT", help="what the file says of its making (default: the preset's name)"
    )
    parser.add_argument("--worker", metavar="PATH", help="taikyoku-lab (default: as built, or in $TAIKYOKU_BIN)")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """The command."""
    if options.int8 and not options.calibrate:
        raise ValueError("--int8 needs games to find its ranges on: --calibrate FILE.tkg")
    state = checkpoint.find(options.checkpoint)
    made = preset.from_dict(state["preset"], str(options.checkpoint))
    network = build(made.network).eval()
    network.load_state_dict(state["learner"]["average"])
    steps = state["learner"]["step"]
    export(network, options.out, steps, options.recipe or made.name)
    print(f"{options.out}: {made.network}, {steps} steps, {network.parameters_count():,} parameters")
    if options.int8:
        layout = network.layout
        window = Window(layout, 10_000)
        window.add(encode(find_program(LAB, options.worker), layout, options.calibrate))
        order = np.random.default_rng(1).permutation(len(window))
        target = int8_path(options.out)
        quantise(options.out, target, layout, window.packed.rows[order[: len(order) // 2][:512]])
        told = agreement(options.out, target, window.gather(order[len(order) // 2 :][:2000]), layout)
        print(f"{target}: {json.dumps({'positions': len(order[len(order) // 2 :][:2000]), **told})}")
    return 0
