"""Samples of games, as `taikyoku-lab selfplay encode` writes them: a block for each game (`models/SELF_PLAY.md`)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from .layouts import Layout
from .worker import WorkerError, apart, selfplay

#: "TKSB", little-endian.
MAGIC = 0x4253_4B54
HEADER = np.dtype("<u4")
WORDS = 10


@dataclass
class Block:
    """The n samples of a game, with m legal moves in all.

    packed: uint8 [n, bytes]; moves, weights: uint16 [m]; ends: uint32 [n], where the moves of each sample end;
    value, score, root: float32 [n, seats], relative to the seat to move; ply: uint16 [n]; outcome: uint8
    [n, outcome bytes]. Weights are the policy's target times 65,535; all 0: the sample has none. `root` is NaN where
    the search's own value is not known.
    """

    game: int
    packed: np.ndarray
    moves: np.ndarray
    weights: np.ndarray
    ends: np.ndarray
    value: np.ndarray
    score: np.ndarray
    root: np.ndarray
    ply: np.ndarray
    outcome: np.ndarray

    def __len__(self) -> int:
        return len(self.packed)


def read_blocks(stream: BinaryIO, layout: Layout) -> Iterator[Block]:
    """The blocks of a stream, to its end; `ValueError` when they are not of this layout, or cut off."""
    while header := stream.read(WORDS * 4):
        if len(header) < WORDS * 4:
            raise ValueError("samples: the stream ends in the middle of a header")
        magic, n, m, size, seats, outcome, policy, version, low, high = np.frombuffer(header, HEADER).tolist()
        if magic != MAGIC:
            raise ValueError(f"samples: {magic:#x} is not the beginning of a block")
        theirs = (size, seats, outcome, policy, version)
        ours = (layout.bytes, layout.seats, layout.outcome_bytes, layout.policy, layout.version)
        if theirs != ours:
            raise ValueError(
                f"samples: (bytes, seats, outcome, policy, version) {theirs}, but {layout.name} has {ours}"
            )

        game = low | high << 32

        def array(kind: str, *shape: int, game: int = game) -> np.ndarray:
            dtype = np.dtype(kind)
            length = int(np.prod(shape)) * dtype.itemsize
            data = stream.read(length + -length % 4)
            if len(data) < length + -length % 4:
                raise ValueError(f"samples: the stream ends in the middle of game {game}")
            return np.frombuffer(data, dtype, count=int(np.prod(shape))).reshape(shape)

        block = Block(
            game=game,
            packed=array("u1", n, size),
            moves=array("<u2", m),
            weights=array("<u2", m),
            ends=array("<u4", n),
            value=array("<f4", n, seats),
            score=array("<f4", n, seats),
            root=array("<f4", n, seats),
            ply=array("<u2", n),
            outcome=array("u1", n, outcome),
        )
        if n and (block.ends[-1] != m or (np.diff(block.ends.astype(np.int64)) < 0).any()):
            raise ValueError(f"samples: the moves of game {block.game} do not add up")
        if m and block.moves.max() >= policy:
            raise ValueError(f"samples: game {block.game} has a move beyond the policy")
        yield block


def encode(worker: Path, layout: Layout, files: list[Path]) -> Iterator[Block]:
    """The blocks of files, in their order: of games, or of samples (`*.tks`), which come first; `WorkerError` with what
    the worker says when it fails."""
    for path in files:
        if path.suffix == ".tks":
            with open(path, "rb") as stream:
                yield from read_blocks(stream, layout)
    files = [path for path in files if path.suffix != ".tks"]
    if not files:
        return
    command = selfplay(worker, "encode", layout.name, *files)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **apart()) as process:
        assert process.stdout and process.stderr, "they are pipes"
        try:
            yield from read_blocks(cast(BinaryIO, process.stdout), layout)
        except BaseException:
            process.kill()
            raise
        error = process.stderr.read().decode(errors="replace").strip()
        if process.wait() != 0:
            raise WorkerError(f"{' '.join(command[:3])}: {error}")
