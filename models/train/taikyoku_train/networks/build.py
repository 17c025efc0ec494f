"""Networks by their shapes."""

from __future__ import annotations

from ..layouts import layout
from ..shape import Shape
from .fast import Fast
from .network import Network
from .pairs import Pairs
from .paper import DobutsuPaper, Paper


def build(shape: Shape) -> Network:
    """A new network of a shape; `ValueError` when there is none of it."""
    if shape.channels < 1 or shape.blocks < 1:
        raise ValueError(f"a network needs channels and blocks: {shape}")
    if shape.kind == "fast":
        return Fast(layout(shape.layout), shape.channels, shape.blocks)
    if shape.kind == "paper":
        return Paper(layout(shape.layout), shape.channels, shape.blocks)
    if shape.kind == "dobutsu-paper":
        return DobutsuPaper(layout(shape.layout), shape.channels, shape.blocks)
    if shape.kind == "dobutsu-pairs":
        return Pairs(layout(shape.layout), shape.channels, shape.blocks)
    raise ValueError(f"network {shape.kind!r} is not known; there are: fast, paper, dobutsu-paper, dobutsu-pairs")
