"""The size of a network, as presets and checkpoints name it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Shape:
    """Which network, and how large."""

    kind: str
    """`fast`, `paper`, `dobutsu-paper` or `dobutsu-pairs`."""
    layout: str
    channels: int
    blocks: int

    def as_dict(self) -> dict[str, Any]:
        """For files."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.kind} {self.channels}x{self.blocks} ({self.layout})"
