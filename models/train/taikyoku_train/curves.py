"""A picture of a run: `curves.png`."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from .files import write_atomically
from .journal import read

#: The panels: what they are called, and the values of the log that they show.
PANELS = [
    ("policy: cross-entropy less entropy", ["policy_kl"]),
    ("policy: likeliest move is the target's best", ["policy_top1"]),
    ("value: cross-entropy", ["value"]),
    ("value: highest seat is a winner", ["value_top1"]),
    ("score and ownership: losses", ["score", "ownership"]),
    ("learning rate", ["rate"]),
]


def smooth(values: list[float], share: float) -> list[float]:
    """A moving average."""
    out: list[float] = []
    for value in values:
        out.append(value if not out else share * out[-1] + (1 - share) * value)
    return out


def draw(folder: Path) -> Path:
    """Draws the log of a run; the path of the picture."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    records = read(folder)
    learnt = [r for r in records if r["kind"] == "learn"]
    if not learnt:
        raise ValueError(f"{folder}: nothing was learnt yet")
    held = [r for r in records if r["kind"] == "valid"]
    played = [r for r in records if r["kind"] == "play"]
    figure, axes = pyplot.subplots(4, 2, figsize=(11, 13), constrained_layout=True)
    figure.suptitle(next((f"{r['preset']}: {r['network']}" for r in records if r["kind"] == "start"), folder.name))
    for axis, (title, names) in zip(axes.flat, PANELS):
        axis.set_title(title, fontsize=10)
        for name in names:
            series(axis, learnt, name, "learnt from" if len(names) == 1 else name, smoothed=name != "rate")
            series(axis, held, name, "held out" if len(names) == 1 else f"{name}, held out", marker="o")
    speeds(axes.flat[6], learnt, "samples_per_second", "samples learnt from per second")
    evaluations = read_evaluations(folder)
    if evaluations:
        axis = axes.flat[7]
        axis.set_title("share of the win in matches, with intervals", fontsize=10)
        for name in dict.fromkeys(e["against"] for e in evaluations):
            rows = [e for e in evaluations if e["against"] == name]
            bars = [[max(0, r["share"] - r["low"]) for r in rows], [max(0, r["high"] - r["share"]) for r in rows]]
            axis.errorbar([r["steps"] for r in rows], [r["share"] for r in rows], bars, marker="o", label=name)
        axis.legend(fontsize=8)
    else:
        rates = [{**r, "rate_of_games": r["games"] / r["seconds"]} for r in played if r.get("games") and r["seconds"]]
        speeds(axes.flat[7], rates, "rate_of_games", "games of self-play per second")
    for axis in axes.flat:
        axis.grid(alpha=0.3)
        axis.set_xlabel("steps", fontsize=8)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=90)
    pyplot.close(figure)
    path = folder / "curves.png"
    write_atomically(path, buffer.getvalue())
    return path


def series(axis, records: list[dict[str, Any]], name: str, label: str, smoothed: bool = False, **style: Any) -> None:
    """A line of a value over the steps."""
    rows = [r for r in records if name in r]
    if rows:
        values = [r[name] for r in rows]
        if smoothed:
            values = smooth(values, min(0.9, len(values) / 100))
        axis.plot([r["step"] for r in rows], values, label=label, markersize=3, **style)
        axis.legend(fontsize=8)


def speeds(axis, records: list[dict[str, Any]], name: str, title: str) -> None:
    """A line of a speed."""
    axis.set_title(title, fontsize=10)
    axis.plot([r["step"] for r in records], [r.get(name, 0) for r in records])
    axis.set_ylim(bottom=0)


def read_evaluations(folder: Path) -> list[dict[str, Any]]:
    """The matches of a run: see `evaluate`."""
    path = folder / "evaluations.jsonl"
    if not path.exists():
        return []
    rows = []
    for line in path.read_text().splitlines():
        try:
            row = json.loads(line)
            rows.append({key: row[key] for key in ("steps", "against", "share", "low", "high")})
        except (ValueError, KeyError, TypeError):
            continue
    return sorted(rows, key=lambda row: row["steps"])
