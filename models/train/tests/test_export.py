"""ONNX files answer what the networks answer."""

import numpy as np
import pytest
import torch
from test_layouts import cases

from taikyoku_train import export
from taikyoku_train.inheritance import inherit
from taikyoku_train.layouts import LAYOUTS, layout
from taikyoku_train.networks import Shape, build
from taikyoku_train.networks.network import randomise

SHAPES = [
    Shape("fast", "blokus-fast", 16, 3),
    Shape("paper", "blokus-paper", 8, 2),
    Shape("dobutsu-paper", "dobutsu", 8, 2),
    Shape("dobutsu-pairs", "dobutsu", 16, 2),
    Shape("fast", "score-four", 16, 2),
]


def made(shape: Shape):
    """A network of random weights, ready to be asked."""
    network = build(shape).eval()
    randomise(network, 7)
    return network


def positions(shape: Shape, count: int) -> np.ndarray:
    """Packed positions: random bits, but where a network needs pieces of the game."""
    if shape.kind == "dobutsu-pairs":
        return np.array([list(bytes.fromhex(case["packed"])) for case in cases("dobutsu")], np.uint8)
    return export.random_positions(layout(shape.layout), count, 3)


def answers(network, packed):
    """What PyTorch answers: policy, value, score."""
    x, g = network.layout.expand(packed)
    with torch.no_grad():
        out = network(torch.from_numpy(x), torch.from_numpy(g))
    score = [] if out.score is None else [out.score.softmax(-1).numpy()]
    return [out.policy.numpy(), network.final_value(out.value).numpy(), *score]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_onnx_agrees_with_pytorch(shape, tmp_path):
    network = made(shape)
    path = tmp_path / "net.onnx"
    export.export(network, path, steps=5, recipe="test")
    packed = positions(shape, 9)
    session = export.session(path)
    assert session.get_modelmeta().custom_metadata_map["taikyoku.layout"] == shape.layout
    theirs = session.run(None, export.feed(network.layout, packed))
    ours = answers(network, packed)
    assert len(theirs) == len(ours)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape
        assert a.std() > 1e-3, "an output that does not depend on the input tests nothing"
        assert np.abs(a - b).max() < 1e-4


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_int8_is_near_fp32(shape, tmp_path):
    network = made(shape)
    path, small = tmp_path / "net.onnx", tmp_path / "net.int8.onnx"
    export.export(network, path)
    packed = positions(shape, 64)
    export.quantise(path, small, network.layout, packed)
    session = export.session(small)
    assert session.get_modelmeta().custom_metadata_map["taikyoku.precision"] == "int8"
    policy, value = session.run(None, export.feed(network.layout, packed))[:2]
    true_policy, true_value = answers(network, packed)[:2]
    assert np.corrcoef(policy.ravel(), true_policy.ravel())[0, 1] > 0.98
    assert np.abs(value - true_value).mean() < 0.05


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=lambda layout: layout.name)
def test_tensors_and_arrays_expand_alike(layout):
    packed = export.random_positions(layout, 5, 1)
    x, g = layout.expand(packed)
    assert x.shape == (5, layout.channels, layout.height, layout.width) and g.shape == (5, layout.globals)
    x2, g2 = layout.expand_tensor(torch.from_numpy(packed))
    assert np.array_equal(x, x2.numpy()) and np.array_equal(g, g2.numpy())


def test_the_papers_network_has_its_size():
    network = build(Shape("paper", "blokus-paper", 128, 10))
    # Dense policy head 24.4 million, as the paper says; the whole 27.8 million.
    assert network.policy.weight.numel() + network.policy.bias.numel() == 801 * 30_433
    assert abs(network.parameters_count() - 27.8e6) < 5e4
    for layer, variance in [
        (network.policy, 2 / (800 + 30_433)),
        (network.value, 2 / (256 + 4)),
        (network.value_hidden, 2 / network.value_hidden.in_features),
    ]:
        assert layer.weight.var().item() == pytest.approx(variance, rel=0.15)
        assert not layer.bias.any()


def test_pairs_answer_a_position_and_its_mirror_image_alike():
    network = made(Shape("dobutsu-pairs", "dobutsu", 16, 1))
    packed = positions(Shape("dobutsu-pairs", "dobutsu", 16, 1), 0)
    x, g = (torch.from_numpy(array) for array in network.layout.expand(packed))
    with torch.no_grad():
        one, other = network(x, g), network(x.flip(3), g)
    assert torch.equal(one.value, other.value)
    steps = [(8 - i) % 8 if i < 8 else i for i in range(12)]
    turned = other.policy.view(-1, 12, 4, 3)[:, steps].flip(3).flatten(1)
    whole = (x != x.flip(3)).flatten(1).any(1)
    assert whole.sum() > 5 and torch.equal(one.policy[whole], turned[whole])


def test_pairs_have_a_feature_for_each_piece():
    network = build(Shape("dobutsu-pairs", "dobutsu", 256, 1))
    packed = positions(Shape("dobutsu-pairs", "dobutsu", 256, 1), 0)
    x = torch.from_numpy(network.layout.expand(packed)[0])
    features, _ = network.features(x)
    hands = x[:, 10:, 0, 0]
    assert torch.equal(features[:, :120].sum(1), x[:, :10].sum((1, 2, 3)))
    assert torch.equal(features[:, 120:].sum(1), (hands > 0).float().sum(1))
    assert torch.equal(features[:, 126:].sum(1), (hands == 1).float().sum(1))
    assert 800_000 < network.parameters_count() < 1_000_000


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape.kind == "fast"], ids=str)
def test_a_training_begins_with_the_answers_of_a_file(shape, tmp_path):
    path = tmp_path / "net.onnx"
    network = made(shape)
    export.export(network, path, steps=5, recipe="test")
    packed = positions(shape, 64)
    x, g = (torch.from_numpy(array) for array in network.layout.expand(packed))
    heir = build(shape)
    inherit(heir, path, x, g)
    for a, b in zip(answers(network, packed), answers(heir.eval(), packed)):
        assert np.abs(a - b).max() < 1e-4
    # While it learns, it normalises by the statistics of its batch.
    for a, b in zip(answers(network, packed), answers(heir.train(), packed)):
        assert np.abs(a - b).max() < 1e-3
    again = tmp_path / "again.onnx"
    export.export(heir.eval(), again, steps=6, recipe="test")
    other = build(Shape(shape.kind, shape.layout, shape.channels + 1, shape.blocks))
    with pytest.raises(ValueError, match="again.onnx: a network of another shape"):
        inherit(other, again, x, g)


def test_a_training_begins_with_a_file_of_networks_that_can(tmp_path):
    network = build(SHAPES[1])
    x, g = (torch.from_numpy(array) for array in network.layout.expand(positions(SHAPES[1], 2)))
    with pytest.raises(ValueError, match="cannot begin with a file"):
        inherit(network, tmp_path / "none.onnx", x, g)
    with pytest.raises(ValueError, match="none.onnx"):
        inherit(build(SHAPES[0]), tmp_path / "none.onnx", x, g)
