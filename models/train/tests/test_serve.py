"""Evaluation over pipes."""

import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from mock_worker import question as question_of

from taikyoku_train import serve
from taikyoku_train.evaluator import Evaluator, Question, folded
from taikyoku_train.export import random_positions
from taikyoku_train.frames import REQUEST, Frames
from taikyoku_train.layouts import layout
from taikyoku_train.networks import Shape, build
from taikyoku_train.networks.network import randomise
from taikyoku_train.players import batch_size, memory, open_bytes
from taikyoku_train.preset import SelfPlay, load
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
    assert done and told["batches"] <= 40 and told["batch_most"] == batch
    lines = [line.split() for _, out in tasks for line in out.open()]
    assert sorted(int(line[0]) for line in lines) == list(range(40))
    for game, logits, values in lines:
        packed, ends, moves = question_of(network.layout, batch, int(game))
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


def test_a_quarter_of_the_games_of_a_file_are_open_at_once():
    play, blokus = SelfPlay(games=1, simulations=8, gumbel=True), layout("blokus-fast")
    sizes = [batch_size(play, blokus, chunk, 1 << 40) for chunk in (1, 25, 1000, 4097, 5000)]
    assert sizes == [(size, "") for size in (1, 4, 125, 512, 512)]


def test_memory_is_that_of_the_machine_and_of_its_container(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal:       16 kB\nMemAvailable:       8 kB\n")
    assert memory(tmp_path / "meminfo", tmp_path) == 8192
    for limit, available in (("max", 8192), ("6000", 5000), ("99999", 8192)):
        (tmp_path / "memory.max").write_text(limit + "\n")
        (tmp_path / "memory.current").write_text("1000\n")
        assert memory(tmp_path / "meminfo", tmp_path) == available
    assert memory(tmp_path / "none") > 0


def test_open_games_fit_into_memory():
    paper, blokus = load("paper").self_play, layout("blokus-paper")
    chunk = -(-(paper.games + paper.first_games) // paper.workers)
    assert batch_size(paper, blokus, chunk, 128 << 30) == (-(-chunk // 8), "")
    most, told = batch_size(paper, blokus, chunk, 32 << 30)
    open_games = 2 * most * paper.workers
    assert 0 < most < -(-chunk // 8) and open_games * open_bytes(paper, blokus) <= 0.6 * (32 << 30)
    assert f"batches of {most} instead of {-(-chunk // 8)}" in told and "GB of memory" in told
    with pytest.raises(ValueError, match="take fewer --workers"):
        batch_size(paper, blokus, chunk, 256 << 20)
    # What a game of these settings was measured to hold: 25.3 MB, and 0.86 MB.
    assert open_bytes(paper, blokus) >= 25.3e6
    assert open_bytes(load("fast").self_play, layout("blokus-fast")) >= 0.86e6


def test_requests_are_evaluated_together():
    network, batch = made(SHAPES[0]), 4
    evaluator = Evaluator(network, batch, 0.5, CPU, most=10)
    question, asked = Question(evaluator.room), []
    for game in (2, 3, 2, 0):
        packed, ends, moves = question_of(network.layout, batch, game)
        frame = np.full(evaluator.frames.request_bytes, 255, np.uint8)
        frame[:16].view("<u4")[:] = REQUEST, game % 2, len(packed), len(moves)
        frame[16 : 16 + packed.size] = packed.ravel()
        ends_at = 16 + evaluator.frames.packed_bytes
        frame[ends_at : ends_at + 4 * len(ends)].view("<u4")[:] = ends
        frame[ends_at + 4 * batch :].view("<u2")[: len(moves)] = moves
        if question.add(evaluator.frames.parse(frame)):
            asked.append((packed, ends, moves))
    assert [len(packed) for packed, *_ in asked] == [3, 4, 3], "the fourth has no room"
    for answer, told in zip(evaluator.submit(question)(), asked, strict=True):
        for ours, theirs in zip(answer, direct(network, *told, 0.5), strict=True):
            assert ours == pytest.approx(theirs, abs=2e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_a_gpu_answers_as_the_processor_does(worker, tmp_path):
    network, batch = made(SHAPES[0]), 5
    server = Server(Evaluator(network, batch, 0.3, torch.device("cuda"), most=16), worker, lambda: False)
    play = SelfPlay(games=40, simulations=1)
    tasks = [(Task("blokus-fast", play, first, 20, seed=1), tmp_path / f"games-{first}") for first in (0, 20)]
    assert server.run(tasks, workers=2)[0]
    for game, logits, values in (line.split() for _, out in tasks for line in out.open()):
        packed, ends, moves = question_of(network.layout, batch, int(game))
        expected = direct(network, packed, ends, moves, 0.3)
        assert float(logits) == pytest.approx(expected[0].sum(), rel=0.05, abs=1.0)
        assert float(values) == pytest.approx(expected[1][:, 0].sum(), abs=0.05)


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
