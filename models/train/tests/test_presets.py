"""Presets."""

import argparse
import sys

import pytest
import torch

from taikyoku_train import preset
from taikyoku_train.__main__ import main
from taikyoku_train.commands import run
from taikyoku_train.networks import build
from taikyoku_train.preset import FOLDER, from_dict, load


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_presets_load_and_come_back_from_checkpoints(path):
    made = load(path.stem)
    assert made.name == path.stem
    assert build(made.network).layout.name == made.network.layout
    assert from_dict(made.as_dict(), "checkpoint") == made


def test_the_papers_numbers():
    paper = load("paper")
    play, learning = paper.self_play, paper.learning
    assert (play.simulations, play.noise, play.alpha, play.drawn_plies, play.gumbel) == (800, 0.25, 0.02, 20, False)
    assert (play.games, learning.steps, learning.window, learning.total) == (1000, 1000, 10_000, 70_000)
    assert play.first_games + play.games * learning.total // learning.steps == 80_000
    assert (learning.batch, learning.momentum, learning.decay, learning.optimiser) == (64, 0.9, 1e-4, "sgd")
    assert learning.rate == ((0, 1e-3), (40_001, 1e-4)) and not paper.loss.masked
    assert (paper.network.channels, paper.network.blocks) == (128, 10)


def test_the_numbers_of_the_paper_on_dobutsu_shogi():
    paper = load("dobutsu-paper")
    play, learning = paper.self_play, paper.learning
    assert (play.noise, play.alpha, play.mate, learning.window) == (0.25, 0.34, 7, 10_000)
    assert (learning.batch, learning.momentum, learning.decay, learning.optimiser) == (2048, 0.9, 1e-4, "sgd")
    assert [step for step, _ in learning.rate] == [0, 100_000, 300_000, 500_000]
    network = build(paper.network)
    shapes = [
        tuple(p.shape) for name, p in network.named_parameters() if name in ("policy.weight", "value_hidden.weight")
    ]
    assert shapes == [(144, 256 * 12), (256, 12)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("[learning]\nbatch = 0", "batch"),
        ("[learning]\nbatches = 1", "batches"),
        ("[learning]\nbatch = 'x'", "not of type int"),
        ("[network]\nkind = 1", "kind"),
        ("[self_play]\ngames = 1\nsimulations = 1\nalpha = 0.0", "alpha"),
        ("[self_play]\ngames = 1\nsimulations = 1\nnoise = 2.0", "noise"),
        ("[oops]\nx = 1", "oops"),
        ("x = [", "x.toml"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, change, message):
    tables = {
        "[network]": "kind = 'fast'\nlayout = 'score-four'\nchannels = 8\nblocks = 1",
        "[self_play]": "games = 1\nsimulations = 1",
        "[learning]": "batch = 8\nrate = [[0, 0.1]]",
    }
    head, _, body = change.partition("\n")
    if head in tables:
        given = [line.split(" =")[0] for line in body.splitlines()]
        kept = [line for line in tables[head].splitlines() if line.split(" =")[0] not in given]
        tables[head] = "\n".join([*kept, body])
    else:
        tables[head] = body
    path = tmp_path / "x.toml"
    path.write_text("\n".join(f"{name}\n{body}" for name, body in tables.items()))
    with pytest.raises(ValueError, match=message):
        load(str(path))


def test_an_unknown_preset_names_those_there_are():
    names = "dobutsu, dobutsu-pairs, dobutsu-pairs-zero, dobutsu-paper, dobutsu-zero, fast, fast-gpu, paper, score-four"
    with pytest.raises(ValueError, match=names):
        preset.load("nonsense")


@pytest.mark.parametrize(
    ("more", "error"),
    [
        (["--from", "net.onnx"], "needs games"),
        (["--warm-rate", "0"], "--warm-rate: a number above 0"),
        (["--warm-rate", "1.5"], "--warm-rate: a number above 0"),
        (["--rate", "8000:1e-4"], "from step 0 on"),
        (["--rate", "1e-3", "8000:1e-4", "8000:1e-5"], "later and later steps"),
        (["--leaf-playouts", "-1"], "--leaf-playouts: a number from 0 on"),
        (["--device", "nonsense"], "device 'nonsense' is not known; there are: auto, cpu, cuda"),
    ],
)
def test_options_that_cannot_be_are_refused(more, error, tmp_path):
    parser = argparse.ArgumentParser()
    run.add(parser.add_subparsers())
    options = parser.parse_args(
        ["run", "fast", "--out", str(tmp_path), "--minutes", "1", "--worker", sys.executable, *more]
    )
    with pytest.raises(ValueError, match=error):
        run.run(options)


def test_numbers_of_a_preset_are_those_of_the_command_line(tmp_path):
    parser = argparse.ArgumentParser()
    run.add(parser.add_subparsers())
    options = ["--warm-rate", "5e-4", "--rate", "1e-3", "8000:1e-4", "--batch", "64", "--workers", "3"]
    options = parser.parse_args(
        ["run", "fast", "--out", str(tmp_path), "--minutes", "1", "--leaf-playouts", "0", *options]
    )
    made = run.changed(load("fast"), options)
    assert made.warm.rate == 5e-4
    assert (made.learning.rate, made.learning.batch) == (((0, 1e-3), (8000, 1e-4)), 64)
    assert (made.self_play.workers, made.self_play.leaf_playouts) == (3, 0)


def test_a_preset_says_only_what_differs_from_its_base():
    base, made = load("fast"), load("fast-gpu")
    assert (base.network.blocks, made.network.blocks, made.self_play.workers) == (5, 10, 14)
    assert made.self_play.simulations == base.self_play.simulations and made.loss == base.loss


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused_before_anything_is_made(tmp_path):
    out = tmp_path / "run"
    status = main(["run", "fast", "--out", str(out), "--minutes", "1", "--device", "cuda", "--worker", sys.executable])
    assert status == 2 and not out.exists()
