#!/usr/bin/env python3
"""The pictures of the documentation, their second half: makes one GIF of the frames that `picture.js` has taken, and
small files of its tables and of the report of a league.

Needs Pillow, which the environment of the training has.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
FRAMES = HERE / "pictures" / "readme"
TABLES = HERE / "pictures" / "tables"
FOLDER = HERE.parent.parent / "docs" / "pictures"
TO = FOLDER / "blokus.gif"
WIDTH = 860
#: Milliseconds of a frame, and of the last one.
EACH, LAST = 200, 4000
COLOURS = 96


def main() -> None:
    """The program."""
    frames = [Image.open(path).convert("RGB") for path in sorted(FRAMES.glob("*.png"))]
    size = (WIDTH, round(frames[0].height * WIDTH / frames[0].width))
    frames = [frame.resize(size, Image.Resampling.LANCZOS) for frame in frames]
    # One palette, of the fullest board: a frame then differs from the one before in few places only.
    palette = frames[-1].quantize(COLOURS, dither=Image.Dither.NONE)
    drawn = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    times = [EACH] * (len(drawn) - 1) + [LAST]
    drawn[0].save(TO, save_all=True, append_images=drawn[1:], duration=times, loop=0, optimize=True)
    print(f"{TO}: {len(drawn)} frames, {size[0]} x {size[1]}, {TO.stat().st_size / 1e6:.2f} MB")
    for path in sorted(TABLES.glob("*.png")):
        table = Image.open(path).convert("RGB")
        small = table.resize((WIDTH, round(table.height * WIDTH / table.width)), Image.Resampling.LANCZOS)
        to = FOLDER / (path.name if path.stem == "league" else f"table-{path.name}")
        small.quantize(COLOURS, dither=Image.Dither.NONE).save(to, optimize=True)
        print(f"{to}: {to.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
