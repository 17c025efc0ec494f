"""How the games of a cycle are played: by workers of this machine with ONNX files, or with a GPU, or by Ray actors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .evaluator import Evaluator
from .export import int8_path
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


def batch_size(batch: int, chunk: int) -> int:
    """Positions of a batch: a worker has two under way, of the games of its file. A larger one would be mostly empty,
    and takes as long to evaluate as a full one."""
    return max(1, min(batch, -(-chunk // 2)))


def play_cycle(
    cycle: Cycle, preset: Preset, settings: Settings, server: Learner | None, stopping: Callable[[], bool]
) -> tuple[bool, dict[str, Any]]:
    """Plays what is missing of a cycle; whether all is there, and what was done. `server` is the learner that evaluates
    for the workers; without it they play with the network's files."""
    todo = tasks(cycle, preset, settings)
    if server is not None:
        play_settings = preset.self_play
        batch = batch_size(play_settings.batch, cycle.chunk)
        evaluator = Evaluator(server.average, batch, play_settings.score_share, server.device)
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
