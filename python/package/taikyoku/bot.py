"""What a bot of one's own sees, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taikyoku._native import Game, IllegalMove, Position

#: A bot: a function of a view and its legal moves, or an object with `choose` and, if it wants to, the other methods.
Bot = Any


class View:
    """What a seat knows of a game in play, and nothing else.

    It stands on a position that the seat cannot tell from the true one: in open games it is the true one.
    """

    def __init__(self, position: Position, seat: int) -> None:
        self._position = position
        #: The own seat.
        self.seat = seat

    @property
    def game(self) -> Game:
        """The game with its rules."""
        return self._position.game

    @property
    def to_move(self) -> int | None:
        """The seat to move; None when the game is over."""
        return self._position.to_move

    @property
    def ply(self) -> int:
        """Moves played, as far as the protocol tells them."""
        return self._position.ply

    @property
    def data(self) -> dict[str, Any]:
        """What the seat knows, as `Position.view` has it."""
        return self._position.view(self.seat)

    def legal_moves(self) -> list[str]:
        """The legal moves of the own seat; none while another one is to move."""
        return self._position.legal_moves() if self._position.to_move == self.seat else []

    def legal_mask(self) -> NDArray[np.bool_]:
        """A flag for each action, as `Position.legal_mask`."""
        return self._position.legal_mask(self.seat)

    def observation(self) -> NDArray[np.float32]:
        """The observation of the own seat, as `Position.observation`."""
        return self._position.observation(self.seat)

    def action_of(self, move: str) -> int:
        """The number of a legal move."""
        return self._position.action_of(move)

    def move_of(self, action: int) -> str:
        """The legal move with a number."""
        return self._position.move_of(action)

    def determinized(self, seed: int = 0) -> Position:
        """A position that agrees with all that the seat knows, drawn at random; in open games the position itself."""
        return self._position.determinized(self.seat, seed)

    def __repr__(self) -> str:
        return f"<view of seat {self.seat} of {self.game.name}: {self.data}>"


class Player:
    """A bot with all methods that it may lack.

    `choose(view, moves)` gives one of the legal moves, or the number of its action. `game_begins(view)` comes before
    the first move, in UECda behind the exchange; in GAT before the server tells who begins, with a view of seat
    0, and later views have the true seat. `observe(view, seat, move)` comes after each move that the protocol tells of,
    with the view after it; `game_ends(points)` with the own points, None where the server does not tell them.
    """

    def __init__(self, bot: Bot) -> None:
        choose = getattr(bot, "choose", bot)
        if not callable(choose):
            raise TypeError("a bot is a function of a view and its legal moves, or has a method `choose`")
        self._choose: Callable[[View, list[str]], str | int] = choose
        self.game_begins: Callable[[View], None] = getattr(bot, "game_begins", lambda view: None)
        self.observe: Callable[[View, int, str], None] = getattr(bot, "observe", lambda view, seat, move: None)
        self.game_ends: Callable[[float | None], None] = getattr(bot, "game_ends", lambda points: None)
        #: Games that are over, and the points of those whose points are known.
        self.games = 0
        self.points = 0.0

    def choose(self, view: View) -> str:
        """A legal move for the seat, which is to move."""
        moves = view.legal_moves()
        move = self._choose(view, moves)
        if not isinstance(move, str):
            return view.move_of(move)
        if move not in moves:
            # Another spelling of a legal move, or the reason why it is none.
            return view.move_of(view.action_of(move))
        return move

    def end(self, points: float | None) -> None:
        """A game is over."""
        self.games += 1
        self.points += points or 0.0
        self.game_ends(points)


__all__ = ["Bot", "IllegalMove", "Player", "View"]
