"""Copies and pickles of batches and engines, also in another process, and threads that share a batch."""

import copy
import multiprocessing
import pickle
import sys
import threading

import numpy as np
import pytest
import taikyoku

games = pytest.mark.parametrize("game", taikyoku.GAMES)
#: The ways to copy an object.
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {n}": lambda it, n=n: pickle.loads(pickle.dumps(it, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)},
}


def goes_on(batch, rounds):
    """Everything observable of a batch that continues with its own random numbers and restarts its games."""
    seen = []
    for _ in range(rounds):
        actions = batch.random_actions()
        batch.play(actions)
        seen += [
            actions.tolist(),
            [str(batch[i]) for i in range(len(batch))],
            batch.returns().tolist(),
            batch.restart(),
        ]
    return seen


@games
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("rounds", [0, 1, 35])
def test_a_copy_of_a_batch_plays_on_exactly(game, way, rounds):
    """A copy keeps the rules and the history of its positions, at the start, in mid-game and in finished games."""
    options = {"dobutsu": {"repetition": 2}, "blokus": {"scoring": "squares"}, "geister": {"ply_limit": 20}}
    batch = taikyoku.Batch(taikyoku.game(game, **options.get(game, {})), 7, seed=3)
    goes_on(batch, rounds)
    batch.play(batch.random_actions())
    again = COPIES[way](batch)
    assert isinstance(again, taikyoku.Batch) and again.game == batch.game and len(again) == 7
    assert np.array_equal(again.observations(), batch.observations()) and np.array_equal(again.masks(), batch.masks())
    before = [str(batch[i]) for i in range(7)]
    played = goes_on(again, 40)
    # The moves of the copy leave the batch as it was.
    assert [str(batch[i]) for i in range(7)] == before
    assert goes_on(batch, 40) == played


@games
def test_a_checkpoint_does_not_change_a_run(game):
    plain, saved = (taikyoku.Batch(taikyoku.game(game), 4, seed=9) for _ in range(2))
    for _ in range(5):
        assert goes_on(plain, 3) == goes_on(saved, 3)
        pickle.dumps(saved)


def test_a_pickled_batch_refuses_what_it_cannot_be():
    function, (game, texts, seed, draws) = taikyoku.Batch(taikyoku.game("dobutsu"), 2).__reduce__()
    assert len(function(game, texts, seed, draws)) == 2
    with pytest.raises(ValueError):
        function(game, ["nonsense"], seed, draws)


def counted(batch):
    """The result of a batch in another process."""
    return goes_on(batch, 20)


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_batches_and_engines_go_to_other_processes(start):
    if start == "fork" and sys.platform != "linux":
        pytest.skip("a fork is safe only on Linux")
    batch = taikyoku.Batch(taikyoku.game("daihinmin"), 3, seed=5)
    engine = taikyoku.engine("best", "score-four", playouts=200, seed=4)
    position = taikyoku.game("score-four").read("a1b2a1")
    with multiprocessing.get_context(start).Pool(1) as pool:
        assert pool.apply(counted, (batch,)) == goes_on(batch, 20)
        assert pool.apply(engine.choose, (position,)) == engine.choose(position)


@games
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_of_an_engine_is_as_it_was_made(game, way):
    """A copy has game, name, options and seed, but neither memory of a game nor the state of the random numbers."""
    engine = taikyoku.engine("random", taikyoku.game(game), seed=11)
    position = taikyoku.game(game).initial(1)
    first = [engine.choose(position) for _ in range(5)]
    again = COPIES[way](engine)
    assert (again.game, again.name, again.seed, repr(again)) == (engine.game, engine.name, engine.seed, repr(engine))
    assert [again.choose(position) for _ in range(5)] == first
    assert again.reasons is None


def test_a_copy_of_an_engine_has_its_options():
    engine = taikyoku.engine("best:playouts=7", taikyoku.game("geister", ply_limit=30), threads=1, seed=1)
    again = pickle.loads(pickle.dumps(engine))
    assert again.name == engine.name == "best:playouts=7:threads=1"
    assert again.game.rules == {"ply-limit": 30}


@games
def test_threads_read_one_batch(game):
    """Concurrent threads observe the same as a single thread; arrays of the caller keep their contents."""
    batch = taikyoku.Batch(taikyoku.game(game), 64, seed=2)
    for _ in range(4):
        batch.play(batch.random_actions())
    alone = [batch.observations(), batch.masks(), batch.to_move(), batch.over(), batch.returns()]
    kept = [array.copy() for array in alone]
    together = threading.Barrier(6)
    failures = []

    def reads():
        try:
            together.wait()
            for _ in range(8):
                found = [batch.observations(), batch.masks(), batch.to_move(), batch.over(), batch.returns()]
                assert all(np.array_equal(one, other) for one, other in zip(found, kept))
                assert np.array_equal(batch.observations(0)[0], batch[0].observation(0))
        except BaseException as reason:
            failures.append(reason)

    threads = [threading.Thread(target=reads) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all(np.array_equal(one, other) for one, other in zip(alone, kept))
