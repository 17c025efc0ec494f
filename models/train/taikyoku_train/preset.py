"""Presets: all numbers of a training, as a TOML file."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .shape import Shape

FOLDER = Path(__file__).parent / "presets"


@dataclass(frozen=True)
class SelfPlay:
    """How games are made with the network; see `taikyoku-lab selfplay play --help`."""

    games: int
    """Games of a cycle, after each of which the network learns."""
    simulations: int
    """Simulations of a searched move."""
    first_games: int = 0
    """Games that the first cycle has beside those, so that the window is full before the first step."""
    fast_simulations: int = 0
    """Simulations of the moves that are only played, not learnt from; 0: every move is searched in full."""
    full_share: float = 1.0
    """Share of the moves that are searched in full (playout-cap randomisation)."""
    gumbel: bool = False
    """Gumbel root search with completed-Q targets, instead of PUCT with noise."""
    considered: int = 16
    """Moves that a Gumbel root considers."""
    noise: float = 0.25
    """Share of the Dirichlet noise at the root of PUCT; 0: none."""
    alpha: float = 0.02
    """Parameter of that noise."""
    exploration: str = ""
    """C of PUCT, a number or `log` for AlphaZero's; empty: the worker's own."""
    mate: int = 0
    """Plies of the wins looked for before each search, played and learnt as the only move; of Dobutsu shogi only."""
    drawn_plies: int = 20
    """First plies whose moves are drawn by visits; after them the best move is played."""
    random_plies: int = 0
    """Most uniformly random plies at the start of a game."""
    score_share: float = 0.0
    """Share of the network's score output in the value of a position; the rest is its value output."""
    leaf_playouts: int = 0
    """Playouts from each position that the network evaluates, mixed with its value half and half; of Blokus only."""
    int8: bool = True
    """Whether workers on a CPU play with the int8 file."""
    together: int = 1
    """Games that a thread of a worker on a CPU plays at a time, one position of each in a batch."""
    batch: int = 512
    """Positions of a batch on a GPU, at most: what several workers ask at the same time is evaluated together."""
    workers: int = 8
    """Workers that share a GPU, each a file of `chunk` games."""
    chunk: int = 0
    """Games of a file, each made by one worker; 0: those of a cycle."""
    arguments: tuple[str, ...] = ()
    """More arguments of the worker."""


@dataclass(frozen=True)
class Warm:
    """Games of a classical engine that are learnt from before the first game of self-play."""

    games: int = 0
    """Games to make; 0: none, unless files are given."""
    engine: str = ""
    """The engine and its parameters; see `taikyoku-lab selfplay teach --help`."""
    epochs: float = 1.0
    """How often each position is drawn, in the mean."""
    rate: float = 0.0
    """Highest learning rate of these steps, which falls by a cosine; 0: the rate of [learning]."""


@dataclass(frozen=True)
class Learning:
    """The optimiser and its data."""

    batch: int
    rate: tuple[tuple[int, float], ...]
    """Learning rates, each with the first step at which it holds."""
    optimiser: str = "sgd"
    """`sgd` or `adamw`."""
    momentum: float = 0.9
    decay: float = 1e-4
    """Weight decay: for sgd the c of c |theta|^2 (gradient 2 c theta), for adamw the decoupled one."""
    decay_all: bool = False
    """Decay biases and normalisation too."""
    warmup: int = 0
    """Steps over which the rate rises from 0."""
    clip: float = 0.0
    """Largest norm of the gradient; 0: any."""
    ema: float = 0.0
    """Share of the old in the moving average of the weights, which is what is exported; 0: none."""
    window: int = 10_000
    """Newest games that are drawn from."""
    samples_per_position: float = 1.0
    """Samples drawn for each new position of self-play, unless `steps` says how many steps a cycle has."""
    steps: int = 0
    """Steps of a cycle; 0: by `samples_per_position`."""
    total: int = 0
    """Steps after which the training is done; 0: never."""
    holdout: int = 0
    """Every so many games of the warm start one is not learnt from, to measure with; 0: none."""


@dataclass(frozen=True)
class Loss:
    """The weights of the parts of the loss."""

    policy: float = 1.0
    value: float = 1.0
    score: float = 0.0
    ownership: float = 0.0
    root: float = 0.0
    """Share of the search's own value in the value target; the rest is the outcome."""
    masked: bool = True
    """The policy's softmax is over the legal moves alone."""
    together: bool = False
    """The policy's loss is that of the total probability of the moves with a target: which of them is chosen does not
    matter."""
    lost: float = 1.0
    """Weight of the policy of positions that are lost, against that of the others."""


@dataclass(frozen=True)
class Preset:
    """All of a training."""

    name: str
    network: Shape
    self_play: SelfPlay
    learning: Learning
    loss: Loss = field(default_factory=Loss)
    warm: Warm = field(default_factory=Warm)

    def as_dict(self) -> dict[str, Any]:
        """For checkpoints."""
        return dataclasses.asdict(self)


def _make(kind: type, table: Any, where: str) -> Any:
    """A data class from a table of TOML; `ValueError` that names the key."""
    if not isinstance(table, dict):
        raise ValueError(f"{where}: a table is needed")
    types = typing.get_type_hints(kind)
    values = {}
    for key, value in table.items():
        if key not in types:
            raise ValueError(f"{where}: key {key!r} is not known; there are: {', '.join(types)}")
        kind_of = types[key]
        if isinstance(kind_of, type) and dataclasses.is_dataclass(kind_of):
            value = _make(kind_of, value, f"{where}, [{key}]")
        elif isinstance(value, list):
            value = tuple(tuple(v) if isinstance(v, list) else v for v in value)
        elif kind_of is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if isinstance(kind_of, type) and not isinstance(value, kind_of):
            raise ValueError(f"{where}: {key} = {value!r} is not of type {kind_of.__name__}")
        values[key] = value
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from None


def load(name: str) -> Preset:
    """A preset by its name, or from a path that ends in `.toml`; `ValueError` that names the file and the key. A file
    with `base = "NAME"` has what it does not say itself from the preset NAME beside it."""
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.toml")))
        raise ValueError(f"no preset {name!r}; there are: {known}, or give a .toml file")
    try:
        table = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    if base := table.pop("base", None):
        below = load(str(path.parent / f"{base}.toml")).as_dict()
        for key, value in table.items():
            below[key] = (
                {**below[key], **value} if isinstance(below.get(key), dict) and isinstance(value, dict) else value
            )
        table = {**below, "name": path.stem}
    table.setdefault("name", path.stem)
    return from_dict(table, str(path))


def from_dict(table: dict[str, Any], where: str) -> Preset:
    """A preset from its table; `ValueError` that says where and which key."""
    preset = _make(Preset, table, where)
    if preset.learning.optimiser not in ("sgd", "adamw"):
        raise ValueError(f"{where}: optimiser {preset.learning.optimiser!r} is not known; there are: sgd, adamw")
    if not 0 <= preset.self_play.noise <= 1 or preset.self_play.alpha <= 0:
        raise ValueError(f"{where}: [self_play] noise is a share, 0 to 1, and alpha above 0")
    if not preset.learning.rate or preset.learning.batch < 1:
        raise ValueError(f"{where}: [learning] needs a rate and a batch")
    return preset
