"""Evaluates the positions of requests, on a GPU or on a CPU."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from .frames import Frames, Request
from .networks import Network
from .networks.trunk import ConvNorm

#: Answers that may be under way on a GPU.
LANES = 4


@torch.no_grad()
def folded(network: Network) -> Network:
    """A copy for evaluation, with batch normalisation folded into the convolutions."""
    made = copy.deepcopy(network).eval().requires_grad_(False)
    for module in made.modules():
        if isinstance(module, ConvNorm):
            module.conv, module.norm = fuse_conv_bn_eval(module.conv, module.norm), nn.Identity()
    return made


class Question:
    """The positions of requests that are evaluated together, as long as there is room for them.

    packed: uint8 [batch, bytes]; ends: int32 [batch], those beyond the n positions where their m moves end; moves:
    int16 [moves] (the bits of uint16). What is beyond n and m means nothing.
    """

    def __init__(self, room: Frames) -> None:
        self.room = room
        self.requests: list[Request] = []
        self.n = self.m = 0

    def add(self, request: Request) -> bool:
        """Adds a request; whether there is room for it."""
        if self.n + request.n > self.room.batch or self.m + request.m > self.room.moves:
            return False
        self.requests.append(request)
        self.n, self.m = self.n + request.n, self.m + request.m
        return True

    def fill(self, packed: np.ndarray, ends: np.ndarray, moves: np.ndarray) -> None:
        """Writes what is asked into the arrays."""
        n = m = 0
        for request in self.requests:
            packed[n : n + request.n] = request.packed[: request.n]
            ends[n : n + request.n] = request.ends[: request.n] + m
            moves[m : m + request.m] = request.moves[: request.m].view(np.int16)
            n, m = n + request.n, m + request.m
        ends[n:] = m

    def split(self, logits: np.ndarray, values: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """The answers to each request: logits, float32 [m], and values, float32 [n, seats]."""
        answers, n, m = [], 0, 0
        for request in self.requests:
            answers.append((logits[m : m + request.m], values[n : n + request.n]))
            n, m = n + request.n, m + request.m
        return answers


#: Waits for the logits, float32 [m], and the values, float32 [n, seats], of each request.
Answers = Callable[[], list[tuple[np.ndarray, np.ndarray]]]


class Evaluator:
    """A network and the batches that it is asked: requests of at most `batch` positions, of which as many as have room
    in `most` are evaluated together.

    On a GPU: bfloat16, channels last, a CUDA graph of a fixed batch; planes are expanded and the logits of the legal
    moves gathered there, so that only packed positions go in and only what is wanted comes out.
    """

    def __init__(
        self, network: Network, batch: int, score_share: float, device: torch.device, most: int | None = None
    ) -> None:
        self.frames, self.layout, self.device = Frames(network.layout, batch), network.layout, device
        self.room = Frames(network.layout, max(batch, most or batch))
        self.score_share = score_share if network.layout.scores else 0.0
        self.network = folded(network).to(device, memory_format=torch.channels_last)
        self.dtype = torch.float32
        self.graph: torch.cuda.CUDAGraph | None = None
        if device.type == "cuda":
            self.dtype = torch.bfloat16
            self.network = self.network.to(self.dtype)
            self._capture()

    @torch.no_grad()
    def compute(
        self, packed: torch.Tensor, ends: torch.Tensor, moves: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """From packed positions, uint8 [B, bytes], ends, int32 [B], and moves, int16 [K] (the bits of uint16), to the
        logits of those moves, float32 [K], and win shares, float32 [B, seats]. What is beyond the request's n and m
        means nothing."""
        x, g = self.layout.expand_tensor(packed, self.dtype)
        output = self.network(x.contiguous(memory_format=torch.channels_last), g)
        place = torch.arange(len(moves), device=moves.device, dtype=torch.int32)
        row = torch.searchsorted(ends, place, right=True).clamp(max=len(ends) - 1)
        index = row * self.layout.policy + (moves.long() & 0xFFFF).clamp(max=self.layout.policy - 1)
        logits = output.policy.flatten()[index].float()
        value = output.value.float()
        if self.layout.shares:
            value = value.softmax(1)
        else:
            raised = (value.tanh() + 1) / 2
            value = raised / raised.sum(1, keepdim=True).clamp(min=1e-9)
        if output.score is not None and self.score_share:
            value = value + self.score_share * (output.score.float().softmax(1) - value)
        return logits, value

    def _capture(self) -> None:
        layout, batch, room = self.layout, self.room.batch, self.room.moves
        shapes = (((batch, layout.bytes), torch.uint8), ((batch,), torch.int32), ((room,), torch.int16))
        self.inputs = [torch.zeros(shape, dtype=dtype, device=self.device) for shape, dtype in shapes]
        self.lanes = [
            (
                [torch.zeros(shape, dtype=dtype, pin_memory=True) for shape, dtype in shapes],
                torch.empty(room, pin_memory=True),
                torch.empty(batch, layout.seats, pin_memory=True),
                torch.cuda.Event(),
            )
            for _ in range(LANES)
        ]
        self.lane = 0
        self.stream = torch.cuda.Stream(self.device)
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self.compute(*self.inputs)
        self.stream.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.outputs = self.compute(*self.inputs)

    def submit(self, question: Question) -> Answers:
        """Begins to evaluate. On a GPU at most `LANES` answers may be waited for."""
        if self.graph is None:
            packed = np.empty((question.n, self.layout.bytes), np.uint8)
            ends, moves = np.empty(question.n, np.int32), np.empty(question.m, np.int16)
            question.fill(packed, ends, moves)
            told = self.compute(*map(torch.from_numpy, (packed, ends, moves)))
            answers = question.split(*(t.cpu().numpy() for t in told))
            return lambda: answers
        hosts, logits, value, event = self.lanes[self.lane]
        self.lane = (self.lane + 1) % LANES
        question.fill(*(host.numpy() for host in hosts))
        with torch.cuda.stream(self.stream):
            for host, target in zip(hosts, self.inputs):
                target.copy_(host, non_blocking=True)
            self.graph.replay()
            logits.copy_(self.outputs[0], non_blocking=True)
            value.copy_(self.outputs[1], non_blocking=True)
            event.record(self.stream)

        def wait() -> list[tuple[np.ndarray, np.ndarray]]:
            event.synchronize()
            return question.split(logits.numpy(), value.numpy())

        return wait
