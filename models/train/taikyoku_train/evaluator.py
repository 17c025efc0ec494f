"""Evaluates the positions of requests, on a GPU or on a CPU."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass
class Answer:
    """What was asked, and how to wait for the answer: logits, float32 [moves], and values, float32 [batch, seats]."""

    request: Request
    wait: Callable[[], tuple[np.ndarray, np.ndarray]]


class Evaluator:
    """A network and the batches that it is asked.

    On a GPU: bfloat16, channels last, a CUDA graph of a fixed batch; planes are expanded and the logits of the legal
    moves gathered there, so that only packed positions go in and only what is wanted comes out.
    """

    def __init__(self, network: Network, batch: int, score_share: float, device: torch.device) -> None:
        self.frames, self.layout, self.device = Frames(network.layout, batch), network.layout, device
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
        layout, batch, room = self.layout, self.frames.batch, self.frames.moves
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

    def submit(self, request: Request) -> Answer:
        """Begins to evaluate. On a GPU at most `LANES` answers may be waited for."""
        moves = request.moves.view(np.int16)
        # Ends beyond the request's positions are not set.
        ends = np.where(np.arange(len(request.ends)) < request.n, request.ends, request.m).astype(np.int32)
        if self.graph is None:
            told = self.compute(*map(torch.from_numpy, (request.packed, ends, moves)))
            logits, value = (t.cpu().numpy() for t in told)
            return Answer(request, lambda: (logits, value))
        hosts, logits, value, event = self.lanes[self.lane]
        self.lane = (self.lane + 1) % LANES
        with torch.cuda.stream(self.stream):
            for host, source, target in zip(hosts, (request.packed, ends, moves), self.inputs):
                host.numpy()[...] = source
                target.copy_(host, non_blocking=True)
            self.graph.replay()
            logits.copy_(self.outputs[0], non_blocking=True)
            value.copy_(self.outputs[1], non_blocking=True)
            event.record(self.stream)

        def wait() -> tuple[np.ndarray, np.ndarray]:
            event.synchronize()
            return logits.numpy(), value.numpy()

        return Answer(request, wait)
