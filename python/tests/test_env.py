"""The environments: the tests of PettingZoo, rewards, and what agents may observe."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import taikyoku
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, seed_test

games = pytest.mark.parametrize("game", taikyoku.GAMES)

#: What PettingZoo says of its own environments with masks as well, by the beginning.
EXPECTED = (
    "Observation space for each agent probably should be",
    "Observation is not a NumPy array",
    # At the end of a game.
    "Action mask numpy array is all zeros",
)


@games
@pytest.mark.parametrize("make", [taikyoku.env, taikyoku.raw_env])
def test_api(game, make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(game), num_cycles=200)
    others = {str(w.message) for w in caught if not str(w.message).startswith(EXPECTED)}
    # The first position of a game in which nothing is there yet.
    others -= {"Observation numpy array is all zeros."}
    assert not others


@games
def test_seeds(game):
    seed_test(lambda: taikyoku.env(game), num_cycles=50)


@games
def test_a_game_to_its_end(game):
    """Only the seat to move may act, and all are paid by the outcome."""
    environment = taikyoku.env(game, render_mode="ansi")
    environment.reset(seed=3)
    rng = np.random.default_rng(3)
    paid = dict.fromkeys(environment.possible_agents, 0.0)
    for agent in environment.agent_iter():
        observation, reward, over, cut, _ = environment.last()
        paid[agent] += reward
        position = environment.unwrapped.position
        if over or cut:
            environment.step(None)
            continue
        seat = environment.possible_agents.index(agent)
        assert seat == position.to_move
        assert np.array_equal(observation["observation"], position.observation(seat))
        for other in environment.agents:
            if other != agent:
                assert not environment.observe(other)["action_mask"].any()
        environment.step(rng.choice(np.flatnonzero(observation["action_mask"])))
    assert list(paid.values()) == position.returns()
    assert environment.render() == position.drawing()
    assert environment.agents == []


def test_an_illegal_action_loses():
    environment = taikyoku.env("dobutsu")
    environment.reset(seed=1)
    environment.step(3)
    assert environment.rewards == {"player_0": -1, "player_1": 0}
    assert all(environment.terminations.values())
    raw = taikyoku.raw_env("dobutsu")
    raw.reset(seed=1)
    with pytest.raises(taikyoku.IllegalMove):
        raw.step(3)
    assert str(raw.position) == ""


def test_agents_of_geister_observe_no_hidden_colour():
    """Two games that differ in what seat 0 has placed look the same to seat 1, all the way."""
    environments = [taikyoku.raw_env("geister") for _ in range(2)]
    for environment in environments:
        environment.reset(seed=1)
    for moves in (("ABCD", "EFGH"), *[(move, move) for move in ("ABEF", "A,N", "A,N", "A,N")]):
        for environment, move in zip(environments, moves):
            environment.step(environment.position.action_of(move))
        one, other = (environment.observe("player_1") for environment in environments)
        assert all(np.array_equal(one[key], other[key]) for key in one)
        one, other = (environment.observe("player_0")["observation"] for environment in environments)
        assert not np.array_equal(one, other)


def test_rules_and_render_modes():
    environment = taikyoku.raw_env("geister", ply_limit=2)
    assert environment.game.rules == {"ply-limit": 2}
    with pytest.raises(ValueError, match="render_mode"):
        taikyoku.raw_env("geister", render_mode="rgb_array")


def test_daihinmin_with_ranks():
    environment = taikyoku.env("daihinmin")
    environment.reset(seed=1, options={"places": [3, 2, 1, 0, 4]})
    assert environment.agent_selection == "player_3"
    assert environment.unwrapped.position.legal_moves()[0].startswith("give ")


@games
def test_a_seed_is_for_all_games_behind_it(game):
    """As in Gymnasium, `reset()` continues from the last given seed, also in a copy."""

    def deals(environment, seed, more=3):
        texts = []
        for given in [seed] + [None] * more:
            environment.reset(seed=given)
            texts.append(str(environment.position))
        return texts

    environments = [taikyoku.raw_env(game) for _ in range(3)]
    first, second, other = (deals(environment, seed) for environment, seed in zip(environments, (7, 7, 8)))
    assert first == second
    assert first[0] == str(taikyoku.game(game).initial(7))
    if game == "daihinmin":
        assert len(set(first + other)) == 8
        assert deals(taikyoku.raw_env(game), None) != deals(taikyoku.raw_env(game), None)
    # A game with a seed of its own starts another sequence.
    assert deals(environments[2], 7) == first
    copied = copy.deepcopy(environments[0])
    pickled = pickle.loads(pickle.dumps(environments[0]))
    for environment in (environments[0], copied, pickled):
        environment.reset()
    assert str(environments[0].position) == str(copied.position) == str(pickled.position)
    with pytest.raises(ValueError, match="a seed is an integer from 0"):
        environments[0].reset(seed=-1)
    environments[0].reset()
    copied.reset()
    assert str(environments[0].position) == str(copied.position)


@pytest.mark.parametrize("make", [taikyoku.env, taikyoku.raw_env])
def test_what_is_no_action(make):
    environment = make("dobutsu")
    environment.reset(seed=1)
    for wrong in (1.5, True, np.True_, "2c2b" if make is taikyoku.env else [2]):
        with pytest.raises((AssertionError, TypeError), match="action is not in action space|an integer is required"):
            environment.step(wrong)
    assert environment.agent_selection == "player_0" and environment.unwrapped.position.ply == 0
    assert not environment.action_space("player_0").contains(True)
    environment.step(np.int64(2))
    assert environment.unwrapped.position.ply == 1


def test_nothing_is_asked_of_an_environment_without_agents(caplog):
    raw = taikyoku.raw_env("score-four", render_mode="ansi")
    with pytest.raises(ResetNeeded, match=r"begin a game with reset\(\)"):
        raw.step(0)
    for ask in (raw.render, raw.last, lambda: raw.observe("player_0")):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            ask()
    assert copy.deepcopy(raw).agents == []
    for environment in (raw, taikyoku.env("score-four")):
        environment.reset(seed=1)
        for peg in ("a1", "b1", "a2", "b2", "a3", "b3", "a4"):
            environment.step(environment.unwrapped.position.action_of(peg))
        environment.step(None)
        environment.step(None)
        assert environment.agents == []
    with pytest.raises(ResetNeeded):
        raw.step(None)
    # The wrappers of PettingZoo only log the error.
    environment.step(None)
    assert "step() called after all agents are terminated" in caplog.text


@games
def test_a_drawing_is_made_where_it_is_asked_for(game):
    environment = taikyoku.raw_env(game)
    environment.reset(seed=1)
    with pytest.warns(UserWarning, match="render"):
        assert environment.render() is None
    environment = taikyoku.raw_env(game, render_mode="ansi")
    environment.reset(seed=1)
    drawings = [environment.render()]
    for _ in range(3):
        environment.step(environment.position.legal_actions()[-1])
        drawings.append(environment.render())
    assert all(drawings) and len(set(drawings)) == 4


def test_a_drawing_of_daihinmin_has_the_table_and_the_turn():
    position = taikyoku.game("daihinmin").initial(1)
    lead = position.to_move
    meld = position.legal_moves()[-1]
    position.play(meld)
    passing = position.to_move
    position.play("pass")
    lines = position.drawing().splitlines()
    assert [line.startswith("> ") for line in lines] == [seat == position.to_move for seat in range(5)] + [False]
    assert lines[passing].endswith("(has passed)")
    assert lines[5].startswith(f"table: {meld} of seat {lead}")
    begun = taikyoku.game("daihinmin").initial(1, [0, 1, 2, 3, 4]).drawing().splitlines()
    assert begun[0].endswith("(owes 2)") and begun[1].endswith("(owes 1)") and begun[5] == "table: empty"
    while not position.is_over:
        position.play(position.legal_moves()[-1])
    places = position.outcome()["places"]
    for seat, line in enumerate(position.drawing().splitlines()[:5]):
        assert line.endswith(f"(place {places[seat] + 1})")


def test_what_is_printed(capsys):
    environment = taikyoku.raw_env("score-four", render_mode="human")
    environment.reset()
    environment.step(0)
    assert capsys.readouterr().out.strip() == environment.position.drawing().strip()
