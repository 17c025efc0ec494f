"""The learner: steps of the optimiser on batches."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from .inheritance import inherit
from .losses import Targets, losses, metrics
from .networks import Network, Output, build
from .preset import Preset
from .window import Batch

#: A warm start's rate falls to this share of itself.
LOWEST = 0.05


def choose_device(name: str = "auto") -> torch.device:
    """A GPU where there is one, else the CPU; `ValueError` for a GPU that is not there."""
    if name not in ("auto", "cpu", "cuda"):
        raise ValueError(f"device {name!r} is not known; there are: auto, cpu, cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise ValueError("device 'cuda': PyTorch finds no NVIDIA GPU here; without --device the CPU learns")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def choose_precision(name: str, device: torch.device) -> torch.dtype:
    """bfloat16 on a GPU, and on a CPU that multiplies it in hardware (about twice as fast there), else float32."""
    if name not in ("auto", "fp32", "bf16"):
        raise ValueError(f"precision {name!r} is not known; there are: auto, fp32, bf16")
    if name != "auto":
        return torch.bfloat16 if name == "bf16" else torch.float32
    if device.type == "cuda":
        return torch.bfloat16
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        flags = ""
    return torch.bfloat16 if "avx512_bf16" in flags or "amx_bf16" in flags else torch.float32


class Learner:
    """A network, its optimiser, and the moving average of its weights, which is what plays and is exported."""

    def __init__(
        self, preset: Preset, seed: int, device: torch.device, precision: torch.dtype, compiled: bool = False
    ) -> None:
        torch.manual_seed(seed)
        self.preset, self.device, self.precision = preset, device, precision
        self.network = build(preset.network).to(device, memory_format=torch.channels_last)
        self.layout = self.network.layout
        self.forward: Callable[..., Output] = torch.compile(self.network) if compiled else self.network
        self.average: Network = copy.deepcopy(self.network).eval().requires_grad_(False)
        self.optimiser = self._optimiser()
        self.step = 0

    def inherit(self, path: Path, batch: Batch) -> None:
        """Begins with the weights of a file; the statistics of its batch normalisations are those of `batch`."""
        x, g = self.layout.expand_tensor(Targets.of(batch, self.layout, self.device).packed)
        inherit(self.network, path, x, g)
        self.average.load_state_dict(self.network.state_dict())

    def _optimiser(self) -> torch.optim.Optimizer:
        learning = self.preset.learning
        parameters = [p for p in self.network.parameters() if p.requires_grad]
        decayed = [p for p in parameters if learning.decay_all or p.dim() > 1]
        free = [p for p in parameters if not (learning.decay_all or p.dim() > 1)]
        groups = [g for g in ({"params": decayed}, {"params": free, "weight_decay": 0.0}) if g["params"]]
        if learning.optimiser == "sgd":
            # The gradient of c |theta|^2 is 2 c theta; PyTorch adds weight_decay * theta.
            return torch.optim.SGD(groups, lr=0.0, momentum=learning.momentum, weight_decay=2 * learning.decay)
        return torch.optim.AdamW(groups, lr=0.0, weight_decay=learning.decay)

    def rate(self, warm_steps: int = 0) -> float:
        """The learning rate of the next step; `warm_steps`: those of the warm start."""
        learning, warm = self.preset.learning, self.preset.warm
        rate = [value for first, value in learning.rate if first <= self.step][-1]
        if self.step < warm_steps and warm.rate:
            share = 0.5 * (1 + math.cos(math.pi * self.step / warm_steps))
            rate = warm.rate * (LOWEST + (1 - LOWEST) * share)
        return rate * min(1.0, (self.step + 1) / max(1, learning.warmup))

    def learn(self, batch: Batch, warm_steps: int = 0, measured: bool = False) -> dict[str, float]:
        """One step; the parts of its loss, and, when `measured`, how good the answers were before it."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate(warm_steps)
        self.network.train()
        targets = Targets.of(batch, self.layout, self.device)
        output = self._ask(self.forward, targets)
        total, parts = losses(output, targets, self.layout, self.preset.loss)
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()
        if self.preset.learning.clip:
            norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.preset.learning.clip)
            parts["gradient"] = norm
        self.optimiser.step()
        self.step += 1
        self._move_average()
        if not measured:
            return {}
        told = {"loss": total, **parts, **metrics(output, targets)}
        return {name: float(value.detach()) for name, value in told.items()}

    @torch.no_grad()
    def measure(self, batch: Batch) -> dict[str, float]:
        """The loss of the averaged network on a batch, and how good its answers are."""
        targets = Targets.of(batch, self.layout, self.device)
        output = self._ask(self.average, targets)
        total, parts = losses(output, targets, self.layout, self.preset.loss)
        return {name: float(value) for name, value in {"loss": total, **parts, **metrics(output, targets)}.items()}

    def _ask(self, network: Callable[..., Output], targets: Targets) -> Output:
        x, g = self.layout.expand_tensor(targets.packed)
        x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == torch.bfloat16):
            return network(x, g)

    @torch.no_grad()
    def _move_average(self) -> None:
        share = min(self.preset.learning.ema, (1 + self.step) / (10 + self.step))
        ours, theirs = self.average.state_dict(), self.network.state_dict()
        floats = [k for k, v in theirs.items() if v.is_floating_point()]
        if share:
            torch._foreach_lerp_([ours[k] for k in floats], [theirs[k] for k in floats], 1 - share)
        else:
            torch._foreach_copy_([ours[k] for k in floats], [theirs[k] for k in floats])

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        return {
            "step": self.step,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "rng": torch.get_rng_state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a checkpoint."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        torch.set_rng_state(state["rng"])
        self.step = state["step"]
