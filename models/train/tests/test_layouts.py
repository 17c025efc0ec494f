"""The layouts against encoders of this side: the fixtures of the crate `models`, byte for byte."""

import json
from pathlib import Path

import numpy as np
import pytest
import slow_blokus

from taikyoku_train.layouts import layout

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def cases(name):
    """The positions of a fixture."""
    found = json.loads((FIXTURES / f"{name}.json").read_text())
    assert len(found) >= 5
    return found


def score_four(moves):
    """The packed position and the logits of the legal moves in `score-four`."""
    heights, balls = {}, [set(), set()]
    for ply, peg in enumerate(moves):
        x, y = ord(peg[0]) - ord("a"), int(peg[1:]) - 1
        level = heights.get((x, y), 0)
        heights[x, y] = level + 1
        balls[ply % 2].add((level, y, x))
    planes = np.zeros((8, 4, 4), np.uint8)
    for side in range(2):
        for level, y, x in balls[(len(moves) + side) % 2]:
            planes[side * 4 + level, y, x] = 1
    logits = [x + 4 * y for y in range(4) for x in range(4) if heights.get((x, y), 0) < 4]
    return np.packbits(planes.ravel(), bitorder="little").tobytes(), logits


#: What stands on a square (x, y) at the start, as its side sees the board, y = 0 the home rank.
DOBUTSU = {(2, 0): "G", (1, 0): "L", (0, 0): "E", (1, 1): "C"}
COMPASS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
STEPS = {"L": range(8), "G": (0, 2, 4, 6), "E": (1, 3, 5, 7), "C": (0,), "H": (0, 1, 2, 4, 6, 7)}


def dobutsu(moves):
    """The packed position and the logits of the legal moves in `dobutsu`."""
    board = {(x, y): (kind, 0) for (x, y), kind in DOBUTSU.items()}
    board |= {(2 - x, 3 - y): (kind, 1) for (x, y), kind in DOBUTSU.items()}
    hands = [{"G": 0, "E": 0, "C": 0}, {"G": 0, "E": 0, "C": 0}]

    def square(text):
        return 3 - int(text[0]), 3 - "abcd".index(text[1])

    for ply, move in enumerate(moves):
        side = ply % 2
        if move[1] == "*":
            hands[side][move[0]] -= 1
            board[square(move[2:4])] = (move[0], side)
            continue
        kind, _ = board.pop(square(move[:2]))
        taken = board.get(square(move[2:4]))
        if taken:
            hands[side][taken[0].replace("H", "C")] += 1
        board[square(move[2:4])] = ("H" if move.endswith("+") else kind, side)
    mover = len(moves) % 2
    if mover:
        board = {(2 - x, 3 - y): piece for (x, y), piece in board.items()}
    board = {at: (kind, side != mover) for at, (kind, side) in board.items()}
    planes = np.zeros((10, 4, 3), np.uint8)
    logits = []
    for (x, y), (kind, enemy) in board.items():
        planes["LGECH".index(kind) + 5 * enemy, y, x] = 1
        for direction in () if enemy else STEPS[kind]:
            to = (x + COMPASS[direction][0], y + COMPASS[direction][1])
            if to[0] in range(3) and to[1] in range(4) and board.get(to, ("", True))[1]:
                plane = 11 if kind == "C" and to[1] == 3 else direction
                logits.append(12 * plane + x + 3 * y)
    free = [(x, y) for y in range(4) for x in range(3) if (x, y) not in board]
    for plane, kind in enumerate("GEC", 8):
        logits += [12 * plane + x + 3 * y for x, y in free if hands[mover][kind]]
    held = bytes(hands[side][kind] for side in (mover, 1 - mover) for kind in "GEC")
    return np.packbits(planes.ravel(), bitorder="little").tobytes() + held, logits


ENCODERS = {
    "blokus-fast": lambda moves: slow_blokus.fast(slow_blokus.Game(moves)),
    "blokus-paper": lambda moves: slow_blokus.paper(slow_blokus.Game(moves)),
    "dobutsu": dobutsu,
    "score-four": score_four,
}


def test_the_slow_rules_have_the_known_counts():
    assert len(slow_blokus.ORIENTATIONS) == 91
    assert len(slow_blokus.PLACEMENTS) == 30_433
    assert len(list(slow_blokus.Game().legal(0))) == 58


@pytest.mark.parametrize("name", ENCODERS)
def test_fixtures(name):
    for case in cases(name):
        packed, logits = ENCODERS[name](case["moves"])
        assert packed.hex() == case["packed"], case["moves"]
        assert sorted(logits) == sorted(case["logits"]), case["moves"]
        assert len(packed) == layout(name).bytes
        assert max(logits) < layout(name).policy


@pytest.mark.parametrize("name", ENCODERS)
def test_expanded_planes_have_their_bits(name):
    shape = layout(name)
    case = cases(name)[-1]
    packed = np.frombuffer(bytes.fromhex(case["packed"]), np.uint8)[None]
    x, g = shape.expand(packed)
    for plane in range(shape.planes):
        for y in range(shape.height):
            for column in range(shape.width):
                bit = (plane * shape.height + y) * shape.width + column
                assert x[0, plane, y, column] == packed[0, bit // 8] >> bit % 8 & 1
    for i, scale in enumerate(shape.constants):
        assert (x[0, shape.planes + i] == np.float32(packed[0, shape.plane_bytes + i]) * np.float32(scale)).all()
    assert g.sum() == sum(bin(byte).count("1") for byte in packed[0, shape.plane_bytes + len(shape.constants) :])
