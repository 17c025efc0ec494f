"""GAT: Geister, with a connection for each game (`protocol/GAT.md`)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import taikyoku
from taikyoku._native import Game, Position
from taikyoku.bot import Player, View

if TYPE_CHECKING:
    from taikyoku.client import Connection

#: Steps in the frame of the receiver, whose own side is at the bottom.
DIRECTIONS = {(0, -1): "N", (1, 0): "E", (-1, 0): "W", (0, 1): "S"}
POINTS = {"WON": 1.0, "LST": 0.0, "DRW": 0.5}
#: Where ghosts stand at the beginning: those of the other side as the receiver sees them.
ENEMIES_AT_FIRST = ["41", "31", "21", "11", "40", "30", "20", "10"]


def turned(place: str) -> str:
    """A place as the other seat sees it."""
    return place if place in ("99", "88") else f"{5 - int(place[0])}{5 - int(place[1])}"


def position_of(game: Game, board: str, seat: int, ply: int) -> Position:
    """A position of a game that goes on, and agrees with the 48 characters of a board.

    Colours that the seat does not know are some. A server whose limit is above that of the rules counts further plies:
    these are as the last ones below the limit.
    """
    ghosts = [board[i : i + 3] for i in range(0, 48, 3)]
    if len(board) != 48:
        raise ConnectionError(f"the server sends a board of {len(board)} characters")
    own, enemy = [ghost.upper() for ghost in ghosts[:8]], [ghost.upper() for ghost in ghosts[8:]]
    red = 4 - sum(ghost[2] == "R" for ghost in enemy)
    for i, ghost in enumerate(enemy):
        if ghost[2] == "U":
            enemy[i] = ghost[:2] + ("R" if red > 0 else "B")
            red -= 1
    if seat == 1:
        own, enemy = ([turned(ghost[:2]) + ghost[2] for ghost in side] for side in (enemy, own))
    limit = int(game.rules["ply-limit"])
    if ply >= limit:
        ply = limit - 1 if (limit - 1 - ply) % 2 == 0 else limit - 2
    return game.read(f"{''.join(own + enemy)} {ply}")


def step(before: list[str], after: list[str]) -> str | None:
    """The move of the other side that leads from its places to others, in its own words."""
    for letter, old, new in zip("ABCDEFGH", before, after):
        if old != new and new != "99":
            old, new = turned(old), turned(new)
            return f"{letter},{DIRECTIONS.get((int(new[0]) - int(old[0]), int(new[1]) - int(old[1])), '?')}"
    return None


def play_game(player: Player, connect: Callable[[], Connection], name: str, rules: dict[str, Any]) -> None:
    """Plays a game, on a connection of its own. The name is for servers that take no placement without one."""
    game = taikyoku.game("geister", **rules)
    connection = opened(connect)
    # The protocol tells at the first move who begins: ghosts are placed as by the first seat.
    seat, ply, enemies = 0, 0, ENEMIES_AT_FIRST
    view = View(game.initial(), seat)
    player.game_begins(view)
    try:
        placement, named = player.choose(view), False
        connection.send(f"SET:{placement}\r\n".encode())
        while True:
            line = connection.line(b"\r\n")
            if line.startswith("MOV?"):
                places = [line[4:52][i : i + 2] for i in range(24, 48, 3)]
                if ply == 0 and places != ENEMIES_AT_FIRST:
                    seat, ply = 1, 1
                view = View(position_of(game, line[4:52], seat, ply), seat)
                if (move := step(enemies, places)) is not None:
                    player.observe(view, 1 - seat, move)
                connection.send(f"MOV:{player.choose(view)}\r\n".encode())
                ply, enemies = ply + 2, places
            elif line.startswith("NG") and ply == 0 and not named:
                named = True
                letters = re.sub("[^A-Za-z0-9_]", "_", name[:64])
                connection.send(f"SET:{placement},NAME:{letters}\r\n".encode())
            elif line.startswith("SET?") or (line.startswith("NG") and ply == 0):
                raise ConnectionError("the server has refused the placement of the ghosts")
            elif line[:3] in POINTS:
                player.end(POINTS[line[:3]])
                return
    finally:
        connection.close()


def opened(connect: Callable[[], Connection]) -> Connection:
    """A connection on which the server has asked for the placement. It may drop some between games."""
    for _ in range(100):
        connection = connect()
        try:
            if connection.line(b"\r\n").startswith("SET?"):
                return connection
        except ConnectionError:
            pass
        connection.close()
        time.sleep(0.02)
    raise ConnectionError("the server drops every connection before SET?: perhaps the seat is taken")
