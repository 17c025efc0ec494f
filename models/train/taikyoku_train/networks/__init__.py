"""The networks: `fast`, ours, for any layout, `Pairs`, ours for Dobutsu shogi, and those of papers."""

from __future__ import annotations

from ..shape import Shape
from .build import build
from .fast import Fast
from .network import Network, Output
from .pairs import Pairs
from .paper import Paper

__all__ = ["Fast", "Network", "Output", "Pairs", "Paper", "Shape", "build"]
