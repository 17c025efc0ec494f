"""The examples: what they print, in short."""

import json
import subprocess
import sys
from pathlib import Path

import taikyoku

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name, *arguments):
    """What an example prints."""
    command = [sys.executable, str(EXAMPLES / name), *arguments]
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
