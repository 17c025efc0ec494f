"""`init`: a network of random weights."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from ..export import export, int8_path, quantise, random_positions
from ..networks import build
from ..networks.network import randomise
from ..preset import load


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "init",
        help="write an .onnx file of random weights",
        description="Writes an .onnx file of random weights, for benchmarks and tests of engines.",
    )
    parser.add_argument(
        "preset",
        help="its network: fast, paper, score-four, dobutsu, dobutsu-pairs, dobutsu-pairs-zero, dobutsu-zero, "
        "dobutsu-paper, smoke, or a .toml file",
    )
    parser.add_argument("--channels", type=int, metavar="N", help="other than the preset's")
    parser.add_argument("--blocks", type=int, metavar="N", help="other than the preset's")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the weights (default: %(default)s)")
    parser.add_argument("--int8", action="store_true", help="also NAME.int8.onnx, calibrated on random bits")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.onnx")
    parser.set_defaults(function=run)


def run(options: argparse.Namespace) -> int:
    """The command."""
    shape = load(options.preset).network
    shape = replace(shape, channels=options.channels or shape.channels, blocks=options.blocks or shape.blocks)
    network = build(shape)
    randomise(network, options.seed)
    export(network, options.out, recipe=f"random {shape}")
    print(f"{options.out}: {shape}, {network.parameters_count():,} parameters")
    if options.int8:
        layout = network.layout
        target = int8_path(options.out)
        quantise(options.out, target, layout, random_positions(layout, 64, options.seed))
        print(target)
    return 0
