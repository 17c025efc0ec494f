"""Tests of the execution of the documentation's commands: python3 -m unittest discover -s .ci"""

from __future__ import annotations

import shlex
import tempfile
import unittest
from pathlib import Path

import commands
import programs


def command(*path: str, options: str = "", **below: programs.Command) -> programs.Command:
    """A command with options."""
    entries = [programs.Entry(option) for option in options.split()]
    return programs.Command(path, "", "", [("Options", entries)], "", below)


class Short(unittest.TestCase):
    """Short forms."""

    def setUp(self) -> None:
        game = command("taikyoku-lab", "match", "dobutsu", options="--games --blocks --seed")
        match = command("taikyoku-lab", "match", dobutsu=game)
        self.known = {
            "taikyoku-lab": command("taikyoku-lab", match=match),
            "blokus": command("blokus", options="--host --move-ms"),
        }

    def test_numbers_get_small_and_names_get_values(self) -> None:
        for text, short in [
            ("taikyoku-lab match dobutsu a:nodes=400 B:ms=9 --games 90", "a:nodes=20 B:ms=1 --games 2"),
            ("taikyoku-lab match dobutsu A B --seed 7", "random random --seed 7 --blocks 1"),
        ]:
            self.assertEqual(
                shlex.join(commands.shape(text, self.known, set())), f"taikyoku-lab match dobutsu {short}", text
            )

    def test_clients_get_an_address_and_little_time(self) -> None:
        words = commands.shape("blokus --host HOST --engine best -- -x", self.known, set())
        self.assertEqual(words, shlex.split("blokus --host {address} --engine best --move-ms 20 -- -x"))

    def test_clients_have_a_game(self) -> None:
        for line, game in [
            ("taikyoku serve uecda", "daihinmin"),
            ("java examples/GatClient.java localhost 10001 4", "geister"),
            ("engine-bridge usi -- ./engine", "dobutsu"),
            ("ls", ""),
        ]:
            self.assertEqual(commands.game_of(line.split()), game, line)


class Ends(unittest.TestCase):
    """Ends of programs."""

    def lead(self, line: str, stop: str | float = "") -> str:
        with tempfile.TemporaryDirectory() as folder:
            room = commands.Room(Path(folder), "127.0.0.1", Path("/none"))
            failure = room.lead(["sh", "-c", line], stop)
            room.close()
            return failure

    def test_what_ends_must_succeed(self) -> None:
        self.assertEqual(self.lead("exit 0"), "")
        self.assertEqual(self.lead("exit 130"), "exit status 130")

    def test_what_is_interrupted_ends_with_its_code(self) -> None:
        self.assertEqual(self.lead("trap 'exit 130' INT; echo ready; while :; do sleep 0.01; done", "ready"), "")
        self.assertEqual(
            self.lead("trap 'exit 1' INT; echo ready; while :; do sleep 0.01; done", "ready"), "exit status 1"
        )


if __name__ == "__main__":
    unittest.main()
