"""Leagues, matches and tables on many machines, by Ray: `python -m taikyoku.cluster league FILE.toml`.

The program `taikyoku league` drives the league as ever: it has the schedule, the journal and the report. This module
only carries its pieces of work, a task of Ray for each, to workers (`taikyoku league work`), and the lines of the
journal back. It does the same for `taikyoku-lab match`, `tables`, `tune` and `work`. The programs and the files that
they read are on every machine in the same place. Ray is an optional extra: `pip install taikyoku[cluster]`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Seconds between looks at what is done, and at the machines of the cluster.
POLL, LOOK = 0.05, 1.0
#: Seconds without a machine that has room, after which the user is told.
LONELY = 60.0
#: Pieces in a row of which a machine plays nothing before it gets no more, and seconds until it is tried again, which
#: double each time up to the last.
BAD, REST, LONGEST_REST = 3, 60.0, 3600.0
#: Of Linux's `prctl`: the signal that a process gets when its parent dies.
PR_SET_PDEATHSIG = 1
#: The word of a worker's command that stands for the name of its machine.
MACHINE = "{machine}"
#: Characters of what a worker has said that go into a message.
TAIL = 1500


def load_ray() -> Any:
    """The module; `SystemExit` that says how to get it."""
    try:
        import ray
    except ImportError:
        sys.exit("Ray is not installed in this environment: pip install 'taikyoku[cluster]'")
    return ray


def work(command: list[str], league: bytes, piece: bytes) -> tuple[int, bytes]:
    """Plays a piece with a worker on the machine where this runs: milliseconds, and the lines that it has written.

    What was not played has no line. A worker that has played nothing is a `RuntimeError` with what it has said; what
    one has played before it failed, or was killed, counts. Programs do not see Ray's variables, and the worker finishes
    its games and ends its programs when Ray kills the process where this runs.
    """
    began = time.monotonic()
    variables = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    with tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(
                command,
                input=league + piece,
                stdout=subprocess.PIPE,
                stderr=said,
                check=False,
                env=variables,
                preexec_fn=with_parent(),
            )
        except OSError as error:
            raise RuntimeError(f"the program {command[0]} does not start: {error.strerror}") from error
        said.seek(0)
        tail = said.read().decode(errors="replace").strip()[-TAIL:]
    lines = whole_lines(done.stdout)
    if not any(b'"games"' in line or b'"void"' in line for line in lines):
        raise RuntimeError(f"{shlex.join(command[:3])} has ended with status {done.returncode}: {tail}")
    return int(1000 * (time.monotonic() - began)), b"".join(line + b"\n" for line in lines)


def with_parent() -> Callable[[], object] | None:
    """What a new process calls so that Linux asks it to end when its parent dies; none on other systems."""
    if sys.platform != "linux":
        return None
    # Loaded here, since between fork and exec nothing may be that takes a lock.
    prctl = ctypes.CDLL(None).prctl
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def whole_lines(written: bytes) -> list[bytes]:
    """The lines of JSON among these, without a last one that is torn."""
    lines = []
    for line in written.split(b"\n")[:-1]:
        try:
            json.loads(line)
        except ValueError:
            continue
        lines.append(line)
    return lines


@dataclass
class Node:
    """A machine of the cluster."""

    name: str
    slots: int
    """Pieces that it takes at the same time."""
    busy: int = 0
    """Pieces that it plays."""
    bad: int = 0
    """Pieces in a row of which it has played nothing."""
    until: float = 0.0
    """When it is tried again, if those were too many."""

    def room(self) -> int:
        """Pieces that it may play at the same time now: one where it is tried again."""
        if self.bad < BAD:
            return self.slots
        return min(1, self.slots) if time.monotonic() >= self.until else 0


class Carrier:
    """Carries pieces from standard input to tasks of Ray, and what comes of them to standard output.

    It says itself which machine plays a piece: one on which nothing can be played is always free, and would draw all.
    """

    def __init__(self, ray: Any, command: list[str], cpus: int = 1) -> None:
        self.ray, self.command, self.cpus = ray, command, cpus
        self.league: Any = None
        self.nodes: dict[str, Node] = {}
        """The machines that are there, by Ray's numbers."""
        self.waiting: deque[tuple[int, bytes]] = deque()
        """Pieces that no machine has, with their numbers."""
        self.tasks: dict[Any, tuple[int, str]] = {}
        """The number of the piece of each task, and its machine."""
        self.slots = 0
        self.lonely, self.warned = time.monotonic(), False

    def say(self, message: bytes) -> None:
        """Writes a line; the league reads it at once."""
        sys.stdout.buffer.write(message + b"\n")
        sys.stdout.buffer.flush()

    def hear(self, line: bytes) -> None:
        """Takes a line of the league, or of a match: the first one is for all workers."""
        message = json.loads(line)
        if "piece" not in message:
            self.league = self.ray.put(line)
            self.remote = self.ray.remote(num_cpus=self.cpus, max_retries=0)(work_here)
            self.look()
        else:
            self.waiting.append((message["piece"], line))
            self.send()

    def rooms(self) -> dict[str, int]:
        """The pieces that each machine may play at the same time. If none can play anything, no machine is at fault."""
        rooms = {number: node.room() for number, node in self.nodes.items()}
        return rooms if any(rooms.values()) else {number: node.slots for number, node in self.nodes.items()}

    def send(self) -> None:
        """Gives pieces to the machines with the most room."""
        while self.waiting:
            free = {number: room - self.nodes[number].busy for number, room in self.rooms().items()}
            best = max(free, key=lambda number: free[number], default=None)
            if best is None or free[best] <= 0:
                return
            piece, line = self.waiting.popleft()
            place = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(best, soft=False)
            task = self.remote.options(scheduling_strategy=place).remote(self.command, self.league, line)
            self.tasks[task] = (piece, best)
            self.nodes[best].busy += 1

    def judge(self, number: str, fault: str | None) -> None:
        """Takes how a piece has ended on a machine: why nothing of it was played, or none."""
        node = self.nodes.get(number)
        if node is None:
            return
        node.busy -= 1
        if not fault:
            node.bad = 0
            return
        if node.bad >= BAD and time.monotonic() < node.until:
            # The node had this piece before its rest began.
            return
        node.bad += 1
        if node.bad >= BAD:
            rest = min(LONGEST_REST, REST * 2 ** (node.bad - BAD))
            node.until = time.monotonic() + rest
            print(
                f"{node.name} has played nothing of {node.bad} pieces in a row; while others can play, it gets none "
                f"for {rest:.0f} s: {fault}",
                file=sys.stderr,
                flush=True,
            )

    def look(self) -> None:
        """Tells the league when the cluster has grown or shrunk, and gives waiting pieces to machines that are new."""
        nodes = {node["NodeID"]: node for node in self.ray.nodes() if node["Alive"]}
        self.nodes = {number: node for number, node in self.nodes.items() if number in nodes}
        for number, told in nodes.items():
            name = f"{told.get('NodeManagerHostname', 'node')}-{number[:6]}"
            node = self.nodes.setdefault(number, Node(name, 0))
            node.slots = int(told["Resources"].get("CPU", 0)) // self.cpus
        slots = sum(self.rooms().values())
        self.send()
        if slots != self.slots:
            self.slots = slots
            self.say(b'{"slots":%d}' % slots)
        now = time.monotonic()
        if slots:
            self.lonely, self.warned = now, False
        elif now - self.lonely > LONELY and not self.warned:
            self.warned = True
            print(
                f"no machine of the cluster has had {self.cpus} CPUs for a table in {LONELY:.0f} seconds: `ray status` "
                "says what there is",
                file=sys.stderr,
                flush=True,
            )

    def fetch(self) -> None:
        """Tells the league of the tasks that are over."""
        if not self.tasks:
            time.sleep(POLL)
            return
        ready, _ = self.ray.wait(list(self.tasks), num_returns=1, timeout=POLL)
        if ready:
            ready, _ = self.ray.wait(list(self.tasks), num_returns=len(self.tasks), timeout=0)
        for task in ready:
            piece, number = self.tasks.pop(task)
            try:
                ms, written = self.ray.get(task)
            except self.ray.exceptions.RayError as error:
                lost = getattr(error, "cause", None) or error
                text = str(lost).strip() or "it does not say why"
                # What Ray says of a lost machine has many lines.
                text = text if isinstance(lost, RuntimeError) else text.splitlines()[0]
                if not isinstance(lost, RuntimeError):
                    text = f"{type(lost).__name__}: {text}"
                node = self.nodes.get(number)
                self.judge(number, text)
                text = f"{node.name}: {text}" if node else text
                self.say(json.dumps({"piece": piece, "lost": text}).encode())
                continue
            self.judge(number, None if b'"games"' in written else "all that it was to play came to nothing")
            lines = b",".join(line for line in written.split(b"\n") if line)
            self.say(b'{"piece":%d,"ms":%d,"lines":[%s]}' % (piece, ms, lines))
        self.send()

    def run(self, lines: queue.Queue[bytes | None]) -> None:
        """Carries until standard input ends; what is still played then is given up."""
        looked = time.monotonic()
        while True:
            while True:
                try:
                    line = lines.get_nowait()
                except queue.Empty:
                    break
                if line is None:
                    for task in self.tasks:
                        self.ray.cancel(task, force=True)
                    return
                self.hear(line)
            if self.league is not None and time.monotonic() - looked > LOOK:
                looked = time.monotonic()
                self.look()
            self.fetch()


def work_here(command: list[str], league: bytes, piece: bytes) -> tuple[int, bytes]:
    """`work`, under the name of the machine where Ray has put it."""
    import ray

    context = ray.get_runtime_context()
    name = f"{os.uname().nodename}-{context.get_node_id()[:6]}"
    return work([name if word == MACHINE else word for word in command], league, piece)


def carry(options: argparse.Namespace) -> None:
    """The program behind `--workers`."""
    ray = load_ray()
    # The pipe is for the league alone, whatever Ray prints.
    pipe = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = os.fdopen(pipe, "w")
    lines: queue.Queue[bytes | None] = queue.Queue()

    def read() -> None:
        for line in sys.stdin.buffer:
            lines.put(line)
        lines.put(None)

    ray.init(
        address=options.ray_address or "local", include_dashboard=False, log_to_driver=False, logging_level="error"
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=read, daemon=True).start()
    try:
        Carrier(ray, options.worker, options.cpus).run(lines)
    except BrokenPipeError:
        # The league was killed.
        sys.stdout = sys.stderr
    finally:
        ray.shutdown()


def drive(options: argparse.Namespace, more: list[str]) -> None:
    """Becomes the program that drives the games."""
    load_ray()
    if options.command == "league":
        program = options.program or "taikyoku"
        words = [program, "league", str(options.file)]
        worker = [program, "league", "work", str(options.file.resolve()), "--keys", "-", "--machine", MACHINE]
    else:
        program = options.program or "taikyoku-lab"
        words, worker = [program, options.command], [program, "work"]
    carrier = [sys.executable, "-m", "taikyoku.cluster", "carry", "--cpus", str(options.cpus)]
    if options.ray_address is not None:
        carrier += ["--ray-address", options.ray_address]
    # The options of a match follow its game.
    command = [*words, *more, "--workers", shlex.join([*carrier, *worker])]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}: name the program with --program, or put it on the path")


def main() -> None:
    """The program."""
    # An option of `taikyoku league` is not to be taken for the beginning of one of these.
    parser = argparse.ArgumentParser(prog="python -m taikyoku.cluster", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("league", "play a league on a cluster, or go on with it; other options are those of `taikyoku league`"),
        ("match", "play engines against each other on a cluster; other words are those of `taikyoku-lab match`"),
        ("tables", "print the tables of a game by games on a cluster; other words are those of `taikyoku-lab tables`"),
        ("tune", "tune an engine on a cluster, or go on with it; other words are those of `taikyoku-lab tune`"),
        ("carry", "carry pieces of work from standard input to workers (what the others start)"),
    ):
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.add_argument(
            "--ray-address", metavar="ADDRESS", help="the cluster: auto, or HOST:PORT (default: this machine alone)"
        )
        text = "CPUs for a table, or a game of a match (default: 1)"
        command.add_argument("--cpus", type=int, default=1, metavar="N", help=text)
        if name == "carry":
            text = f"the command of a worker; {MACHINE} in it stands for the name of the machine"
            command.add_argument("worker", nargs=argparse.REMAINDER, metavar="WORKER", help=text)
            continue
        if name == "league":
            text = "the league, on every machine in the same place"
            command.add_argument("file", type=Path, metavar="FILE.toml", help=text)
        program = "taikyoku" if name == "league" else "taikyoku-lab"
        text = f"the program `{program}` on every machine (default: that on the path)"
        command.add_argument("--program", metavar="PATH", help=text)
    options, more = parser.parse_known_args()
    if options.cpus < 1:
        parser.error("--cpus: a table takes one CPU or more")
    if options.command != "carry":
        drive(options, more)
    elif not options.worker:
        parser.error("carry: a worker has a command")
    else:
        carry(options)


if __name__ == "__main__":
    main()
