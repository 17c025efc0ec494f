"""Who plays the games of a cycle: workers of this machine with ONNX files, or with a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .evaluator import Evaluator
from .export import int8_path
from .ray_run import COUNTS, play_tasks
from .serve import Server
from .worker import LATEST, Task, play

if TYPE_CHECKING:
    from .run import Run

#: Files of a cycle for each Ray actor: what is lost with an actor, and what the last one keeps the others waiting for.
CHUNKS_EACH = 4


def tasks(run: Run) -> list[tuple[Task, Path]]:
    """The tasks of a cycle and the files of their games."""
    games, chunk, begin = run.sizes[run.cycle], run.chunk, sum(run.sizes[: run.cycle])
    made = []
    for number, first in enumerate(range(0, games, chunk)):
        task = Task(
            layout=run.layout.name,
            self_play=run.preset.self_play,
            first=begin + first,
            games=min(chunk, games - first),
            seed=run.settings.seed,
            threads=run.settings.ray_threads if run.settings.ray else run.settings.threads,
            engine=run.settings.engine,
            int8=run.plays_int8(),
        )
        made.append((task, run.folder / "games" / f"self-{run.cycle:05}-{number:03}.tkg"))
    return made


def chunk_size(run: Run) -> int:
    """Games of a file: as the preset says, or as many as give each worker one file."""
    play, games = run.preset.self_play, run.sizes[run.cycle]
    if play.chunk:
        return play.chunk
    if run.settings.ray:
        return -(-games // (CHUNKS_EACH * run.settings.ray))
    return -(-games // play.workers) if run.serves() else games


def batch_size(batch: int, chunk: int) -> int:
    """Positions of a batch: a worker has two under way, of the games of its file. A larger one would be mostly empty,
    and takes as long to evaluate as a full one."""
    return max(1, min(batch, -(-chunk // 2)))


def play_cycle(run: Run) -> tuple[bool, dict[str, Any]]:
    """Plays what is missing of a cycle; whether all is there, and what was done."""
    if run.serves():
        play_settings = run.preset.self_play
        batch = batch_size(play_settings.batch, run.chunk)
        evaluator = Evaluator(run.learner.average, batch, play_settings.score_share, run.learner.device)
        server = Server(evaluator, run.settings.worker, run.stopping)
        return server.run(tasks(run), play_settings.workers)
    path = run.folder / LATEST
    if run.settings.ray:
        settings = run.settings
        # The worker chooses on its own machine: not every processor is right for int8.
        models = {file.name: file.read_bytes() for file in (path, int8_path(path)) if file.exists()}
        return play_tasks(tasks(run), models, settings.ray, settings.ray_worker, run.stopping, settings.ray_address)
    total: dict[str, Any] = {}
    for task, out in tasks(run):
        done, progress = play(run.settings.worker, task, path, out, run.stopping)
        add_progress(total, progress)
        if not done:
            return False, total
    return True, total


def add_progress(total: dict[str, Any], progress: dict[str, Any]) -> None:
    """Adds the counts of a worker to those of others."""
    for name in COUNTS:
        if isinstance(progress.get(name), (int, float)):
            total[name] = total.get(name, 0) + progress[name]
