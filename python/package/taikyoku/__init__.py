"""Games of Taikyoku: Daihinmin, Geister, Blokus, 3D four-in-a-row and Dobutsu shogi.

>>> import taikyoku
>>> position = taikyoku.game("geister").initial()
>>> position.play("ABCD")                     # seat 0 places its red ghosts
>>> position.play("EFGH")                     # so does seat 1
>>> position.legal_moves()[:3]
['A,W', 'A,N', 'B,N']
>>> position.view(1)["enemy"][0]              # seat 1 sees where ghost A is, and not that it is red
'41u'

`Game`, `Position` and `Batch` are the rules; `engine` makes an engine of the server's own bots, and `play` seats a bot
at a server; `env` makes an environment of PettingZoo; `records` and `table` read the records of the server.
"""

from __future__ import annotations

import json
import secrets
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Any

from taikyoku import _native
from taikyoku._native import GAMES, Batch, Engine, Game, IllegalMove, Position
from taikyoku.bot import View
from taikyoku.record import RecordedGame, Step, table
from taikyoku.record import games as records

if TYPE_CHECKING:
    from taikyoku.client import Summary
    from taikyoku.environment import Environment

__version__ = version_of("taikyoku")
__all__ = [
    "GAMES",
    "Batch",
    "Engine",
    "Game",
    "IllegalMove",
    "Position",
    "RecordedGame",
    "Step",
    "View",
    "engine",
    "env",
    "game",
    "play",
    "raw_env",
    "records",
    "table",
]


def game(name: str, **rules: Any) -> Game:
    """A game by its name, one of `GAMES`; options of its rules are those of records, with `_` for `-`.

    >>> import taikyoku
    >>> taikyoku.game("dobutsu", repetition=2).rules
    {'repetition': 2, 'ply-limit': 0, 'any-try': False, 'free-promotion': False}

    An unknown name or option, or one of a wrong type, is a `ValueError`:

    >>> taikyoku.game("geister", plies=3)
    Traceback (most recent call last):
    ...
    ValueError: the rules of geister: unknown field `plies`, expected `ply-limit`
    """
    return _native.game(name, json.dumps({key.replace("_", "-"): value for key, value in rules.items()}))


def engine(name: str, game: str | Game, *, seed: int | None = None, **options: Any) -> Engine:
    """An engine of the server's own bots by its name, one of `Game.engines`, with its options.

    `playouts` and `ms` say how long an engine that searches thinks. Without them the engines of Blokus, Dobutsu shogi
    and 3D four-in-a-row take a second a move, `best` of Geister 20,000 playouts, and those of Daihinmin 2,000. What is
    spent first ends the search; in Daihinmin the 2,000 playouts are a limit also where only `ms` is given. With
    `playouts`, a seed and one thread it chooses the same moves each time; without a seed one is drawn. All options are
    those of the specifications of `taikyoku-lab`, with `_` for `-`; one that is None is left out, and a name may have
    some already: `"best:ms=100"`. Ctrl+C ends `choose` within a tenth of a second.

    >>> import taikyoku
    >>> engine = taikyoku.engine("best", "geister", playouts=50, seed=1)
    >>> position = taikyoku.game("geister").initial()
    >>> for _ in range(2):
    ...     position.play(taikyoku.engine("random", "geister", seed=7).choose(position))
    >>> engine.choose(position) in position.legal_moves()
    True

    What an engine does not have is a `ValueError`, and so is a network or a table that is not there:

    >>> taikyoku.engine("best", game="dobutsu", depth=3)
    Traceback (most recent call last):
    ...
    ValueError: engine specification 'best:depth=3': no option 'depth'; best has nodes (playouts, simulations)=N, ...
    """

    def word(value: Any) -> str:
        return ("off", "on")[value] if isinstance(value, bool) else str(value)

    pairs = [(key.replace("_", "-"), word(value)) for key, value in options.items() if value is not None]
    rules = _native.game(game, "{}") if isinstance(game, str) else game
    return Engine(rules, name, secrets.randbits(64) if seed is None else seed, pairs)


def env(name: str, render_mode: str | None = None, **rules: Any) -> Any:
    """An AEC environment of PettingZoo with its usual wrappers: an illegal action ends the game and costs 1.

    It needs `pip install taikyoku[env]`. See `taikyoku.environment.Environment` for what agents observe.

    >>> import taikyoku
    >>> environment = taikyoku.env("geister")
    >>> environment.reset(seed=1)
    >>> environment.agent_selection
    'player_0'
    """
    try:
        from pettingzoo.utils import wrappers
    except ModuleNotFoundError as error:
        remedy = "pip install 'taikyoku[env]', or the file of its wheel with [env] behind it"
        raise ModuleNotFoundError(f"environments need PettingZoo: {remedy}") from error

    environment: Any = raw_env(name, render_mode, **rules)
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=-1)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)


def raw_env(name: str, render_mode: str | None = None, **rules: Any) -> Environment:
    """The environment of `env` without wrappers: an illegal action is an `IllegalMove`, and nothing has changed."""
    from taikyoku.environment import Environment

    return Environment(game(name, **rules), render_mode)


def play(bot: Any, url: str, name: str = "python", games: int = 1, patience: float = 10.0, **rules: Any) -> Summary:
    """Plays with a bot on a server, to the end of the match; games, and points where the server has told them.

    A bot is a function of a `View` and its legal moves, or an object with `choose`, and if it wants `game_begins`,
    `observe` and `game_ends` (`taikyoku.bot.Player`). `url` is `uecda://HOST:PORT`, `gat://HOST:PORT` or
    `native://HOST:PORT`. GAT has a connection for each game, and no names: there `games` says how many are played.
    `patience` is how many seconds are given to connecting. `rules` are those that UECda and GAT do not tell, such as
    `ply_limit=300`.

        def first(view, moves):
            return moves[0]

        taikyoku.play(first, "uecda://localhost:42485", name="mine")

    A bot that gives an illegal move ends it with an `IllegalMove`, and the connection with it.
    """
    from taikyoku import client

    return client.play(bot, url, name, games, patience, **rules)
