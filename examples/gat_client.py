#!/usr/bin/env python3
"""A complete client of GAT (Geister, ガイスター) that needs nothing but Python.

    python3 gat_client.py [HOST [PORT [GAMES]]]

The port is the player: one has 10000, the other 10001. The function `choose` decides every move: write your
own there. protocol/GAT.md describes the protocol.
"""

import random
import socket
import sys
import time

DIRECTIONS = {"N": (0, -1), "E": (1, 0), "W": (-1, 0), "S": (0, 1)}
# A blue ghost leaves the board from these squares of the far side.
EXITS = {(0, 0): "N", (5, 0): "N"}


def fail(code, reason):
    """Ends the program: 2 the command line, 3 no connection or no seat, 4 the connection was lost."""
    print(reason, file=sys.stderr)
    sys.exit(code)


def ghosts_of(board):
    """Reads the 48 characters of a board: sixteen times x, y and colour. A to H are one's own, a to h the other's.

    x goes from 0 at the left to 5, y from 0 at the far side to 5 at one's own side, also for the second player.
    Colours: R, B one's own; u unknown; r, b captured (at 9, 9) or shown at the end; an escaped ghost is at 8, 8.
    """
    letters = "ABCDEFGHabcdefgh"
    triples = [board[i : i + 3] for i in range(0, 48, 3)]
    return {letter: ((int(t[0]), int(t[1])), t[2]) for letter, t in zip(letters, triples)}


def choose(ghosts):
    """Decides a move, such as "A,N". This player escapes if it can; else it moves at random."""
    own = {letter: ghosts[letter] for letter in "ABCDEFGH"}
    taken = [square for square, _ in own.values()]
    moves = []
    for letter, (square, colour) in own.items():
        if square in [(9, 9), (8, 8)]:
            continue  # It has left the board.
        if colour == "B" and square in EXITS:
            return letter + "," + EXITS[square]
        for direction, (dx, dy) in DIRECTIONS.items():
            to = (square[0] + dx, square[1] + dy)
            if 0 <= to[0] <= 5 and 0 <= to[1] <= 5 and to not in taken:
                moves.append(letter + "," + direction)
    return random.choice(moves)


def connect(host, port):
    """Connects for one game. Some servers close their port between games: then this tries again."""
    for attempt in range(500):
        try:
            return socket.create_connection((host, port))
        except ConnectionRefusedError:
            if attempt == 15:
                print("waiting for " + host + ":" + str(port) + " ...", file=sys.stderr)
            time.sleep(0.02)
        except OSError as error:
            fail(3, f"no server at {host}:{port}: {error}")
    fail(3, "no server at " + host + ":" + str(port))


def play(host, port):
    """Plays one game, on a connection of its own; gives WON, LST or DRW."""
    server = connect(host, port)
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Every line ends with CR LF. One read may bring two lines or half a line, so the file cuts them.
    with server, server.makefile("r", encoding="ascii", newline="\r\n") as lines:
        for line in lines:
            if line.startswith("SET?"):
                reds = "".join(random.sample("ABCDEFGH", 4))
                answer = "SET:" + reds  # The others are blue.
            elif line.startswith("MOV?"):
                answer = "MOV:" + choose(ghosts_of(line[4:52]))
            elif line[:4] in ("WON:", "LST:", "DRW:"):
                return line[:3]  # The client closes first; the next game is a new connection.
            else:
                continue  # OK, OKR, OKB: done; NG: refused, and the result follows.
            server.sendall((answer + "\r\n").encode("ascii"))
    fail(4, "the server has closed the connection before the end of the game")


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    host, port, games = (sys.argv[1:] + ["localhost", "10000", "1"][len(sys.argv) - 1 :])[:3]
    if not (port.isdigit() and int(port) < 65536 and games.isdigit()):
        fail(2, "the second argument is the port, the third one the number of games")
    for game in range(1, int(games) + 1):
        print("game", game, play(host, int(port)), flush=True)


if __name__ == "__main__":
    try:
        main()
    except ConnectionError as error:
        fail(4, f"the connection was lost: {error}")
