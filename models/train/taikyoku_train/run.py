"""A run: cycles of self-play and learning in a folder, which can be stopped at any moment and gone on with."""

from __future__ import annotations

import fcntl
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import STARTED, checkpoint, worker
from .export import export, int8_path, quantise
from .journal import Journal
from .learner import Learner, choose_device, choose_precision
from .players import Cycle, batch_size, chunk_size, memory, play_cycle
from .preset import Preset
from .samples import encode
from .settings import Settings
from .window import Window
from .worker import LATEST

#: Seconds between checkpoints, between records of the log, and between measurements on the held-out games.
CHECKPOINT_EVERY, LOG_EVERY, MEASURE_EVERY = 60.0, 10.0, 240.0
#: Samples on which the held-out games are measured, in batches.
MEASURED, MEASURE_BATCH = 1024, 256


class Run:
    """A training in a folder.

    `games/`: files of games; `checkpoints/`; `latest.onnx` and `latest.int8.onnx`: the network that plays;
    `log.jsonl`. The games of a cycle are numbered on from those of the cycle before and lie in files of their own, so
    that a cycle that was cut off is finished where it stopped, with the network that it began with.
    """

    def __init__(self, preset: Preset, settings: Settings, resume: bool) -> None:
        self.preset, self.settings = preset, settings
        device = choose_device(settings.device)
        precision = choose_precision(settings.precision, device)
        self.folder = settings.out
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{self.folder}: another run is using it") from None
        self.started = STARTED
        self.margin = min(20.0, settings.minutes * 30)
        self.stopped = False
        self.journal = Journal(self.folder)
        self.learner = Learner(preset, settings.seed, device, precision, settings.compiled)
        self.layout = self.learner.layout
        self.window = Window(self.layout, preset.learning.window)
        self.held = Window(self.layout, preset.learning.window)
        self.cycle = 0
        self.steps_left = 0
        self.chunk = 0
        """Games of a file of the cycle that is being played."""
        self.sizes: list[int] = []
        """Games of each cycle that has begun: a preset may change, not what is numbered already."""
        self.warm: dict[str, int] = {}
        """The warm start's `positions` and `steps`."""
        self.loaded = False
        """Whether the window has all that it should have."""
        self.saved = self.measured = time.monotonic()
        state = checkpoint.newest(self.folder / "checkpoints")
        if state is not None:
            if not resume:
                raise ValueError(f"{self.folder} holds a run; go on with it by --resume, or take another folder")
            self._restore(state)

    def _restore(self, state: dict[str, Any]) -> None:
        if state["preset"]["network"] != self.preset.network.as_dict():
            raise ValueError(f"{self.folder}: its network is another: {state['preset']['network']}")
        self.learner.restore(state["learner"])
        told = state["run"]
        for name in ("cycle", "steps_left", "chunk"):
            setattr(self, name, told[name])
        begun = self.cycle + (self.chunk > 0)
        self.sizes = list(told.get("sizes", [state["preset"]["self_play"]["games"]] * begun))
        self.warm = dict(told.get("warm", {}))

    @property
    def warm_steps(self) -> int:
        """Steps of the warm start."""
        return self.warm.get("steps", 0)

    def serves(self) -> bool:
        """Whether the workers' positions are evaluated here."""
        here = self.settings.players == "auto" and self.learner.device.type == "cuda"
        return not self.settings.ray and (here or self.settings.players == "pipe")

    def plays_int8(self) -> bool:
        """Whether workers may play with the int8 file."""
        return self.settings.int8 and self.preset.self_play.int8 and not self.serves()

    def stopping(self) -> bool:
        """Whether the time is up, but for what saving takes, or somebody asked to stop."""
        spent = time.monotonic() - self.started
        return self.stopped or spent > self.settings.minutes * 60 - self.margin

    def run(self) -> bool:
        """Runs until the time is up (false) or all is done (true)."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)
        if self.serves():
            play = self.preset.self_play
            batch_size(play, self.layout, chunk_size(play, 0, True, play.games + play.first_games), memory())
        self.journal.write("start", self.learner.step, preset=self.preset.name, network=str(self.preset.network))
        done = self._warm_start() and (self.settings.warm_only or self._cycles())
        self.save()
        self.export(last=True)
        self.journal.write("end", self.learner.step, done=done, cycle=self.cycle)
        return done

    def _stop(self, *_: object) -> None:
        self.stopped = True

    def _warm_start(self) -> bool:
        """Loads all games that there are, makes those of the warm start, and learns from them; whether it is done."""
        warm, files = self.preset.warm, self.settings.games
        if not files and warm.games:
            files = [self.folder / "games" / "teach.tkg"]
            settings = self.settings
            begun = time.monotonic()
            done, progress = worker.teach(
                settings.worker, files[0], warm.games, warm.engine, settings.threads, settings.seed, self.stopping
            )
            self.journal.write("teach", self.learner.step, **{**progress, "seconds": time.monotonic() - begun})
            if not done:
                return False
        holdout = self.preset.learning.holdout
        first = self._first_cycle()
        # Games that would be pushed out of the window at once are loaded only if some are to be measured with.
        positions = self._load(files, holdout) if first == 0 or holdout or not self.warm else self.warm["positions"]
        if positions is None:
            return False
        for cycle in range(first, self.cycle):
            if self._load(self.cycle_files(cycle)) is None:
                return False
        self.loaded = True
        if not files:
            self.warm = {}
            return True
        if self.settings.begin and self.learner.step == 0:
            self.learner.inherit(self.settings.begin, self.window.draw(self.settings.seed, 0, MEASURE_BATCH))
            self.measure()
        steps = round(positions * warm.epochs / self.preset.learning.batch)
        # The rate falls over these steps: others than those that it began with would make it jump.
        if self.warm.get("positions") != positions:
            told = {"before": self.warm["positions"], "note": "other games than before"} if self.warm else {}
            self.warm = {"positions": positions, "steps": steps}
        else:
            told = {} if steps == self.warm_steps else {"note": f"goes on as it began, not with {steps} steps"}
        self.journal.write("warm", self.learner.step, positions=positions, steps=self.warm_steps, **told)
        return self.learn(self.warm_steps - self.learner.step)

    def _first_cycle(self) -> int:
        """The oldest cycle with games that are among the newest of the window; 0: the window holds all and more."""
        room = self.preset.learning.window
        for cycle in reversed(range(self.cycle)):
            room -= self.sizes[cycle]
            if room <= 0:
                return cycle
        return 0

    def _load(self, files: list[Path], holdout: int = 0) -> int | None:
        """Adds files of games to the window, by their numbers; the number of new positions, or none when it is time to
        stop before they are read."""
        if not files:
            return 0
        blocks = []
        for block in encode(self.settings.worker, self.layout, files):
            if self.stopping():
                return None
            blocks.append(block)
        blocks.sort(key=lambda block: block.game, reverse=True)
        if holdout:
            self.held.add(b for b in reversed(blocks) if b.game % holdout == holdout - 1)
            blocks = [b for b in blocks if b.game % holdout != holdout - 1]
        # Each block goes as soon as the window has it: large files are in memory once.
        return self.window.add(blocks.pop() for _ in range(len(blocks)))

    def cycle_files(self, cycle: int) -> list[Path]:
        """The files of a cycle's games that are there."""
        return sorted((self.folder / "games").glob(f"self-{cycle:05}-*.tkg"))

    def _cycles(self) -> bool:
        """Cycles of self-play and learning; whether all is done."""
        learning = self.preset.learning
        while not (learning.total and self.learner.step >= learning.total):
            if self.settings.cycles and self.cycle >= self.settings.cycles and not self.steps_left:
                return True
            if not self.steps_left:
                # The network of this cycle, on disk before its first game.
                self.export()
                if not self.chunk:
                    play = self.preset.self_play
                    self.sizes.append(play.games + (play.first_games if self.cycle == 0 else 0))
                    games = self.sizes[self.cycle]
                    self.chunk = chunk_size(self.preset.self_play, self.settings.ray, self.serves(), games)
                    self.save()
                if not self._play():
                    return False
                positions = self._load(self.cycle_files(self.cycle))
                if positions is None:
                    return False
                wanted = learning.steps or round(positions * learning.samples_per_position / learning.batch)
                self.steps_left, self.chunk = max(1, wanted), 0
                self.cycle += 1
                self.save()
            if learning.total:
                self.steps_left = min(self.steps_left, learning.total - self.learner.step)
            if not self.learn(self.steps_left):
                return False
        return True

    def _play(self) -> bool:
        """Plays the games of a cycle; whether all of them are there."""
        begun = time.monotonic()
        server = self.learner if self.serves() else None
        cycle = Cycle(self.cycle, sum(self.sizes[: self.cycle]), self.sizes[self.cycle], self.chunk, self.plays_int8())
        done, progress = play_cycle(cycle, self.preset, self.settings, server, self.stopping)
        seconds = time.monotonic() - begun
        speeds = {f"{k}_per_second": progress[k] / max(1e-9, seconds) for k in ("games", "positions") if k in progress}
        self.journal.write(
            "play", self.learner.step, cycle=self.cycle, done=done, **{**progress, **speeds, "seconds": seconds}
        )
        return done

    def learn(self, steps: int) -> bool:
        """Learns for so many steps; whether it came to the end of them."""
        logged, since, samples = time.monotonic(), self.learner.step, self.preset.learning.batch
        end = self.learner.step + max(0, steps)
        while self.learner.step < end:
            if self.stopping():
                return False
            now = time.monotonic()
            measured = now - logged > LOG_EVERY or self.learner.step + 1 == end
            batch = self.window.draw(self.settings.seed, self.learner.step, samples)
            told = self.learner.learn(batch, self.warm_steps, measured)
            self.steps_left = max(0, self.steps_left - 1)
            if measured:
                speed = (self.learner.step - since) / max(1e-9, time.monotonic() - logged)
                rates = {"steps_per_second": speed, "samples_per_second": speed * samples}
                rate = self.learner.rate(self.warm_steps)
                self.journal.write("learn", self.learner.step, **rates, rate=rate, **told)
                logged, since = time.monotonic(), self.learner.step
            if time.monotonic() - self.saved > CHECKPOINT_EVERY:
                self.save()
            if time.monotonic() - self.measured > MEASURE_EVERY:
                self.measure()
        self.measure()
        return True

    def measure(self) -> None:
        """Measures the averaged network on the held-out games."""
        if not len(self.held):
            return
        index = np.linspace(0, len(self.held) - 1, min(MEASURED, len(self.held))).astype(int)
        told = [
            self.learner.measure(self.held.gather(index[i : i + MEASURE_BATCH]))
            for i in range(0, len(index), MEASURE_BATCH)
        ]
        self.measured = time.monotonic()
        means = {name: float(np.mean([t[name] for t in told])) for name in told[0]}
        self.journal.write("valid", self.learner.step, **means)

    def save(self) -> None:
        """Writes a checkpoint."""
        begun = time.monotonic()
        state = {
            "learner": self.learner.state(),
            "preset": self.preset.as_dict(),
            "run": {name: getattr(self, name) for name in ("cycle", "steps_left", "chunk", "sizes", "warm")},
        }
        checkpoint.save(self.folder / "checkpoints", state)
        self.saved = time.monotonic()
        self.margin = max(self.margin, 5 + 4 * (self.saved - begun))

    def export(self, last: bool = False) -> None:
        """Writes the network that plays, unless games are being played with it (it is that of the checkpoint then, and
        written again only if a run was moved without it); its int8 form where that plays, and at the end."""
        begun = time.monotonic()
        path = self.folder / LATEST
        small = int8_path(path)
        if not path.exists() or self.loaded and not self.chunk:
            # A crash must not leave the int8 form of another network beside it.
            small.unlink(missing_ok=True)
            export(self.learner.average, path, self.learner.step, self.preset.name)
        if (last or self.plays_int8()) and len(self.window) and not small.exists():
            positions = self.window.draw(self.settings.seed, 0, 512).packed
            quantise(path, small, self.layout, positions)
        self.margin = max(self.margin, 5 + 4 * (time.monotonic() - begun))
