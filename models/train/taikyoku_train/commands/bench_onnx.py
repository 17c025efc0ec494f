"""`bench-onnx`: evaluations per CPU second of Python's ONNX Runtime."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from ..export import feed, random_positions, session
from ..layouts import layout


def add(subparsers) -> None:
    """The arguments."""
    parser = subparsers.add_parser(
        "bench-onnx",
        help="evaluations per CPU second of .onnx files",
        description="Evaluates random positions with Python's ONNX Runtime on one thread and prints a line of JSON for "
        "each file and batch, with the keys of taikyoku-lab nn-bench.",
    )
    parser.add_argument("models", nargs="+", type=Path, metavar="FILE.onnx")
    parser.add_argument("--batch", type=int, nargs="+", default=[1], metavar="N", help="(default: 1)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="CPU time of each (default: 2)")
    parser.set_defaults(function=run)


def bench(path: Path, batch: int, seconds: float) -> dict[str, object]:
    """Speed of a file at a batch."""
    engine = session(path)
    about = engine.get_modelmeta().custom_metadata_map
    if "taikyoku.layout" not in about:
        raise ValueError(f"{path}: not a model of Taikyoku (no taikyoku.layout in its metadata)")
    inputs = feed(layout(about["taikyoku.layout"]), random_positions(layout(about["taikyoku.layout"]), batch, 1))
    for _ in range(3):
        engine.run(None, inputs)
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        engine.run(None, inputs)
        count += batch
    return {
        "model": str(path),
        "engine": "python-onnxruntime",
        "precision": about.get("taikyoku.precision", "fp32"),
        "batch": batch,
        "evaluations": count,
        "cpu_seconds": round(spent, 4),
        "evaluations_per_cpu_second": round(count / spent, 1),
    }


def run(options: argparse.Namespace) -> int:
    """The command."""
    for path in options.models:
        for batch in options.batch:
            print(json.dumps(bench(path, batch, options.seconds)), flush=True)
    return 0
