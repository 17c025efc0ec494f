"""The environments: the tests of PettingZoo, rewards, and what agents may observe."""

import warnings

import numpy as np
import pytest
import taikyoku
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


def test_what_is_printed(capsys):
    environment = taikyoku.raw_env("score-four", render_mode="human")
    environment.reset()
    environment.step(0)
    assert capsys.readouterr().out.strip() == environment.position.drawing().strip()
