"""The examples in docstrings, and that the stubs name what there is."""

import ast
import doctest
from pathlib import Path

import pytest
import taikyoku
import taikyoku.environment  # noqa: F401

README = Path(__file__).resolve().parents[1] / "README.md"


def test_docstrings():
    """Those of the package, and of all classes that are written in Rust."""
    attempted = 0
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    for test in finder.find(taikyoku, "taikyoku", module=taikyoku):
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
def test_stubs(name):
    """Every method has a type and a docstring, and every type a method."""
    stub = ast.parse((Path(taikyoku.__file__).parent / "_native.pyi").read_text())
    (body,) = (node.body for node in stub.body if isinstance(node, ast.ClassDef) and node.name == name)
    typed = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    there = {member for member in vars(getattr(taikyoku, name)) if not member.startswith("_")}
    assert {member for member in typed if not member.startswith("_")} == there
    for member in there:
        assert getattr(taikyoku, name).__dict__[member].__doc__, member
