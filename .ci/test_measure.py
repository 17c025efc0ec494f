"""Tests of the measuring of the sources: python3 -m unittest discover -s .ci"""

from __future__ import annotations

import unittest

import measure

CRATE = {
    "a/Cargo.toml": "",
    "a/README.md": "# A\n\nText\n",
    "docs/design.md": "# B\n",
    "a/tests/it.rs": "fn test() {}\n",
    "a/src/lib.rs": "mod one;\nmod two;\nmod room;\npub use room::Ghost;\nfn all() { one::f(); }\n",
    "a/src/one.rs": "use crate::{Ghost, two::{Gate, self as other}};\n/// One.\npub struct Table;\npub fn f() {}\n",
    "a/src/two.rs": "// crate::room::None\npub struct Gate;\nfn g() { crate::one::f(); }\n",
    "a/src/room/mod.rs": "mod ghost;\npub use ghost::Ghost;\npub struct Table;\n",
    "a/src/room/ghost.rs": "use super::Table;\nimpl X for Ghost {\n    type Table = u8;\n}\npub struct Ghost;\n"
    "#[cfg(test)]\nmod tests {\n    struct Hall;\n}\n",
}


class Figures(unittest.TestCase):
    def setUp(self) -> None:
        self.figures = measure.measure(CRATE)

    def test_lines_are_of_the_product_or_of_tests(self) -> None:
        self.assertEqual(self.figures["crates"], {"a": {"product": 20, "tests": 5}})
        self.assertEqual((self.figures["files"], self.figures["median"], self.figures["largest"]), (5, 4, 5))
        self.assertEqual((self.figures["documents"], self.figures["documents_of_docs"]), (4, 1))

    def test_files_that_use_each_other_are_a_circle(self) -> None:
        # What a module uses of the files below it is none.
        self.assertEqual(self.figures["circles"], [["a/src/one.rs", "a/src/two.rs"]])

    def test_a_re_exported_name_leads_to_its_file(self) -> None:
        (tree,) = measure.modules_of({name: text for name, text in CRATE.items() if "/src/" in name})
        self.assertEqual(measure.uses(tree)["a/src/one.rs"], {"a/src/room/ghost.rs", "a/src/two.rs"})

    def test_names_and_comments(self) -> None:
        self.assertEqual(self.figures["shared_names"], ["Table (a: 2)"])
        self.assertEqual(self.figures["words_that_leave"], ["type Gate (a)"])
        self.assertEqual(self.figures["short_comments"], 1)


if __name__ == "__main__":
    unittest.main()
