"""Self-play on two Ray actors of this machine."""

import os
import sys
from pathlib import Path

import pytest

from taikyoku_train import ray_run
from taikyoku_train.preset import SelfPlay
from taikyoku_train.worker import Task


def test_without_ray_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match="pip install ray"):
        ray_run.load_ray()


def test_two_actors_play_each_game_once(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is an optional extra: pip install ray")
    here = Path(__file__).parent
    worker = tmp_path / "worker"
    worker.write_text(f"#!/bin/sh\nexec {sys.executable} {here / 'mock_worker.py'} \"$@\"\n")
    worker.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here.parent), os.environ.get("PYTHONPATH", "")]))
    tasks = [
        (Task("score-four", SelfPlay(games=20, simulations=1), first, 5, seed=1), tmp_path / f"games-{first}")
        for first in range(0, 20, 5)
    ]
    tasks[0][1].write_text("1 before\n2 before\n")
    try:
        done, told = ray_run.play_tasks(tasks, b"model", 2, str(worker), lambda: False)
    finally:
        ray.shutdown()
    assert done and told["games"] == 20
    lines = [line.split() for _, out in tasks for line in out.open()]
    assert sorted(int(number) for number, _ in lines) == list(range(20))
    assert [number for number, network in lines if network == "before"] == ["1", "2"]
