"""The whole loop in little: games of a classical engine, learning, export, self-play, a crash, a match."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import checkpoint, journal, match, preset
from .agreement import agreement
from .export import export, int8_path
from .networks import build
from .parity import TOLERANCE, differences
from .samples import Block, encode
from .window import Window

#: Cycles of self-play; seconds of processor time, which do not depend on the load of the machine, after which the smoke
#: test aborts a part of the run; seconds without any processor time after which a part counts as hanging.
CYCLES, PATIENCE, STANDSTILL = 2, 600.0, 300.0
#: int8 must choose the same likeliest move as fp32 in this share of the positions.
AGREEMENT = 0.8


def processor_time(process: int) -> float:
    """Returns the seconds of processor time of a process and its descendants; without `/proc`, those of the clock."""
    if not Path("/proc/self/stat").exists():
        return time.monotonic()
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        parents[number], spent[number] = int(fields[1]), sum(map(int, fields[11:15]))
    family, found = {process}, {process}
    while found:
        found = {number for number, parent in parents.items() if parent in found}
        family |= found
    return sum(spent.get(number, 0) for number in family) / os.sysconf("SC_CLK_TCK")


class Smoke:
    """The smoke run in a folder; `failures` says what went wrong."""

    def __init__(self, folder: Path, worker: Path, threads: int) -> None:
        self.folder, self.worker, self.threads = folder, worker, threads
        self.preset = preset.load("smoke")
        self.begun = time.monotonic()
        self.failures: list[str] = []

    def say(self, text: str) -> None:
        """A line of the summary, with the seconds since the beginning."""
        print(f"[{time.monotonic() - self.begun:5.1f} s] {text}", flush=True)

    def check(self, holds: bool, text: str) -> None:
        """Notes what should hold."""
        self.say(f"{'ok:  ' if holds else 'FAIL:'} {text}")
        if not holds:
            self.failures.append(text)

    def start(self, players: str) -> subprocess.Popen:
        """Starts or resumes the run."""
        command = [sys.executable, "-m", "taikyoku_train", "run", "smoke", "--out", str(self.folder), "--minutes", "60"]
        command += ["--resume", "--cycles", str(CYCLES), "--threads", str(self.threads), "--worker", str(self.worker)]
        command += ["--players", players]
        place = Path(__file__).parents[1]
        # Its few lines fit into the pipe.
        return subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def files(self) -> list[Path]:
        """The files of self-play."""
        return sorted((self.folder / "games").glob("self-*.tkg"))

    def run(self) -> bool:
        """All of it; whether nothing went wrong."""
        self.crash()
        self.resume()
        if not self.failures:
            self.games()
            self.network()
        self.say(f"{'FAILED' if self.failures else 'passed'}: {self.folder}")
        return not self.failures

    def crash(self) -> None:
        """Runs until self-play has begun, the workers with the ONNX file, then kills the run as hard as can be."""
        run = self.start("onnx")
        self.watch(run, lambda: any(path.stat().st_size > 1000 for path in self.files()))
        run.kill()
        output, _ = run.communicate()
        self.check(bool(self.files()), f"killed in the middle of self-play, exit status {run.returncode}")
        if self.failures:
            self.say(output.decode(errors="replace"))

    def watch(self, run: subprocess.Popen, is_over: Callable[[], bool]) -> None:
        """Waits until a run has ended or `is_over`; kills it when it takes too much processor time, or none."""
        begun = spent = processor_time(run.pid)
        moved = time.monotonic()
        while not is_over():
            try:
                run.wait(0.1)
                return
            except subprocess.TimeoutExpired:
                pass
            if (now := processor_time(run.pid)) > spent:
                spent, moved = now, time.monotonic()
            if spent - begun > PATIENCE or time.monotonic() - moved > STANDSTILL:
                log = self.folder / "log.jsonl"
                last = log.read_text().splitlines()[-1:] if log.exists() else []
                self.check(
                    False, f"given up after {spent - begun:.0f} s of processor time; the last line of its log: {last}"
                )
                run.kill()
                return

    def resume(self) -> None:
        """Goes on to the end, the workers asking over pipes."""
        run = self.start("pipe")
        self.watch(run, lambda: False)
        output, _ = run.communicate()
        state = checkpoint.newest(self.folder / "checkpoints")
        done = state is not None and state["run"]["cycle"] == CYCLES and state["run"]["steps_left"] == 0
        self.check(run.returncode == 0 and done, f"resumed to the end, exit status {run.returncode}")
        played = [r for r in journal.read(self.folder) if r["kind"] == "play" and "batches" in r]
        evaluations, batches = (sum(r[name] for r in played) for name in ("evaluations", "batches"))
        self.check(batches > 0, f"over pipes {evaluations} evaluations in {batches} batches")
        if self.failures:
            self.say(output.decode(errors="replace"))

    def games(self) -> None:
        """No game is lost or repeated; what was learnt is better than nothing."""
        layout = build(self.preset.network).layout
        self.blocks: list[Block] = list(encode(self.worker, layout, self.files()))
        numbers = [block.game for block in self.blocks]
        wanted = CYCLES * self.preset.self_play.games
        self.check(sorted(numbers) == list(range(wanted)), f"games of self-play: each of {wanted} once, none lost")
        learnt = [r for r in journal.read(self.folder) if r["kind"] == "learn"]
        losses = [r["policy_kl"] for r in learnt]
        self.check(
            bool(losses) and losses[-1] < 3.5,
            f"{learnt[-1]['step']} steps, {learnt[-1]['samples_per_second']:.0f} samples/s, policy "
            f"{losses[-1]:.2f} above its entropy, likeliest move right in {learnt[-1]['policy_top1']:.0%}",
        )

    def network(self) -> None:
        """Export, agreement of all engines, a match."""
        state: dict[str, Any] = checkpoint.find(self.folder)
        network = build(self.preset.network).eval()
        network.load_state_dict(state["learner"]["average"])
        path = self.folder / "smoke.onnx"
        export(network, path, state["learner"]["step"], "smoke")
        files = self.files()[:1]
        blocks = list(encode(self.worker, network.layout, files))
        found = differences(self.worker, path, files, blocks, network, ["ort", "rten"])
        text = ", ".join(f"{name} {value:.1e}" for name, value in found.items())
        self.check(max(found.values()) < TOLERANCE, f"largest difference from PyTorch: {text}")

        small = int8_path(self.folder / "latest.onnx")
        window = Window(network.layout, 1000)
        window.add(self.blocks)
        batch = window.draw(1, 1, 256)
        told = agreement(self.folder / "latest.onnx", small, batch, network.layout)
        self.check(told["top1"] >= AGREEMENT, f"int8 against fp32: {json.dumps(told)}")

        result = match.play(self.worker, match.specification(small, 16, None, "auto", ""), "random", 4, 1, 1)
        ours, theirs = (entrant["mean_points"] for entrant in result["match"]["entrants"][:2])
        self.check(
            result["match"]["games"] == 4,
            f"a match against three random players: share of the win {result['share']:.2f}, "
            f"mean score {ours:.0f} to {theirs:.0f}",
        )
