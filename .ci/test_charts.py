"""Tests of the charts: python3 -m unittest discover -s .ci"""

from __future__ import annotations

import unittest

import charts


class Charts(unittest.TestCase):
    def test_the_pictures_are_those_of_the_tables(self) -> None:
        drawn = list(charts.charts())
        self.assertEqual(len(drawn), 5)
        for path, text in drawn:
            self.assertEqual(text.count("<rect"), 10, f"{path.name}: a bar for each level")
            self.assertEqual(path.read_text(), text, f"{path.name} is old: run .ci/charts.py")


if __name__ == "__main__":
    unittest.main()
