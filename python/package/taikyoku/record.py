"""Records of matches, as the server writes them: their games, move by move."""

from __future__ import annotations

import codecs
import itertools
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from taikyoku import _native
from taikyoku._native import Game, Position

if TYPE_CHECKING:
    import pandas

#: The version of the format.
VERSION = 1

#: Names of games in records of the first programs.
NAMES = {"uecda": "daihinmin", "gat": "geister"}

#: The colours that a position of Blokus names when they are withdrawn.
COLOURS = ("blue", "yellow", "red", "green")


class Step(NamedTuple):
    """A move of a record: the position before it, the seat that moves, its text, and the event with its times."""

    position: Position
    seat: int
    move: str
    event: dict[str, Any]


@dataclass(frozen=True)
class RecordedGame:
    """One game of a record. Lists go by seat, unlike those of the events, which go by player."""

    #: The file, and its first line.
    file: Path
    header: dict[str, Any]
    #: All that happened, in order, as the record has it: from `begin` to `end`.
    events: list[dict[str, Any]]

    @property
    def game(self) -> Game:
        """The game, with the rules of the match."""
        rules = self.header.get("rules") or {}
        rules = rules.get("game", {}) if self.name == "daihinmin" else rules
        return _native.game(self.name, json.dumps(rules))

    @property
    def name(self) -> str:
        """The name of the game."""
        name = str(self.header["game"])
        return NAMES.get(name, name)

    @property
    def match(self) -> str:
        """The name of the match."""
        return str(self.header["match"])

    @property
    def number(self) -> int:
        """The number of the game in its match, from 1."""
        return int(self.events[0]["game"])

    @property
    def seats(self) -> list[int]:
        """The player in each seat."""
        return list(self.events[0]["seats"])

    @property
    def players(self) -> list[str]:
        """The name of the player in each seat."""
        return [str(self.header["players"][player]["name"]) for player in self.seats]

    @property
    def end(self) -> dict[str, Any] | None:
        """The last event; None if the record breaks off before it."""
        return self.events[-1] if self.events[-1]["event"] == "end" else None

    def _of_end(self, key: str) -> list[Any] | None:
        """A list of the end by seat; None without one."""
        by_player = (self.end or {}).get(key)
        return [by_player[player] for player in self.seats] if by_player else None

    @property
    def places(self) -> list[int] | None:
        """The place of each seat, 0 is the best; None in a game that is void or has no end."""
        return self._of_end("places")

    @property
    def points(self) -> list[float] | None:
        """The points of each seat; None in a game that has no end."""
        return self._of_end("points")

    @property
    def kinds(self) -> list[str] | None:
        """How the game ended for each seat: `normal` or its fault; None in a game that has no end."""
        return self._of_end("kinds")

    @property
    def rule(self) -> str | None:
        """The rule that ended the game, where the record names it."""
        return (self.end or {}).get("rule")

    def steps(self) -> Iterator[Step]:
        """The moves, each with the position before it. Placements of Geister and gifts of Daihinmin are moves as well.

        A `ValueError` says where the record breaks the rules. Cards that vanish by faults of the official server of
        UECda, which the server of this project repeats when it is asked to, are an error, too.
        """
        for step, _ in self._played():
            yield step

    def positions(self) -> Iterator[Position]:
        """All positions, from the first to the last."""
        position = self._first()
        for step, after in self._played():
            yield step.position
            position = after
        yield position

    def _error(self, reason: object) -> ValueError:
        return ValueError(f"{self.file}: game {self.number}: {reason}")

    def _first(self) -> Position:
        """The position before the first move."""
        begin = self.events[0]
        try:
            if self.name != "daihinmin":
                return self.game.read(begin.get("position") or "")
            return self.game.read(self._deal())
        except (ValueError, KeyError, IndexError) as reason:
            raise self._error(reason) from None

    def _deal(self) -> str:
        """The text of the first position of Daihinmin: the poor have given their cards, and the rich not yet."""
        begin, seats = self.events[0], self.seats
        hands = [pairs(begin["hands"][player]) for player in seats]
        ranks = [begin["ranks"][player] for player in seats] if begin.get("ranks") else None
        exchanges = ["-", "-"]
        for event in self.events:
            if event["event"] != "give":
                continue
            if event.get("lost"):
                raise ValueError("cards are lost by a fault of the official server")
            if event.get("forced") and ranks:
                giver, taker = seats.index(event["from"]), seats.index(event["to"])
                given = pairs(event["cards"])
                hands[giver] = [card for card in hands[giver] if card not in given]
                hands[taker] += given
                exchanges[ranks[taker]] = event["cards"] + ">?"
        rich = [pair for pair in (0, 1) if exchanges[pair] != "-"]
        if rich and ranks:
            leader = ranks.index(rich[0])
        else:
            leader = next((seat for seat, hand in enumerate(hands) if "D3" in hand), 0)
        # The lots that rank the rest when twenty passes stop the game.
        drawn = [seats.index(player) for event in self.events if event["event"] == "lot" for player in event["order"]]
        lots = drawn + [seat for seat in range(5) if seat not in drawn]
        words = [
            "/".join("".join(hand) for hand in hands),
            "////",
            "".join(map(str, ranks)) if ranks else "-",
            "/".join(exchanges),
            f"pass {leader} {leader} 0 31 - 0 55555",
            "".join(map(str, lots)),
            "0",
        ]
        return " ".join(words)

    def _played(self) -> Iterator[tuple[Step, Position]]:
        """The moves, each with the position after it as well."""
        position = self._first()
        # Set-ups and gifts come in any order; the rules have them by seat or by rank.
        waiting: dict[int, Step] = {}
        for event in self.events[1:]:
            kind = event["event"]
            if kind == "forfeit" and self.name == "blokus" and not position.is_over:
                position = self._without(position, self.seats.index(event["player"]))
            if kind == "give" and event.get("forced"):
                continue
            moves = {"setup": "setup", "give": "cards", "move": "move"}
            if kind not in moves:
                continue
            seat = self.seats.index(event["from" if kind == "give" else "player"])
            move = ("give " if kind == "give" else "") + event[moves[kind]]
            if kind != "move":
                waiting[seat] = Step(position, seat, move, event)
                while (mover := position.to_move) in waiting and mover is not None:
                    step = waiting.pop(mover)._replace(position=position)
                    position = self._after(step)
                    yield step, position
                continue
            if event.get("spent") is not None:
                raise self._error(f"{move}: other cards left the hand, by a fault of the official server")
            if seat != position.to_move:
                raise self._error(f"{move}: seat {seat} moves out of turn")
            step = Step(position, seat, move, event)
            position = self._after(step)
            yield step, position

    def _after(self, step: Step) -> Position:
        after = step.position.copy()
        try:
            after.play(step.move)
        except _native.IllegalMove as reason:
            raise self._error(reason) from None
        return after

    def _without(self, position: Position, seat: int) -> Position:
        try:
            return without(position, seat)
        except ValueError as reason:
            raise self._error(reason) from None


def without(position: Position, seat: int) -> Position:
    """A position of Blokus that goes on without a seat, which has lost by a fault."""
    steps = [str(position), f"-{COLOURS[seat]}"]
    return position.game.read(";".join(filter(None, steps)))


def pairs(cards: str) -> list[str]:
    """The cards of a text, each two letters."""
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def files(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file, or the records in a folder and the folders in it, by name and each once."""
    path = Path(path)
    if not path.is_dir():
        yield path
        return
    yield from without_copies(file for file in sorted(path.rglob("*.jsonl")) if b'"taikyoku-record"' in head(file))


def head(file: Path) -> bytes:
    """The first line of a file, up to the greatest length of a line of a record."""
    with file.open("rb") as lines:
        return lines.readline(1 << 20)


def without_copies(files: Iterable[Path]) -> list[Path]:
    """The files without those that repeat another of the same header, wholly or from its beginning.

    These are downloads with another name, and backups from the middle of a match. A warning names each.
    """
    kept: list[Path] = []
    known: dict[bytes, list[int]] = {}
    copies = []
    for file in files:
        same = known.setdefault(head(file).removeprefix(codecs.BOM_UTF8).strip(), [])
        for number in same:
            longer = compared(file, kept[number])
            if longer is None:
                continue
            is_original = longer > 0 or (longer == 0 and len(str(file)) < len(str(kept[number])))
            copies.append((kept[number] if is_original else file, number))
            if is_original:
                kept[number] = file
            break
        else:
            same.append(len(kept))
            kept.append(file)
    for copy, number in copies:
        warnings.warn(f"{copy} is a copy of {kept[number]}: the match counts once", stacklevel=2)
    return kept


def compared(file: Path, other: Path) -> int | None:
    """Which of two files has more lines, where one has those with which the other begins.

    1 for the first, -1 for the other, 0 if they have the same; None where their lines differ.
    """

    def texts(path: Path) -> Iterator[tuple[bytes, bool]]:
        """The lines, and whether they lack their end."""
        with path.open("rb") as lines:
            for line in lines:
                if text := line.removeprefix(codecs.BOM_UTF8).strip():
                    yield text, not line.endswith(b"\n")

    for one, two in itertools.zip_longest(texts(file), texts(other)):
        if one is None or (two and one[1] and one[0] != two[0] and two[0].startswith(one[0])):
            return -1
        if two is None or (two[1] and one[0] != two[0] and one[0].startswith(two[0])):
            return 1
        if one[0] != two[0]:
            return None
    return 0


def lines_of(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a record. One that a server which was killed has left unfinished at the end is left out.

    Blank lines and a mark of byte order are no text.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if number > 1 and not line.strip():
                continue
            try:
                value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except ValueError as reason:
                if line.endswith(b"\n"):
                    raise ValueError(f"{file}:{number}: {reason}") from None
                return
            if not isinstance(value, dict):
                raise ValueError(f"{file}:{number}: a line of a record is an object")
            yield value


def games(path: str | os.PathLike[str]) -> Iterator[RecordedGame]:
    """The games of a record, or of all records in a folder."""
    for file in files(path):
        lines = lines_of(file)
        header = next(lines, {})
        if header.get("taikyoku-record") != VERSION:
            raise ValueError(f"{file}: the first line is no header of a record of version {VERSION}")
        events: list[dict[str, Any]] = []
        for event in lines:
            # A forfeit and a refusal between games belong to none.
            if event["event"] == "begin" or events:
                events.append(event)
            if event["event"] == "setup" and event.get("name"):
                # A name that the server of Geister takes from its player.
                players = list(header["players"])
                players[event["player"]] = {**players[event["player"]], "name": event["name"]}
                header = {**header, "players": players}
            if event["event"] in ("end", "result"):
                events = [event for event in events if event["event"] != "result"]
                if events:
                    yield RecordedGame(file, header, events)
                events = []
        if events:
            yield RecordedGame(file, header, events)


def table(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """The games of a record, or of all records in a folder, with a row for each seat."""
    import pandas

    columns = ("file", "match", "game", "number", "seat", "player", "name", "place", "points", "kind", "rule")
    rows = []
    for game in games(path):
        used = dict.fromkeys(game.seats, 0)
        plies = dict.fromkeys(game.seats, 0)
        for event in game.events:
            if event["event"] == "move":
                plies[event["player"]] += 1
                used[event["player"]] += event.get("used") or 0
        none = [None] * len(game.seats)
        by_seat = zip(game.seats, game.players, game.places or none, game.points or none, game.kinds or none)
        for seat, (player, name, place, points, kind) in enumerate(by_seat):
            row = (
                str(game.file),
                game.match,
                game.name,
                game.number,
                seat,
                player,
                name,
                place,
                points,
                kind,
                game.rule,
            )
            rows.append((*row, plies[player], used[player]))
    frame = pandas.DataFrame(rows, columns=[*columns, "plies", "used_ms"])
    return frame.astype({"place": "Int64", "points": "float64"})
