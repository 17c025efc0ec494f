#!/usr/bin/env python3
"""Draws the charts of the levels, `docs/pictures/levels-*.svg`, from the tables of `docs/strength.md`: .ci/charts.py"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "strength.md"
#: A picture, and the first table of levels below it.
CHART = re.compile(
    r"!\[([^]]*)\]\((pictures/levels-[\w-]+\.svg)\).*?\| level \|[^\n]*\n\|[-|]+\|\n((?:\|[^\n]*\n)+)", re.DOTALL
)
ROW = re.compile(r"\| (\d) \| `[^`]+` \| ([+-]?[\d.]+) ± ([\d.]+)")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 560, 220, 56, 184, 20


def chart(title: str, rows: list[tuple[str, float, float]], chance: float, most: float) -> str:
    """The scores of levels with their intervals, above the score of equal players."""

    def y(value: float) -> float:
        return round(BOTTOM - (value - chance) / (most - chance) * (BOTTOM - TOP), 1)

    step = (WIDTH - LEFT - 16) / len(rows)
    parts = []
    for number in range(6):
        value = chance + (most - chance) * number / 5
        parts.append(f'<path stroke="#d5d9e0" d="M{LEFT} {y(value)}H{WIDTH - 16}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4}" text-anchor="end">{value:.1f}</text>')
    for number, (level, value, width) in enumerate(rows):
        x = round(LEFT + (number + 0.5) * step, 1)
        top, low, high = y(value), y(value - width), y(min(value + width, most))
        bar = f'x="{x - 14:.1f}" y="{top}" width="28" height="{BOTTOM - top:.1f}"'
        parts.append(f'<rect {bar} fill="#2a6fb5"/>')
        parts.append(f'<path stroke="#1c2430" d="M{x} {low}V{high}M{x - 5:.1f} {low}h10M{x - 5:.1f} {high}h10"/>')
        parts.append(f'<text x="{x}" y="{BOTTOM + 20}" text-anchor="middle">{level}</text>')
    body = "\n  ".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif"'
        f' font-size="13" fill="#1c2430" role="img" aria-labelledby="t">\n  <title id="t">{title}</title>\n'
        f'  <rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#f6f7f9"/>\n  {body}\n</svg>\n'
    )


def charts() -> Iterator[tuple[Path, str]]:
    """The pictures of the page, and how they should look."""
    for title, picture, table in CHART.findall(PAGE.read_text()):
        rows = [(level, float(value), float(width)) for level, value, width in ROW.findall(table)]
        # Points lead by more than nothing, scores by more than a half.
        chance, most = (0.0, 1.5) if "lead" in title else (0.5, 1.0)
        yield DOCS / picture, chart(title, rows, chance, most)


def main() -> None:
    """The program."""
    for path, text in charts():
        path.write_text(text)


if __name__ == "__main__":
    main()
