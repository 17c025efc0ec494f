"""Made-up games for tests: sample blocks whose policy and value can be learnt."""

from __future__ import annotations

import numpy as np

from taikyoku_train.layouts import Layout
from taikyoku_train.samples import MAGIC, Block


def make_block(layout: Layout, game: int, samples: int = 6) -> Block:
    """A game of random positions: the best move is the first, and the winner is the mover if the first bit is set."""
    rng = np.random.default_rng(game)
    packed = rng.integers(0, 256, (samples, layout.bytes), np.uint8)
    counts = rng.integers(1, 9, samples)
    moves = np.concatenate([rng.choice(layout.policy, count, replace=False) for count in counts]).astype(np.uint16)
    ends = np.cumsum(counts).astype(np.uint32)
    weights = np.zeros(len(moves), np.uint16)
    weights[ends - counts] = 65_535
    value = np.zeros((samples, layout.seats), np.float32)
    value[np.arange(samples), 1 - (packed[:, 0] & 1)] = 1
    root = np.full((samples, layout.seats), np.nan, np.float32)
    score = rng.integers(-30, 20, (samples, layout.seats)).astype(np.float32)
    outcome = rng.integers(0, 256, (samples, layout.outcome_bytes), np.uint8)
    ply = np.arange(samples).astype(np.uint16)
    return Block(game, packed, moves, weights, ends, value, score, root, ply, outcome)


def to_bytes(block: Block, layout: Layout) -> bytes:
    """As `taikyoku-lab selfplay encode` writes it."""
    header = [MAGIC, len(block), len(block.moves), layout.bytes, layout.seats, layout.outcome_bytes, layout.policy]
    header += [layout.version, block.game & 0xFFFF_FFFF, block.game >> 32]
    data = np.array(header, "<u4").tobytes()
    for array in (
        block.packed,
        block.moves,
        block.weights,
        block.ends,
        block.value,
        block.score,
        block.root,
        block.ply,
        block.outcome,
    ):
        raw = array.tobytes()
        data += raw + bytes(-len(raw) % 4)
    return data
