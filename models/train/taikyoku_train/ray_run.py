"""Self-play on many machines: workers as Ray actors that feed one learner.

An actor does what a local run does (`worker.play_bytes`): from numbers of games and the bytes of a model to the bytes
of a file of games. Ray is an optional extra: `pip install ray`.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .files import write_atomically
from .worker import LAB, Task, WorkerError, find_program, play_bytes

#: Seconds between looks at what is done.
POLL = 0.5
#: How often the games of a file may fail before the run gives up; and how many actors in a row may die for each that
#: there are, before one has played a file: a machine that is lost takes all of its actors along.
ATTEMPTS, DEATHS = 3, 5
#: Seconds without an actor that lives, after which the user is told.
LONELY = 60.0
#: What is counted of the workers.
COUNTS = ("games", "positions", "evaluations")


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
        self.worker = find_program(LAB, worker)

    def lives(self) -> bool:
        """Answers, once the actor has a place."""
        return True

    def play(self, task: Task, models: dict[str, bytes], begun: bytes) -> tuple[bytes, dict[str, Any]]:
        """The file of a task's games, and the counts of what was done for it; the games in `begun` are not played
        again."""
        with tempfile.TemporaryDirectory(prefix="taikyoku-games-") as folder:
            return play_bytes(self.worker, task, models, Path(folder), begun)


class Actors:
    """The actors: those that have nothing to do, and those that have no place yet."""

    def __init__(self, ray: Any, count: int, threads: int, worker: str | None) -> None:
        self.ray, self.worker = ray, worker
        self.actor = ray.remote(num_cpus=threads)(Player)
        self.idle: list[Any] = []
        self.asked: dict[Any, Any] = {}
        """Actors that have not said yet that they live, by the futures of their answers."""
        self.count = count
        self.seen, self.warned = time.monotonic(), False
        for _ in range(count):
            self.add()

    def add(self) -> None:
        """Starts one more."""
        player = self.actor.remote(self.worker)
        self.asked[player.lives.remote()] = player

    def lose(self, player: Any) -> None:
        """Gives one up, for another."""
        self.asked = {future: other for future, other in self.asked.items() if other is not player}
        self.ray.kill(player)
        self.add()

    def look(self) -> None:
        """Takes those that have got a place, and warns once when none has lived for a minute."""
        now = time.monotonic()
        if self.asked:
            for future in self.ray.wait(list(self.asked), num_returns=len(self.asked), timeout=0)[0]:
                # One that has died there meanwhile says so when it is to play.
                self.idle.append(self.asked.pop(future))
        if len(self.asked) < self.count:
            self.seen, self.warned = now, False
        elif now - self.seen > LONELY and not self.warned:
            self.warned = True
            print(
                f"warning: for {LONELY:.0f} seconds none of {self.count} Ray actors has had a place: "
                f"`ray status` says what "
                "the cluster has; an actor takes as many CPUs as --threads says, else 1",
                file=sys.stderr,
                flush=True,
            )


def play_tasks(
    tasks: list[tuple[Task, Path]],
    models: dict[str, bytes],
    workers: int,
    worker: str | None,
    stopping: Callable[[], bool],
    address: str | None = None,
) -> tuple[bool, dict[str, Any]]:
    """Plays tasks on so many actors, each file written at once when its games are done; whether all are there, and
    what was done. `models`: the files of the network, by their names. What an actor that is lost was playing is played
    by another, under the same numbers."""
    ray = load_ray()
    threads = tasks[0][0].threads
    if not ray.is_initialized():
        cpus = None if address else workers * threads
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        # Without "local" Ray would join a cluster that it finds, which has CPUs of its own.
        ray.init(address=address or "local", include_dashboard=False, log_to_driver=False, num_cpus=cpus)
        # Ray has its own, by which the run would end without saving.
        for number, handler in handlers.items():
            signal.signal(number, handler)
    actors = Actors(ray, min(workers, len(tasks)), threads, worker)
    shared = ray.put(models)
    left = list(tasks)
    running: dict[Any, Any] = {}
    attempts: dict[Any, int] = {}
    deaths = 0
    total: dict[str, Any] = {}
    try:
        while left or running:
            actors.look()
            while left and actors.idle:
                (task, out), player = left.pop(0), actors.idle.pop()
                held = out.read_bytes() if out.exists() else b""
                running[player.play.remote(task, shared, held)] = (task, out, player)
            ready, _ = ray.wait([*running, *actors.asked], timeout=POLL)
            for future in ready:
                if future not in running:
                    continue
                task, out, player = running.pop(future)
                try:
                    content, told = ray.get(future)
                except ray.exceptions.RayError as error:
                    # The worker may have failed, which the actor survives; what else there is, it may not.
                    if isinstance(error, ray.exceptions.RayTaskError):
                        actors.idle.append(player)
                        attempts[task.first] = attempts.get(task.first, 0) + 1
                        if attempts[task.first] >= ATTEMPTS:
                            raise WorkerError(f"games from {task.first} on failed {ATTEMPTS} times: {error}") from None
                    else:
                        actors.lose(player)
                        deaths += 1
                        if deaths >= DEATHS * actors.count:
                            raise WorkerError(f"{deaths} Ray actors in a row have died: {error}") from None
                    left.insert(0, (task, out))
                    continue
                deaths = 0
                write_atomically(out, content)
                actors.idle.append(player)
                for name in COUNTS:
                    total[name] = total.get(name, 0) + told.get(name, 0)
            if stopping():
                return not (left or running), total
        return True, total
    finally:
        for player in [*actors.idle, *actors.asked.values(), *(player for _, _, player in running.values())]:
            ray.kill(player)
