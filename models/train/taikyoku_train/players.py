"""Who plays the games of a cycle: workers of this machine with ONNX files, or with a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .evaluator import Evaluator
from .export import int8_path
from .ray_run import play_tasks
from .serve import Server
from .worker import Task, play

if TYPE_CHECKING:
    from .run import Run

#: Files of a cycle for each Ray actor: what is lost with an actor, and what the last one keeps the others waiting for.
CHUNKS_EACH = 4


def tasks(run: Run) -> list[tuple[Task, Path]]:
    """The tasks of a cycle and the files of their games."""
    games, chunk = run.preset.self_play.games, run.chunk
    made = []
    for number, first in enumerate(range(0, games, chunk)):
        task = Task(
            layout=run.layout.name,
            self_play=run.preset.self_play,
            first=run.cycle * games + first,
            games=min(chunk, games - first),
            seed=run.settings.seed,
            threads=run.settings.threads,
            engine=run.settings.engine,
        )
        made.append((task, run.folder / "games" / f"self-{run.cycle:05}-{number:03}.tkg"))
    return made


def chunk_size(run: Run) -> int:
    """Games of a file: as the preset says, or as many as give each worker one file."""
    play = run.preset.self_play
    if play.chunk:
        return play.chunk
    if run.settings.ray:
        return -(-play.games // (CHUNKS_EACH * run.settings.ray))
    return -(-play.games // play.workers) if run.settings.serves(run.learner.device) else play.games


def play_cycle(run: Run) -> tuple[bool, dict[str, Any]]:
    """Plays what is missing of a cycle; whether all is there, and what was done."""
    if run.settings.serves(run.learner.device) and not run.settings.ray:
        play_settings = run.preset.self_play
        evaluator = Evaluator(run.learner.average, play_settings.batch, play_settings.score_share, run.learner.device)
        server = Server(evaluator, run.settings.worker, run.stopping)
        return server.run(tasks(run), play_settings.workers)
    path = run.folder / "latest.onnx"
    if run.settings.int8 and run.preset.self_play.int8 and int8_path(path).exists():
        path = int8_path(path)
    if run.settings.ray:
        settings = run.settings
        return play_tasks(
            tasks(run), path.read_bytes(), settings.ray, settings.ray_worker, run.stopping, settings.ray_address
        )
    total: dict[str, Any] = {}
    for task, out in tasks(run):
        done, progress = play(run.settings.worker, task, path, out, run.stopping)
        add_progress(total, progress)
        if not done:
            return False, total
    return True, total


def add_progress(total: dict[str, Any], progress: dict[str, Any]) -> None:
    """Adds the counts of a worker to those of others."""
    for name in ("games", "positions", "evaluations"):
        if isinstance(progress.get(name), (int, float)):
            total[name] = total.get(name, 0) + progress[name]
