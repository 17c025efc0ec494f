"""Sample blocks and the replay window."""

import io

import numpy as np
import pytest
from blocks import make_block, to_bytes

from taikyoku_train.layouts import LAYOUTS, layout
from taikyoku_train.samples import read_blocks
from taikyoku_train.window import Column, Window

FAST = layout("blokus-fast")


@pytest.mark.parametrize("name", LAYOUTS)
def test_blocks_come_back(name):
    shape = layout(name)
    made = [make_block(shape, game, samples) for game, samples in ((3, 5), (1 << 40, 1), (7, 3))]
    stream = io.BytesIO(b"".join(to_bytes(block, shape) for block in made))
    read = list(read_blocks(stream, shape))
    assert [block.game for block in read] == [3, 1 << 40, 7]
    for a, b in zip(made, read):
        for field in ("packed", "moves", "weights", "ends", "value", "score", "root", "ply", "outcome"):
            assert np.array_equal(getattr(a, field), getattr(b, field), equal_nan=field == "root"), field


def test_broken_blocks_are_refused():
    data = to_bytes(make_block(FAST, 1), FAST)
    for cut in (1, 39, 41, len(data) // 2, len(data) - 1):
        with pytest.raises(ValueError, match="ends in the middle"):
            list(read_blocks(io.BytesIO(data[:cut]), FAST))
    with pytest.raises(ValueError, match="not the beginning"):
        list(read_blocks(io.BytesIO(b"x" * 80), FAST))
    with pytest.raises(ValueError, match="blokus-paper has"):
        list(read_blocks(io.BytesIO(data), layout("blokus-paper")))


def slow(blocks):
    """The samples of games, one by one."""
    for block in blocks:
        for i in range(len(block)):
            start = block.ends[i - 1] if i else 0
            moves, weights = block.moves[start : block.ends[i]], block.weights[start : block.ends[i]]
            yield block.packed[i], moves, weights, block.value[i], block.outcome[i]


@pytest.mark.parametrize("games", [1000, 40])
def test_the_window_holds_the_newest_games(games):
    made = [make_block(FAST, game, 1 + game % 30) for game in range(150)]
    window = Window(FAST, games)
    for first in range(0, 150, 25):
        added = window.add(made[first : first + 25])
        assert added == sum(len(block) for block in made[first : first + 25])
        kept = list(slow(made[max(0, first + 25 - games) : first + 25]))
        assert len(window) == len(kept)
        batch = window.gather(np.arange(len(window)))
        for i, (packed, moves, weights, value, outcome) in enumerate(kept):
            legal = batch.legal[i]
            assert np.array_equal(batch.packed[i], packed) and np.array_equal(batch.value[i], value)
            assert np.array_equal(batch.moves[i][legal], moves) and np.array_equal(batch.outcome[i], outcome)
            assert np.allclose(batch.weights[i][legal], weights / 65_535) and not batch.weights[i][~legal].any()


def test_draws_depend_on_seed_and_step_alone():
    window = Window(FAST, 10)
    window.add(make_block(FAST, game) for game in range(10))
    same = [window.draw(1, 5, 32).packed.tobytes() for _ in range(2)]
    assert same[0] == same[1]
    others = {window.draw(seed, step, 32).packed.tobytes() for seed in (1, 2) for step in (5, 6)}
    assert len(others) == 4
    with pytest.raises(ValueError, match="empty"):
        Window(FAST, 10).draw(1, 1, 1)


def test_a_column_keeps_its_rows_while_it_grows_and_loses_the_oldest() -> None:
    rng = np.random.default_rng(1)
    column = Column("u1", 3)
    kept = np.empty((0, 3), "u1")
    for number in range(400):
        rows = rng.integers(0, 256, (int(rng.integers(1, 200)), 3)).astype("u1")
        column.add(rows)
        kept = np.concatenate([kept, rows])
        if number > 50:
            dropped = int(rng.integers(0, min(len(kept), 220)))
            column.drop(dropped)
            kept = kept[dropped:]
        assert np.array_equal(column.rows, kept)
    assert len(column.data) < 20_000
