"""Losses, learner and checkpoints."""

import dataclasses

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from blocks import make_block

from taikyoku_train import checkpoint
from taikyoku_train.layouts import layout
from taikyoku_train.learner import Learner
from taikyoku_train.losses import Targets, losses
from taikyoku_train.networks import Output
from taikyoku_train.preset import Loss, load
from taikyoku_train.window import Window

CPU = torch.device("cpu")


def batch_of(shape, games=3):
    """A batch of made-up games, one of whose samples has no policy target."""
    blocks = [make_block(shape, game) for game in range(games)]
    blocks[0].weights[: blocks[0].ends[0]] = 0
    blocks[1].root[:] = 1 / shape.seats
    window = Window(shape, games)
    window.add(blocks)
    return window.gather(np.arange(len(window)))


def output_of(shape, count):
    """Random answers."""
    torch.manual_seed(3)
    ownership = torch.randn(count, shape.outcomes, shape.height, shape.width)
    return Output(
        torch.randn(count, shape.policy), torch.randn(count, shape.seats), torch.randn(count, shape.seats), ownership
    )


def test_losses_are_what_their_formulas_say():
    shape = layout("blokus-fast")
    batch = batch_of(shape)
    targets, output = Targets.of(batch, shape, CPU), output_of(shape, len(batch.packed))
    weights = Loss(policy=1.0, value=2.0, score=0.5, ownership=0.25, root=0.4)
    total, parts = losses(output, targets, shape, weights)
    policy, value, score = [], [], []
    for i in range(len(batch.packed)):
        count = int(batch.legal[i].sum())
        logits = output.policy[i][batch.moves[i][:count]]
        if batch.weights[i].any():
            # The target is the first move.
            policy.append(-logits.log_softmax(0)[0])
        target = torch.from_numpy(batch.value[i])
        if not np.isnan(batch.root[i]).any():
            target = 0.6 * target + 0.4 * torch.from_numpy(batch.root[i])
        value.append(-(target * output.value[i].log_softmax(0)).sum())
        score.append(-(torch.from_numpy(batch.score[i] / 6).softmax(0) * output.score[i].log_softmax(0)).sum())
    assert len(policy) == len(value) - 1
    expected = {"policy": policy, "value": value, "score": score}
    for name, list_of in expected.items():
        assert torch.isclose(parts[name], torch.stack(list_of).mean(), rtol=1e-5), name
    ownership = F.binary_cross_entropy(output.ownership.sigmoid(), targets.ownership)
    assert torch.isclose(parts["ownership"], ownership, rtol=1e-4)
    whole = parts["policy"] + 2 * parts["value"] + 0.5 * parts["score"] + 0.25 * parts["ownership"]
    assert torch.isclose(total, whole)


def test_the_papers_loss():
    shape = layout("blokus-paper")
    batch = batch_of(shape)
    targets, output = Targets.of(batch, shape, CPU), output_of(shape, len(batch.packed))
    _, parts = losses(output, targets, shape, load("paper").loss)
    v, pi = output.value.tanh(), torch.zeros_like(output.policy)
    pi.scatter_add_(1, targets.moves, targets.weights)
    z = torch.where(targets.value > 0, 1.0, -1.0)
    assert torch.isclose(parts["value"], (z - v).pow(2).sum(1).mean())
    policy = -(pi * output.policy.log_softmax(1)).sum() / (pi.sum(1) > 0).sum()
    assert torch.isclose(parts["policy"], policy, rtol=1e-5)


def test_moves_with_a_target_count_together_and_lost_positions_less():
    shape = layout("dobutsu")
    batch = batch_of(shape)
    targets, output = Targets.of(batch, shape, CPU), output_of(shape, len(batch.packed))
    weights = dataclasses.replace(load("dobutsu").loss, together=True, lost=0.25)
    _, parts = losses(output, targets, shape, weights)
    total, count = torch.zeros(()), 0.0
    for i in range(len(batch.packed)):
        legal = [j for j in range(targets.legal.shape[1]) if targets.legal[i, j]]
        good = [j for j in legal if targets.weights[i, j] > 0]
        if not good:
            continue
        logits = torch.stack([output.policy[i, targets.moves[i, j]] for j in legal])
        probability = sum(logits.softmax(0)[legal.index(j)] for j in good)
        share = 1.0 if targets.value[i, 0] > 0 else 0.25
        total, count = total - share * torch.log(probability), count + share
    assert torch.isclose(parts["policy"], total / count, rtol=1e-4)


def test_the_papers_weight_decay_is_the_gradient_of_c_theta_squared():
    preset = load("paper")
    preset = dataclasses.replace(preset, network=dataclasses.replace(preset.network, channels=8, blocks=1))
    learner = Learner(preset, 1, CPU, torch.float32)
    (group,) = learner.optimiser.param_groups
    assert group["momentum"] == 0.9 and group["weight_decay"] == pytest.approx(2e-4)
    assert learner.rate() == 1e-3
    learner.step = 40_000
    assert learner.rate() == 1e-3
    learner.step = 40_001
    assert learner.rate() == 1e-4


def learner_of(seed=1):
    """A small learner."""
    preset = load("smoke")
    preset = dataclasses.replace(preset, network=dataclasses.replace(preset.network, channels=8, blocks=2))
    return Learner(preset, seed, CPU, torch.float32)


def test_it_learns():
    learner = learner_of()
    batch = batch_of(learner.layout, 4)
    first = learner.learn(batch, measured=True)
    for _ in range(60):
        learner.learn(batch)
    last = learner.learn(batch, measured=True)
    assert last["loss"] < 0.7 * first["loss"]
    assert last["policy_top1"] > 0.9 and last["value_top1"] > 0.9
    assert learner.measure(batch)["loss"] < first["loss"]


def test_a_checkpoint_goes_on_as_if_nothing_had_happened(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "PART", 50_000)
    window = Window(layout("blokus-fast"), 9)
    window.add(make_block(window.layout, game) for game in range(9))

    def learn(learner, steps):
        for _ in range(steps):
            learner.learn(window.draw(1, learner.step, 8))
        return learner

    straight = learn(learner_of(), 6)
    first = learn(learner_of(), 3)
    state = {"learner": first.state(), "preset": first.preset.as_dict(), "run": {"cycle": 2}}
    checkpoint.save(tmp_path, state)
    assert len(list(tmp_path.glob("step-*.0*"))) > 1
    assert all(path.stat().st_size <= 50_000 for path in tmp_path.iterdir())
    second = learner_of(seed=9)
    second.restore(checkpoint.newest(tmp_path)["learner"])
    learn(second, 3)
    for name, value in straight.average.state_dict().items():
        assert torch.equal(value, second.average.state_dict()[name]), name


def test_a_broken_checkpoint_gives_way_to_the_one_before(tmp_path):
    learner = learner_of()
    for step in range(1, 6):
        learner.step = step
        manifest = checkpoint.save(tmp_path, {"learner": learner.state(), "preset": {}, "run": {}})
    assert len(list(tmp_path.glob("*.json"))) == checkpoint.KEPT
    part = max(tmp_path.glob("step-*.000"))
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match="broken"):
        checkpoint.load(manifest)
    assert checkpoint.newest(tmp_path)["learner"]["step"] == 4
    max(tmp_path.glob("step-*.000")).unlink()
    assert checkpoint.newest(tmp_path)["learner"]["step"] == 4
    with pytest.raises(ValueError, match="no checkpoint"):
        checkpoint.find(tmp_path / "elsewhere")
