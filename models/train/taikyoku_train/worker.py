"""The self-play worker: `taikyoku-lab selfplay`, a program of the workspace."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .preset import SelfPlay

REPOSITORY = Path(__file__).resolve().parents[3]
#: Linux's; loaded here, since between fork and exec nothing may be that takes a lock.
PRCTL = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
PR_SET_PDEATHSIG = 1
#: The program that plays, learns from and judges games.
LAB = "taikyoku-lab"
#: The network that plays, in the folder of a run.
LATEST = "latest.onnx"


class WorkerError(RuntimeError):
    """A worker failed, and what it said."""


def find_program(name: str, given: str | None = None) -> Path:
    """A program of the workspace: as given, in `$TAIKYOKU_BIN`, or built in this repository; `ValueError`: nowhere."""
    if given:
        path = Path(given)
        if not path.is_file():
            raise ValueError(f"no program at {given}")
        return path.resolve()
    folders = [REPOSITORY / "target" / profile for profile in ("release", "debug")]
    if variable := os.environ.get("TAIKYOKU_BIN"):
        folders.insert(0, Path(variable))
    found = [folder / name for folder in folders if (folder / name).is_file()]
    if found:
        # What the variable says comes first; of what was built here, the newest.
        named = [path for path in found if variable and path.parent == Path(variable)]
        return (named or sorted(found, key=lambda path: path.stat().st_mtime, reverse=True))[0].resolve()
    raise ValueError(
        f"{name} is not built: run `cargo build --release -p taikyoku-lab`, "
        "or say where it is with $TAIKYOKU_BIN (a folder)"
    )


def selfplay(worker: Path, *arguments: object) -> list[str]:
    """The command line of a worker."""
    return [str(worker), "selfplay", *map(str, arguments)]


def environment() -> dict[str, str]:
    """The environment of programs that run networks: it names the ONNX Runtime of this Python."""
    variables = dict(os.environ)
    if "ORT_DYLIB_PATH" not in variables:
        import onnxruntime

        found = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.*"))
        if found:
            variables["ORT_DYLIB_PATH"] = str(found[0])
    return variables


@dataclass(frozen=True)
class Task:
    """Games `first` to `first + games` - 1 of a run, for one worker."""

    layout: str
    self_play: SelfPlay
    first: int
    games: int
    seed: int
    threads: int = 1
    engine: str = "auto"
    int8: bool = True
    """Whether the int8 file plays, where it lies beside the network's and the processor's sums of 8 bits are exact."""

    def arguments(self, out: Path) -> list[str]:
        """The arguments of `taikyoku-lab selfplay play`, without those that say who evaluates."""
        play = self.self_play
        arguments: list[object] = ["play", self.layout, "--out", out, "--games", self.games, "--first-game", self.first]
        arguments += ["--seed", self.seed, "--json", "--simulations", play.simulations, "--full-share", play.full_share]
        arguments += ["--fast-simulations", play.fast_simulations or play.simulations]
        arguments += ["--random-plies", play.random_plies, "--drawn-plies", play.drawn_plies]
        arguments += ["--score-share", play.score_share]
        if play.gumbel:
            arguments += ["--considered", play.considered]
        else:
            arguments += ["--paper", "--noise", play.noise, "--alpha", play.alpha]
            arguments += ["--exploration", play.exploration] if play.exploration else []
        if play.mate:
            arguments += ["--mate", play.mate]
        if play.leaf_playouts:
            arguments += ["--leaf-playouts", play.leaf_playouts]
        return [*map(str, arguments), *play.arguments]


def die_with(parent: int) -> None:
    """Called in a new process: lets Linux kill it when its parent dies, so that a run that was killed leaves nobody
    behind who plays on into its files."""
    assert PRCTL, "apart() asks for it only where there is one"
    PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def apart() -> dict[str, Any]:
    """How `Popen` starts a process that Ctrl-C in the run's terminal does not reach, so that the run ends it in its own
    time, but that does not outlive the run."""
    before = functools.partial(die_with, os.getpid()) if PRCTL else None
    return {"start_new_session": True, "preexec_fn": before}


class Child:
    """A worker that runs; its progress is kept, and what else it says on stderr."""

    def __init__(self, command: list[str], **pipes: Any) -> None:
        self.command = command
        self.progress: dict[str, Any] = {}
        self.messages: list[str] = []
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(), **apart(), **pipes)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stderr, "it is a pipe"
        for line in self.process.stderr:
            try:
                told = json.loads(line)
            except ValueError:
                told = None
            if isinstance(told, dict):
                self.progress = told
            else:
                self.messages = [*self.messages[-19:], line.decode(errors="replace").rstrip()]

    def stop(self) -> None:
        """Asks it to end, and makes it end when it does not: what it has finished is on disk."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def finish(self) -> int:
        """Its exit status, 0 or 3 (stopped early); `WorkerError` with what it says for any other."""
        status = self.process.wait()
        self.reader.join()
        if status not in (0, 3):
            raise WorkerError(f"{' '.join(self.command[:3])} ended with {status}: " + "\n".join(self.messages))
        return status


def run_until(command: list[str], stopping: Callable[[], bool]) -> tuple[bool, dict[str, Any]]:
    """Runs a worker; whether it did all, and the last of its progress. It is stopped when `stopping` says so."""
    child = Child(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                child.process.wait(0.2)
                return child.finish() == 0, child.progress
            except subprocess.TimeoutExpired:
                if stopping():
                    child.stop()
                    return False, child.progress
    except BaseException:
        child.process.kill()
        raise


def play(worker: Path, task: Task, model: Path, out: Path, stopping: Callable[[], bool]) -> tuple[bool, dict[str, Any]]:
    """Plays the games of a task with a network on the CPU; those that the file holds already are not played again."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = selfplay(worker, *task.arguments(out), "--model", model, "--nn-engine", task.engine)
    command += ["--precision", "auto" if task.int8 else "fp32", "--threads", str(task.threads)]
    command += ["--batch", str(task.self_play.together)]
    return run_until(command, stopping)


def play_bytes(
    worker: Path, task: Task, models: dict[str, bytes], folder: Path, begun: bytes = b""
) -> tuple[bytes, dict[str, Any]]:
    """The same, from the bytes of `latest.onnx` and what lies beside it, by their names, to the bytes of a file of
    games and the counts of what was done, with an empty `folder` for what lies between; `begun` is the file so far."""
    games = folder / "games.tkg"
    for name, content in models.items():
        (folder / name).write_bytes(content)
    if begun:
        games.write_bytes(begun)
    done, progress = play(worker, task, folder / LATEST, games, lambda: False)
    if not done:
        raise WorkerError(f"the worker stopped before game {task.first + task.games}")
    return games.read_bytes(), progress


def teach(worker: Path, out: Path, games: int, engine: str, threads: int, seed: int, stopping: Callable[[], bool]):
    """Lets a classical engine play games to begin with."""
    out.parent.mkdir(parents=True, exist_ok=True)
    command = selfplay(worker, "teach", "--out", out, "--games", games, "--engine", engine)
    return run_until([*command, "--threads", str(threads), "--seed", str(seed), "--json"], stopping)
