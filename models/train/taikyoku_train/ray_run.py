"""Self-play on many machines: workers as Ray actors that feed one learner.

An actor does what a local run does (`worker.play_bytes`): from numbers of games and the bytes of a model to the bytes
of a file of games. Ray is an optional extra: `pip install ray`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .files import write_atomically
from .worker import Task, find_program, play_bytes

#: Seconds between looks at what is done.
POLL = 0.5
#: How often the games of a file may fail before the run gives up.
ATTEMPTS = 3


def load_ray() -> Any:
    """The module; `ValueError` that says how to get it."""
    try:
        import ray
    except ImportError:
        raise ValueError("Ray is not installed in this environment: pip install ray") from None
    return ray


class Player:
    """An actor: plays on the machine where it lives, with the worker that is built there."""

    def __init__(self, worker: str | None) -> None:
        self.worker = find_program("selfplay-worker", worker)

    def play(self, task: Task, model: bytes, begun: bytes) -> bytes:
        """The file of a task's games; those in `begun` are not played again."""
        with tempfile.TemporaryDirectory(prefix="taikyoku-games-") as folder:
            return play_bytes(self.worker, task, model, Path(folder), begun)


def play_tasks(
    tasks: list[tuple[Task, Path]],
    model: bytes,
    workers: int,
    worker: str | None,
    stopping: Callable[[], bool],
    address: str | None = None,
) -> tuple[bool, dict[str, Any]]:
    """Plays tasks on so many actors, each file written at once when its games are done; whether all are there. What
    an actor that is lost was playing is played by another, under the same numbers."""
    ray = load_ray()
    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False, log_to_driver=False, num_cpus=None if address else workers)
    actor = ray.remote(num_cpus=tasks[0][0].threads if address else 1)(Player)
    idle: list[Any] = [actor.remote(worker) for _ in range(min(workers, len(tasks)))]
    shared = ray.put(model)
    left, running, attempts = list(tasks), {}, {}
    begun, games = time.monotonic(), 0
    try:
        while left or running:
            while left and idle:
                (task, out), player = left.pop(0), idle.pop()
                held = out.read_bytes() if out.exists() else b""
                running[player.play.remote(task, shared, held)] = (task, out, player)
            ready, _ = ray.wait(list(running), timeout=POLL)
            for future in ready:
                task, out, player = running.pop(future)
                try:
                    write_atomically(out, ray.get(future))
                    games += task.games
                    idle.append(player)
                except ray.exceptions.RayTaskError as error:
                    raise ValueError(f"an actor failed: {error}") from None
                except ray.exceptions.RayActorError as error:
                    attempts[task.first] = attempts.get(task.first, 0) + 1
                    if attempts[task.first] >= ATTEMPTS:
                        raise ValueError(f"games from {task.first} on were lost {ATTEMPTS} times: {error}") from None
                    left.insert(0, (task, out))
                    idle.append(actor.remote(worker))
            if stopping():
                return False, {"games": games}
        return True, {"games": games, "games_per_second": games / max(1e-9, time.monotonic() - begun)}
    finally:
        for player in [*idle, *(player for _, _, player in running.values())]:
            ray.kill(player)
