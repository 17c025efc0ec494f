"""The rules: perft, games at random by texts, numbers and batches, and what is refused."""

import copy
import importlib.metadata
import pickle
import random

import numpy as np
import perft
import pytest
import taikyoku

games = pytest.mark.parametrize("game", taikyoku.GAMES)

#: Counts above these are left out.
LIMIT = 20_000
LIMIT_IN_BATCHES = 5_000


@games
def test_perft(game):
    """The counts of the repository, which the tests in Rust compare with slow oracles."""
    checked = 0
    for position, counts in perft.cases(game):
        for depth, expected in enumerate(counts, 1):
            if expected > LIMIT:
                break
            assert perft.count(position, depth) == expected, (str(position), depth)
            if expected <= LIMIT_IN_BATCHES:
                assert perft.count_in_batches(position, depth) == expected, (str(position), depth)
            checked += 1
    assert checked >= 20


def same(position, other):
    """Two positions that are equal in every way that can be seen."""
    assert position == other and str(position) == str(other) and repr(position) == repr(other)
    assert position.to_move == other.to_move and position.is_over == other.is_over
    assert position.legal_moves() == other.legal_moves()
    assert position.legal_actions() == other.legal_actions()
    assert position.outcome() == other.outcome() and position.returns() == other.returns()
    for seat in range(position.game.seats):
        assert position.view(seat) == other.view(seat)
        assert np.array_equal(position.observation(seat), other.observation(seat))


@games
@pytest.mark.parametrize("seed", range(4))
def test_random_games(game, seed):
    """Texts, numbers and batches play the same game, and every position reads back, is copied and pickled."""
    rng = random.Random(seed)
    by_text = taikyoku.game(game).initial(seed)
    by_number = by_text.copy()
    batch = taikyoku.Batch(by_text.game, 2)
    batch[0], batch[-1] = by_text, by_text
    closely = True
    while not by_text.is_over:
        moves, actions = by_text.legal_moves(), by_text.legal_actions()
        assert len(set(actions)) == len(moves) > 0
        assert max(actions) < by_text.game.actions
        mask = by_text.legal_mask()
        assert np.flatnonzero(mask).tolist() == sorted(actions)
        assert np.array_equal(batch.masks()[1], mask)
        i = rng.randrange(len(moves))
        assert by_text.move_of(actions[i]) == moves[i]
        assert by_text.action_of(moves[i]) == actions[i]
        before = by_text.copy()
        by_text.play(moves[i])
        by_number.play(actions[i])
        batch.play([actions[i], -1])
        assert str(by_text) == str(by_number) == str(batch[0])
        assert str(batch[1]) == str(before)
        batch[1] = by_text
        assert by_text.ply == before.ply + 1
        closely = by_text.is_over or rng.random() < 0.1
        if closely:
            for other in (
                by_number,
                batch[0],
                by_text.game.read(str(by_text)),
                copy.copy(by_text),
                copy.deepcopy(by_text),
                pickle.loads(pickle.dumps(by_text)),
            ):
                same(by_text, other)
    assert by_text.legal_moves() == [] and by_text.to_move is None
    assert not by_text.legal_mask().any()
    outcome = by_text.outcome()
    assert sum(by_text.returns()) == pytest.approx(0.0, abs=1e-6)
    if outcome["places"].count(0) == 1:
        assert by_text.returns()[outcome["places"].index(0)] == 1.0
    assert batch.over().all() and batch.to_move().tolist() == [-1, -1]
    assert batch.returns()[0].tolist() == by_text.returns()
    with pytest.raises(taikyoku.IllegalMove):
        by_text.play(moves[0])


@pytest.mark.parametrize(("game", "places"), [("daihinmin", None), ("daihinmin", [2, 4, 0, 3, 1]), ("geister", None)])
@pytest.mark.parametrize("seed", range(3))
def test_secrets(game, places, seed):
    """What a seat is shown is the same in all games that it cannot tell apart, and these differ in what is hidden."""
    rng = random.Random(seed)
    position = taikyoku.game(game).initial(seed, places)
    others = set()
    while not position.is_over:
        for seat in range(position.game.seats):
            other = position.determinized(seat, rng.randrange(2**63))
            others.add(str(other) != str(position))
            assert other.view(seat) == position.view(seat)
            assert other.view() == position.view()
            assert np.array_equal(other.observation(seat), position.observation(seat))
            assert np.array_equal(other.legal_mask(seat), position.legal_mask(seat))
            if seat != position.to_move:
                assert not position.legal_mask(seat).any()
        position.play(rng.choice(position.legal_actions()))
    assert others == {True, False} or others == {True}


def test_a_placement_of_geister_is_shown_to_nobody_else():
    position = taikyoku.game("geister").initial()
    position.play("ABCD")
    other = taikyoku.game("geister").initial()
    other.play("EFGH")
    assert position.view(1) == other.view(1) and position.view(0) != other.view(0)
    assert np.array_equal(position.observation(1), other.observation(1))
    assert not np.array_equal(position.observation(0), other.observation(0))


@pytest.mark.parametrize("seed", range(5))
def test_games_of_daihinmin_with_ranks(seed):
    """The same deal as any other one of the seed, with gifts before the first meld."""
    places = random.Random(seed).sample(range(5), 5)
    position = taikyoku.game("daihinmin").initial(seed, places)
    assert position == taikyoku.game("daihinmin").initial(seed, places)
    counts = position.view()["counts"]
    assert [counts[places.index(place)] for place in (0, 1, 3, 4)] in (
        [10 + a + 2, 10 + b + 1, 10 + c - 1, 10 + d - 2] for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1)
    )
    for giver, cards in ((0, 2), (1, 1)):
        assert position.to_move == places.index(giver) and position.view()["owed"][position.to_move] == cards
        hand = counts[position.to_move]
        assert len(position.legal_moves()) == (hand * (hand - 1) // 2 if cards == 2 else hand)
        position.play(position.legal_actions()[seed])
    assert position.view()["owed"] == [0] * 5 and position.view(0)["ranks"] == places
    assert "D3" in position.view(position.to_move)["hand"]
    while not position.is_over:
        position.play(position.legal_actions()[-1])
    with pytest.raises(ValueError, match="0 to 4 in some order"):
        position.game.initial(seed, [0, 1, 2, 3, 3])
    with pytest.raises(ValueError, match="for daihinmin only"):
        taikyoku.game("dobutsu").initial(seed, [0, 1])


def test_gifts_of_daihinmin_are_numbered():
    """A game with ranks begins with gifts: two cards of the daifugo, one of the fugo."""
    game = taikyoku.game("daihinmin")
    hands = ["S3S4S5D3", "H3H4H5", "D4D5D6", "C3C4", "S7"]
    text = f"{'/'.join(hands)} //// 01234 SA>?/S2>? pass 0 0 0 31 - 0 55555 01234 0"
    position = game.read(text)
    assert position.view(0)["owed"] == [2, 1, 0, 0, 0]
    assert len(set(position.legal_actions())) == 6
    position.play(position.action_of("give S3S4"))
    assert position.to_move == 1 and len(position.legal_moves()) == 3
    position.play("give H3")
    assert str(position.view(4)["exchanged"]["received"]) == "S3S4"
    assert position.observation(4).shape == game.observation_shape


def test_a_second_spelling_is_the_same_action():
    """An escape of Geister to the north is listed to the west or the east."""
    position = taikyoku.game("geister").read("00R50B10B20R30B40R99B99R05R55B15B25R35B45R99B99R 50")
    assert "B,E" in position.legal_moves() and "B,N" not in position.legal_moves()
    assert position.action_of("B,N") == position.action_of("B,E")
    assert position.move_of(position.action_of("B,N")) == "B,E"
    position.play("B,N")
    assert position.outcome()["rule"] == "escape"


def test_what_is_no_move_changes_nothing():
    position = taikyoku.game("dobutsu").initial()
    for wrong in ("2c2a", "", "zz", -1, 144, 2**70, 12, np.int8(-3)):
        with pytest.raises(taikyoku.IllegalMove):
            position.play(wrong)
        assert str(position) == ""
    for wrong in (1.5, np.float32(3), True, np.True_, None, [85]):
        with pytest.raises(TypeError, match=f"an integer is required, not {type(wrong).__name__}"):
            position.play(wrong)
    with pytest.raises(taikyoku.IllegalMove, match=f"action {2**70} is not legal"):
        position.move_of(2**70)
    with pytest.raises(ValueError, match="out of range"):
        position.move_of(10**60)
    with pytest.raises(taikyoku.IllegalMove, match="does not step"):
        position.play("2c2a")
    with pytest.raises(taikyoku.IllegalMove, match="action 3 is not legal"):
        position.move_of(3)
    for seat in (2, -1, 2**64):
        for see in (position.view, position.observation, position.legal_mask, position.determinized):
            with pytest.raises(IndexError, match=f"no seat {seat}: dobutsu has the seats 0 to 1"):
                see(seat)


def test_numbers_that_are_none_are_named():
    game = taikyoku.game("daihinmin")
    for make in (
        game.initial,
        lambda seed: taikyoku.Batch(game, 1, seed),
        lambda seed: game.initial().determinized(0, seed),
    ):
        for seed in (-1, 2**64):
            with pytest.raises(ValueError, match=f"a seed is an integer from 0 to 2\\^64 - 1, not {seed}"):
                make(seed)
        with pytest.raises(TypeError, match="an integer is required, not float"):
            make(1.0)
        make(2**64 - 1)
        make(np.int64(5))
    with pytest.raises(ValueError, match="the size of a batch is 0 or more, not -1"):
        taikyoku.Batch(game, -1)
    for places in ([-1, 0, 1, 2, 3], [0, 1, 2, 3, 300]):
        with pytest.raises(ValueError, match="0 to 4 in some order"):
            game.initial(0, places)


def test_what_is_no_game_or_position_is_refused():
    with pytest.raises(ValueError, match="`go` is not a game"):
        taikyoku.game("go")
    with pytest.raises(ValueError, match="unknown field `plies`"):
        taikyoku.game("geister", plies=3)
    with pytest.raises(ValueError, match="the rules of dobutsu"):
        taikyoku.game("dobutsu", repetition="often")
    for game in taikyoku.GAMES:
        with pytest.raises(ValueError):
            taikyoku.game(game).read("nonsense")


def test_games_are_equal_by_name_and_rules():
    assert taikyoku.game("dobutsu") == taikyoku.game("dobutsu", repetition=3)
    assert taikyoku.game("dobutsu") != taikyoku.game("dobutsu", repetition=2)
    assert len({taikyoku.game("dobutsu"), taikyoku.game("dobutsu"), taikyoku.game("blokus")}) == 2
    game = taikyoku.game("blokus", scoring="squares")
    assert pickle.loads(pickle.dumps(game)) == game
    assert eval(repr(game)) == game


def test_a_batch_plays_all_or_nothing():
    game = taikyoku.game("score-four")
    batch = taikyoku.Batch(game, 3)
    with pytest.raises(taikyoku.IllegalMove, match="position 1: action 16 is not legal"):
        batch.play([0, 16, 2])
    with pytest.raises(taikyoku.IllegalMove):
        batch.play([0, -2, 2])
    with pytest.raises(ValueError, match="2 actions for 3 positions"):
        batch.play([0, 1])
    with pytest.raises(TypeError):
        batch.play([0.5, 1.0, 2.0])
    assert [str(batch[i]) for i in range(3)] == ["", "", ""]
    with pytest.raises(OverflowError):
        batch.play(np.array([2**64 - 1] * 3, np.uint64))
    with pytest.raises(ValueError, match="one dimension"):
        batch.play([[0], [1], [2]])
    assert [str(batch[i]) for i in range(3)] == ["", "", ""]
    batch.play(np.array([0, 5, 15], np.uint8))
    assert [str(batch[i]) for i in range(3)] == ["a1", "b2", "d4"]
    for at in (3, -4, 2**70):
        with pytest.raises(IndexError, match=f"no position {at} of 3"):
            batch[at]
    assert [str(position) for position in batch] == ["a1", "b2", "d4"]
    with pytest.raises(ValueError, match="one game"):
        batch[0] = taikyoku.game("dobutsu").initial()


def test_batches_may_be_empty_and_not_too_large():
    game = taikyoku.game("score-four")
    empty = taikyoku.Batch(game, 0)
    empty.play([])
    assert empty.masks().shape == (0, 16) and empty.restart() == 0
    with pytest.raises(MemoryError, match=f"no memory for {2**62} positions"):
        taikyoku.Batch(game, 2**62)


def test_a_colour_of_blokus_that_is_left_alone_has_won():
    game = taikyoku.game("blokus")
    position = game.initial()
    move = position.legal_moves()[0]
    position = game.read("-blue;-yellow")
    assert position.outcome() is None and not position.is_over and position.legal_moves()
    position = game.read("-yellow;-red;-green")
    assert position.is_over and position.to_move is None and position.outcome()["points"] == [1.0, 0.0, 0.0, 0.0]
    assert position.legal_moves() == position.legal_actions() == [] and not position.legal_mask().any()
    for spelling in (move, game.initial().action_of(move)):
        with pytest.raises(taikyoku.IllegalMove):
            position.play(spelling)
    with pytest.raises(taikyoku.IllegalMove, match="the game is over"):
        position.action_of(move)
    batch = taikyoku.Batch(game, 1)
    batch[0] = position
    assert batch.over().all() and batch.to_move().tolist() == batch.random_actions().tolist() == [-1]
    assert batch.restart() == 1


@games
def test_batches_of_a_seed_are_the_same(game):
    texts = []
    for seed in (7, 7, 8):
        batch = taikyoku.Batch(taikyoku.game(game), 5, seed=seed)
        for _ in range(12):
            batch.play(batch.random_actions())
            batch.restart()
        texts.append([str(batch[i]) for i in range(5)])
    assert texts[0] == texts[1] != texts[2]


def test_licences_come_along():
    """The wheel has the licences of what is compiled into it."""
    names = {file.name for file in importlib.metadata.files("taikyoku")}
    assert {"LICENSE-MIT", "LICENSE-APACHE", "LICENSE-DEPENDENCIES"} <= names
