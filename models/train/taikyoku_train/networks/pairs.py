"""A network of pairs of pieces, for Dobutsu shogi."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..layouts import Layout
from ..onnx_graph import Graph
from .network import Network, Output

PLANES, HEIGHT, WIDTH, KINDS = 10, 4, 3, 6
SQUARES = HEIGHT * WIDTH
BOARD = PLANES * SQUARES
#: Pieces of the game, each on the board or in a hand: a position has at most as many features.
PIECES = 8
#: A piece on a square; then each of the six kinds in hand once; then twice.
FEATURES = BOARD + 2 * KINDS
#: Numbers that the features of a position give the dense layers.
EMBEDDING = 80
VALUE_FEATURES = 64
#: Planes in the order in which they decide which of the two mirror views is looked at: lions, chicks, giraffes,
#: elephants, hens.
DECIDING = (0, 5, 3, 8, 1, 6, 2, 7, 4, 9)
#: Planes of steps come first, clockwise from forward.
DIRECTIONS = 8


class Pairs(Network):
    """A table of weights for each pair of pieces and their squares, then dense layers.

    What decides a position of so few pieces is how they stand to each other. Each feature and each pair of features
    that a position has adds a row of a table: at most 36 rows, a small share of what convolutions cost. Dense residual
    blocks of `channels` numbers follow, then a dense policy and the shares of both seats.

    Of a position and its mirror image one is looked at, whichever has its deciding piece further to the left, so that
    both are answered alike.
    """

    left: torch.Tensor
    right: torch.Tensor
    rows: torch.Tensor
    mirrored: torch.Tensor
    mirrored_moves: torch.Tensor
    deciding: torch.Tensor
    hands: torch.Tensor

    def __init__(self, layout: Layout, channels: int = 256, blocks: int = 1) -> None:
        super().__init__(layout)
        if layout.name != "dobutsu":
            raise ValueError(f"the network of pairs is for layout dobutsu, not {layout.name}")
        self._constants()
        self.table = nn.EmbeddingBag(len(self.left) + 1, EMBEDDING, mode="sum", padding_idx=len(self.left))
        self.norm = nn.BatchNorm1d(EMBEDDING)
        self.stem = DenseNorm(EMBEDDING, channels)
        self.blocks = nn.ModuleList(DenseResidual(channels) for _ in range(blocks))
        self.policy = nn.Linear(channels, layout.policy)
        self.value_hidden = nn.Linear(channels, VALUE_FEATURES)
        self.value = nn.Linear(VALUE_FEATURES, layout.seats)
        self.reset()

    def _constants(self) -> None:
        """Tables that are not learnt: the pairs, the mirror and what decides between both views."""
        kept = [(a, b) for a in range(FEATURES) for b in range(a, FEATURES) if can_meet(a, b)]
        left, right = torch.tensor(kept).T
        rows = torch.full((FEATURES + 1, FEATURES + 1), len(kept))
        rows[left, right] = rows[right, left] = torch.arange(len(kept))
        board = torch.arange(BOARD).view(PLANES, HEIGHT, WIDTH).flip(2).flatten()
        moves = torch.arange(self.layout.policy).view(-1, HEIGHT, WIDTH)
        turned = [(DIRECTIONS - i) % DIRECTIONS if i < DIRECTIONS else i for i in range(len(moves))]
        x, y = torch.arange(WIDTH) - 1.0, 1 + torch.arange(HEIGHT)[:, None] / 8
        weights = torch.empty(PLANES, HEIGHT, WIDTH)
        for rank, plane in enumerate(DECIDING):
            weights[plane] = x * y * 4.0 ** (len(DECIDING) - 1 - rank)
        for name, value in {
            "left": left,
            "right": right,
            "rows": rows,
            "mirrored": torch.cat([board, torch.arange(BOARD, FEATURES)]),
            "mirrored_moves": moves[turned].flip(2).flatten(),
            "deciding": weights.flatten(),
            "hands": BOARD + SQUARES * torch.arange(KINDS),
        }.items():
            self.register_buffer(name, value, persistent=False)

    @torch.no_grad()
    def reset(self) -> None:
        """Starts as a network whose blocks do nothing and whose moves are nearly all alike."""
        nn.init.normal_(self.table.weight, std=0.15)
        self.table.weight[-1] = 0
        for block in self.blocks:
            nn.init.zeros_(block.second.norm.weight)
        nn.init.normal_(self.policy.weight, std=0.01)
        nn.init.zeros_(self.policy.bias)

    def parameters_count(self) -> int:
        # The last row of the table stands for no pair.
        return super().parameters_count() - EMBEDDING

    def features(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The features of the view that is looked at, 0 or 1, [N, FEATURES]; whether it is the mirror image, [N, 1]."""
        flat = x.flatten(1)
        board, hands = flat[:, :BOARD], 2 * flat[:, self.hands]
        twice = F.relu(hands - 1)
        features = torch.cat([board, hands - 2 * twice, twice], 1)
        mirror = ((board * self.deciding).sum(1) > 0)[:, None]
        return torch.where(mirror, features[:, self.mirrored], features), mirror

    def forward(self, x: torch.Tensor, g: torch.Tensor) -> Output:
        features, mirror = self.features(x)
        there, at = features.topk(PIECES)
        at = at.masked_fill(there == 0, FEATURES)
        first, second = torch.triu_indices(PIECES, PIECES, device=at.device)
        h = F.relu(self.norm(self.table(self.rows[at[:, first], at[:, second]])))
        h = F.relu(self.stem(h))
        for block in self.blocks:
            h = block(h)
        policy = self.policy(h)
        policy = torch.where(mirror, policy[:, self.mirrored_moves], policy)
        return Output(policy, self.value(F.relu(self.value_hidden(h))))

    def write(self, graph: Graph) -> None:
        def pick(x: str, index: torch.Tensor) -> str:
            return graph.node("Gather", [x, graph.weight(index.cpu().numpy(), "index")], axis=1)

        def number(value: float) -> str:
            return graph.weight(torch.tensor(value), "number")

        flat = graph.flatten("x")
        board = pick(flat, torch.arange(BOARD))
        hands = graph.node("Mul", [pick(flat, self.hands), number(2)])
        twice = graph.relu(graph.node("Sub", [hands, number(1)]))
        once = graph.node("Sub", [hands, graph.node("Mul", [twice, number(2)])])
        features = graph.node("Concat", [board, once, twice], axis=1)
        side = graph.node("MatMul", [board, graph.weight(self.deciding[:, None])])
        mirror = graph.node("Greater", [side, number(0)])
        features = graph.node("Where", [mirror, pick(features, self.mirrored), features])

        there, at = graph.top(features, PIECES)
        none = graph.weight(np.array(FEATURES), "index")
        at = graph.node("Where", [graph.node("Greater", [there, number(0)]), at, none])
        first, second = torch.triu_indices(PIECES, PIECES)
        width = graph.weight(np.array(FEATURES + 1), "index")
        pair = graph.node("Add", [graph.node("Mul", [pick(at, first), width]), pick(at, second)])
        row = graph.node("Gather", [graph.weight(self.rows.flatten().cpu().numpy(), "index"), pair], axis=0)
        scale = self.norm.weight / (self.norm.running_var + self.norm.eps).sqrt()
        added = graph.node("Gather", [graph.weight(self.table.weight * scale), row], axis=0)
        h = graph.node("ReduceSum", [added, graph.weight(np.array([1]), "axes")], keepdims=0)
        bias = self.norm.bias - self.norm.running_mean * scale
        h = graph.relu(graph.node("Add", [h, graph.weight(bias, "bias")]))
        h = graph.relu(self.stem.write(graph, h))
        for block in self.blocks:
            h = block.write(graph, h)
        policy = graph.linear(h, self.policy)
        graph.node("Where", [mirror, pick(policy, self.mirrored_moves), policy], out="policy")
        value = graph.linear(graph.relu(graph.linear(h, self.value_hidden)), self.value)
        graph.node("Softmax", [value], out="value", axis=-1)


class DenseNorm(nn.Module):
    """A dense layer without bias and its batch normalisation, which the export folds into it."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inputs, outputs, bias=False)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(self.dense(x))

    def write(self, graph: Graph, x: str) -> str:
        """The node, from the name of its input to that of its output."""
        scale = self.norm.weight / (self.norm.running_var + self.norm.eps).sqrt()
        return graph.dense(x, self.dense.weight * scale[:, None], self.norm.bias - self.norm.running_mean * scale)


class DenseResidual(nn.Module):
    """A residual block of dense layers: relu(x + norm(dense(relu(norm(dense(x))))))."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first, self.second = DenseNorm(channels, channels), DenseNorm(channels, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.second(F.relu(self.first(x))))

    def write(self, graph: Graph, x: str) -> str:
        """The nodes, from the name of the input to that of the output."""
        h = self.second.write(graph, graph.relu(self.first.write(graph, x)))
        return graph.relu(graph.node("Add", [x, h]))


def can_meet(a: int, b: int) -> bool:
    """Whether a position can have both features, or a is b; a < b otherwise."""
    if a == b:
        return True
    if a < BOARD and b < BOARD:
        return a % SQUARES != b % SQUARES
    return a < BOARD or (a - BOARD) % KINDS != (b - BOARD) % KINDS
