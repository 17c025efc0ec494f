"""A run that is killed again and again loses and repeats no game."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from blocks import make_block
from forked import Forked

from taikyoku_train import checkpoint, journal, worker
from taikyoku_train import run as running
from taikyoku_train.preset import load

HERE = Path(__file__).parent
PRESET = """
[network]
kind = "fast"
layout = "score-four"
channels = 4
blocks = 1
[self_play]
games = 20
chunk = 8
simulations = 2
gumbel = true
[warm]
games = 10
engine = "mock"
epochs = 2
[learning]
batch = 8
rate = [[0, 1e-2]]
window = 30
samples_per_position = 1.0
"""
CYCLES = 3


@pytest.fixture
def start(tmp_path):
    """Starts a run of three cycles in a folder."""
    (tmp_path / "tiny.toml").write_text(PRESET)
    worker = tmp_path / "worker"
    worker.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "mock_worker.py"} "$@"\n')
    worker.chmod(0o755)

    started = []

    def start(*more, pause="0.02", hold="-1"):
        arguments = ["run", str(tmp_path / "tiny.toml"), "--threads", "1", "--out", str(tmp_path / "out")]
        arguments += ["--worker", str(worker), "--cycles", str(CYCLES), *more]
        variables = {"MOCK_PAUSE": pause, "MOCK_HOLD": hold}
        started.append(Forked(arguments, variables, tmp_path / f"said-{len(started)}.txt"))
        return started[-1]

    start.folder = tmp_path / "out"
    yield start
    for run in started:
        run.kill()


def wait_for(run, what, text):
    """Waits until something holds of a run that goes on."""
    begun = time.monotonic()
    while not what():
        assert not run.ended() and time.monotonic() - begun < 100, f"{text}: {run.said.read_text()}"
        time.sleep(0.01)


def games(folder):
    """(number, network) of each game of self-play, by cycle."""
    return [
        [tuple(line.split()) for path in sorted(folder.glob(f"games/self-{cycle:05}-*.tkg")) for line in path.open()]
        for cycle in range(CYCLES)
    ]


def test_killed_again_and_again(start):
    kills = 0
    for delay in (0.0, 0.25, 0.1):
        run = start("--minutes", "2", "--resume")
        # Kill it in the middle of a cycle's games, a little later each time.
        seen = sum(map(len, games(start.folder)))
        wait_for(run, lambda seen=seen: sum(map(len, games(start.folder))) >= seen + 5, "no games were played")
        time.sleep(delay)
        kills += not run.ended()
        run.kill()
    assert kills >= 2
    start("--minutes", "2", "--resume", pause="0").finish(100)
    for cycle, played in enumerate(games(start.folder)):
        assert sorted(int(number) for number, _ in played) == list(range(cycle * 20, cycle * 20 + 20))
        assert len({network for _, network in played}) == 1, "a cycle is played with one network"
    state = checkpoint.newest(start.folder / "checkpoints")
    assert state["run"] == {
        "cycle": CYCLES,
        "steps_left": 0,
        "chunk": 0,
        "sizes": [20] * CYCLES,
        "warm": {"positions": 60, "steps": 15},
    }
    # 60 positions twice for the warm start and 120 for each cycle, 8 to a step.
    assert state["learner"]["step"] == 15 + CYCLES * 15
    assert journal.read(start.folder)[-1]["kind"] == "end"


def test_ctrl_c_and_a_move_in_mid_cycle(start):
    # A worker plays three games and holds on, so that the interrupt comes before the others.
    run = start("--minutes", "2", hold="3")
    wait_for(run, lambda: len(games(start.folder)[0]) == 3, "no games were played")
    os.killpg(run.pid, signal.SIGINT)
    run.finish(60)
    assert len(games(start.folder)[0]) == 3
    assert journal.read(start.folder)[-1]["kind"] == "end"

    # Moved without its network, and gone on with by others' numbers: what has begun is finished as it began.
    for path in start.folder.glob("latest*.onnx"):
        path.unlink()
    output = start("--minutes", "2", "--resume", "--cycle-games", "7", "--epochs", "3", pause="0").finish(100)
    assert "goes on as it began, not with 22 steps" in output
    for played, numbers in zip(games(start.folder), (range(20), range(20, 27), range(27, 34))):
        assert sorted(int(number) for number, _ in played) == list(numbers)
        assert len({network for _, network in played}) == 1, "a cycle is played with one network"
    # 60 positions twice, then 120, 42 and 42 once, 8 to a step.
    assert checkpoint.newest(start.folder / "checkpoints")["learner"]["step"] == 15 + 15 + 5 + 5


def test_killed_while_it_learns(start):
    preset = start.folder.parent / "tiny.toml"
    preset.write_text(PRESET.replace("samples_per_position = 1.0", "samples_per_position = 40.0"))
    saved = lambda: checkpoint.newest(start.folder / "checkpoints")  # noqa: E731
    run = start("--minutes", "2", "--cycles", "1", pause="0")
    wait_for(run, lambda: (state := saved()) and state["run"]["cycle"] == 1, "no cycle was played")
    run.kill()
    state = saved()
    assert state["run"]["steps_left"] == 600 and state["learner"]["step"] == 15, "it was killed too late"
    start("--minutes", "2", "--cycles", "1", "--resume", pause="0").finish(100)
    records = [json.loads(line) for line in (start.folder / "log.jsonl").open()]
    assert [r["step"] for r in records if r["kind"] == "start"] == [0, 15]
    assert [r["kind"] for r in records].count("play") == 1, "no game is played again"
    assert sorted(int(number) for number, _ in games(start.folder)[0]) == list(range(20))
    assert saved()["learner"]["step"] == 15 + 600 and saved()["run"]["steps_left"] == 0


def test_a_resumed_run_reads_the_newest_games_alone(tmp_path, monkeypatch):
    (tmp_path / "tiny.toml").write_text(PRESET)
    # Minutes are counted from the beginning of the program, which is that of all tests.
    settings = running.Settings(tmp_path / "out", 1e6, [], Path("none"))
    run = running.Run(load(str(tmp_path / "tiny.toml")), settings, False)
    run.cycle, run.sizes, run.warm, run.learner.step = 5, [20, 20, 20, 25, 20], {"positions": 60, "steps": 15}, 15
    (run.folder / "games").mkdir()
    for cycle in range(5):
        (run.folder / "games" / f"self-{cycle:05}-000.tkg").touch()
    read = []

    def encode(_, layout, files):
        read.extend(path.name for path in files)
        yield from (make_block(layout, game) for game in range(20))

    monkeypatch.setattr(running, "encode", encode)
    monkeypatch.setattr(worker, "teach", lambda *_: (True, {}))
    run.stopped = True
    assert run._warm_start() is False and not run.loaded, "reading ends when the run is to end"
    read.clear()
    run.stopped = False
    assert run._warm_start() and run.loaded
    # The window has 30 games: those of the last cycle, and some of the one before.
    assert read == ["self-00003-000.tkg", "self-00004-000.tkg"]
    assert len(run.window.sizes) == 30


def test_the_time_is_kept_and_other_folders_are_left_alone(start):
    # Half of so short a time is left to saving. All games of a cycle would take 10 seconds, and those before it 5.
    begun = time.monotonic()
    start("--minutes", "0.1", pause="0.5").finish(60)
    assert time.monotonic() - begun < 20
    records = [json.loads(line) for line in (start.folder / "log.jsonl").open()]
    assert records[-1]["kind"] == "end" and records[-1]["done"] is False
    run = start("--minutes", "1")
    assert run.status(60) == 2 and "--resume" in run.said.read_text()
