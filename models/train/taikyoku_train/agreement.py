"""How far two model files agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .export import feed, session
from .layouts import Layout
from .window import Batch


def evaluate(path: Path, packed: np.ndarray, layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Policy logits, float32 [N, policy], and values, float32 [N, seats], of packed positions."""
    engine = session(path)
    parts = [engine.run(["policy", "value"], feed(layout, packed[i : i + 16])) for i in range(0, len(packed), 16)]
    return np.concatenate([p for p, _ in parts]), np.concatenate([v for _, v in parts])


def probabilities(policy: np.ndarray, batch: Batch) -> np.ndarray:
    """The policy over the legal moves of each sample, float64 [N, M]."""
    logits = np.take_along_axis(policy, batch.moves, 1).astype(np.float64)
    logits[~batch.legal] = -np.inf
    shares = np.exp(logits - logits.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def agreement(first: Path, second: Path, batch: Batch, layout: Layout) -> dict[str, float]:
    """Of all positions: `top1`, the share with the same likeliest legal move; `policy_distance`, the mean total
    variation distance of the policies; `value_mean` and `value_max`, the mean and largest difference of a value."""
    (p, v), (q, w) = (evaluate(path, batch.packed, layout) for path in (first, second))
    p, q = probabilities(p, batch), probabilities(q, batch)
    return {
        "top1": round(float((p.argmax(1) == q.argmax(1)).mean()), 4),
        "policy_distance": round(float(np.abs(p - q).sum(1).mean() / 2), 4),
        "value_mean": round(float(np.abs(v - w).mean()), 5),
        "value_max": round(float(np.abs(v - w).max()), 5),
    }
