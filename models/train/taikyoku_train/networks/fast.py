"""Our own network."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from ..layouts import Layout
from ..onnx_graph import Graph
from .network import Network, Output
from .trunk import ConvNorm, Layer, Residual, pool

#: Features that the globals become before they scale and shift.
EMBEDDING = 64
#: Channels of the value head before pooling, and features after it.
VALUE_CHANNELS, VALUE_FEATURES = 32, 128


class Fast(Network):
    """A residual trunk with convolutional policy head, made to be cheap on a CPU and to quantise well.

    Even blocks, and the policy head, are scaled and shifted by the globals (FiLM; Perez et al. 2018); odd blocks mix
    in their features' mean and maximum over the board (KataGo, Wu 2019). The policy is a plane of logits for each kind
    of move over the squares. Value: mean and maximum of 32 channels, with the embedded globals, a hidden layer, then
    a softmax over the seats' shares of the win; beside it one over the seats' shares by score, where scores mean
    anything. The ownership head is for training alone and is not exported.
    """

    def __init__(self, layout: Layout, channels: int = 64, blocks: int = 5) -> None:
        super().__init__(layout)
        if layout.policy % layout.squares:
            raise ValueError(f"the policy of layout {layout.name} is not made of planes")
        self.channels = channels
        self.stem = ConvNorm(layout.channels, channels, 3)
        self.blocks = nn.ModuleList(Residual(channels, pooled=i % 2 == 1) for i in range(blocks))
        self.policy_conv = ConvNorm(channels, channels, 1)
        self.policy = nn.Conv2d(channels, layout.policy // layout.squares, 1)
        self.value_conv = ConvNorm(channels, VALUE_CHANNELS, 1)
        embedding = EMBEDDING if layout.globals else 0
        self.value_hidden = nn.Linear(2 * VALUE_CHANNELS + embedding, VALUE_FEATURES)
        self.value = nn.Linear(VALUE_FEATURES, layout.seats)
        self.score = nn.Linear(VALUE_FEATURES, layout.seats) if layout.scores else None
        self.ownership = nn.Conv2d(channels, layout.outcomes, 1) if layout.outcomes else None
        self.films = 0
        if layout.globals:
            self.films = (blocks + 1) // 2 + 1
            self.embedding = nn.Linear(layout.globals, EMBEDDING)
            self.film = nn.Linear(EMBEDDING, 2 * self.films * channels)
        self.reset()

    @torch.no_grad()
    def reset(self) -> None:
        """Starts as a network whose blocks and FiLM do nothing."""
        for block in self.blocks:
            nn.init.zeros_(block.second.norm.weight)
            if block.pooled is not None:
                nn.init.zeros_(block.pooled.weight)
                nn.init.zeros_(block.pooled.bias)
        nn.init.normal_(self.policy.weight, std=0.01)
        nn.init.zeros_(self.policy.bias)
        if self.films:
            nn.init.zeros_(self.film.weight)
            scales = torch.tensor([1.0, 0.0]).repeat(self.films)
            self.film.bias.copy_(scales.repeat_interleave(self.channels))

    def forward(self, x: torch.Tensor, g: torch.Tensor) -> Output:
        films: list[tuple[torch.Tensor | None, torch.Tensor | None]] = []
        embedded = None
        if self.films:
            embedded = F.relu(self.embedding(g))
            parts = self.film(embedded)[:, :, None, None].split(self.channels, 1)
            films = list(zip(parts[::2], parts[1::2]))
        h = F.relu(self.stem(x))
        for i, block in enumerate(self.blocks):
            h = block(h, *(films[i // 2] if films and i % 2 == 0 else ()))

        policy = self.policy_conv(h)
        if films:
            policy = policy * films[-1][0] + films[-1][1]
        policy = self.policy(F.relu(policy)).flatten(1)

        value = pool(F.relu(self.value_conv(h)))
        if embedded is not None:
            value = torch.cat([value, embedded], 1)
        value = F.relu(self.value_hidden(value))
        return Output(
            policy,
            self.value(value),
            None if self.score is None else self.score(value),
            None if self.ownership is None else self.ownership(h),
        )

    def layers(self) -> list[Layer]:
        layers: list[Layer] = [self.embedding, self.film] if self.films else []
        layers.append(self.stem)
        for block in self.blocks:
            assert isinstance(block, Residual)
            layers += block.layers()
        layers += [self.policy_conv, self.policy, self.value_conv, self.value_hidden, self.value]
        return layers if self.score is None else [*layers, self.score]

    def write(self, graph: Graph) -> None:
        films: list[tuple[str, str]] = []
        embedded = None
        if self.films:
            embedded = graph.relu(graph.linear("g", self.embedding))
            film = graph.reshape(graph.linear(embedded, self.film), [-1, self.film.out_features, 1, 1])
            parts = graph.split(film, [self.channels] * (2 * self.films))
            films = list(zip(parts[::2], parts[1::2]))
        h = graph.relu(self.stem.write(graph, "x"))
        for i, block in enumerate(self.blocks):
            h = block.write(graph, h, *(films[i // 2] if films and i % 2 == 0 else ()))

        policy = self.policy_conv.write(graph, h)
        if films:
            policy = graph.node("Add", [graph.node("Mul", [policy, films[-1][0]]), films[-1][1]])
        policy = graph.conv(graph.relu(policy), self.policy.weight, self.policy.bias)
        graph.flatten(policy, out="policy")

        value = graph.pool(graph.relu(self.value_conv.write(graph, h)))
        if embedded is not None:
            value = graph.node("Concat", [value, embedded], axis=1)
        value = graph.relu(graph.linear(value, self.value_hidden))
        last = "Softmax" if self.layout.shares else "Tanh"
        attributes = {"axis": -1} if self.layout.shares else {}
        graph.node(last, [graph.linear(value, self.value)], out="value", **attributes)
        if self.score is not None:
            graph.node("Softmax", [graph.linear(value, self.score)], out="score", axis=-1)
