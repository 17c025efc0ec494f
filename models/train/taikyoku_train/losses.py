"""What is learnt: the parts of the loss, and how good the answers are."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F

from .layouts import Layout
from .networks import Output
from .preset import Loss
from .window import Batch

#: The score's target is softmax(final score / SCORE_SCALE).
SCORE_SCALE = 6.0
#: The logarithm of a probability that adds nothing to any other.
UNLIKELY = -1e4


@dataclass
class Targets:
    """A batch on the device of the network; see `Batch` for the shapes."""

    packed: torch.Tensor
    moves: torch.Tensor
    weights: torch.Tensor
    legal: torch.Tensor
    value: torch.Tensor
    score: torch.Tensor
    root: torch.Tensor
    ownership: torch.Tensor | None

    @classmethod
    def of(cls, batch: Batch, layout: Layout, device: torch.device) -> Targets:
        """Moves a batch to a device."""

        def move(array) -> torch.Tensor:
            return torch.from_numpy(array).to(device, non_blocking=True)

        ownership = move(layout.expand_outcome(batch.outcome)) if layout.outcomes else None
        return cls(
            move(batch.packed),
            move(batch.moves),
            move(batch.weights),
            move(batch.legal),
            move(batch.value),
            move(batch.score),
            move(batch.root),
            ownership,
        )


def value_target(targets: Targets, root: float) -> torch.Tensor:
    """The outcome, mixed with the search's own value where that is known; shares, [N, seats]."""
    mixed = (1 - root) * targets.value + root * targets.root
    return torch.where(targets.root.isnan(), targets.value, mixed)


def legal_logits(policy: torch.Tensor, targets: Targets) -> torch.Tensor:
    """The logits of the legal moves, float32 [N, M]; -inf where there is none."""
    logits = policy.gather(1, targets.moves).float()
    return logits.masked_fill(~targets.legal, -torch.inf)


def losses(
    output: Output, targets: Targets, layout: Layout, weights: Loss
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """The loss without weight decay, and its parts.

    Policy: cross-entropy, over the legal moves alone when masked, in the mean over the samples that have a target; of
    the moves with a target as one, when they count together.
    Value: cross-entropy of the win shares; for a layout of numbers in -1..1 the paper's |z - v|^2, z = 1 for every
    winner and -1 for the others. Score: cross-entropy with softmax(score / 6). Ownership: binary cross-entropy.
    """
    logits = legal_logits(output.policy, targets)
    if weights.masked:
        log_p = logits.log_softmax(1)
    else:
        log_p = logits - output.policy.float().logsumexp(1, keepdim=True)
    counts = (targets.weights.sum(1) > 0).float()
    if weights.lost != 1:
        counts = counts * torch.where(targets.value[:, 0] > 0, 1.0, weights.lost)
    if weights.together:
        # A number for no move at all keeps the gradient of samples without a target finite.
        good = log_p.masked_fill(targets.weights <= 0, UNLIKELY).logsumexp(1)
    else:
        good = (targets.weights * log_p.masked_fill(~targets.legal, 0)).sum(1)
    policy = -(counts * good).sum() / counts.sum().clamp(min=1)
    parts = {"policy": policy}
    total = weights.policy * policy

    value = output.value.float()
    if layout.shares:
        parts["value"] = -(value_target(targets, weights.root) * value.log_softmax(1)).sum(1).mean()
    else:
        z = torch.where(targets.value > 0, 1.0, -1.0)
        parts["value"] = (z - value.tanh()).square().sum(1).mean()
    total = total + weights.value * parts["value"]

    if output.score is not None and weights.score:
        target = (targets.score / SCORE_SCALE).softmax(1)
        parts["score"] = -(target * output.score.float().log_softmax(1)).sum(1).mean()
        total = total + weights.score * parts["score"]
    if output.ownership is not None and targets.ownership is not None and weights.ownership:
        ownership = output.ownership.float()
        parts["ownership"] = F.binary_cross_entropy_with_logits(ownership, targets.ownership)
        total = total + weights.ownership * parts["ownership"]
    return total, parts


@torch.no_grad()
def metrics(output: Output, targets: Targets) -> dict[str, torch.Tensor]:
    """Shares of agreement: `policy_top1`, the likeliest legal move is the target's best; `value_top1`, the seat of
    the highest value is a winner; and `policy_kl`, the cross-entropy less the target's own entropy."""
    logits = legal_logits(output.policy, targets)
    has_policy = targets.weights.sum(1) > 0
    count = has_policy.sum().clamp(min=1)
    best = targets.weights.gather(1, logits.argmax(1, keepdim=True))[:, 0]
    agrees = (best >= targets.weights.amax(1)) & has_policy
    wins = targets.value.gather(1, output.value.argmax(1, keepdim=True))[:, 0] > 0
    log_p = logits.log_softmax(1).masked_fill(~targets.legal, 0)
    kl = (targets.weights * (targets.weights.clamp(min=1e-9).log() - log_p)).sum()
    return {
        "policy_top1": agrees.sum() / count,
        "policy_kl": kl / count,
        "value_top1": wins.float().mean(),
    }
