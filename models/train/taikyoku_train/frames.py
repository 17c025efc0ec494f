"""The frames between a worker and who evaluates for it (`models/SELF_PLAY.md`, pipes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

from .layouts import Layout

#: "TKRH", "TKRQ" and "TKRP", little-endian, and the version of the protocol.
HELLO, REQUEST, REPLY = 0x4852_4B54, 0x5152_4B54, 0x5052_4B54
VERSION = 1
#: Room for legal moves that a frame has at least: that of any one position.
MOVES_LEAST = 2048


@dataclass(frozen=True)
class Frames:
    """The sizes of frames, for batches of `batch` positions."""

    layout: Layout
    batch: int

    @property
    def moves(self) -> int:
        """Room for legal moves in a frame."""
        return max(self.layout.moves * self.batch, MOVES_LEAST)

    @property
    def packed_bytes(self) -> int:
        """Bytes of the packed positions of a request, filled up to a multiple of 4."""
        size = self.batch * self.layout.bytes
        return size + -size % 4

    @property
    def request_bytes(self) -> int:
        """Bytes of a request."""
        return 16 + self.packed_bytes + 4 * self.batch + 2 * self.moves

    @property
    def reply_bytes(self) -> int:
        """Bytes of a reply."""
        return 16 + 4 * self.moves + 4 * self.batch * self.layout.seats

    def hello(self) -> list[int]:
        """What the worker says first."""
        layout = self.layout
        return [HELLO, VERSION, layout.bytes, layout.policy, layout.seats, self.batch, self.moves, layout.version]

    def greet(self, stream: BinaryIO) -> None:
        """Reads the worker's hello; `ValueError` when it is another one."""
        frame = read_exactly(stream, 32)
        said = [] if frame is None else frame.view("<u4").tolist()
        if said != self.hello():
            raise ValueError(f"the worker's hello is {said}, not {self.hello()}: was it built from this repository?")

    def read(self, stream: BinaryIO) -> Request | None:
        """The next request; none at the end."""
        frame = read_exactly(stream, self.request_bytes)
        return None if frame is None else self.parse(frame)

    def parse(self, frame: np.ndarray) -> Request:
        """A request from its bytes."""
        magic, slot, n, m = frame[:16].view("<u4").tolist()
        if magic != REQUEST or slot > 1 or not 0 < n <= self.batch or m > self.moves:
            raise ValueError(f"not a request: {magic:#x}, slot {slot}, {n} positions, {m} moves")
        ends_at = 16 + self.packed_bytes
        moves_at = ends_at + 4 * self.batch
        packed = frame[16 : 16 + self.batch * self.layout.bytes].reshape(self.batch, self.layout.bytes)
        ends = frame[ends_at:moves_at].view("<i4")
        return Request(slot, n, m, packed, ends, frame[moves_at:].view("<u2"))

    def reply(self, request: Request, logits: np.ndarray, values: np.ndarray) -> np.ndarray:
        """A reply: logits, float32 [m], and values, float32 [n, seats]."""
        frame = np.zeros(self.reply_bytes, np.uint8)
        frame[:16].view("<u4")[:] = REPLY, request.slot, request.n, request.m
        frame[16 : 16 + 4 * request.m].view("<f4")[:] = logits
        values_at = 16 + 4 * self.moves
        frame[values_at : values_at + 4 * values.size].view("<f4")[:] = values.ravel()
        return frame


@dataclass
class Request:
    """n positions and their m legal moves.

    packed: uint8 [batch, bytes], the first n of them set; ends: int32 [batch], where the moves of each end; moves:
    uint16 [moves], the first m of them set.
    """

    slot: int
    n: int
    m: int
    packed: np.ndarray
    ends: np.ndarray
    moves: np.ndarray


def read_exactly(stream: Any, size: int) -> np.ndarray | None:
    """So many bytes; none at the end of the stream, `ValueError` when it ends before them."""
    frame = np.empty(size, np.uint8)
    view, filled = frame.data, 0
    while filled < size:
        count = stream.readinto(view[filled:])
        if not count:
            if filled:
                raise ValueError("the worker stopped in the middle of a frame")
            return None
        filled += count
    return frame
