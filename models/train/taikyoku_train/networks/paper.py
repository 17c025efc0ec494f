"""The networks of papers: of BlokusZero, and of AlphaZero for Dobutsu shogi."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from ..layouts import Layout
from ..onnx_graph import Graph
from .network import Network, Output
from .trunk import ConvNorm, Residual


class Paper(Network):
    """AlphaZero's form with dense heads.

    3x3 convolution, BN, ReLU; residual blocks (the paper: 10 of 128 filters). Policy: 1x1 convolution of 2 filters,
    BN, ReLU, dense to all moves. Value: 1x1 convolution of 4 filters, BN, ReLU, dense 256, ReLU, dense to the seats,
    tanh; softmax in a layout of shares. He (MSRA) initialisation; Xavier in the last layers of policy and value.
    """

    def __init__(
        self,
        layout: Layout,
        channels: int = 128,
        blocks: int = 10,
        policy: tuple[int, int] = (2, 1),
        value: int = 4,
    ) -> None:
        """`policy`: filters and side of its head's convolution; `value`: filters of its."""
        super().__init__(layout)
        if layout.globals:
            raise ValueError(f"the paper's network has no globals, layout {layout.name} does")
        self.stem = ConvNorm(layout.channels, channels, 3)
        self.blocks = nn.ModuleList(Residual(channels) for _ in range(blocks))
        self.policy_conv = ConvNorm(channels, *policy)
        self.policy = nn.Linear(policy[0] * layout.squares, layout.policy)
        self.value_conv = ConvNorm(channels, value, 1)
        self.value_hidden = nn.Linear(value * layout.squares, 256)
        self.value = nn.Linear(256, layout.seats)
        nn.init.kaiming_normal_(self.value_hidden.weight, nonlinearity="relu")
        for last in (self.policy, self.value):
            nn.init.xavier_uniform_(last.weight)
        for layer in (self.policy, self.value_hidden, self.value):
            nn.init.zeros_(layer.bias)

    def forward(self, x: torch.Tensor, g: torch.Tensor) -> Output:
        h = F.relu(self.stem(x))
        for block in self.blocks:
            h = block(h)
        policy = self.policy(F.relu(self.policy_conv(h)).flatten(1))
        value = F.relu(self.value_conv(h)).flatten(1)
        return Output(policy, self.value(F.relu(self.value_hidden(value))))

    def write(self, graph: Graph) -> None:
        h = graph.relu(self.stem.write(graph, "x"))
        for block in self.blocks:
            h = block.write(graph, h)
        policy = graph.relu(self.policy_conv.write(graph, h))
        graph.linear(graph.flatten(policy), self.policy, out="policy")
        value = graph.flatten(graph.relu(self.value_conv.write(graph, h)))
        value = graph.linear(graph.relu(graph.linear(value, self.value_hidden)), self.value)
        if self.layout.shares:
            graph.node("Softmax", [value], out="value", axis=-1)
        else:
            graph.node("Tanh", [value], out="value")


class DobutsuPaper(Paper):
    """The same with the heads of the paper on Dobutsu shogi, which has 1, 3 or 5 blocks of 256 filters. Policy: 3x3
    convolution of as many filters, BN, ReLU, dense to all moves. Value: 1x1 convolution of one filter, BN, ReLU, dense
    256, ReLU, and for the paper's one number by tanh the shares of both seats.
    """

    def __init__(self, layout: Layout, channels: int = 256, blocks: int = 3) -> None:
        super().__init__(layout, channels, blocks, policy=(channels, 3), value=1)
