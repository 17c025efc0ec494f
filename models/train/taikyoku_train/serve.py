"""Serves workers that play: their positions are evaluated here, in large batches."""

from __future__ import annotations

import fcntl
import queue
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from .evaluator import LANES, Answers, Evaluator, Question
from .frames import Request
from .worker import Child, Task, WorkerError, selfplay

#: Bytes that a pipe holds, where the system lets it be set (Linux).
PIPE_BYTES = 1 << 20
#: Seconds that workers are given to end.
PATIENCE = 20.0


class Served(Child):
    """A worker that plays a task and asks over its pipes."""

    def __init__(self, worker: Path, task: Task, out: Path, batch: int) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        command = selfplay(worker, *task.arguments(out), "--pipe", "--batch", batch)
        super().__init__(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert self.process.stdin and self.process.stdout, "they are pipes"
        self.stdin, self.stdout = self.process.stdin, cast(BinaryIO, self.process.stdout)
        for pipe in (self.stdin, self.stdout):
            if hasattr(fcntl, "F_SETPIPE_SZ"):
                try:
                    fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
                except OSError:
                    pass

    def write(self, frame: np.ndarray) -> None:
        """Writes a frame; a worker that is gone wants none."""
        view = frame.data
        try:
            while len(view):
                view = view[self.stdin.write(view) :]
        except (BrokenPipeError, ValueError):
            pass

    def close(self) -> None:
        """Asks the worker to end."""
        try:
            self.stdin.close()
        except BrokenPipeError:
            pass


class Server:
    """Workers, each with a reading thread; one thread evaluates what they ask, one writes the answers."""

    def __init__(self, evaluator: Evaluator, worker: Path, stopping: Callable[[], bool]) -> None:
        self.evaluator, self.worker, self.stopping = evaluator, worker, stopping
        self.asked: queue.Queue[tuple[Served, Request | None]] = queue.Queue()
        self.answers: queue.Queue[tuple[list[Served], Question, Answers] | None] = queue.Queue()
        self.kept: tuple[Served, Request | None] | None = None
        """What was taken from `asked` and is yet to be heard."""
        self.room = threading.Semaphore(LANES - 1)
        self.faults: list[BaseException] = []
        self.batches = self.positions = 0
        self.waited = 0.0

    def _read(self, served: Served) -> None:
        try:
            self.evaluator.frames.greet(served.stdout)
            while (request := self.evaluator.frames.read(served.stdout)) is not None:
                self.asked.put((served, request))
        except (ValueError, OSError) as error:
            # A worker that fails says why itself.
            if served.process.poll() in (None, 0, 3) and not self.stopping():
                self.faults.append(WorkerError(f"{' '.join(served.command[:3])}: {error}"))
        finally:
            self.asked.put((served, None))

    def _write(self) -> None:
        while (item := self.answers.get()) is not None:
            workers, question, wait = item
            try:
                for served, request, answer in zip(workers, question.requests, wait(), strict=True):
                    served.write(self.evaluator.frames.reply(request, *answer))
            except BaseException as error:
                self.faults.append(error)
            finally:
                self.room.release()

    def run(self, tasks: list[tuple[Task, Path]], workers: int) -> tuple[bool, dict[str, Any]]:
        """Plays tasks, so many at a time, each with its file; whether all are done, and what was done:
        `games`, `positions` and `evaluations`, `batches`, `batch_mean` and `batch_most`, and `idle`, the share of the
        time in which there was nothing to evaluate."""
        left, done = list(tasks), True
        running: set[Served] = set()
        total: dict[str, Any] = {}
        writer = threading.Thread(target=self._write, daemon=True)
        writer.start()
        begun, closed, kill_at = time.monotonic(), False, 0.0
        try:
            while left or running:
                if (self.stopping() or self.faults) and not closed:
                    closed, left, kill_at = True, [], time.monotonic() + PATIENCE
                    for served in running:
                        served.close()
                if closed and time.monotonic() > kill_at:
                    # What it has finished is on disk; killed workers are no failure here.
                    return False, total
                while left and len(running) < workers:
                    task, out = left.pop(0)
                    served = Served(self.worker, task, out, self.evaluator.frames.batch)
                    running.add(served)
                    threading.Thread(target=self._read, args=(served,), daemon=True).start()
                if (item := self._next()) is None:
                    continue
                served, request = item
                if request is None:
                    running.discard(served)
                    served.close()
                    done = served.finish() == 0 and done
                    self._add(total, served.progress)
                elif not closed and self._has_room():
                    self._evaluate(served, request)
        finally:
            # First the workers: the writer may be waiting for one that reads no more.
            for served in running:
                served.process.kill()
            self.answers.put(None)
            writer.join()
            for served in running:
                served.process.wait()
        if self.faults:
            raise self.faults[0]
        seconds = max(1e-9, time.monotonic() - begun)
        total.update(batches=self.batches, batch_mean=self.positions / max(1, self.batches))
        total.update(batch_most=self.evaluator.room.batch, idle=self.waited / seconds)
        return done and not closed and not left, total

    def _next(self) -> tuple[Served, Request | None] | None:
        """What a worker asks next, or that one has ended; none after a while without either."""
        if self.kept is not None:
            item, self.kept = self.kept, None
            return item
        begun = time.monotonic()
        try:
            return self.asked.get(timeout=0.2)
        except queue.Empty:
            return None
        finally:
            self.waited += time.monotonic() - begun

    def _evaluate(self, served: Served, request: Request) -> None:
        """Evaluates a request, with those that wait behind it while there is room for them: near the end of its games a
        worker asks for few positions at a time, and a GPU takes as long for few as for many."""
        workers, question = [served], Question(self.evaluator.room)
        question.add(request)
        while not self.asked.empty():
            served, more = self.kept = self.asked.get()
            if more is None or not question.add(more):
                break
            workers.append(served)
            self.kept = None
        self.answers.put((workers, question, self.evaluator.submit(question)))
        self.batches, self.positions = self.batches + 1, self.positions + question.n

    def _has_room(self) -> bool:
        """Waits until one more answer may be under way; false when it is time to stop instead."""
        while not self.room.acquire(timeout=0.2):
            if self.stopping() or self.faults:
                return False
        return True

    @staticmethod
    def _add(total: dict[str, Any], progress: dict[str, Any]) -> None:
        for name in ("games", "positions", "evaluations"):
            total[name] = total.get(name, 0) + progress.get(name, 0)
