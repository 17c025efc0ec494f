"""The replay window: the positions of the newest games."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .layouts import Layout
from .samples import Block


@dataclass
class Batch:
    """N samples, ready to be learnt from.

    packed: uint8 [N, bytes]; moves: int64 [N, M], padded with 0; weights: float32 [N, M], of sum 1, or all 0 where
    the sample has no policy target; legal: bool [N, M], which of `moves` are there; value, score, root: float32
    [N, seats]; outcome: uint8 [N, outcome bytes].
    """

    packed: np.ndarray
    moves: np.ndarray
    weights: np.ndarray
    legal: np.ndarray
    value: np.ndarray
    score: np.ndarray
    root: np.ndarray
    outcome: np.ndarray


class Column:
    """Rows that are added at the end and dropped at the beginning, in one array."""

    def __init__(self, dtype: str, *shape: int) -> None:
        self.data = np.empty((1024, *shape), dtype)
        self.start = self.end = 0

    @property
    def rows(self) -> np.ndarray:
        """What is there."""
        return self.data[self.start : self.end]

    def add(self, rows: np.ndarray) -> None:
        """Adds rows."""
        if self.end + len(rows) > len(self.data):
            if 2 * self.start >= len(self.data):
                kept = self.rows
                self.data[: len(kept)] = kept
                self.start, self.end = 0, len(kept)
            needed = self.end + len(rows)
            if needed > len(self.data):
                # In place where the system can: a copy beside it would double what a large file needs.
                self.data.resize((needed + needed // 8, *self.data.shape[1:]), refcheck=False)
        self.data[self.end : self.end + len(rows)] = rows
        self.end += len(rows)

    def drop(self, count: int) -> None:
        """Drops the oldest rows."""
        self.start += count


class Window:
    """The samples of the newest `games` games, drawn from by (seed, step): the same draw gives the same samples."""

    def __init__(self, layout: Layout, games: int) -> None:
        self.layout = layout
        self.games = games
        self.sizes: list[tuple[int, int]] = []
        """Samples and legal moves of each game."""
        self.first_move = 0
        """Legal moves that were ever dropped."""
        seats = layout.seats
        self.packed = Column("u1", layout.bytes)
        self.moves, self.weights = Column("u2"), Column("u2")
        self.ends, self.counts = Column("i8"), Column("u2")
        self.value, self.score, self.root = (Column("f4", seats) for _ in range(3))
        self.outcome = Column("u1", layout.outcome_bytes)

    def __len__(self) -> int:
        """Samples."""
        return len(self.packed.rows)

    def add(self, blocks: Iterable[Block]) -> int:
        """Adds games, oldest first; the number of samples in them. The oldest of too many are dropped."""
        added = 0
        for block in blocks:
            end = self.first_move + len(self.moves.rows)
            ends = block.ends.astype(np.int64)
            self.packed.add(block.packed)
            self.moves.add(block.moves)
            self.weights.add(block.weights)
            self.ends.add(ends + end)
            self.counts.add(np.diff(ends, prepend=0))
            for column, rows in ((self.value, block.value), (self.score, block.score), (self.root, block.root)):
                column.add(rows)
            self.outcome.add(block.outcome)
            self.sizes.append((len(block), len(block.moves)))
            added += len(block)
            while len(self.sizes) > self.games:
                self.drop()
        return added

    def drop(self) -> None:
        """Drops the oldest game."""
        samples, moves = self.sizes.pop(0)
        self.first_move += moves
        for column in (self.packed, self.ends, self.counts, self.value, self.score, self.root, self.outcome):
            column.drop(samples)
        self.moves.drop(moves)
        self.weights.drop(moves)

    def draw(self, seed: int, step: int, batch: int) -> Batch:
        """`batch` samples, uniformly with replacement; `ValueError` when there are none."""
        if not len(self):
            raise ValueError("the replay window is empty")
        return self.gather(np.random.default_rng([seed, step]).integers(0, len(self), batch))

    def gather(self, index: np.ndarray) -> Batch:
        """The samples of these numbers, counted from the oldest."""
        counts = self.counts.rows[index].astype(np.int64)
        starts = self.ends.rows[index] - counts - self.first_move
        place = np.arange(max(1, int(counts.max())))
        legal = place < counts[:, None]
        at = np.where(legal, starts[:, None] + place, 0)
        moves = np.where(legal, self.moves.rows[at], 0).astype(np.int64)
        weights = np.where(legal, self.weights.rows[at], 0).astype(np.float32)
        weights /= np.maximum(weights.sum(1, keepdims=True), 1)
        return Batch(
            self.packed.rows[index],
            moves,
            weights,
            legal,
            self.value.rows[index],
            self.score.rows[index],
            self.root.rows[index],
            self.outcome.rows[index],
        )
