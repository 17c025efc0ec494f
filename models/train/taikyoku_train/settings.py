"""What a run is told beside its preset."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Settings:
    """What a run is told beside its preset."""

    out: Path
    minutes: float
    games: list[Path]
    """Files of games for the warm start, instead of making them."""
    worker: Path
    begin: Path | None = None
    """The .onnx file whose weights a new training begins with; none: random weights."""
    threads: int = 1
    seed: int = 1
    device: str = "auto"
    precision: str = "auto"
    engine: str = "auto"
    warm_only: bool = False
    int8: bool = True
    """Whether self-play uses the int8 file."""
    players: str = "auto"
    """Who evaluates for the workers of self-play: `onnx`, they themselves; `pipe`, the learner's device; `auto`: `pipe`
    on a GPU."""
    compiled: bool = False
    """Whether PyTorch compiles the network for learning: a fifth to a third faster after two minutes."""
    ray: int = 0
    """Ray actors that play; 0: none, this machine alone."""
    ray_threads: int = 1
    """Threads of each of them, and CPUs that it takes of the cluster."""
    ray_address: str | None = None
    """The cluster; none: actors on this machine."""
    ray_worker: str | None = None
    """Where taikyoku-lab selfplay is on the actors' machines, if not where it is looked for."""
    cycles: int = 0
    """Cycles of self-play after which the run ends; 0: no limit."""
