"""The weights of an exported network as the beginning of a training."""

from __future__ import annotations

from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import nn

from .networks import Network
from .networks.trunk import ConvNorm, Layer

#: Nodes of a graph that have weights.
WEIGHTED = ("Conv", "Gemm")


@torch.no_grad()
def inherit(network: Network, path: Path, x: torch.Tensor, g: torch.Tensor) -> None:
    """Gives `network` the weights of an fp32 file of the same shape; `ValueError` when it has another.

    The file has each batch normalisation folded into its convolution. `x` and `g` are the inputs of some hundred
    positions: their mean and variance behind each convolution become those of its batch normalisation, which scales
    and shifts back what it normalises. So the network answers like the file at once, and also while it learns.
    """
    layers = network.layers()
    weights = _read(path)
    shapes = [_weight(layer).shape for layer in layers]
    if [weight.shape for weight, _ in weights] != shapes:
        raise ValueError(f"{path}: a network of another shape, or not an fp32 one")
    for layer, (weight, bias) in zip(layers, weights):
        _weight(layer).copy_(weight)
        if isinstance(layer, ConvNorm):
            # It changes nothing yet.
            zeros = torch.zeros_like(bias)
            _set(layer.norm, zeros, zeros + 1 - layer.norm.eps)
            layer.norm.bias.copy_(bias)
        else:
            assert layer.bias is not None
            layer.bias.copy_(bias)
    _normalise(network, x, g)


def _normalise(network: Network, x: torch.Tensor, g: torch.Tensor) -> None:
    """Replaces the statistics of all batch normalisations by those of these inputs, without a change of the answers."""
    inputs: dict[nn.BatchNorm2d, torch.Tensor] = {}

    def note(norm: nn.BatchNorm2d, arguments: tuple[torch.Tensor]) -> None:
        inputs[norm] = arguments[0]

    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
    hooks = [norm.register_forward_pre_hook(note) for norm in norms]
    network.eval()
    network(x, g)
    for hook in hooks:
        hook.remove()
    for norm, h in inputs.items():
        mean, variance = h.mean((0, 2, 3)), h.var((0, 2, 3), unbiased=False)
        _set(norm, mean, variance)
        norm.bias.add_(mean)


def _set(norm: nn.BatchNorm2d, mean: torch.Tensor, variance: torch.Tensor) -> None:
    """Gives a batch normalisation these statistics, and the scale that undoes its division."""
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
    norm.weight.copy_((variance + norm.eps).sqrt())


def _weight(layer: Layer) -> torch.Tensor:
    return layer.conv.weight if isinstance(layer, ConvNorm) else layer.weight


def _read(path: Path) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The weights and biases of a file, in the order of its nodes."""
    try:
        graph = onnx.load(str(path)).graph
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    numbers = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    nodes = [node for node in graph.node if node.op_type in WEIGHTED]
    parts = [[numbers[name] for name in node.input if name in numbers] for node in nodes]
    return [(part[0], part[1]) for part in parts if len(part) == 2]
