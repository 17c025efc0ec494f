"""Parts of trunks: convolutions with batch normalisation, residual blocks."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from ..onnx_graph import Graph


class ConvNorm(nn.Module):
    """A convolution without bias and its batch normalisation, which the export folds into it."""

    def __init__(self, inputs: int, outputs: int, side: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, side, padding=side // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        nn.init.kaiming_normal_(self.conv.weight, nonlinearity="relu")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.conv(x))

    def write(self, graph: Graph, x: str) -> str:
        """The node, from the name of its input to that of its output."""
        scale = self.norm.weight / (self.norm.running_var + self.norm.eps).sqrt()
        weight = self.conv.weight * scale[:, None, None, None]
        return graph.conv(x, weight, self.norm.bias - self.norm.running_mean * scale)


#: A layer with weights.
Layer = ConvNorm | nn.Conv2d | nn.Linear


class Residual(nn.Module):
    """A residual block: relu(x + norm(conv(relu(norm(conv(x)))))).

    With `pooled`, mean and maximum of the inner features over the board, linearly mixed, are added to them, so that
    what is far counts (KataGo's global pooling). With `scale` and `shift` ([N, channels, 1, 1]) the branch is scaled
    and shifted before it is added (FiLM).
    """

    def __init__(self, channels: int, pooled: bool = False) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, 3)
        self.second = ConvNorm(channels, channels, 3)
        self.pooled = nn.Linear(2 * channels, channels) if pooled else None

    def layers(self) -> list[Layer]:
        """The layers with weights, in the order in which `write` adds them."""
        return [self.first, self.second] if self.pooled is None else [self.first, self.pooled, self.second]

    def forward(
        self, x: torch.Tensor, scale: torch.Tensor | None = None, shift: torch.Tensor | None = None
    ) -> torch.Tensor:
        h = F.relu(self.first(x))
        if self.pooled is not None:
            h = h + self.pooled(pool(h))[:, :, None, None]
        h = self.second(h)
        if scale is not None:
            h = h * scale + shift
        return F.relu(x + h)

    def write(self, graph: Graph, x: str, scale: str | None = None, shift: str | None = None) -> str:
        """The nodes, from the name of the input to that of the output."""
        h = graph.relu(self.first.write(graph, x))
        if self.pooled is not None:
            mixed = graph.linear(graph.pool(h), self.pooled)
            h = graph.node("Add", [h, graph.reshape(mixed, [-1, self.pooled.out_features, 1, 1])])
        h = self.second.write(graph, h)
        if scale is not None and shift is not None:
            h = graph.node("Add", [graph.node("Mul", [h, scale]), shift])
        return graph.relu(graph.node("Add", [x, h]))


def pool(x: torch.Tensor) -> torch.Tensor:
    """Mean and maximum over the board: [N, C, H, W] to [N, 2 C]."""
    # Over rows of channels, as they lie in memory: four times as fast as `amax((2, 3))`.
    rows = x.permute(0, 2, 3, 1).flatten(1, 2)
    return torch.cat([rows.mean(1), rows.max(1)[0]], 1)
