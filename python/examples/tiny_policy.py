#!/usr/bin/env python3
"""Learns a policy for a game by playing against itself, with numpy alone.

    python tiny_policy.py                      # 3D four-in-a-row, for a minute
    python tiny_policy.py --game dobutsu --seconds 300

The policy is a network with one hidden layer, and it learns by REINFORCE: after a batch of games, every move of a
winner becomes more probable, and every move of a loser less. Before and after it plays games against uniformly random
moves, from all seats in turn.
"""

import argparse
import time

import numpy as np
import taikyoku


class Policy:
    """Probabilities of actions from observations: one hidden layer of rectified units, trained by Adam."""

    def __init__(self, inputs, hidden, actions, rng):
        scale = np.sqrt(2 / inputs)
        self.weights = [
            (rng.standard_normal((inputs, hidden)) * scale).astype(np.float32),
            np.zeros(hidden, np.float32),
            np.zeros((hidden, actions), np.float32),
            np.zeros(actions, np.float32),
        ]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def __call__(self, observations, masks):
        """The hidden layer, and the probabilities of the legal actions."""
        first, first_bias, second, second_bias = self.weights
        hidden = np.maximum(observations @ first + first_bias, 0)
        logits = np.where(masks, hidden @ second + second_bias, -np.inf)
        logits = np.exp(logits - logits.max(axis=1, keepdims=True))
        return hidden, logits / logits.sum(axis=1, keepdims=True)

    def learn(self, observations, masks, actions, gains, rate=3e-3):
        """One step of Adam towards the actions with gains above 0, and away from those below."""
        hidden, slope = self(observations, masks)
        slope[np.arange(len(actions)), actions] -= 1
        slope *= gains[:, None] / len(actions)
        back = (slope @ self.weights[2].T) * (hidden > 0)
        slopes = [observations.T @ back, back.sum(axis=0), hidden.T @ slope, slope.sum(axis=0)]
        self.steps += 1
        for weights, (mean, square), by in zip(self.weights, self.moments, slopes):
            mean += 0.1 * (by - mean)
            square += 0.01 * (by * by - square)
            down = np.sqrt(square / (1 - 0.99**self.steps)) + 1e-8
            weights -= rate * mean / (1 - 0.9**self.steps) / down


def draw(probabilities, rng):
    """An action of each row."""
    below = probabilities.cumsum(axis=1)
    return (below > rng.random((len(below), 1)) * below[:, -1:]).argmax(axis=1)


def self_play(policy, game, size, rng):
    """Plays a batch of games; the positions with the actions, and what they came to for the seats that took them."""
    batch = taikyoku.Batch(game, size, seed=int(rng.integers(2**63)))
    taken = []
    while True:
        playing = ~batch.over()
        if not playing.any():
            break
        observations = batch.observations()[playing].reshape(playing.sum(), -1)
        masks = batch.masks()[playing]
        _, probabilities = policy(observations, masks)
        actions = np.full(size, -1)
        actions[playing] = draw(probabilities, rng)
        taken.append((observations, masks, actions[playing], np.flatnonzero(playing), batch.to_move()[playing]))
        batch.play(actions)
    observations, masks, actions, games, seats = (np.concatenate(part) for part in zip(*taken))
    return observations, masks, actions, batch.returns()[games, seats]


def against_random(policy, game, size, rng):
    """The mean return of the policy against random moves, in a game for each seat that it can take."""
    returns = []
    for own in range(game.seats):
        batch = taikyoku.Batch(game, size, seed=int(rng.integers(2**63)))
        while not batch.over().all():
            actions = batch.random_actions()
            own_turn = batch.to_move() == own
            if own_turn.any():
                observations = batch.observations()[own_turn].reshape(own_turn.sum(), -1)
                _, probabilities = policy(observations, batch.masks()[own_turn])
                actions[own_turn] = draw(probabilities, rng)
            batch.play(actions)
        returns.append(batch.returns()[:, own])
    return float(np.mean(returns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="score-four", choices=taikyoku.GAMES, help="default: %(default)s")
    parser.add_argument("--seconds", type=float, default=60, help="time for learning (default: %(default)s)")
    parser.add_argument("--rounds", type=int, help="learn from so many batches of games, however long they take")
    parser.add_argument(
        "--batch", type=int, default=256, metavar="GAMES", help="games of a batch (default: %(default)s)"
    )
    parser.add_argument("--hidden", type=int, default=128, metavar="UNITS", help="hidden units (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    game = taikyoku.game(options.game)
    inputs = int(np.prod(game.observation_shape))
    policy = Policy(inputs, options.hidden, game.actions, rng)
    print(f"before: {against_random(policy, game, 500, rng):+.3f} a game against random moves", flush=True)
    begun, rounds, moves = time.monotonic(), 0, 0
    while rounds < options.rounds if options.rounds is not None else time.monotonic() - begun < options.seconds:
        *played, gains = self_play(policy, game, options.batch, rng)
        order = rng.permutation(len(gains))
        for part in np.array_split(order, max(1, len(order) // 2048)):
            policy.learn(*(column[part] for column in played), gains[part])
        rounds, moves = rounds + 1, moves + len(gains)
    print(f"learned from {rounds * options.batch} games, {moves} moves, in {time.monotonic() - begun:.0f} s")
    print(f"after: {against_random(policy, game, 500, rng):+.3f} a game against random moves")


if __name__ == "__main__":
    main()
