"""Games as environments of PettingZoo."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import error, logger, spaces
from pettingzoo import AECEnv

from taikyoku._native import Game, Position


class Actions(spaces.Discrete):
    """The numbers of actions. A `bool` is not an action, although Python treats it as 0 or 1."""

    def contains(self, x: Any) -> bool:
        return not isinstance(x, bool) and super().contains(x)


class Environment(AECEnv):
    """One game, whose agents `player_0`, `player_1` and so on are its seats.

    An observation is a dictionary: `observation`, the array of `Position.observation` for the agent's own seat, which
    has nothing that this seat may not know; and `action_mask`, the flags of `Position.legal_mask` as int8, all 0 while
    another agent is to move. All agents get their rewards when the game is over: those of `Position.returns`.

    With `render_mode` "ansi" `render` returns the whole position as text, hidden information included; with "human" the
    environment prints it after each step. Without a `render_mode`, `render` warns and returns None.
    """

    #: The position that is played, with all its secrets.
    position: Position

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        render_modes = ["ansi", "human"]
        self.metadata = {
            "name": f"taikyoku_{game.name}",
            "render_modes": render_modes,
            "is_parallelizable": False,
        }
        if render_mode not in (None, *render_modes):
            raise ValueError(f"render_mode is None, 'ansi' or 'human', not {render_mode!r}")
        self.game = game
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(game.seats)]
        self.agents: list[str] = []
        #: The generator of seeds for games that begin without a seed.
        self._rng = np.random.default_rng()
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, game.observation_shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (game.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Actions(game.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game with random numbers from the seed.

        As Gymnasium requires, games without a seed follow from the last seed that was given; without any seed the
        system draws them.

        The option `places` has the places of the seats in a last game of Daihinmin, which then begins with the
        exchange. Other options have no effect, as PettingZoo requires.
        """
        first = int(self._rng.integers(2**63)) if seed is None else seed
        self.position = self.game.initial(first, (options or {}).get("places"))
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        """Makes the seat to move the one that acts; the first one when the game is over."""
        self.agent_selection = self.possible_agents[self.position.to_move or 0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seat = self._seats[agent]
        return {
            "observation": self.position.observation(seat),
            "action_mask": self.position.legal_mask(seat).view(np.int8),
        }

    def __getattr__(self, name: str) -> Any:
        if name in ("position", "agent_selection", "rewards", "terminations", "truncations", "infos"):
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def step(self, action: int | None) -> None:
        if not self.agents:
            raise error.ResetNeeded("no agent is left to step: begin a game with reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} is to act: only an agent whose game is over steps with None")
        self.position.play(action)
        self._cumulative_rewards[agent] = 0.0
        if self.position.is_over:
            self.rewards = dict(zip(self.agents, self.position.returns()))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        self._select()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        if self.render_mode is None:
            logger.warn("render() without a render_mode: choose 'ansi' or 'human' when the environment is made")
            return None
        drawing = self.position.drawing()
        if self.render_mode != "human":
            return drawing
        print(drawing)
        return None

    def close(self) -> None:
        """There is nothing to close."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
