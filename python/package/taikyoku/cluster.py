"""Leagues on many machines, by Ray: `python -m taikyoku.cluster league FILE.toml --ray-address auto`.

The program `taikyoku league` drives the league as ever: it has the schedule, the journal and the report. What is here
only carries its pieces of work, a task of Ray for each, to workers (`taikyoku league work`), and the lines of the
journal back. FILE and the programs that it names are on every machine in the same place. Ray is an optional extra:
`pip install taikyoku[cluster]`.
"""

from __future__ import annotations

import argparse
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
from pathlib import Path
from typing import Any

#: Seconds between looks at what is done, and at the machines of the cluster.
POLL, LOOK = 0.05, 1.0
#: Seconds without a machine that has room, after which the user is told.
LONELY = 60.0
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
    one has played before it failed, or was killed, counts.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, input=league + piece, stdout=subprocess.PIPE, stderr=said, check=False)
        said.seek(0)
        tail = said.read().decode(errors="replace").strip()[-TAIL:]
    lines = whole_lines(done.stdout)
    if not any(b'"games"' in line or b'"void"' in line for line in lines):
        raise RuntimeError(f"{shlex.join(command[:3])} has ended with status {done.returncode}: {tail}")
    return int(1000 * (time.monotonic() - began)), b"".join(line + b"\n" for line in lines)


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


class Carrier:
    """Carries pieces from standard input to tasks of Ray, and what comes of them to standard output."""

    def __init__(self, ray: Any, command: list[str], cpus: int = 1) -> None:
        self.ray, self.command, self.cpus = ray, command, cpus
        self.league: Any = None
        self.tasks: dict[Any, int] = {}
        """The number of the piece of each task."""
        self.slots = 0
        self.lonely, self.warned = time.monotonic(), False

    def say(self, message: bytes) -> None:
        """Writes a line; the league reads it at once."""
        sys.stdout.buffer.write(message + b"\n")
        sys.stdout.buffer.flush()

    def hear(self, line: bytes) -> None:
        """Takes a line of the league."""
        message = json.loads(line)
        if "league" in message:
            self.league = self.ray.put(line)
            self.remote = self.ray.remote(num_cpus=self.cpus, max_retries=0)(work_here)
            self.look()
        else:
            self.tasks[self.remote.remote(self.command, self.league, line)] = message["piece"]

    def look(self) -> None:
        """Tells the league when the cluster has grown or shrunk."""
        nodes = [node for node in self.ray.nodes() if node["Alive"]]
        slots = sum(int(node["Resources"].get("CPU", 0)) // self.cpus for node in nodes)
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
            piece = self.tasks.pop(task)
            try:
                ms, written = self.ray.get(task)
            except self.ray.exceptions.RayError as error:
                lost = getattr(error, "cause", None) or error
                text = str(lost).strip() or "it does not say why"
                # What Ray says of a lost machine has many lines.
                text = text if isinstance(lost, RuntimeError) else text.splitlines()[0]
                self.say(json.dumps({"piece": piece, "lost": f"{type(lost).__name__}: {text}"}).encode())
                continue
            lines = b",".join(line for line in written.split(b"\n") if line)
            self.say(b'{"piece":%d,"ms":%d,"lines":[%s]}' % (piece, ms, lines))

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
    return work([*command, "--machine", name], league, piece)


def carry(options: argparse.Namespace) -> None:
    """The program behind `taikyoku league --workers`."""
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
    command = [options.program, "league", "work", str(options.file), "--keys", "-"]
    try:
        Carrier(ray, command, options.cpus).run(lines)
    except BrokenPipeError:
        # The league was killed.
        sys.stdout = sys.stderr
    finally:
        ray.shutdown()


def league(options: argparse.Namespace, more: list[str]) -> None:
    """Becomes the program that drives the league."""
    load_ray()
    file = options.file.resolve()
    carrier = [sys.executable, "-m", "taikyoku.cluster", "carry", str(file), "--program", options.program]
    carrier += ["--cpus", str(options.cpus)]
    if options.ray_address is not None:
        carrier += ["--ray-address", options.ray_address]
    command = [options.program, "league", str(options.file), "--workers", shlex.join(carrier), *more]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}: name the program with --program, or put it on the path")


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m taikyoku.cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, text in (
        ("league", "play a league on a cluster, or go on with it; other options are those of `taikyoku league`"),
        ("carry", "carry pieces of a league from standard input (what `league` starts)"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument(
            "file", type=Path, metavar="FILE.toml", help="the league, on every machine in the same place"
        )
        command.add_argument(
            "--ray-address", metavar="ADDRESS", help="the cluster: auto, or HOST:PORT (default: this machine alone)"
        )
        command.add_argument("--cpus", type=int, default=1, metavar="N", help="CPUs for a table (default: 1)")
        command.add_argument(
            "--program",
            default="taikyoku",
            metavar="PATH",
            help="the program `taikyoku` on every machine (default: that on the path)",
        )
    options, more = parser.parse_known_args()
    if options.cpus < 1:
        parser.error("--cpus: a table takes one CPU or more")
    if options.command == "league":
        league(options, more)
    elif more:
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    else:
        carry(options)


if __name__ == "__main__":
    main()
