"""What all networks have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import nn

from ..layouts import Layout
from ..onnx_graph import Graph
from .trunk import Layer


@dataclass
class Output:
    """What a network answers to N positions, before any softmax or tanh.

    policy: logits, [N, policy]; value: [N, seats]; score: [N, seats] or none; ownership: logits
    [N, outcomes, H, W] or none.
    """

    policy: torch.Tensor
    value: torch.Tensor
    score: torch.Tensor | None = None
    ownership: torch.Tensor | None = None


class Network(nn.Module, ABC):
    """A network over one layout."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self.layout = layout

    @abstractmethod
    def forward(self, x: torch.Tensor, g: torch.Tensor) -> Output:
        """`x`: [N, channels, H, W]; `g`: [N, globals]."""

    @abstractmethod
    def write(self, graph: Graph) -> None:
        """Adds the nodes from the inputs `x` and `g` to the outputs `policy`, `value` and, if any, `score`."""

    def layers(self) -> list[Layer]:
        """The layers with weights, in the order in which `write` adds them; `ValueError` for a network that cannot take
        weights from a file."""
        raise ValueError("a training of this kind of network cannot begin with a file")

    def final_value(self, value: torch.Tensor) -> torch.Tensor:
        """The value as it is given out: shares of a win, or numbers in -1..1."""
        return value.softmax(-1) if self.layout.shares else value.tanh()

    def parameters_count(self) -> int:
        """Learnt numbers."""
        return sum(p.numel() for p in self.parameters())


@torch.no_grad()
def randomise(network: nn.Module, seed: int) -> None:
    """Gives a network random weights that use every part of it, for benchmarks and tests of engines."""
    generator = torch.Generator().manual_seed(seed)

    def between(tensor: torch.Tensor, low: float, high: float) -> None:
        tensor.copy_(torch.rand(tensor.shape, generator=generator) * (high - low) + low)

    for module in network.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            between(module.weight, 0.5, 1.0)
            between(module.bias, -0.2, 0.2)
            between(module.running_mean, -0.2, 0.2)
            between(module.running_var, 0.5, 1.5)
        elif isinstance(module, (nn.Conv2d, nn.Linear)):
            fan_in = module.weight[0].numel()
            module.weight.copy_(torch.randn(module.weight.shape, generator=generator) * fan_in**-0.5)
