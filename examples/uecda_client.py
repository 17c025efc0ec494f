#!/usr/bin/env python3
"""A complete client of UECda (Daihinmin, 大貧民) that needs nothing but Python.

    python3 uecda_client.py [HOST [PORT [NAME]]]

It plays a whole match. The functions `choose` and `choose_gift` decide: write your own there.
protocol/UECDA.md describes the protocol.
"""

import socket
import struct
import sys
import time

# A table is 8 rows of 15 integers of 32 bits, big endian: 480 bytes.
ROWS, COLUMNS = 8, 15

# Cards are a dictionary from cells (row, column) to values. Rows 0 to 3 are spades, hearts, diamonds and clubs,
# columns 1 to 13 are 3, 4, ..., K, A, 2. The value is 1 for a card and 2 for the joker. {} is a pass.
JOKER = (4, 1)  # The joker's cell in a hand and in an exchange.


def fail(code, reason):
    """Ends the program: 2 the command line, 3 no connection or no seat, 4 the connection was lost."""
    print(reason, file=sys.stderr)
    sys.exit(code)


def connect(host, port):
    """Connects. The server may not listen yet: then this tries again for ten seconds."""
    for attempt in range(500):
        try:
            return socket.create_connection((host, port))
        except ConnectionRefusedError:
            if attempt == 15:
                print(f"waiting for {host}:{port} ...", file=sys.stderr)
            time.sleep(0.02)
        except OSError as error:
            fail(3, f"no server at {host}:{port}: {error}")
    fail(3, f"no server at {host}:{port}")


class Server:
    """The connection to the server."""

    def __init__(self, host, port):
        self.socket = connect(host, port)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.has_seat = False

    def read(self, size):
        """Reads until `size` bytes are there: one recv may bring a part of a message, or several messages."""
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more and not self.has_seat:
                fail(3, "the server has closed the connection: perhaps it has five players already")
            if not more:
                fail(4, "the server has closed the connection before the end of the match")
            data += more
        return data

    def integer(self):
        return struct.unpack(">i", self.read(4))[0]

    def table(self):
        cells = struct.unpack(">120i", self.read(480))
        return [cells[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]

    def send(self, cells):
        """Sends a table that is 0 but for these cells, with one call: other programs read it with one call."""
        table = [0] * (ROWS * COLUMNS)
        for (row, column), value in cells.items():
            table[row * COLUMNS + column] = value
        self.socket.sendall(struct.pack(">120i", *table))


def cards_of(table):
    """The cards in rows 0 to 4 of a table."""
    cells = [(row, column) for row in range(5) for column in range(COLUMNS)]
    return {(row, column): table[row][column] for row, column in cells if table[row][column] != 0}


def choose(hand, field, lock, revolution):
    """Decides a move: {} is a pass.

    hand: the own cards; field: the meld to beat, {} if this player leads a trick; lock: whether only the suits of
    the field may be played; revolution: whether low cards beat high ones. The server takes an illegal meld for a pass.

    This player leads with all cards of its weakest rank, and beats a meld with the weakest one that can.
    """
    columns = range(13, 0, -1) if revolution else range(1, 14)  # From the weakest to the strongest.
    joker = {(0, 14): 2} if JOKER in hand else {}  # The joker alone: any one cell of rows 0 to 3 will do.

    if not field:
        for column in columns:
            meld = {(row, column): 1 for row in range(4) if (row, column) in hand}
            if meld:
                return meld
        return joker

    if list(field.values()) == [2]:  # The joker alone: only the spade 3 beats it.
        return {(0, 1): 1} if (0, 1) in hand else {}

    count = len(field)
    suits = {row for row, _ in field}
    lowest, highest = min(column for _, column in field), max(column for _, column in field)
    for column in columns:
        if lowest != highest:  # A sequence: its cards are in one row and do not overlap with those on the field.
            last = column + count - 1
            beats = last < lowest if revolution else column > highest
            rows = suits if lock else range(4)
            melds = [[(row, c) for c in range(column, last + 1)] for row in rows]
        else:  # A single card or a group: its cards are in one column.
            beats = column < lowest if revolution else column > lowest
            rows = suits if lock else [row for row in range(4) if (row, column) in hand][:count]
            melds = [[(row, column) for row in rows]]
        for meld in melds:
            if beats and len(meld) == count and all(card in hand and hand[card] == 1 for card in meld):
                return {card: 1 for card in meld}
    return joker if count == 1 else {}


def choose_gift(hand, count):
    """Decides which cards the daifugo or the fugo gives away: here its weakest."""
    cards = sorted((card for card in hand if card != JOKER), key=lambda card: card[1])
    return {card: 1 for card in cards[:count]}


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    host, port, name = (sys.argv[1:] + ["localhost", "42485", "python"][len(sys.argv) - 1 :])[:3]
    if not (port.isdigit() and int(port) < 65536):
        fail(2, "the second argument is the port, a number up to 65535")
    server = Server(host, int(port))

    # The profile: the version of the protocol, and the name, one ASCII code in each cell of row 1.
    profile = {(1, column): ord(letter) for column, letter in enumerate(name[:14])}
    server.send({(0, 0): 20070} | profile)
    number = server.integer()  # It comes at once; the first deal waits for five players.
    if not 0 <= number <= 4:
        fail(3, f"the server at {host}:{port} speaks another protocol")
    server.has_seat = True
    print("player", number)

    games = 0
    end = 0  # 0: the game goes on, 1: it is over, 2: the match is over.
    while end != 2:
        deal = server.table()
        gift = deal[5][1]
        if gift > 0:  # This player is daifugo (2 cards) or fugo (1 card).
            server.send(choose_gift(cards_of(deal), gift))
        field = {}
        end = 0
        while end == 0:
            hand = server.table()
            if hand[5][2] == 1:  # It is this player's turn.
                to_beat = {} if hand[5][4] == 1 else field
                server.send(choose(cards_of(hand), to_beat, hand[5][7] == 1, hand[5][6] == 1))
                server.integer()  # 9: accepted; 8: refused, or a pass on a field with cards.
            field = cards_of(server.table())
            end = server.integer()
        games += 1
    print(games, "games")


if __name__ == "__main__":
    try:
        main()
    except ConnectionError as error:
        fail(4, f"the connection was lost: {error}")
