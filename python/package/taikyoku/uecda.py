"""UECda: Daihinmin, a match of five players on one connection (`protocol/UECDA.md`)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import taikyoku
from taikyoku._native import Game, IllegalMove, Position
from taikyoku.bot import Player, View
from taikyoku.record import pairs

if TYPE_CHECKING:
    from taikyoku.client import Connection

VERSION = 20070
ROWS, COLUMNS = 8, 15
SEATS = 5
#: Letters of rows, of cards and of the joker in the place of cards, and of columns.
SUITS, JOKERS, RANKS = "SHDC ", "KLMNJ", "x3456789TJQKA2x"
DECK = [suit + rank for rank in RANKS[1:14] for suit in "SHDC"] + ["J3"]

#: A table of a message, row by row.
Cells = list[list[int]]


def text_of(table: Cells) -> str:
    """The cards of rows 0 to 4 as a hand or a meld; `pass` without any."""
    cells = [(row, column) for row in range(5) for column in range(COLUMNS) if table[row][column]]
    cells.sort(key=lambda cell: (cell[1], cell[0]))
    letters = {1: SUITS, 2: JOKERS}
    text = "".join(letters[min(table[row][column], 2)][row] + RANKS[column] for row, column in cells)
    joker_alone = len(cells) == 1 and text[0] in JOKERS
    return "Kx" if joker_alone else text or "pass"


def cells_of(cards: str) -> dict[tuple[int, int], int]:
    """The cells of a hand, a gift or a meld."""
    if cards == "Kx":
        return {(0, 14): 2}
    cells = {}
    for i, card in enumerate([] if cards == "pass" else pairs(cards)):
        letter, rank = card[0], card[1]
        column = 0 if rank == "x" and i == 0 else RANKS.rindex(rank)
        cells[SUITS.find(letter) if letter in "SHDC" else JOKERS.index(letter), column] = 1 if letter in "SHDC" else 2
    return cells


def strongest(hand: list[str], count: int) -> list[str]:
    """The cards that a poor player gives: the joker, then by rank, among equal ranks spades first."""
    return sorted(hand, key=lambda card: (card != "J3", -RANKS.index(card[1]), SUITS.find(card[0])))[:count]


class Table:
    """One game as one player sees it: what everybody knows, and the own hand.

    The rules follow it as a position in which the cards that the player does not see lie in some hands.
    """

    def __init__(self, game: Game, player: int, deal: Cells) -> None:
        self.game = game
        self.players = deal[6][10:15]
        if sorted(self.players) != list(range(SEATS)):
            self.players = list(range(SEATS))
        self.seat = self.players.index(player)
        self.hand = hand_of(deal)
        self.dealt = self.hand_at_first = self.hand
        self.owed = max(deal[5][1], 0)
        ranks = [deal[6][5 + player] for player in self.players]
        self.ranks = ranks if sorted(ranks) == list(range(SEATS)) else None
        self.counts = self._counts(deal)
        if self.ranks is not None:
            moved = {0: 2, 1: 1, 3: -1, 4: -2}
            self.counts = [count + moved.get(rank, 0) for count, rank in zip(self.counts, self.ranks)]
        self.given: list[str] = []
        self.played: list[list[str]] = [[] for _ in range(SEATS)]
        self.begun = False
        #: Melds and passes: gifts of others are not told.
        self.ply = 0
        #: Field, owner, turn, passed, alive, flags, passes in a row and places, in the text of a position.
        self.words = self._at_first(self.seat)

    def _counts(self, table: Cells) -> list[int]:
        return [table[6][player] for player in self.players]

    def _at_first(self, turn: int) -> list[str]:
        return ["pass", str(turn), str(turn), "0", "31", "-", "0", "5" * SEATS]

    def _exchanges(self) -> str:
        """The own exchange; those of others are not known."""
        exchanges = ["-", "-"]
        rank = self.ranks[self.seat] if self.ranks is not None else 2
        if self.begun and rank in (3, 4) and set(self.hand_at_first) != set(self.dealt):
            # The rich may have given back some of the tribute.
            tribute = strongest(self.dealt, rank - 2)
            gone = [card for card in self.dealt if card not in self.hand_at_first]
            if not set(gone) <= set(tribute):
                tribute = gone
            received = [card for card in self.hand_at_first if card in tribute or card not in self.dealt]
            exchanges[4 - rank] = f"{''.join(tribute)}>{''.join(received)}"
        elif rank in (0, 1) and (self.owed or self.given):
            tribute = strongest(self.dealt, 2 - rank)
            exchanges[rank] = f"{''.join(tribute)}>{''.join(self.given) or '?'}"
        return "/".join(exchanges)

    def position(self, mover: int | None = None, meld: str = "pass") -> Position:
        """A position that agrees with what is known, in which a seat holds the cards of a meld."""
        taken = {card for cards in self.played for card in cards} | set(self.hand)
        unseen = [card for card in DECK if card not in taken]
        hands: list[list[str]] = [[] for _ in range(SEATS)]
        hands[self.seat] = list(self.hand)
        if mover is not None and mover != self.seat:
            hands[mover] = cards_of(meld)
            unseen = [card for card in unseen if card not in hands[mover]]
        for seat in range(SEATS):
            if seat != self.seat:
                missing = self.counts[seat] - len(hands[seat])
                hands[seat] += unseen[:missing]
                unseen = unseen[missing:]
        words = [
            "/".join("".join(hand) for hand in hands),
            "/".join("".join(cards) for cards in self.played),
            "".join(map(str, self.ranks)) if self.ranks is not None else "-",
            self._exchanges(),
            *self.words,
            "01234",
            str(self.ply),
        ]
        return self.game.read(" ".join(words))

    def view(self) -> View:
        return View(self.position(), self.seat)

    def gave(self, cards: list[str]) -> None:
        """The own gift was sent."""
        self.given, self.owed = cards, 0

    def hand_table(self, table: Cells) -> bool:
        """Takes in a hand table; whether it is the first one."""
        first = not self.begun
        self.hand, self.counts = hand_of(table), self._counts(table)
        turn = self.players.index(table[5][3])
        if first:
            self.begun, self.hand_at_first = True, self.hand
            if self.given:
                # In place of a gift that it refuses the server takes other cards.
                self.given = [card for card in self.dealt if card not in self.hand]
            self.words = self._at_first(turn)
        elif self.words[2] != str(turn) or (table[5][4] == 1) != (self.words[0] == "pass"):
            self._agree(turn, table)
        return first

    def _agree(self, turn: int, table: Cells) -> None:
        """Takes what the server says of the table for true, where it does not follow from the rules."""
        alive = sum(1 << seat for seat, count in enumerate(self.counts) if count > 0)
        flags = "-" + "l" * table[5][7] + "r" * table[5][6]
        field, owner = ("pass", str(turn)) if table[5][4] == 1 else (self.words[0], self.words[1])
        self.words = [field, owner, str(turn), "0", str(alive), flags, "0", self.words[7]]

    def field_table(self, table: Cells) -> tuple[int, str]:
        """Takes in a field table; the seat that has moved, and its meld."""
        mover = self.players.index(table[5][3])
        counts = self._counts(table)
        meld = text_of(table) if counts[mover] < self.counts[mover] else "pass"
        try:
            position = self.position(mover, meld)
            position.play(meld)
            self.words = str(position).split(" ")[4:12]
        except (IllegalMove, ValueError):
            # The next hand table tells how it goes on.
            self.words = [meld if meld != "pass" else self.words[0], str(mover), *self.words[2:]]
        if meld != "pass":
            self.played[mover] += cards_of(meld)
        if mover == self.seat:
            self.hand = [card for card in self.hand if card not in cards_of(meld)]
        self.counts = counts
        self.ply += 1
        return mover, meld

    def place(self) -> int | None:
        """The own place, where the rules give one: twenty passes rank the rest by lots that nobody sees."""
        place = int(self.words[7][self.seat])
        stopped = int(self.words[6]) >= 20 and bool(self.hand)
        return None if stopped or place == 5 else place


def hand_of(table: Cells) -> list[str]:
    """The cards of a hand table or a deal."""
    text = text_of(table)
    return ["J3"] if text == "Kx" else [] if text == "pass" else pairs(text)


def cards_of(meld: str) -> list[str]:
    """The cards that leave the hand with a meld."""
    return [] if meld == "pass" else ["J3" if card[0] in JOKERS else card for card in pairs(meld)]


class Wire:
    """Tables and integers on a connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def integer(self) -> int:
        (number,) = struct.unpack(">i", self.connection.read(4))
        return int(number)

    def table(self) -> Cells:
        cells = struct.unpack(f">{ROWS * COLUMNS}i", self.connection.read(4 * ROWS * COLUMNS))
        return [list(cells[row * COLUMNS : (row + 1) * COLUMNS]) for row in range(ROWS)]

    def send(self, cells: dict[tuple[int, int], int]) -> None:
        """Sends a table that is 0 but for these cells, with one call: other programs read it with one call."""
        table = [0] * (ROWS * COLUMNS)
        for (row, column), value in cells.items():
            table[row * COLUMNS + column] = value
        self.connection.send(struct.pack(f">{ROWS * COLUMNS}i", *table))


def play_match(player: Player, connect: Callable[[], Connection], name: str, rules: dict[str, Any]) -> None:
    """Plays a match to its end."""
    game = taikyoku.game("daihinmin", **rules)
    connection = connect()
    wire = Wire(connection)
    try:
        printable = [ord(letter) if " " < letter < "\x7f" else ord("?") for letter in name[:14]]
        wire.send({(0, 0): VERSION} | {(1, column): code for column, code in enumerate(printable)})
        number = wire.integer()
        end, drawn = 1, False
        while end != 2:
            table = Table(game, number, wire.table())
            if drawn:
                # The deal tells the place that lots have drawn.
                player.end(5.0 - table.ranks[table.seat] if table.ranks is not None else None)
            end = play_game(player, wire, table)
            place = table.place()
            drawn = place is None and end != 2
            if not drawn:
                player.end(None if place is None else 5.0 - place)
    finally:
        connection.close()


def play_game(player: Player, wire: Wire, table: Table) -> int:
    """Plays a game from its deal; the end that the server tells: 1 of the game, 2 of the match."""
    if table.owed:
        gift = player.choose(table.view()).removeprefix("give ")
        wire.send(cells_of(gift))
        table.gave(pairs(gift))
    end = 0
    while end == 0:
        hand = wire.table()
        if table.hand_table(hand):
            player.game_begins(table.view())
        if hand[5][2] == 1:
            wire.send(cells_of(player.choose(table.view())))
            wire.integer()
        mover, meld = table.field_table(wire.table())
        player.observe(table.view(), mover, meld)
        end = wire.integer()
    return end
