"""Evaluation over pipes."""

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from mock_worker import question

from taikyoku_train import serve
from taikyoku_train.evaluator import Evaluator, folded
from taikyoku_train.export import random_positions
from taikyoku_train.frames import REQUEST, Frames
from taikyoku_train.layouts import layout
from taikyoku_train.networks import Shape, build
from taikyoku_train.networks.network import randomise
from taikyoku_train.players import batch_size
from taikyoku_train.preset import SelfPlay
from taikyoku_train.serve import Server
from taikyoku_train.worker import Task, WorkerError

CPU = torch.device("cpu")
SHAPES = [Shape("fast", "blokus-fast", 8, 2), Shape("paper", "blokus-paper", 8, 1)]


def made(shape):
    """A network of random weights."""
    network = build(shape).eval()
    randomise(network, 5)
    return network


@pytest.fixture
def worker(tmp_path, monkeypatch):
    """The mock as a program."""
    program = tmp_path / "worker"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / "mock_worker.py"} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("MOCK_PAUSE", "0")
    return program


@torch.no_grad()
def direct(network, packed, ends, moves, score_share):
    """What should be answered: logits of the moves, win shares."""
    x, g = network.layout.expand(packed)
    output = network(torch.from_numpy(x), torch.from_numpy(g))
    row = np.repeat(np.arange(len(packed)), np.diff(ends, prepend=0))
    if network.layout.shares:
        value = output.value.softmax(1)
        value = (1 - score_share) * value + score_share * output.score.softmax(1)
    else:
        value = (output.value.tanh() + 1) / 2
        value = value / value.sum(1, keepdim=True)
    return output.policy.numpy()[row, moves], value.numpy()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_folding_changes_nothing(shape):
    network = made(shape)
    x, g = network.layout.expand_tensor(torch.from_numpy(random_positions(network.layout, 4, 1)))
    ours, theirs = network(x, g), folded(network)(x, g)
    assert torch.allclose(ours.policy, theirs.policy, atol=1e-5) and torch.allclose(ours.value, theirs.value, atol=1e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_workers_are_answered_what_the_network_says(shape, worker, tmp_path):
    network, batch = made(shape), 5
    share = 0.3 if network.layout.scores else 0.0
    server = Server(Evaluator(network, batch, share, CPU), worker, lambda: False)
    play = SelfPlay(games=40, simulations=1)
    tasks = [
        (Task(shape.layout, play, first, games, seed=1), tmp_path / f"games-{first}")
        for first, games in ((0, 17), (17, 17), (34, 6))
    ]
    done, told = server.run(tasks, workers=2)
    assert done and told["batches"] == 40
    lines = [line.split() for _, out in tasks for line in out.open()]
    assert sorted(int(line[0]) for line in lines) == list(range(40))
    for game, logits, values in lines:
        packed, ends, moves = question(network.layout, batch, int(game))
        expected = direct(network, packed, ends, moves, share)
        assert float(logits) == pytest.approx(expected[0].sum(), abs=2e-2)
        assert float(values) == pytest.approx(expected[1][:, 0].sum(), abs=2e-3)


def test_stopping_leaves_what_is_finished(worker, tmp_path, monkeypatch):
    monkeypatch.setenv("MOCK_PAUSE", "0.05")
    out = tmp_path / "games"
    server = Server(Evaluator(made(SHAPES[0]), 2, 0.0, CPU), worker, lambda: out.exists() and out.stat().st_size > 60)
    task = Task("blokus-fast", SelfPlay(games=400, simulations=1), 0, 400, seed=1)
    done, _ = server.run([(task, out)], workers=1)
    played = len(out.read_text().splitlines())
    assert not done and 0 < played < 400
    monkeypatch.setenv("MOCK_PAUSE", "0")
    server = Server(Evaluator(made(SHAPES[0]), 2, 0.0, CPU), worker, lambda: False)
    assert server.run([(task, out)], workers=1)[0]
    assert [int(line.split()[0]) for line in out.open()] == list(range(400))


def test_a_worker_that_fails_is_heard(worker, tmp_path):
    server = Server(Evaluator(made(SHAPES[0]), 2, 0.0, CPU), worker, lambda: False)
    task = Task("blokus-fast", SelfPlay(games=1, simulations=1), 0, 1, seed=1)
    with pytest.raises(WorkerError, match="ended with 1"):
        server.run([(task, tmp_path)], workers=1)


def test_a_worker_that_reads_no_answers_is_given_up(worker, tmp_path, monkeypatch):
    monkeypatch.setenv("MOCK_DEAF", "600")
    monkeypatch.setattr(serve, "PATIENCE", 0.5)
    server = Server(Evaluator(made(SHAPES[0]), 1, 0.0, CPU), worker, lambda: time.monotonic() > begun + 3)
    task = Task("blokus-fast", SelfPlay(games=1, simulations=1), 0, 1, seed=1)
    told = []
    begun = time.monotonic()
    thread = threading.Thread(target=lambda: told.append(server.run([(task, tmp_path / "games")], 1)), daemon=True)
    thread.start()
    thread.join(60)
    assert told and told[0][0] is False, "it waits for ever"


def test_batches_are_not_larger_than_the_games_of_a_worker():
    assert [batch_size(512, chunk) for chunk in (1, 25, 1000, 1025, 5000)] == [1, 13, 500, 512, 512]


def test_a_strange_frame_is_refused():
    frames = Frames(layout("blokus-fast"), 2)
    frame = np.zeros(frames.request_bytes, np.uint8)
    header = frame[:16].view("<u4")
    for wrong in ((1, 0, 1, 1), (REQUEST, 2, 1, 1), (REQUEST, 0, 3, 1), (REQUEST, 0, 0, 0), (REQUEST, 0, 1, 1 << 20)):
        header[:] = wrong
        with pytest.raises(ValueError, match="not a request"):
            frames.parse(frame)
    header[:] = REQUEST, 1, 2, 7
    assert frames.parse(frame).m == 7
