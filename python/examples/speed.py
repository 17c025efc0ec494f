#!/usr/bin/env python3
"""Steps a second of random games: every environment, batches, and two of PettingZoo's own environments, in one run.

    python speed.py [--seconds 2] [--json]

A step of an environment is one action of one agent, with what the agent observes before it; `env` is with PettingZoo's
usual wrappers, `raw_env` without. A step of a batch is one action of one position, with the observations and masks of
all positions at each turn. The environments of PettingZoo are with their wrappers. Where OpenSpiel is installed, two of
its games are measured as well, by its own interface: an action, with the observation and the mask before it. Seconds
are those of the processor, on one thread: what else runs on the machine matters little.
"""

import argparse
import json
import sys
import time
import types

import numpy as np
import taikyoku

#: Positions of a batch.
SIZES = {"blokus": 64, "daihinmin": 256}


def environment(env, seconds):
    """Steps a second of an environment of PettingZoo."""
    rng = np.random.default_rng(1)
    steps, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        env.reset(seed=steps)
        for _ in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            if over or cut:
                break
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[rng.integers(len(legal))]))
            steps += 1
    return steps / (time.process_time() - begun)


def batches(game, seconds):
    """Steps a second of a batch."""
    size = SIZES.get(game, 1024)
    batch = taikyoku.Batch(taikyoku.game(game), size, seed=1)
    observations, masks = batch.observations(), batch.masks()
    turns, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        batch.observations(out=observations)
        batch.masks(out=masks)
        batch.play(batch.random_actions())
        batch.restart()
        turns += 1
    return turns * size / (time.process_time() - begun)


def open_spiel(game, seconds):
    """Steps a second of a game of OpenSpiel."""
    rng = np.random.default_rng(1)
    steps, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            np.asarray(state.observation_tensor())
            legal = np.flatnonzero(state.legal_actions_mask())
            state.apply_action(int(legal[rng.integers(len(legal))]))
            steps += 1
    return steps / (time.process_time() - begun)


def measured(seconds):
    """Names with steps a second."""
    for game in taikyoku.GAMES:
        yield f"taikyoku {game}, env", environment(taikyoku.env(game), seconds)
        yield f"taikyoku {game}, raw_env", environment(taikyoku.raw_env(game), seconds)
        yield f"taikyoku {game}, batch of {SIZES.get(game, 1024)}", batches(game, seconds)
    # They draw with pygame, and import it even where they draw nothing.
    sys.modules.setdefault("pygame", types.ModuleType("pygame"))
    from pettingzoo.classic import connect_four_v3, tictactoe_v3

    yield "PettingZoo connect_four_v3", environment(connect_four_v3.env(), seconds)
    yield "PettingZoo tictactoe_v3", environment(tictactoe_v3.env(), seconds)
    try:
        import pyspiel
    except ImportError:
        return
    for name in ("connect_four", "tic_tac_toe"):
        yield f"OpenSpiel {name}", open_spiel(pyspiel.load_game(name), seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2, help="time for each figure (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print one object: a name, and its steps a second")
    options = parser.parse_args()
    figures = {}
    for name, rate in measured(options.seconds):
        figures[name] = round(rate)
        if not options.json:
            print(f"{name:<40}{rate:>12,.0f} steps/s", flush=True)
    if options.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
