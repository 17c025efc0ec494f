"""Keys of positions: each position has one key, whatever moves have led to it."""

import os
import random
import subprocess
import sys

import pytest
import taikyoku

games = pytest.mark.parametrize("game", taikyoku.GAMES)


def boards(position):
    """The boards of a game of Dobutsu shogi, from the first to the last."""
    moves = str(position).split()
    return [position.game.read(" ".join(moves[:n])).view()["board"] for n in range(len(moves) + 1)]


def identity(position):
    """The state that identifies a position by the rules, from the texts of the package."""
    view = position.view()
    if position.game.name == "score-four":
        return view["board"]
    if position.game.name == "dobutsu":
        return view["board"], position.to_move, boards(position).count(view["board"])
    if position.game.name == "blokus":
        return *view["board"], position.to_move, *(reason == "forfeit" for reason in view["out"])
    # In Daihinmin the last word is the ply, which is no part of the key. The rules of Geister limit the ply.
    return str(position) if position.game.name == "geister" else str(position).rsplit(" ", 1)[0]


def first(game, seed):
    """A position with pieces on the board."""
    position = taikyoku.game(game).initial(seed)
    for move in {"geister": ("ABCD", "ABEF"), "blokus": position.legal_moves()[:1]}.get(game, ()):
        position.play(move)
    return position


@games
def test_a_key_is_a_position(game):
    """Games that choose from few moves reach the same positions often; the ends of games are included."""
    keys, positions, visits = {}, {}, 0
    for seed in range(40):
        rng = random.Random(seed)
        position = first(game, seed % 2)
        width = 3 if seed < 30 else 1000
        while not position.is_over and (seed >= 30 or position.ply < 14):
            key, found = position.key(), identity(position)
            assert isinstance(key, bytes)
            assert keys.setdefault(key, found) == found
            assert positions.setdefault(found, key) == key
            assert position.copy().key() == position.game.read(str(position)).key() == key
            visits += 1
            position.play(rng.choice(position.legal_moves()[:width]))
    assert 100 < len(keys) < visits


def passed(position):
    """In Daihinmin all seats pass to the end of the trick, so the leader lays two melds down in two tricks."""
    while position.game.name == "daihinmin" and position.view()["table"]["field"] != "pass":
        position.play("pass")


def in_both_orders(position, moves, rng):
    """Plays two moves of a seat in both orders, with the same replies between them; None if a move is illegal."""
    ends, answers = [], []
    for first, second in (moves, moves[::-1]):
        after = position.copy()
        try:
            after.play(first)
            passed(after)
            for turn in range(position.game.seats - 1 if position.game.name != "daihinmin" else 0):
                if len(answers) == turn:
                    answers.append(rng.choice(after.legal_moves()))
                after.play(answers[turn])
            after.play(second)
            passed(after)
        except (taikyoku.IllegalMove, IndexError):
            return None
        ends.append(after)
    return ends


@games
def test_the_order_of_moves_does_not_matter(game):
    rng = random.Random(1)
    transposed = 0
    for seed in range(60):
        position = first(game, seed)
        for _ in range(rng.randrange(4, 12)):
            position.play(rng.choice(position.legal_moves()))
            if position.is_over:
                break
        passed(position)
        moves = [move for move in position.legal_moves() if move != "pass"]
        ends = in_both_orders(position, rng.sample(moves, 2), rng) if len(moves) > 1 else None
        if ends and identity(ends[0]) == identity(ends[1]):
            assert ends[0].key() == ends[1].key() != position.key()
            assert str(ends[0]) != str(ends[1]) or game in ("geister", "daihinmin")
            transposed += 1
    assert transposed >= 5


def test_repetitions_of_dobutsu_shogi():
    """A repeated position has another key if the rules count repetitions."""
    there_and_back = "1d1c 3a3b 1c1d 3b3a"
    for repetition, alike in ((3, False), (2, False), (0, True)):
        game = taikyoku.game("dobutsu", repetition=repetition)
        start, again = game.initial(), game.read(there_and_back)
        assert again.view()["board"] == start.view()["board"]
        assert (again.key() == start.key()) == alike
        assert again.is_over == (repetition == 2)
    limited = taikyoku.game("dobutsu", repetition=0, ply_limit=50)
    assert limited.read(there_and_back).key() != limited.initial().key()


def test_the_piece_of_one_square_is_like_any_other_before_the_last_piece():
    """The single square scores more as the final piece; during the game its order does not matter."""
    rng = random.Random(2)
    position = taikyoku.game("blokus").initial()
    for _ in range(4):
        position.play(rng.choice(position.legal_moves()[-50:]))
    ones = [move for move in position.legal_moves() if "," not in move]
    others = [move for move in position.legal_moves() if "," in move]
    pairs = ((one, rng.choice(others)) for one in ones for _ in range(20))
    ends = next(filter(None, (in_both_orders(position, pair, rng) for pair in pairs)))
    assert identity(ends[0]) == identity(ends[1]) and str(ends[0]) != str(ends[1])
    assert ends[0].key() == ends[1].key()


def test_what_is_hidden_is_part_of_a_key():
    position = first("geister", 1)
    worlds = {position.determinized(0, seed).key() for seed in range(200)}
    assert len(worlds) > 30
    position = first("daihinmin", 1)
    assert len({position.determinized(0, seed).key() for seed in range(20)}) == 20


@games
def test_a_key_is_the_same_in_every_process(game):
    position = first(game, 3)
    code = f"import taikyoku; print(taikyoku.game({game!r}).read({str(position)!r}).key().hex())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
        assert done.stdout.strip() == position.key().hex()
