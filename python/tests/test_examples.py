"""The examples: in docstrings, in the README, and the programs of the folder."""

import doctest
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import taikyoku

PACKAGE = Path(__file__).resolve().parents[1]
README = PACKAGE / "README.md"


def test_docstrings():
    """Those of the package, and of all classes that are written in Rust."""
    attempted = 0
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    names = ["taikyoku"] + [f"taikyoku.{module.name}" for module in pkgutil.iter_modules(taikyoku.__path__)]
    assert "taikyoku.record" in names
    for name in names:
        module = importlib.import_module(name)
        for test in finder.find(module, name, module=module):
            failed, tried = runner.run(test)
            assert failed == 0, test.name
            attempted += tried
    assert attempted >= 40


def test_readme(monkeypatch):
    """Its examples name files from the root of the repository."""
    monkeypatch.chdir(README.parents[1])
    failed, attempted = doctest.testfile(str(README), module_relative=False)
    assert failed == 0 and attempted >= 10


@pytest.mark.parametrize("name", ["Game", "Position", "Batch", "Engine"])
def test_every_method_has_a_docstring(name):
    members = vars(getattr(taikyoku, name))
    assert [member for member in members if not member.startswith("_") and not members[member].__doc__] == []


def run(name, *arguments):
    """What a program of the examples prints."""
    command = [sys.executable, str(PACKAGE / "examples" / name), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def test_the_tiny_policy_learns():
    before, learned, after = run("tiny_policy.py", "--rounds", "24", "--batch", "256").splitlines()
    assert learned.startswith("learned from 6144 games")
    score = {line.split(":")[0]: float(line.split()[1]) for line in (before, after)}
    assert abs(score["before"]) < 0.15
    assert score["after"] > score["before"] + 0.4


def test_speed():
    figures = json.loads(run("speed.py", "--seconds", "0.01", "--json"))
    assert all(rate > 0 for rate in figures.values())
    assert len(figures) >= 3 * len(taikyoku.GAMES) + 2
