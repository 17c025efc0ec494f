"""Programs that a run starts."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from taikyoku_train import commands, worker
from taikyoku_train.__main__ import main
from taikyoku_train.preset import SelfPlay
from taikyoku_train.worker import Task, find_program, run_until

HERE = Path(__file__).parent


def is_running(pid: int) -> bool:
    """Whether a process is there, and not only its entry."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_worker_dies_with_the_run():
    program = (
        "import time; from taikyoku_train.worker import Child; "
        "print(Child(['sleep', '100']).process.pid, flush=True); time.sleep(100)"
    )
    run = subprocess.Popen([sys.executable, "-c", program], cwd=HERE.parent, stdout=subprocess.PIPE)
    pid = int(run.stdout.readline())
    assert is_running(pid)
    run.kill()
    run.wait()
    for _ in range(500):
        if not is_running(pid):
            return
        time.sleep(0.01)
    os.kill(pid, 9)
    pytest.fail("the worker lives on")


def test_a_failing_worker_is_not_the_users_fault(tmp_path, monkeypatch, capsys):
    (tmp_path / "log.jsonl").touch()
    program = ["sh", "-c", "echo it is broken >&2; exit 2"]
    monkeypatch.setattr(commands.curves, "draw", lambda _: run_until(program, lambda: False))
    assert main(["curves", str(tmp_path)]) == 1
    assert "it is broken" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["curves", "no-such-folder"]) == 2


def test_what_a_preset_says_reaches_the_worker(tmp_path):
    play = SelfPlay(games=3, simulations=7, fast_simulations=2, full_share=0.5, gumbel=True, leaf_playouts=8)
    arguments = Task("blokus-fast", play, 4, 3, seed=9).arguments(tmp_path / "games.tkg")
    for option, value in {"--leaf-playouts": "8", "--fast-simulations": "2", "--first-game": "4"}.items():
        assert arguments[arguments.index(option) + 1] == value
    assert "--leaf-playouts" not in Task("score-four", SelfPlay(games=1, simulations=1), 0, 1, seed=1).arguments(
        tmp_path
    )


def test_the_noise_of_a_preset_reaches_the_worker(tmp_path):
    play = SelfPlay(games=3, simulations=7, noise=0.0, alpha=0.34, exploration="1.0", mate=7)
    arguments = Task("dobutsu", play, 0, 3, seed=9).arguments(tmp_path / "games.tkg")
    for option, value in {"--noise": "0.0", "--alpha": "0.34", "--exploration": "1.0", "--mate": "7"}.items():
        assert arguments[arguments.index(option) + 1] == value
    gumbel = Task("dobutsu", SelfPlay(games=3, simulations=7, gumbel=True), 0, 3, seed=9).arguments(tmp_path)
    assert not {"--noise", "--alpha", "--exploration", "--mate", "--paper"} & set(gumbel)


def test_a_worker_plays_as_many_games_together_as_the_preset_says(tmp_path, monkeypatch):
    commands = []
    monkeypatch.setattr(worker, "run_until", lambda command, _: commands.append(command) or (True, {}))
    task = Task("dobutsu", SelfPlay(games=3, simulations=7, together=64), 0, 3, seed=9)
    assert worker.play(Path("lab"), task, Path("net.onnx"), tmp_path / "games.tkg", lambda: False)[0]
    assert commands[0][commands[0].index("--batch") + 1] == "64"


def test_programs_are_found_or_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TAIKYOKU_BIN", str(tmp_path))
    with pytest.raises(ValueError, match="no-such-program is not built"):
        find_program("no-such-program")
    program = tmp_path / "no-such-program"
    program.write_text("")
    assert find_program("no-such-program") == program.resolve()
    with pytest.raises(ValueError, match="no program at"):
        find_program("taikyoku-lab", str(tmp_path / "elsewhere"))
