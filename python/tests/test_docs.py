"""The examples in docstrings and in the README."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
import taikyoku

README = Path(__file__).resolve().parents[1] / "README.md"


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


@pytest.mark.parametrize("name", ["Game", "Position", "Batch"])
def test_every_method_has_a_docstring(name):
    members = vars(getattr(taikyoku, name))
    assert [member for member in members if not member.startswith("_") and not members[member].__doc__] == []
