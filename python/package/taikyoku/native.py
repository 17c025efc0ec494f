"""The native protocol: a match of an open game on one connection (`protocol/NATIVE.md`)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from taikyoku import _native
from taikyoku._native import Game, Position
from taikyoku.bot import Player, View
from taikyoku.record import without

if TYPE_CHECKING:
    from taikyoku.client import Connection

CLIENT = "taikyoku for Python"

#: Errors after which the server closes the connection, and a new one would not help.
FATAL = ("version", "game", "full", "token", "replaced", "stopped", "hello")

#: Ends of a seat that are no faults: the others play on, and so do the rules.
BY_THE_RULES = ("no-moves", "all-placed")


def position_of(game: Game, view: dict[str, Any]) -> Position:
    """The position that a view shows."""
    if game.name == "dobutsu":
        return game.read(view["position"])
    if game.name != "blokus":
        return game.read(view["moves"])
    position = game.initial()
    gone = {seat for seat, end in enumerate(view["out"]) if end == "forfeit"}
    for seat, move in view["moves"]:
        # A colour that is passed over had been withdrawn by then.
        while position.to_move != seat and position.to_move in gone:
            gone.discard(position.to_move)
            position = without(position, position.to_move)
        position.play(move)
    for seat in gone:
        position = without(position, seat)
    return position


def play_match(player: Player, connect: Callable[[], Connection], name: str) -> None:
    """Plays a match. A lost connection is made again: the server keeps the seat for a while."""
    match = Match(player, name)
    while not match.is_over:
        # Where no connection can be made, the server is gone.
        connection = connect()
        try:
            match.run(connection)
        except ConnectionError:
            # Without a token there is no seat to come back to; a connection without a single message is the last one.
            if match.token is None or match.heard == 0:
                raise
            # The server refuses a seat that comes back too often (`rate`).
            time.sleep(0.1)


class Match:
    """A match in progress."""

    def __init__(self, player: Player, name: str) -> None:
        self.player = player
        self.name = name
        self.token: str | None = None
        self.is_over = False
        #: Lines since the connection was made.
        self.heard = 0
        #: The last event: the server repeats those behind it to a player that comes back.
        self.last: int | None = None
        self.game_name = ""
        #: The own number.
        self.number = 0
        self.game: Game | None = None
        self.seat = 0
        self.begun = False
        self.position: Position | None = None

    def run(self, connection: Connection) -> None:
        """Plays on a connection until the match is over."""
        self.heard = 0
        hello = {
            "type": "hello",
            "versions": [1],
            "name": self.name[:64],
            "client": CLIENT,
            "token": self.token,
            "last": self.last,
        }
        try:
            self._send(connection, hello)
            while not self.is_over:
                line = connection.line(b"\n")
                if not line.strip():
                    continue
                message = json.loads(line)
                self._handle(connection, message)
                self.heard += 1
                if message.get("event") is not None:
                    self.last = message["event"]
        finally:
            connection.close()

    def _send(self, connection: Connection, message: dict[str, Any]) -> None:
        connection.send((json.dumps(message) + "\n").encode())

    def _handle(self, connection: Connection, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "welcome":
            self.token, self.game_name, self.number = message["token"], message["game"], message["player"]
            # Moves that the server repeats are in the view that follows them.
            self.position = None
        elif kind == "match":
            self.game = _native.game(self.game_name, json.dumps(message["rules"]))
        elif kind == "game":
            self.begun, self.position = True, None
            self.seat = message["players"].index(self.number)
        elif kind == "view" and self.game is not None:
            self.seat = message["seat"]
            self.position = position_of(self.game, message["view"])
            if self.begun:
                self.player.game_begins(View(self.position, self.seat))
            self.begun = False
        elif kind == "moved" and self.position is not None:
            self.position = self.position.copy()
            self.position.play(message["move"])
            self.player.observe(View(self.position, self.seat), message["seat"], message["move"])
        elif kind == "out" and self.position is not None and message["end"] not in BY_THE_RULES:
            self.position = without(self.position, message["seat"])
        elif kind == "request" and self.position is not None:
            move = self.player.choose(View(self.position, self.seat))
            self._send(connection, {"type": "move", "game": message["game"], "ply": message["ply"], "move": move})
        elif kind == "result":
            self.begun = False
            if message["end"] != "void":
                self.player.end(float(message["scores"][self.seat]))
        elif kind == "over":
            self.is_over = True
        elif kind == "error" and message["code"] in FATAL:
            self.token = None
            raise ConnectionError(f"the server: {message['message']}")
