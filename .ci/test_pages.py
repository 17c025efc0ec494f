"""Tests of the check of the documentation: python3 -m unittest discover -s .ci"""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import options
import pages
import programs
import schemas

HELP = """\
Serve a table

Usage: taikyoku serve [OPTIONS] <GAME>

Commands:
  daihinmin  The rules of the contest [aliases: uecda]
  help       Print this message

Options:
  -p, --port <PORT>
          Port; 0 takes a free one

          [default: 4444]
          [aliases: --door]

      --deal <KIND>  What deals

          Possible values:
          - modern:   Nobody <can> foresee it
          - official: As the server

Examples:
  taikyoku serve daihinmin --none
"""


def serve() -> programs.Command:
    """A command, and one below it."""
    command = programs.parse(("taikyoku", "serve"), HELP)
    below = HELP.replace("Commands:", "More:")
    command.commands["daihinmin"] = programs.parse(("taikyoku", "serve", "daihinmin"), below)
    command.aliases["uecda"] = "daihinmin"
    return command


class Help(unittest.TestCase):
    """What a program says of itself."""

    def test_options_and_aliases_are_found(self) -> None:
        self.assertEqual(serve().options(), {"-h", "--help", "-p", "--port", "--door", "--deal"})

    def test_a_page_has_texts_values_and_defaults(self) -> None:
        text = "\n".join(options.section(serve()))
        self.assertIn("- `-p, --port <PORT>`: Port; 0 takes a free one. Default: `4444`. Also: `--door`.", text)
        self.assertIn("- `modern`: Nobody \\<can> foresee it", text)
        self.assertIn("- [`daihinmin`](#taikyoku-serve-daihinmin): The rules of the contest. Also: `uecda`.", text)
        self.assertIn("## taikyoku serve daihinmin", text)


class Commands(unittest.TestCase):
    """Commands of the shell."""

    def setUp(self) -> None:
        taikyoku = programs.Command(("taikyoku",), "", "", [], "", {"serve": serve()})
        self.shop = pages.Shop({"taikyoku": taikyoku}, {"taikyoku-games": {"perft"}}, {"run", "--out"})

    def faults(self, line: str) -> list[str]:
        return list(self.shop.faults(line))

    def test_good_commands_have_no_faults(self) -> None:
        for line in [
            "taikyoku serve uecda --port 4444 -p5 & sleep 1; SEED=1 ./target/release/taikyoku serve GAME",
            "while :; do taikyoku serve daihinmin --deal modern; done   # for ever",
            "taikyoku serve daihinmin -- ./bot --other-option | head",
            "cargo test -p taikyoku-games --bench perft -- --nothing-of-cargo",
            "PY=$(python3 models/train/setup_env.py) && $PY -m taikyoku_train run fast --out DIR",
        ]:
            self.assertEqual(self.faults(line), [], line)

    def test_each_fault_is_found(self) -> None:
        for line, fault in [
            ("taikyoku serve chess", "`taikyoku serve` has no command `chess`"),
            ("sleep 1 && taikyoku serve daihinmin --prot 1", "`taikyoku serve daihinmin` has no option `--prot`"),
            ("cargo test -p nothing", "there is no package nothing"),
            ("cargo bench -p taikyoku-games --bench none", "taikyoku-games has no target none"),
            ("python3 examples/none.py", "there is no examples/none.py"),
            ("$PY -m taikyoku_train run --in DIR", "taikyoku_train has no `--in`"),
        ]:
            self.assertEqual(self.faults(line), [fault], line)


class Links(unittest.TestCase):
    """Links, anchors and the table of contents."""

    def test_faults_of_links_and_contents(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            summary = root / "texts" / "SUMMARY.md"
            summary.parent.mkdir()
            summary.write_text("- [A](a.md)\n- [A again](a.md)\n")
            (root / "texts" / "a.md").write_text("# One `two`: 三\n\n[x](#one-two-三) [y](#none)\n`[z](none.md)`\n")
            (root / "b.md").write_text("## Same\n## Same\n[to\nb](texts/a.md#same) [c](b.md#same-1) [d](none.md)\n")
            with mock.patch.object(pages, "ROOT", root), mock.patch.object(pages, "SUMMARY", summary):
                read = {path: pages.read(path) for path in root.rglob("*.md")}
                self.assertEqual(
                    sorted(pages.link_faults(read, [])),
                    [
                        "b.md:4: texts/a.md has no heading #same",
                        "b.md:4: there is no none.md",
                        "texts/a.md:3: texts/a.md has no heading #none",
                    ],
                )
                self.assertEqual(
                    sorted(pages.summary_faults(read)),
                    ["b.md is not in docs/SUMMARY.md", "texts/a.md is 2 times in docs/SUMMARY.md"],
                )

    def test_paths_between_backticks_are_there(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            page = root / "texts" / "a.md"
            page.parent.mkdir()
            page.write_text("`texts/a.md` `texts/none.md` `texts/GAME.md` `elsewhere/b.md`\n")
            with mock.patch.object(pages, "ROOT", root):
                found = list(pages.path_faults({page: pages.read(page)}, [page]))
            self.assertEqual(found, ["texts/a.md:1: there is no texts/none.md"])

    def test_pages_lead_to_the_other_language(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "a.md").write_text("[日本語](a.ja.md)\n")
            (root / "a.ja.md").write_text("[English](a.md#top)\n")
            (root / "b.md").write_text("# B\n")
            (root / "b.ja.md").write_text("[English](b.md)\n")
            (root / "c.ja.md").write_text("# C\n")
            with mock.patch.object(pages, "ROOT", root):
                read = {path: pages.read(path) for path in sorted(root.rglob("*.md"))}
                self.assertEqual(
                    list(pages.language_faults(read)),
                    ["b.md does not lead to b.ja.md", "c.ja.md: there is no c.md"],
                )


class TestSchemas(unittest.TestCase):
    def test_a_text_leads_to_the_schemas_that_it_names(self) -> None:
        text = options.escaped("JSON (schema: docs/schema/a.json, or b-c.json)")
        self.assertEqual(text, "JSON (schema: [a.json](../schema/a.json), [b-c.json](../schema/b-c.json))")

    def test_fields_of_objects_in_lists_have_rows(self) -> None:
        inner = {"type": "object", "properties": {"b": {"type": ["integer", "null"], "description": "a number"}}}
        outer = {"type": "array", "items": {"type": "array", "items": inner}, "description": "rows"}
        written = schemas.table({"properties": {"a": outer}, "required": ["a"]})
        self.assertEqual(
            written[2:],
            ["| `a` | list of list of object | rows |", "| `a[][].b` | integer or `null`, optional | a number |", ""],
        )


if __name__ == "__main__":
    unittest.main()
