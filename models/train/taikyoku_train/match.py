"""Matches, played and judged by the laboratory of the bots: `taikyoku-lab match blokus`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import onnx

from .worker import WorkerError, environment


def about(model: Path) -> dict[str, str]:
    """The metadata of a model file; `ValueError` when it is not one of Taikyoku."""
    try:
        found = {entry.key: entry.value for entry in onnx.load(str(model)).metadata_props}
    except Exception as error:  # whatever protobuf thinks of the bytes
        raise ValueError(f"{model}: not an ONNX file: {error}") from None
    if "taikyoku.layout" not in found:
        raise ValueError(f"{model}: not a model of Taikyoku (no taikyoku.layout in its metadata)")
    return found


def specification(model: Path, simulations: int | None, ms: int | None, engine: str, more: str) -> str:
    """The network's player, as the laboratory has it."""
    parts = ["blokus-zero", f"model={model}", f"nn={engine}"]
    parts += [f"simulations={simulations}"] if simulations else []
    parts += [f"ms={ms}"] if ms else []
    return ":".join([*parts, *([more] if more else [])])


def play(lab: Path, ours: str, against: str, games: int, seed: int, threads: int) -> dict[str, Any]:
    """A match of one against three; what the laboratory says of it, and `share`, `low` and `high`: our share of the
    win with its 95 % interval. Chance is 0.25."""
    command = [str(lab), "match", "blokus", ours, against, "--one-against-three", "--games", str(games)]
    command += ["--seed", str(seed), "--threads", str(threads), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    if done.returncode != 0:
        raise WorkerError(f"{' '.join(command[:5])}: {done.stderr.strip()[-2000:]}")
    told = json.loads(done.stdout)
    first = told["entrants"][0]
    share, interval = first["win_share"], first["win_share_interval"]
    # A single block of games says nothing of its own spread.
    interval = 1.0 if interval is None else interval
    return {"share": share, "low": max(0.0, share - interval), "high": min(1.0, share + interval), "match": told}
