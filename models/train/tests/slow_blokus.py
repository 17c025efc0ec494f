"""The rules and layouts of Blokus, written from `models/LAYOUTS.md` with sets of squares: slow, and independent."""

from __future__ import annotations

import numpy as np

SIDE = 20
STARTS = [(0, 19), (19, 19), (19, 0), (0, 0)]
#: The pieces as `games::blokus::Piece` numbers and draws them: squares (column, row), row 0 at the bottom.
PIECES = [
    [(0, 0)],
    [(0, 0), (0, 1)],
    [(0, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1)],
    [(0, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (1, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1), (1, 1)],
    [(0, 0), (1, 0), (2, 0), (1, 1)],
    [(1, 0), (2, 0), (0, 1), (1, 1)],
    [(1, 0), (0, 1), (1, 1), (1, 2), (2, 2)],
    [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)],
    [(0, 0), (1, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (0, 1), (1, 1), (1, 2), (1, 3)],
    [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2)],
    [(1, 0), (1, 1), (0, 2), (1, 2), (2, 2)],
    [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1)],
    [(0, 0), (1, 0), (2, 0), (0, 1), (0, 2)],
    [(1, 0), (2, 0), (0, 1), (1, 1), (0, 2)],
    [(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)],
    [(0, 0), (0, 1), (1, 1), (0, 2), (0, 3)],
    [(1, 0), (2, 0), (1, 1), (0, 2), (1, 2)],
]


def shifted(cells):
    """The same squares, at the bottom left."""
    left, bottom = min(x for x, _ in cells), min(y for _, y in cells)
    return frozenset((x - left, y - bottom) for x, y in cells)


def orientations():
    """(piece, squares) by number: as drawn, turned anticlockwise by quarters, then the same of the mirror image."""
    found = []
    for piece, cells in enumerate(PIECES):
        own = []
        for mirror in (1, -1):
            turned = [(mirror * x, y) for x, y in cells]
            for _ in range(4):
                if shifted(turned) not in own:
                    own.append(shifted(turned))
                turned = [(-y, x) for x, y in turned]
        found += [(piece, form) for form in own]
    return found


ORIENTATIONS = orientations()
NUMBER = {form: number for number, (_, form) in enumerate(ORIENTATIONS)}


def placements():
    """(orientation, squares) by number: by orientation, then by row and column of the bottom left."""
    found = []
    for number, (_, form) in enumerate(ORIENTATIONS):
        width, height = max(x for x, _ in form) + 1, max(y for _, y in form) + 1
        for bottom in range(SIDE + 1 - height):
            for left in range(SIDE + 1 - width):
                found.append((number, frozenset((x + left, y + bottom) for x, y in form)))
    return found


PLACEMENTS = placements()


def cells_of(text):
    """`a18,b18` as squares."""
    return frozenset((ord(cell[0]) - ord("a"), int(cell[1:]) - 1) for cell in text.split(","))


def near(cells, steps):
    """The squares of the board a step away."""
    found = {(x + dx, y + dy) for x, y in cells for dx, dy in steps}
    return {(x, y) for x, y in found if 0 <= x < SIDE and 0 <= y < SIDE}


class Game:
    """A game after some moves."""

    def __init__(self, moves=()):
        self.own = [set() for _ in range(4)]
        self.left = [set(range(21)) for _ in range(4)]
        self.out = [False] * 4
        self.mover = 0
        self.history = []
        for text in moves:
            self.play(cells_of(text))

    def play(self, cells):
        """A move of the colour to move."""
        self.history.append((self.mover, cells))
        self.own[self.mover] |= cells
        self.left[self.mover].remove(ORIENTATIONS[NUMBER[shifted(cells)]][0])
        for step in range(1, 5):
            colour = (self.mover + step) % 4
            if not self.out[colour]:
                if next(self.legal(colour), None) is not None:
                    self.mover = colour
                    return
                self.out[colour] = True
        raise AssertionError("the game is over")

    def free(self, colour):
        """Squares that a colour may still cover."""
        taken = set().union(*self.own)
        beside = near(self.own[colour], [(0, 1), (1, 0), (0, -1), (-1, 0)])
        return {(x, y) for x in range(SIDE) for y in range(SIDE)} - taken - beside

    def joins(self, colour):
        """Squares where it may join on."""
        own = self.own[colour]
        at = near(own, [(1, 1), (1, -1), (-1, 1), (-1, -1)]) if own else {STARTS[colour]}
        return at & self.free(colour)

    def legal(self, colour):
        """(number of the placement, squares) of its legal moves."""
        free, joins = self.free(colour), self.joins(colour)
        for number, (orientation, cells) in enumerate(PLACEMENTS):
            if ORIENTATIONS[orientation][0] in self.left[colour] and cells <= free and cells & joins:
                yield number, cells


def turned(cells, mover):
    """Squares after the quarter turns, clockwise, that bring the mover's start to a20."""
    for _ in range((4 - mover) % 4):
        cells = {(y, SIDE - 1 - x) for x, y in cells}
    return set(cells)


def bits(planes):
    """Sets of squares as bytes."""
    array = np.zeros((len(planes), SIDE, SIDE), np.uint8)
    for plane, cells in enumerate(planes):
        for x, y in cells:
            array[plane, y, x] = 1
    return np.packbits(array.ravel(), bitorder="little").tobytes()


def fast(game):
    """The packed position and the logits of the legal moves in `blokus-fast`."""
    seats = [(game.mover + seat) % 4 for seat in range(4)]
    reach = [set() if game.out[c] else set().union(*(cells for _, cells in game.legal(c))) for c in seats]
    planes = [game.own[c] for c in seats] + [game.joins(c) for c in seats] + [game.free(c) for c in seats] + reach
    full = {(x, y) for x in range(SIDE) for y in range(SIDE)}
    facts = [piece in game.left[c] for c in seats for piece in range(21)] + [game.out[c] for c in seats]
    packed = bits([*(turned(p, game.mover) for p in planes), full])
    packed += np.packbits(np.array(facts, np.uint8), bitorder="little").tobytes()
    logits = []
    for _, cells in game.legal(game.mover):
        cells = turned(cells, game.mover)
        xs, ys = [x for x, _ in cells], [y for _, y in cells]
        x, y = min(xs) + (max(xs) - min(xs) + 1) // 2, min(ys) + (max(ys) - min(ys) + 1) // 2
        logits.append(NUMBER[shifted(cells)] * 400 + y * SIDE + x)
    return packed, logits


def paper(game):
    """The packed position and the logits of the legal moves in `blokus-paper`."""
    planes = []
    for back in range(8):
        at = len(game.history) - back
        for seat in range(4):
            colour = (game.mover + seat) % 4
            before = [cells for mover, cells in game.history[: max(at, 0)] if mover == colour]
            planes.append(set().union(*before))
    pieces = 84 - sum(len(left) for left in game.left)
    return bits(planes) + bytes([pieces]), [number for number, _ in game.legal(game.mover)]
