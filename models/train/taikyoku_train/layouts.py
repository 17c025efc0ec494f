"""The shapes of what networks take and give, as the crate `models` defines them (`models/LAYOUTS.md`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Layout:
    """How positions of a game are given to a network, and what it answers.

    A packed position is a row of bytes: the bits of the planes, least significant first, filled up to a byte; a byte
    for each constant; the bits of the globals, filled up to a byte.
    """

    name: str
    game: str
    version: int
    planes: int
    constants: tuple[float, ...]
    globals: int
    height: int
    width: int
    policy: int
    seats: int
    outcomes: int
    """Planes of bits told of the end of a game: who owns each square. 0: none."""
    shares: bool
    """Whether a value is the shares of a win, of sum 1; else each is in -1..1."""
    scores: bool
    """Whether the final scores mean anything."""

    @property
    def channels(self) -> int:
        """Planes of the input `x`."""
        return self.planes + len(self.constants)

    @property
    def moves(self) -> int:
        """Legal moves of a position for which frames of self-play have room: all, or about as many as a position of
        Blokus has in the plies with the most."""
        return min(self.policy, 448)

    @property
    def squares(self) -> int:
        """Squares of a plane."""
        return self.height * self.width

    @property
    def plane_bytes(self) -> int:
        """Bytes of the bits of the planes."""
        return -(-self.planes * self.squares // 8)

    @property
    def bytes(self) -> int:
        """Bytes of a packed position."""
        return self.plane_bytes + len(self.constants) + -(-self.globals // 8)

    @property
    def outcome_bytes(self) -> int:
        """Bytes of the outcome of a game."""
        return -(-self.outcomes * self.squares // 8)

    def expand(self, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Packed positions, uint8 [N, bytes], as `x`, float32 [N, channels, H, W], and `g`, float32 [N, globals]."""
        n, shape = len(packed), (-1, self.planes, self.height, self.width)
        bits = np.unpackbits(packed[:, : self.plane_bytes], axis=1, bitorder="little")
        planes = bits[:, : self.planes * self.squares].reshape(shape)
        x = np.empty((n, self.channels, self.height, self.width), np.float32)
        x[:, : self.planes] = planes
        for i, scale in enumerate(self.constants):
            level = packed[:, self.plane_bytes + i].astype(np.float32) * np.float32(scale)
            x[:, self.planes + i] = level[:, None, None]
        rest = packed[:, self.plane_bytes + len(self.constants) :]
        g = np.unpackbits(rest, axis=1, bitorder="little")[:, : self.globals].astype(np.float32)
        return x, g

    def expand_tensor(
        self, packed: torch.Tensor, dtype: torch.dtype | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The same as `expand` with tensors, on the device of `packed`; float32 unless said otherwise."""
        # Programs that only play need not load PyTorch.
        import torch

        dtype = dtype or torch.float32
        shifts = torch.arange(8, device=packed.device, dtype=torch.uint8)

        def bits(data: torch.Tensor, count: int) -> torch.Tensor:
            return ((data[:, :, None] >> shifts) & 1).flatten(1)[:, :count]

        planes = bits(packed[:, : self.plane_bytes], self.planes * self.squares).to(dtype)
        x = planes.view(-1, self.planes, self.height, self.width)
        rest = packed[:, self.plane_bytes :]
        for i, scale in enumerate(self.constants):
            level = (rest[:, i].float() * scale).to(dtype)
            x = torch.cat([x, level[:, None, None, None].expand(-1, 1, self.height, self.width)], 1)
        return x, bits(rest[:, len(self.constants) :], self.globals).to(dtype)

    def expand_outcome(self, outcome: np.ndarray) -> np.ndarray:
        """Outcomes of games, uint8 [N, outcome_bytes], as float32 [N, outcomes, H, W]."""
        bits = np.unpackbits(outcome, axis=1, bitorder="little")[:, : self.outcomes * self.squares]
        return bits.reshape(-1, self.outcomes, self.height, self.width).astype(np.float32)


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("blokus-fast", "blokus", 1, 17, (), 88, 20, 20, 36_400, 4, outcomes=4, shares=True, scores=True),
        Layout(
            "blokus-paper", "blokus", 1, 32, (1 / 84,), 0, 20, 20, 30_433, 4, outcomes=0, shares=False, scores=False
        ),
        Layout("dobutsu", "dobutsu", 1, 10, (0.5,) * 6, 0, 4, 3, 144, 2, outcomes=0, shares=True, scores=False),
        Layout("score-four", "score-four", 1, 8, (), 0, 4, 4, 16, 2, outcomes=0, shares=True, scores=False),
    )
}


def layout(name: str) -> Layout:
    """A layout by its name; `ValueError` when there is none of it."""
    try:
        return LAYOUTS[name]
    except KeyError:
        raise ValueError(f"layout {name!r} is not known; there are: {', '.join(LAYOUTS)}") from None
