"""The size of a network, as presets and checkpoints name it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..layouts import layout
from .fast import Fast
from .network import Network
from .paper import Paper


@dataclass(frozen=True)
class Shape:
    """Which network, and how large."""

    kind: str
    """`fast` or `paper`."""
    layout: str
    channels: int
    blocks: int

    def as_dict(self) -> dict[str, Any]:
        """For files."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.kind} {self.channels}x{self.blocks} ({self.layout})"


def build(shape: Shape) -> Network:
    """A new network of a shape; `ValueError` when there is none of it."""
    if shape.channels < 1 or shape.blocks < 1:
        raise ValueError(f"a network needs channels and blocks: {shape}")
    if shape.kind == "fast":
        return Fast(layout(shape.layout), shape.channels, shape.blocks)
    if shape.kind == "paper":
        return Paper(layout(shape.layout), shape.channels, shape.blocks)
    raise ValueError(f"network {shape.kind!r} is not known; there are: fast, paper")
