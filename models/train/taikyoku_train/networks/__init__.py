"""The networks: `fast`, ours, for any layout, and `paper`, that of the BlokusZero paper."""

from __future__ import annotations

from ..shape import Shape
from .build import build
from .fast import Fast
from .network import Network, Output
from .paper import Paper

__all__ = ["Fast", "Network", "Output", "Paper", "Shape", "build"]
