"""Bots of one's own on servers: one function for all protocols."""

from __future__ import annotations

import socket
import sys
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from taikyoku import gat, native, uecda
from taikyoku.bot import Bot, Player

#: The protocols with their usual ports.
PORTS = {"uecda": 42485, "gat": 10000, "native": 4444}


#: Seconds after which attempts that fail are told of: a server that opens its port anew between games takes less.
UNTOLD = 0.3


class Summary(NamedTuple):
    """Games played to their ends, and the points in those whose points the server has told."""

    games: int
    points: float


class Lost(ConnectionError):
    """The connection has ended before the match."""


class Connection:
    """A connection to a server, which is tried for some seconds."""

    def __init__(self, host: str, port: int, patience: float) -> None:
        began, is_told = time.monotonic(), False
        deadline = began + patience
        while True:
            try:
                self._socket = socket.create_connection((host, port), timeout=max(patience, 1.0))
                break
            except OSError as reason:
                # Some servers close their port between games.
                if time.monotonic() >= deadline or isinstance(reason, socket.gaierror):
                    remedy = "Is the server running, and is the port right?"
                    if isinstance(reason, socket.gaierror):
                        remedy = "Is the name of the host right?"
                    raise ConnectionError(f"cannot connect to {host}:{port}: {reason}. {remedy}") from reason
                if not is_told and time.monotonic() >= began + UNTOLD:
                    is_told = True
                    print(f"waiting for {host}:{port} ...", file=sys.stderr, flush=True)
                time.sleep(0.02)
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A server whose machine is gone sends no end.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._read = b""

    def send(self, message: bytes) -> None:
        """Sends a message with one call."""
        try:
            self._socket.sendall(message)
        except OSError as reason:
            raise Lost(f"the connection to the server is lost: {reason}") from reason

    def _more(self) -> None:
        try:
            more = self._socket.recv(65536)
        except OSError as reason:
            raise Lost(f"the connection to the server is lost: {reason}") from reason
        if not more:
            raise Lost("the server has closed the connection")
        self._read += more

    def read(self, size: int) -> bytes:
        """So many bytes."""
        while len(self._read) < size:
            self._more()
        data, self._read = self._read[:size], self._read[size:]
        return data

    def line(self, end: bytes, most: int = 1 << 20) -> str:
        """A line without its end."""
        while end not in self._read:
            if len(self._read) > most:
                raise ConnectionError("the server sends a line without an end")
            self._more()
        line, self._read = self._read.split(end, 1)
        return line.decode("utf-8", errors="replace")

    def close(self) -> None:
        self._socket.close()


def play(bot: Bot, url: str, name: str = "python", games: int = 1, patience: float = 10.0, **rules: Any) -> Summary:
    """As `taikyoku.play`."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError(f"{url!r} is no address: uecda://HOST:PORT, gat://HOST:PORT or native://HOST:PORT")
    if parts.scheme == "native" and rules:
        raise ValueError(f"a native server tells its rules: leave out {', '.join(sorted(rules))}")
    if parts.scheme != "gat" and games != 1:
        raise ValueError(f"a server at {parts.scheme}:// says how many games a match has: leave out games")
    address = (parts.hostname, parts.port or PORTS[parts.scheme])
    player = Player(bot)

    def connect() -> Connection:
        return Connection(*address, patience)

    if parts.scheme == "native":
        native.play_match(player, connect, name)
    elif parts.scheme == "gat":
        for _ in range(games):
            gat.play_game(player, connect, name, rules)
    else:
        uecda.play_match(player, connect, name, rules)
    return Summary(player.games, player.points)
