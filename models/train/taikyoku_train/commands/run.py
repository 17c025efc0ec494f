"""`run`: self-play and learning."""

from __future__ import annotations

import argparse
import dataclasses
import os
from pathlib import Path

import torch

from ..preset import Preset, load
from ..ray_run import load_ray
from ..run import Run, Settings
from ..worker import LAB, find_program


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "run",
        help="train: self-play and learning in turn",
        description="Trains in a folder until the time is up, with everything on disk; --resume goes on with it, also "
        "after a crash: no game is lost or played twice.",
    )
    parser.add_argument(
        "preset",
        help="fast, fast-gpu, paper, score-four, dobutsu, dobutsu-pairs, dobutsu-pairs-zero, dobutsu-zero, "
        "dobutsu-paper, smoke, or a .toml file",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the run")
    parser.add_argument("--minutes", type=float, required=True, metavar="M", help="ends before they are over")
    parser.add_argument("--resume", action="store_true", help="go on with what is in DIR")
    parser.add_argument(
        "--games",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE.tkg",
        help="games for the warm start, instead of new ones",
    )
    parser.add_argument(
        "--from",
        dest="begin",
        type=Path,
        metavar="FILE.onnx",
        help="begin with the weights of this fp32 network instead of random ones; needs --games",
    )
    parser.add_argument("--warm-only", action="store_true", help="end after the warm start")
    parser.add_argument("--epochs", type=float, metavar="N", help="of the warm start, other than the preset's")
    parser.add_argument(
        "--warm-rate", type=float, metavar="R", help="highest learning rate of the warm start, other than the preset's"
    )
    parser.add_argument(
        "--rate",
        nargs="+",
        type=rate,
        metavar="[STEP:]R",
        help="learning rate of the cycles, other than the preset's, from each STEP (default: 0) on: "
        "--rate 1e-3 8000:1e-4",
    )
    parser.add_argument("--batch", type=count, metavar="N", help="samples of a step, other than the preset's")
    parser.add_argument("--cycles", type=int, default=0, metavar="N", help="end after so many cycles of self-play")
    parser.add_argument("--channels", type=int, metavar="N", help="other than the preset's")
    parser.add_argument("--blocks", type=int, metavar="N", help="other than the preset's")
    parser.add_argument(
        "--cycle-games", type=count, metavar="N", help="of a cycle, other than the preset's: a GPU wants some thousands"
    )
    parser.add_argument(
        "--workers", type=count, metavar="N", help="that play for a GPU, a core each, other than the preset's"
    )
    parser.add_argument(
        "--leaf-playouts",
        type=int,
        metavar="N",
        help="from each position that the network evaluates, other than the preset's (Blokus)",
    )
    parser.add_argument(
        "--noise",
        type=float,
        metavar="SHARE",
        help="of the root's noise in self-play, other than the preset's; 0: none",
    )
    parser.add_argument(
        "--threads", type=int, metavar="N", help=f"(default: {os.cpu_count() or 1}; of each Ray actor: 1)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--device", default="auto", help="auto (a GPU if there is one), cpu or cuda")
    parser.add_argument("--precision", default="auto", help="of learning: auto, fp32 or bf16")
    parser.add_argument(
        "--compile", action="store_true", help="compile the network: faster after two minutes, wants cc"
    )
    parser.add_argument("--nn-engine", default="auto", help="of the worker on a CPU: auto, ort or rten")
    parser.add_argument(
        "--players",
        choices=["auto", "onnx", "pipe"],
        default="auto",
        help="who evaluates for self-play: the workers, with ONNX files, "
        "or the learner's device over pipes (auto: pipe on "
        "a GPU)",
    )
    parser.add_argument("--fp32-games", action="store_true", help="play with the fp32 file instead of the int8 one")
    parser.add_argument("--ray", type=int, default=0, metavar="N", help="play on N Ray actors (needs pip install ray)")
    parser.add_argument("--ray-address", metavar="A", help="of the cluster, such as auto (default: this machine alone)")
    parser.add_argument("--worker", metavar="PATH", help="taikyoku-lab (default: as built, or in $TAIKYOKU_BIN)")
    parser.set_defaults(function=run)


def count(text: str) -> int:
    """A number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("a number from 1 on")
    return number


def rate(text: str) -> tuple[int, float]:
    """A learning rate and the step at which it begins to hold."""
    step, _, value = text.rpartition(":")
    first, learning_rate = int(step or 0), float(value)
    if first < 0 or not 0 < learning_rate <= 1:
        raise argparse.ArgumentTypeError("a step from 0 on, and a rate above 0 and up to 1")
    return first, learning_rate


def changed(preset: Preset, options: argparse.Namespace) -> Preset:
    """The preset with what the command line says otherwise."""
    network, warm, self_play, learning = preset.network, preset.warm, preset.self_play, preset.learning
    if options.channels:
        network = dataclasses.replace(network, channels=options.channels)
    if options.blocks:
        network = dataclasses.replace(network, blocks=options.blocks)
    if options.epochs is not None:
        warm = dataclasses.replace(warm, epochs=options.epochs)
    if options.warm_rate is not None:
        if not 0 < options.warm_rate <= 1:
            raise ValueError("--warm-rate: a number above 0 and up to 1")
        warm = dataclasses.replace(warm, rate=options.warm_rate)
    if options.rate is not None:
        steps = [step for step, _ in options.rate]
        if steps[0] != 0 or sorted(set(steps)) != steps:
            raise ValueError("--rate: the first rate holds from step 0 on, the others from later and later steps on")
        learning = dataclasses.replace(learning, rate=tuple(options.rate))
    if options.batch is not None:
        learning = dataclasses.replace(learning, batch=options.batch)
    if options.cycle_games is not None:
        self_play = dataclasses.replace(self_play, games=options.cycle_games)
    if options.workers is not None:
        self_play = dataclasses.replace(self_play, workers=options.workers)
    if options.leaf_playouts is not None:
        if options.leaf_playouts < 0 or not network.layout.startswith("blokus"):
            raise ValueError("--leaf-playouts: a number from 0 on, for a network of Blokus")
        self_play = dataclasses.replace(self_play, leaf_playouts=options.leaf_playouts)
    if options.noise is not None:
        if self_play.gumbel or not 0 <= options.noise <= 1:
            raise ValueError("--noise: a share, 0 to 1, for a preset whose root is no Gumbel root")
        self_play = dataclasses.replace(self_play, noise=options.noise)
    return dataclasses.replace(preset, network=network, warm=warm, self_play=self_play, learning=learning)


def run(options: argparse.Namespace) -> int:
    """The command."""
    for path in options.games:
        if not path.is_file():
            raise ValueError(f"no file of games at {path}")
    if options.begin and not options.games:
        raise ValueError("--from: a training that begins with a network needs games to begin with, --games FILE.tkg")
    if options.begin and not options.begin.is_file():
        raise ValueError(f"no network at {options.begin}")
    preset = changed(load(options.preset), options)
    if options.ray:
        load_ray()
    threads = max(1, options.threads or os.cpu_count() or 1)
    torch.set_num_threads(threads)
    settings = Settings(
        out=options.out,
        minutes=options.minutes,
        games=options.games,
        begin=options.begin,
        worker=find_program(LAB, options.worker),
        threads=threads,
        seed=options.seed,
        device=options.device,
        precision=options.precision,
        engine=options.nn_engine,
        warm_only=options.warm_only,
        int8=not options.fp32_games,
        ray=options.ray,
        ray_address=options.ray_address,
        ray_worker=options.worker,
        ray_threads=max(1, options.threads or 1),
        players=options.players,
        compiled=options.compile,
        cycles=options.cycles,
    )
    Run(preset, settings, options.resume).run()
    return 0
