"""Whether PyTorch, ONNX Runtime and the programs of the workspace say the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import torch

from .agreement import evaluate
from .layouts import Layout
from .networks import Network
from .samples import Block
from .worker import WorkerError, environment, selfplay

#: Differences that are allowed.
TOLERANCE = 1e-4


def programs_answers(
    worker: Path, model: Path, files: list[Path], layout: Layout, engine: str
) -> list[tuple[np.ndarray, np.ndarray]]:
    """What `taikyoku-lab selfplay evaluate` says of games: for each, the logits of the legal moves, float32 [m], and
    the     values, float32 [n, seats]."""
    command = selfplay(worker, "evaluate", model, *files, "--layout", layout.name, "--nn-engine", engine)
    done = subprocess.run(command, capture_output=True, env=environment())
    if done.returncode != 0:
        raise WorkerError(f"taikyoku-lab selfplay evaluate: {done.stderr.decode(errors='replace').strip()}")
    games, at = [], 0
    while at < len(done.stdout):
        n, m = np.frombuffer(done.stdout, "<u4", 2, at).tolist()
        numbers = np.frombuffer(done.stdout, "<f4", m + 2 * n * layout.seats, at + 8)
        games.append((numbers[:m], numbers[m : m + n * layout.seats].reshape(n, layout.seats)))
        at += 8 + 4 * len(numbers)
    return games


@torch.no_grad()
def pytorchs_answers(network: Network, packed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Policy logits, [N, policy], and values, [N, seats], by PyTorch in float32."""
    device = next(network.parameters()).device
    x, g = network.layout.expand_tensor(torch.from_numpy(packed.copy()).to(device))
    output = network.eval()(x, g)
    return output.policy.cpu().numpy(), network.final_value(output.value).cpu().numpy()


def shares(value: np.ndarray, layout: Layout) -> np.ndarray:
    """Values as shares of the win, as the programs have them: (v + 1) / 2 over its sum where v is in -1..1."""
    if layout.shares:
        return value
    raised = (value + 1) / 2
    return raised / np.maximum(raised.sum(1, keepdims=True), 1e-9)


def differences(
    worker: Path, model: Path, files: list[Path], blocks: list[Block], network: Network, engines: list[str]
) -> dict[str, float]:
    """The largest difference of a logit or a value from PyTorch's, on the games of `files` (`blocks`: the same), of
    Python's ONNX Runtime and of the workspace's programs with each engine."""
    layout = network.layout
    found: dict[str, float] = {"python": 0.0}
    ours = [pytorchs_answers(network, block.packed) for block in blocks]
    for block, (policy, value) in zip(blocks, ours):
        theirs = evaluate(model, block.packed, layout)
        found["python"] = max(
            found["python"], float(np.abs(policy - theirs[0]).max()), float(np.abs(value - theirs[1]).max())
        )
    for engine in engines:
        answers = programs_answers(worker, model, files, layout, engine)
        if len(answers) != len(blocks):
            raise WorkerError(f"taikyoku-lab selfplay evaluate gave {len(answers)} games instead of {len(blocks)}")
        largest = 0.0
        for block, (policy, value), (logits, values) in zip(blocks, ours, answers):
            row = np.repeat(np.arange(len(block)), np.diff(block.ends.astype(int), prepend=0))
            largest = max(largest, float(np.abs(policy[row, block.moves] - logits).max()))
            largest = max(largest, float(np.abs(shares(value, layout) - values).max()))
        found[engine] = largest
    return found
