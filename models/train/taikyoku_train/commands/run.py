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
        help="fast, paper, score-four, dobutsu, dobutsu-pairs, dobutsu-pairs-zero, dobutsu-zero, dobutsu-paper, "
        "smoke, or a .toml file",
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
        "--rate", type=float, metavar="R", help="highest learning rate of the warm start, other than the preset's"
    )
    parser.add_argument("--cycles", type=int, default=0, metavar="N", help="end after so many cycles of self-play")
    parser.add_argument("--channels", type=int, metavar="N", help="other than the preset's")
    parser.add_argument("--blocks", type=int, metavar="N", help="other than the preset's")
    parser.add_argument(
        "--cycle-games", type=int, metavar="N", help="of a cycle, other than the preset's: a GPU wants some thousands"
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


def changed(preset: Preset, options: argparse.Namespace) -> Preset:
    """The preset with what the command line says otherwise."""
    network, warm, self_play = preset.network, preset.warm, preset.self_play
    if options.channels:
        network = dataclasses.replace(network, channels=options.channels)
    if options.blocks:
        network = dataclasses.replace(network, blocks=options.blocks)
    if options.epochs is not None:
        warm = dataclasses.replace(warm, epochs=options.epochs)
    if options.rate is not None:
        if not 0 < options.rate <= 1:
            raise ValueError("--rate: a number above 0 and up to 1")
        warm = dataclasses.replace(warm, rate=options.rate)
    if options.cycle_games is not None:
        if options.cycle_games < 1:
            raise ValueError("--cycle-games: a cycle has one game at least")
        self_play = dataclasses.replace(self_play, games=options.cycle_games)
    if options.noise is not None:
        if self_play.gumbel or not 0 <= options.noise <= 1:
            raise ValueError("--noise: a share, 0 to 1, for a preset whose root is no Gumbel root")
        self_play = dataclasses.replace(self_play, noise=options.noise)
    return dataclasses.replace(preset, network=network, warm=warm, self_play=self_play)


def run(options: argparse.Namespace) -> int:
    """The command."""
    for path in options.games:
        if not path.is_file():
            raise ValueError(f"no file of games at {path}")
    if options.begin and not options.games:
        raise ValueError("--from: a training that begins with a network needs games to begin with, --games FILE.tkg")
    if options.begin and not options.begin.is_file():
        raise ValueError(f"no network at {options.begin}")
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
    Run(changed(load(options.preset), options), settings, options.resume).run()
    return 0
