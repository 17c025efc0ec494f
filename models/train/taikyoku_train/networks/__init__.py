"""The networks: `fast`, ours, for any layout, and `paper`, that of the BlokusZero paper."""

from __future__ import annotations

from .fast import Fast
from .network import Network, Output
from .paper import Paper
from .shape import Shape, build

__all__ = ["Fast", "Network", "Output", "Paper", "Shape", "build"]
