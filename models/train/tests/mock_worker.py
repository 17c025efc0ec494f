#!/usr/bin/env python3
"""A worker that plays made-up games: its files hold a line of game number and network for each."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]


def numbers(path: Path) -> list[int]:
    """The games of a file; a torn line at the end is cut off."""
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    path.write_bytes(whole)
    return [int(line.split()[0]) for line in whole.splitlines()]


def play(options: argparse.Namespace) -> None:
    """Plays what is missing."""
    out = Path(options.out)
    missing = sorted(set(range(options.first_game, options.first_game + options.games)) - set(numbers(out)))
    network = hashlib.sha256(Path(options.model).read_bytes()).hexdigest()[:12] if options.model else "none"
    with open(out, "a") as file:
        for count, game in enumerate(missing):
            time.sleep(100 if count == options.hold else options.pause)
            file.write(f"{game} ")
            file.flush()
            file.write(f"{network}\n")
            file.flush()
            told = json.dumps({"games": count + 1, "positions": 6 * count + 6, "seconds": 0.1})
            try:
                print(told, file=sys.stderr, flush=True)
            except BrokenPipeError:
                # Who started it is gone: it is not to play on, but not because of this.
                pass


def question(layout, batch: int, game: int):
    """The positions and moves that the mock asks for a game: packed, ends, moves."""
    import numpy as np

    rng = np.random.default_rng(game)
    n = 1 + game % batch
    counts = rng.integers(1, 30, n)
    return (
        rng.integers(0, 256, (n, layout.bytes), np.uint8),
        np.cumsum(counts),
        rng.integers(0, layout.policy, counts.sum()),
    )


def ask(options: argparse.Namespace) -> None:
    """Plays over pipes: a batch for each game, two under way; the sums of logits and values are the games."""
    import numpy as np

    from taikyoku_train.frames import REPLY, REQUEST, Frames, read_exactly
    from taikyoku_train.layouts import layout

    frames = Frames(layout(options.layout), options.batch)
    sys.stdout.buffer.write(np.array(frames.hello(), "<u4").tobytes())
    sys.stdout.buffer.flush()
    for count in range(int(os.environ.get("MOCK_DEAF", "0"))):
        # Asks and asks and reads no answer.
        frame = np.zeros(frames.request_bytes, np.uint8)
        frame[:16].view("<u4")[:] = REQUEST, count % 2, 1, 0
        sys.stdout.buffer.write(frame.tobytes())
    if os.environ.get("MOCK_DEAF"):
        sys.stdout.buffer.flush()
        time.sleep(100)
    out, waiting = Path(options.out), {}
    missing = sorted(set(range(options.first_game, options.first_game + options.games)) - set(numbers(out)))
    free = [0, 1]
    with open(out, "a") as file:
        while missing or waiting:
            while missing and free:
                game, slot = missing.pop(0), free.pop()
                packed, ends, moves = question(frames.layout, options.batch, game)
                frame = np.full(frames.request_bytes, 255, np.uint8)
                frame[:16].view("<u4")[:] = REQUEST, slot, len(packed), len(moves)
                frame[16 : 16 + packed.size] = packed.ravel()
                at = 16 + frames.packed_bytes
                frame[at : at + 4 * len(ends)].view("<u4")[:] = ends
                frame[at + 4 * options.batch :].view("<u2")[: len(moves)] = moves
                waiting[slot] = game, len(packed), len(moves)
                sys.stdout.buffer.write(frame.tobytes())
                sys.stdout.buffer.flush()
            reply = read_exactly(sys.stdin.buffer, frames.reply_bytes)
            if reply is None:
                sys.exit(3)
            magic, slot, n, m = reply[:16].view("<u4").tolist()
            game, *asked = waiting.pop(slot)
            assert magic == REPLY and [n, m] == asked, (magic, slot, n, m, asked)
            time.sleep(options.pause)
            logits = reply[16:].view("<f4")[:m]
            values = reply[16 + 4 * frames.moves :].view("<f4")[: n * frames.layout.seats]
            file.write(f"{game} {logits.sum():.4f} {values.reshape(n, -1)[:, 0].sum():.4f}\n")
            file.flush()
            free.append(slot)


def encode(options: argparse.Namespace) -> None:
    """Writes sample blocks, in the order of the files."""
    from blocks import make_block, to_bytes

    from taikyoku_train.layouts import layout

    for path in options.files:
        for game in reversed(numbers(Path(path))):
            sys.stdout.buffer.write(to_bytes(make_block(layout(options.layout), game), layout(options.layout)))


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command")
    for name in ("play", "teach"):
        command = commands.add_parser(name)
        if name == "play":
            command.add_argument("layout")
        command.add_argument("--out")
        command.add_argument("--games", type=int)
        command.add_argument("--first-game", type=int, default=0)
        command.add_argument("--model")
        command.add_argument("--json", action="store_true")
        command.add_argument("--pipe", action="store_true")
        command.add_argument("--batch", type=int)
    command = commands.add_parser("encode")
    command.add_argument("layout")
    command.add_argument("files", nargs="+")
    assert sys.argv[1] == "selfplay", sys.argv
    options, _ = parser.parse_known_args(sys.argv[2:])
    options.pause = float(os.environ.get("MOCK_PAUSE", "0"))
    # After so many games of self-play it plays no more, and waits to be ended.
    options.hold = int(os.environ.get("MOCK_HOLD", "-1")) if options.command == "play" else -1
    if options.command == "encode":
        encode(options)
    elif options.pipe:
        ask(options)
    else:
        play(options)


if __name__ == "__main__":
    main()
