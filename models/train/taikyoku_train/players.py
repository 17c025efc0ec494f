"""How the games of a cycle are played: by workers of this machine with ONNX files, or with a GPU, or by Ray actors."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .evaluator import Evaluator
from .export import int8_path
from .layouts import Layout
from .learner import Learner
from .preset import Preset, SelfPlay
from .ray_run import COUNTS, play_tasks
from .serve import Server
from .settings import Settings
from .worker import LATEST, Task, play

#: Files of a cycle for each Ray actor: what is lost with an actor, and what the last one keeps the others waiting for.
CHUNKS_EACH = 4


@dataclass(frozen=True)
class Cycle:
    """The games that a cycle of a run plays."""

    number: int
    begin: int
    """Number of its first game in the run."""
    games: int
    chunk: int
    """Games of a file."""
    int8: bool
    """Whether workers may play with the int8 file."""


def tasks(cycle: Cycle, preset: Preset, settings: Settings) -> list[tuple[Task, Path]]:
    """The tasks of a cycle and the files of their games."""
    made = []
    for number, first in enumerate(range(0, cycle.games, cycle.chunk)):
        task = Task(
            layout=preset.network.layout,
            self_play=preset.self_play,
            first=cycle.begin + first,
            games=min(cycle.chunk, cycle.games - first),
            seed=settings.seed,
            threads=settings.ray_threads if settings.ray else settings.threads,
            engine=settings.engine,
            int8=cycle.int8,
        )
        made.append((task, settings.out / "games" / f"self-{cycle.number:05}-{number:03}.tkg"))
    return made


def chunk_size(play: SelfPlay, actors: int, serves: bool, games: int) -> int:
    """Games of a file: as the preset says, or as many as give each worker one file."""
    if play.chunk:
        return play.chunk
    if actors:
        return -(-games // (CHUNKS_EACH * actors))
    return -(-games // play.workers) if serves else games


def open_bytes(play: SelfPlay, layout: Layout) -> int:
    """Bytes that an open game holds at most, about: its trees, with a node for each simulation and 40 bytes for each
    move of a node. A search that keeps the tree of the move before holds two."""
    return (1 if play.gumbel else 2) * play.simulations * layout.moves * 40 + (64 << 10)


def memory(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> int:
    """Returns the bytes of memory that are available on this machine, or in the control group of its container."""
    if not meminfo.exists():
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    available = int(re.findall(r"MemAvailable: *(\d+)", meminfo.read_text())[0]) << 10
    most, used = group / "memory.max", group / "memory.current"
    if most.exists() and (limit := most.read_text().strip()) != "max":
        available = min(available, int(limit) - int(used.read_text()))
    return available


def batch_size(play: SelfPlay, layout: Layout, chunk: int, available: int) -> tuple[int, str]:
    """Positions of a worker's batch, and what is to be said of it. A worker has two batches under way, each of games of
    its own: so many that a quarter of a file's games are open at once and others take the place of those that end, and
    that the open games of all workers fit into six tenths of the memory that is available, in bytes; `ValueError`
    where none do."""
    wanted = max(1, min(play.batch, -(-chunk // 8)))
    game, budget = open_bytes(play, layout), available * 6 // 10
    most = budget // (2 * play.workers * game)
    if most >= wanted:
        return wanted, ""
    told = (
        f"{play.workers} workers with {2 * wanted} open games each, of {game / 1e6:.1f} MB, need "
        f"{2e-9 * wanted * play.workers * game:.1f} GB of memory, {budget / 1e9:.1f} GB are to be had"
    )
    if most < 1:
        raise ValueError(f"self-play: {told}: take fewer --workers")
    return most, f"{told}: batches of {most} instead of {wanted}"


def play_cycle(
    cycle: Cycle, preset: Preset, settings: Settings, server: Learner | None, stopping: Callable[[], bool]
) -> tuple[bool, dict[str, Any]]:
    """Plays what is missing of a cycle; whether all is there, and what was done. `server` is the learner that evaluates
    for the workers; without it they play with the network's files."""
    todo = tasks(cycle, preset, settings)
    if server is not None:
        play_settings = preset.self_play
        batch, told = batch_size(play_settings, server.layout, cycle.chunk, memory())
        if told:
            print(f"self-play: {told}", file=sys.stderr, flush=True)
        # Half of the open games, so that the device has the next batch when it is done with one.
        most = min(play_settings.batch, batch * play_settings.workers)
        evaluator = Evaluator(server.average, batch, play_settings.score_share, server.device, most)
        return Server(evaluator, settings.worker, stopping).run(todo, play_settings.workers)
    path = settings.out / LATEST
    if settings.ray:
        # The worker chooses on its own machine: not every processor is right for int8.
        models = {file.name: file.read_bytes() for file in (path, int8_path(path)) if file.exists()}
        return play_tasks(todo, models, settings.ray, settings.ray_worker, stopping, settings.ray_address)
    total: dict[str, Any] = {}
    for task, out in todo:
        done, progress = play(settings.worker, task, path, out, stopping)
        add_progress(total, progress)
        if not done:
            return False, total
    return True, total


def add_progress(total: dict[str, Any], progress: dict[str, Any]) -> None:
    """Adds the counts of a worker to those of others."""
    for name in COUNTS:
        if isinstance(progress.get(name), (int, float)):
            total[name] = total.get(name, 0) + progress[name]
