"""Tests of the runner of all checks: python3 -m unittest discover -s .ci"""

from __future__ import annotations

import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import gate


class Steps(unittest.TestCase):
    """Steps that are executed."""

    def execute(self, *steps: gate.Step, names: str = "", limit: float = 60) -> tuple[int, str]:
        """Executes steps; the exit status, and what is printed."""
        told = io.StringIO()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(told):
            changed = {"STEPS": list(steps), "LOGS": Path(folder), "LIMIT": limit}
            with mock.patch.multiple(gate, **changed), mock.patch("sys.argv", ["gate", *names.split()]):
                with self.assertRaises(SystemExit) as ended:
                    gate.main()
        return int(ended.exception.code), told.getvalue()

    def test_all_of_them_pass(self) -> None:
        status, told = self.execute(gate.Step("one", "echo first"), gate.Step("two", "echo second", "one"))
        self.assertEqual(status, 0)
        self.assertLess(told.index("\nfirst\n"), told.index("\nsecond\n"))

    def test_a_failure_is_said_twice_and_holds_up_what_needs_the_step_alone(self) -> None:
        failing = gate.Step("one", "false\necho never")
        status, told = self.execute(failing, gate.Step("two", "echo needs", "one"), gate.Step("other", "echo goes on"))
        self.assertEqual(status, 1)
        self.assertEqual(told.count("== one: FAILED"), 2)
        self.assertIn(".ci/run one repeats it", told)
        self.assertIn("\ngoes on\n", told)
        for text in ("\nnever\n", "\nneeds\n"):
            self.assertNotIn(text, told)

    def test_a_step_that_hangs_fails(self) -> None:
        status, told = self.execute(gate.Step("one", "sleep 60"), limit=0.5)
        self.assertEqual(status, 1)
        self.assertIn("it does not end in 0.5 s", told)

    def test_one_builds_at_a_time_until_it_says_so(self) -> None:
        first = gate.Step("first", "echo built\nuntil [ -e $XDG_DATA_HOME/go ]; do sleep 0.01; done", builds="built\n")
        second = gate.Step("second", "touch $XDG_DATA_HOME/go", builds=True)
        self.assertEqual(self.execute(first, second)[0], 0)
        # Without that word the second waits in vain for the end of the first.
        first, second = (
            gate.Step(first.name, first.commands, builds=True),
            gate.Step("second", second.commands, builds=True),
        )
        self.assertEqual(self.execute(first, second, limit=0.5)[0], 1)

    def test_only_builds_run_beside_the_tests(self) -> None:
        other = "touch $XDG_DATA_HOME/other; sleep 0.3; [ ! -e $XDG_DATA_HOME/tests ]; rm -f $XDG_DATA_HOME/other"
        tests = "touch $XDG_DATA_HOME/tests; sleep 0.3; [ ! -e $XDG_DATA_HOME/other ]; rm $XDG_DATA_HOME/tests"
        steps = [gate.Step("first", other), gate.Step("test", tests, "", "to its end"), gate.Step("last", other)]
        self.assertEqual(self.execute(*steps)[0], 0)
        both = "touch $XDG_DATA_HOME/{}; until [ -e $XDG_DATA_HOME/{} ]; do sleep 0.01; done"
        builds = gate.Step("builds", both.format("built", "tested"), builds=True)
        self.assertEqual(self.execute(gate.Step("test", both.format("tested", "built")), builds)[0], 0)

    def test_named_steps_bring_those_that_they_need(self) -> None:
        steps = [gate.Step("one", "echo 1"), gate.Step("two", "echo 2", "one"), gate.Step("three", "false")]
        self.assertEqual(self.execute(*steps, names="two")[0], 0)

    def test_any_shell_starts_it(self) -> None:
        for shell in ("sh", "bash"):
            listed = subprocess.check_output([shell, Path(__file__).parent / "run", "--list"], text=True)
            self.assertIn("clippy", listed.split())

    def test_a_build_refuses_what_clippy_warns_of(self) -> None:
        for text, is_good in (("x", True), ("return x", False)):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "Cargo.toml").write_text('[package]\nname = "one"\n[lib]\npath = "one.rs"\n')
                (Path(folder) / "one.rs").write_text(f"pub fn one(x: u8) -> u8 {{\n    {text}\n}}\n")
                environment = gate.environment() | {"CARGO_TARGET_DIR": folder}
                built = subprocess.run(
                    ["cargo", "build", "--offline"], cwd=folder, env=environment, capture_output=True, text=True
                )
            self.assertEqual(built.returncode == 0, is_good, built.stderr)
            self.assertEqual("clippy::needless-return" in built.stderr, not is_good, built.stderr)

    def test_the_slowest_tests_are_named(self) -> None:
        lines = [
            "test doors::tls::a_door_opens ... ok <12.345s>",
            "3.20s call     python/tests/test_play.py::test_plays",
            "✔ a move is typed (1500.5ms)",
        ]
        _, told = self.execute(gate.Step("one", "printf '%s\\n' " + " ".join(f"'{line}'" for line in lines)))
        rest = told.partition("the slowest tests\n")[2].splitlines()
        self.assertEqual(rest[0].split(), "12.3 s one: doors::tls::a_door_opens".split())
        self.assertEqual([line.split()[0] for line in rest], ["12.3", "3.2", "1.5"])


if __name__ == "__main__":
    unittest.main()
