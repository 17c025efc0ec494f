"""Observations: the layouts of the networks byte for byte, what other seats see, and arrays of the caller."""

import json
import random

import encoders
import numpy as np
import perft
import pytest
import taikyoku

games = pytest.mark.parametrize("game", taikyoku.GAMES)

#: The fixtures of the layouts, which the tests of the crate `models` make, and an encoder in Python checks.
FIXTURES = {"score-four": "score-four", "dobutsu": "dobutsu", "blokus": "blokus-fast"}


def packed(game, x, g):
    """A packed position of models/LAYOUTS.md."""
    constants = {"dobutsu": 6}.get(game, 0)
    planes, levels = x[: len(x) - constants], x[len(x) - constants :]
    bits = [np.packbits(part.astype(bool).ravel(), bitorder="little").tobytes() for part in (planes, g)]
    return bits[0] + bytes(round(2 * float(level.flat[0])) for level in levels) + bits[1]


@pytest.mark.parametrize("game", FIXTURES)
def test_layouts(game):
    """Positions and moves, as the texts of the fixtures tell them, have the bytes and the logits of the fixtures."""
    entries = json.loads((perft.ROOT / "models" / "fixtures" / f"{FIXTURES[game]}.json").read_text())
    assert len(entries) >= 5
    for entry in entries:
        position = taikyoku.game(game).initial()
        for move in entry["moves"]:
            position.play(move)
        tensors = position.game.split(position.observation())
        found = packed(game, tensors["x"], tensors.get("g", np.zeros(0)))
        assert found.hex() == entry["packed"]
        assert sorted(position.legal_actions()) == entry["logits"]


@pytest.mark.parametrize("game", FIXTURES)
def test_the_other_seats_see_the_board_as_if_they_were_to_move(game):
    """Seats take their turns, so each sees the start as the first one does, and the others as they come behind it."""
    first = taikyoku.game(game).initial()
    for seat in range(first.game.seats):
        assert np.array_equal(first.observation(seat), first.observation(0))
    batch = taikyoku.Batch(first.game, 4, seed=3)
    for _ in range(9):
        batch.play(batch.random_actions())
        batch.restart()
    for i in range(4):
        position = batch[i]
        mover = position.to_move
        before = position.game.split(position.observation(mover))["x"]
        for seat in range(position.game.seats):
            x = position.game.split(position.observation(seat))["x"]
            own = {"score-four": 4, "dobutsu": 5, "blokus": 1}[game]
            behind = (seat - mover) % position.game.seats
            theirs = before[own * behind : own * (behind + 1)]
            # Quarter turns as numpy draws planes, with row 0 at the top.
            turned = {"score-four": 0, "dobutsu": 2 * behind, "blokus": -behind}[game]
            assert np.array_equal(x[:own], np.rot90(theirs, turned, (1, 2))), (game, seat)


@games
def test_observations_are_numbers_from_0_to_1_of_one_shape(game):
    batch = taikyoku.Batch(taikyoku.game(game), 20, seed=5)
    game = batch.game
    observations = np.full((20, *game.observation_shape), np.nan, np.float32)
    masks = np.ones((20, game.actions), bool)
    rounds = 0
    while not batch.over().all():
        assert batch.observations(out=observations) is observations
        assert batch.masks(out=masks) is masks
        assert observations.min() >= 0.0 and observations.max() <= 1.0
        movers = batch.to_move()
        for i in (0, rounds % 20):
            position = batch[i]
            assert movers[i] == (-1 if position.is_over else position.to_move)
            assert np.array_equal(observations[i], position.observation())
            assert np.array_equal(masks[i], position.legal_mask())
            for seat in range(game.seats):
                assert np.array_equal(batch.observations(seat)[i], position.observation(seat))
        parts = game.split(observations)
        assert {name: part.shape[1:] for name, part in parts.items()} == game.tensors
        assert sum(part[0].size for part in parts.values()) == observations[0].size
        assert all(np.shares_memory(part, observations) for part in parts.values())
        batch.play(batch.random_actions())
        rounds += 1
    assert batch.returns().sum(axis=1) == pytest.approx(np.zeros(20), abs=1e-6)
    assert batch.random_actions().tolist() == [-1] * 20
    assert batch.restart() == 20 and batch.restart() == 0


@pytest.mark.parametrize("places", [None, [1, 4, 0, 2, 3]])
@pytest.mark.parametrize("seed", range(5))
def test_daihinmin_is_encoded_as_described(seed, places):
    """All numbers, of all seats; and every legal move has the number of the list."""
    rng = random.Random(seed)
    position = taikyoku.game("daihinmin").initial(seed, places)
    texts = encoders.daihinmin_actions()
    assert len(texts) == position.game.actions == 4037
    while True:
        for seat in range(5):
            assert np.array_equal(position.observation(seat), encoders.daihinmin(position.view(seat)))
        if position.is_over:
            break
        for move, action in zip(position.legal_moves(), position.legal_actions()):
            text = texts[action]
            assert move == text if isinstance(text, str) else set(encoders.pairs(move[5:])) == text
        position.play(rng.choice(position.legal_moves()[1:] or ["pass"]))


@pytest.mark.parametrize("seed", range(5))
def test_geister_is_encoded_as_described(seed):
    rng = random.Random(seed)
    position = taikyoku.game("geister").initial()
    while True:
        for seat in range(2):
            assert np.allclose(position.observation(seat), encoders.geister(position.view(seat)), atol=1e-7)
        if position.is_over:
            break
        for move, action in zip(position.legal_moves(), position.legal_actions()):
            if position.ply < 2:
                assert action == 144 + position.legal_moves().index(move)
            else:
                ghost = position.view(position.to_move)["own"]["ABCDEFGH".index(move[0])]
                assert action == 36 * "ESWN".index(move[2]) + int(ghost[0]) + 6 * (5 - int(ghost[1]))
        position.play(rng.choice(position.legal_moves()))


def test_geister_is_seen_from_the_own_side():
    position = taikyoku.game("geister").initial()
    x = position.observation(0)
    assert x[16].all() and not x[:16].any()
    position.play("ABCD")
    x = position.observation(0)
    # The red ghosts A to D stand in front, the blue ones E to H in the own back row, which is the bottom one.
    assert x[1, 1, 1:5].all() and x[0, 0, 1:5].all() and x[:3].sum() == 8
    assert not position.observation(1)[:16].any()
    position.play("ABEF")
    x = position.observation(0)
    assert x[2, 4, 1:5].all() and x[2, 5, 1:5].all() and not x[16].any()
    assert x[3:11].sum(axis=(1, 2)).tolist() == [1.0] * 8
    # Ghost A of seat 1 is on its left, which is the right of seat 0.
    assert x[3, 4, 4] == 1.0
    position.play("A,N")
    assert position.observation(0)[15, 0, 0] == pytest.approx(1 / 200)


def test_daihinmin_is_seen_from_the_own_seat():
    position = taikyoku.game("daihinmin").initial(4)
    for seat in range(5):
        x = position.observation(seat)
        hand = position.view(seat)["hand"]
        assert x[:53].sum() == len(hand) / 2 == position.view(seat)["counts"][seat]
        assert x[52] == ("J3" in hand)
        assert x[0] == ("S3" in hand) and x[51] == ("C2" in hand)
    lead = position.to_move
    move = position.legal_moves()[1]
    position.play(move)
    behind = (lead - position.to_move) % 5
    x = position.observation()
    played = x[53 + 78 + 53 * behind :][:53]
    assert played.sum() == len(move) / 2 and np.array_equal(played, x[53:106])


def test_arrays_of_the_caller_have_the_right_shape_and_type():
    position = taikyoku.game("score-four").initial()
    with pytest.raises(ValueError, match=r"`out` has the shape \[8, 16\] and the type float32"):
        position.observation(out=np.zeros((8, 16), np.float32))
    with pytest.raises(ValueError, match="float64"):
        position.observation(out=np.zeros((8, 4, 4)))
    for no_array in ("x", [0.0] * 128, 3):
        for make in (position.observation, taikyoku.Batch(position.game, 1).observations, position.legal_mask):
            with pytest.raises(TypeError, match="`out` must be a NumPy array, not (str|list|int)"):
                make(out=no_array)
    frozen = np.zeros((8, 4, 4), np.float32)
    frozen.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        position.observation(out=frozen)
    apart = np.zeros((8, 4, 8), np.float32)[:, :, ::2]
    assert np.array_equal(position.observation(out=apart), position.observation())
    with pytest.raises(ValueError, match="an observation has the shape"):
        position.game.split(np.zeros((3, 5), np.float32))
