#!/usr/bin/env python3
"""A complete client of the native protocol, for any of its games, that needs nothing but Python.

    python3 native_client.py [HOST [PORT [NAME]]]

It plays a whole match with random legal moves, which it asks the server for. The function `choose` decides every
move: write your own there. protocol/NATIVE.md describes the protocol.
"""

import json
import random
import socket
import sys
import time


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


def choose(seat, view, history, moves):
    """Decides a move. seat: one's own, from 0; view: the position at the beginning of the game, as this seat may know
    it; history: the moves since then, pairs of a seat and a move; moves: the legal moves now. A move is a string."""
    return random.choice(moves)


def main():
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(__doc__.strip())
        return
    host, port, name = (sys.argv[1:] + ["localhost", "4444", "python"][len(sys.argv) - 1 :])[:3]
    if not (port.isdigit() and int(port) < 65536):
        fail(2, "the second argument is the port, a number up to 65535")
    server = connect(host, int(port))
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(message):
        server.sendall((json.dumps(message) + "\n").encode())

    send({"type": "hello", "versions": [1], "name": name})
    player, seat, view, history = None, None, None, []
    for line in server.makefile("r", encoding="utf-8"):
        try:
            message = json.loads(line)
        except ValueError:
            fail(3, f"the server at {host}:{port} speaks another protocol")
        match message["type"]:
            case "welcome":
                player = message["player"]
            case "view":
                seat, view, history = message["seat"], message["view"], []
            case "moved":
                history.append((message["seat"], message["move"]))
            case "request":  # It is this player's turn. A client that knows the rules answers with a move at once.
                send({"type": "legal"})
            case "legal" if message["moves"]:  # It is empty if the turn is over by now.
                move = choose(seat, view, history, message["moves"])
                send({"type": "move", "game": message["game"], "ply": message["ply"], "move": move})
            case "result":
                others = message["scores"]
                own = others.pop(seat)
                word = "won" if own > max(others) else "lost" if own < max(others) else "drawn"
                points = ", ".join(f"{score:g}" for score in others)
                print(f"game {message['game']}: {word} ({message['end']}), {own:g} to {points}", flush=True)
            case "error":
                print("the server:", message["message"], file=sys.stderr)
            case "over":
                print(f"{name} has {message['scores'][player]:.12g} points in {message['games']} games")
                if message.get("reason"):
                    fail(4, f"the match has ended early: {message['reason']}")
                return
            case _:
                pass  # Clocks, and types of later versions.
    if player is None:
        fail(3, "the server has closed the connection: there is no seat")
    fail(4, "the server has closed the connection before the end of the match")


if __name__ == "__main__":
    try:
        main()
    except ConnectionError as error:
        fail(4, f"the connection was lost: {error}")
