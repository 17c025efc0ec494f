"""Engines: legal moves, the same ones with the same seed, from what a seat may know, and beside other threads."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import taikyoku

games = pytest.mark.parametrize("game", taikyoku.GAMES)
MODELS = Path(__file__).resolve().parents[2] / "models"
#: Engines that need a file: a network, or the table of Dobutsu shogi.
WITH_FILES = {"alphazero", "blokus-zero", "perfect"}
ENGINES = [(game, name) for game in taikyoku.GAMES for name in taikyoku.game(game).engines if name not in WITH_FILES]


def quick(name, game, seed=1):
    """An engine that does not think long."""
    options = {} if name in ("random", "greedy", "default", "paper") else {"playouts": 40}
    return taikyoku.engine(name, game, seed=seed, **options)


def places(game, seed):
    """Every second game of Daihinmin begins with the exchange."""
    return random.Random(seed).sample(range(5), 5) if game == "daihinmin" and seed % 2 else None


def at_random(game, seed, most=60):
    """A position after some random moves, which is not over."""
    rng = random.Random(seed)
    position = taikyoku.game(game).initial(seed, places(game, seed))
    for _ in range(rng.randrange(most)):
        after = position.copy()
        after.play(rng.choice(after.legal_moves()))
        if after.is_over:
            break
        position = after
    return position


@pytest.mark.parametrize(("game", "name"), ENGINES)
def test_legal_moves(game, name):
    engine = quick(name, game)
    assert repr(engine).startswith(f'taikyoku.engine("{name}')
    for seed in range(8):
        position = at_random(game, seed)
        before = str(position)
        assert engine.choose(position) in position.legal_moves()
        assert position.legal_mask()[engine.action(position)]
        assert str(position) == before


@games
def test_every_game_has_engines(game):
    assert {"random", "best"} <= set(taikyoku.game(game).engines)


@pytest.mark.parametrize(("game", "name"), ENGINES)
def test_same_seed_same_game(game, name):
    def played(seed):
        position = taikyoku.game(game).initial(3, places(game, 3))
        sides = [quick(name, game, seed + seat) for seat in range(position.game.seats)]
        moves = []
        while not position.is_over and len(moves) < 20:
            moves.append(sides[position.to_move].choose(position))
            position.play(moves[-1])
        return moves, [side.reasons for side in sides]

    assert played(5) == played(5)


def test_its_text_is_python():
    for engine in (
        taikyoku.engine("best", "geister", playouts=40, seed=1),
        taikyoku.engine("random", taikyoku.game("blokus", scoring="squares"), seed=2),
    ):
        again = eval(repr(engine))
        assert (again.game, again.name, again.seed) == (engine.game, engine.name, engine.seed)


def test_another_seed_is_another_game():
    position = taikyoku.game("blokus").initial()
    moves = {taikyoku.engine("random", "blokus", seed=seed).choose(position) for seed in range(9)}
    assert len(moves) > 1
    drawn = {taikyoku.engine("random", "blokus").seed for _ in range(3)}
    assert len(drawn) == 3


@pytest.mark.parametrize(("game", "name"), [(game, name) for game, name in ENGINES if game in ("geister", "daihinmin")])
def test_secrets_do_not_matter(game, name):
    """Positions that a seat cannot tell from each other get the same move, with the same reasons."""
    for seed in range(6):
        position = at_random(game, seed, most=30)
        seat = position.to_move
        answers = []
        for world in [position, *(position.determinized(seat, draw) for draw in range(3))]:
            assert world.view(seat) == position.view(seat)
            engine = quick(name, game)
            answers.append((engine.choose(world), engine.reasons))
        assert answers.count(answers[0]) == len(answers)


@pytest.mark.parametrize("own", [0, 1])
def test_geister_infers_from_what_it_sees(own):
    """From choice to choice of one seat the moves of the other follow; a position from elsewhere begins anew."""
    position = taikyoku.game("geister").initial()
    engine = taikyoku.engine("best", "geister", playouts=20, seed=1)
    other = taikyoku.engine("paper", "geister", seed=2)
    asked, beliefs = [], []
    while not position.is_over and position.ply < 16:
        if position.to_move == own:
            asked.append(position.copy())
            position.play(engine.choose(position))
            beliefs.append((engine.reasons or {}).get("red"))
        else:
            position.play(other.choose(position))
    inferred = [belief for belief in beliefs if belief is not None]
    assert len(inferred) >= 3 and all(abs(sum(belief) - 4) < 1e-6 for belief in inferred)
    assert len({round(chance, 9) for chance in inferred[-1]}) > 3
    # From the last position alone only colours of captured ghosts are known, and the others are red alike.
    engine.choose(taikyoku.game("geister").initial())
    engine.choose(asked[-1])
    assert len({round(chance, 9) for chance in engine.reasons["red"]}) <= 3


def test_geister_asked_twice_keeps_what_it_knows():
    """Of the same position, and after it of the next, whichever of its answers was played."""
    position = taikyoku.game("geister").initial()
    engine = taikyoku.engine("best", "geister", playouts=20, seed=1)
    other = taikyoku.engine("paper", "geister", seed=2)
    while position.ply < 16:
        if position.to_move == 0:
            first = engine.choose(position)
            reasons = engine.reasons
            engine.choose(position)
            again = engine.reasons
            if reasons is not None and "red" in reasons:
                assert again["red"] == reasons["red"]
            position.play(first)
        else:
            position.play(other.choose(position))
    assert len({round(chance, 9) for chance in again["red"]}) > 3


def test_an_earlier_position_that_is_observed_is_of_a_new_game():
    """An engine that was shown a game chooses in the next one as if it had not seen the first."""
    old, new = (taikyoku.engine("best", "daihinmin", playouts=40, seed=1) for _ in range(2))

    def show(seed, plies, engines):
        rng = random.Random(seed)
        position = taikyoku.game("daihinmin").initial(seed)
        while position.ply < plies or position.to_move != 0:
            mover, move = position.to_move, rng.choice(position.legal_moves())
            position.play(move)
            for engine in engines:
                engine.observe(taikyoku.View(position, 0), mover, move)
        return position

    show(1, 15, [old])
    position = show(2, 6, [old, new])
    assert [old.choose(position), old.reasons] == [new.choose(position), new.reasons]


def test_reasons():
    engine = taikyoku.engine("best", "blokus", playouts=60, seed=1)
    assert engine.reasons is None
    move = engine.choose(taikyoku.game("blokus").initial())
    assert engine.reasons["move"] == move and 0 <= engine.reasons["value"] <= 1
    assert {tried["move"] for tried in engine.reasons["moves"]} >= {move}
    assert quick("random", "blokus").reasons is None


def test_an_engine_is_a_policy():
    environment = taikyoku.env("geister")
    environment.reset(seed=4)
    policies = {agent: quick("paper", "geister", seed) for seed, agent in enumerate(environment.possible_agents)}
    for agent in environment.agent_iter():
        *_, over, cut, _ = environment.last()
        done = over or cut
        environment.step(None if done else policies[agent].action(environment.unwrapped.position))
    assert environment.unwrapped.position.is_over


def test_options_are_passed_as_they_are():
    engine = taikyoku.engine("best:playouts=7", "score-four", threads=1, ms=None, seed=1)
    assert engine.name == "best:playouts=7:threads=1"
    with pytest.raises(ValueError, match="C:/nothing.onnx"):
        taikyoku.engine("blokus-zero", "blokus", model="C:/nothing.onnx")


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="no engine 'worst'; one of random"):
        taikyoku.engine("worst", "geister")
    with pytest.raises(ValueError, match="ms=soon is not a number"):
        taikyoku.engine("best", "blokus", ms="soon")
    with pytest.raises(ValueError, match="game"):
        taikyoku.engine("best", "chess")
    for seed in (-1, 2**64, 10**60):
        with pytest.raises(ValueError, match=f"from 0 to 2\\^64 - 1, not {seed}|{seed} is out of range"):
            taikyoku.engine("best", "blokus", seed=seed)
    engine = quick("random", "dobutsu")
    with pytest.raises(ValueError, match="the engine plays dobutsu, and this is blokus"):
        engine.choose(taikyoku.game("blokus").initial())
    with pytest.raises(TypeError, match="a Position or a View is required, not str"):
        engine.choose("2c2b")
    with pytest.raises(IndexError, match="no seat -1: dobutsu has the seats 0 to 1"):
        engine.observe(taikyoku.game("dobutsu").initial(), -1, "2c2b")
    with pytest.raises(IndexError, match="no seat -1"):
        engine.choose(taikyoku.View(taikyoku.game("dobutsu").initial(), -1))
    over = taikyoku.game("score-four").read("a1b1a2b2a3b3a4")
    with pytest.raises(ValueError, match="the game is over"):
        quick("random", "score-four").choose(over)
    waiting = taikyoku.View(taikyoku.game("dobutsu").initial(), 1)
    with pytest.raises(ValueError, match="seat 0 is to move, not seat 1"):
        engine.choose(waiting)


@pytest.mark.parametrize(("game", "name"), [("dobutsu", "alphazero"), ("blokus", "blokus-zero")])
def test_networks(game, name, tmp_path):
    """A network runs without ONNX Runtime; where that is asked for and is not there, the error says so."""
    with pytest.raises(ValueError, match="nothing.onnx"):
        taikyoku.engine(name, game, model=tmp_path / "nothing.onnx")
    model = MODELS / game / f"{game}-zero.onnx"
    engine = taikyoku.engine(name, game, model=model, nn="rten", simulations=8, seed=1)
    position = taikyoku.game(game).initial()
    assert engine.choose(position) in position.legal_moves()
    code = f"import taikyoku; taikyoku.engine({name!r}, {game!r}, model={str(model)!r}, nn='ort')"
    # An interpreter in the project's `target` would find the library of the project.
    environment = os.environ | {"PYTHONPATH": str(Path(taikyoku.__file__).parents[1])}
    environment.pop("ORT_DYLIB_PATH", None)
    python = getattr(sys, "_base_executable", sys.executable)
    done = subprocess.run([python, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "ValueError: " in done.stderr and "ONNX Runtime was not found" in done.stderr and "nn=rten" in done.stderr


def test_other_threads_run_while_it_thinks():
    engine = taikyoku.engine("uct", "score-four", ms=600, seed=1)
    thinking = threading.Thread(target=engine.choose, args=(taikyoku.game("score-four").initial(),))
    steps, began = 0, time.monotonic()
    thinking.start()
    while thinking.is_alive():
        steps += 1
        time.sleep(0.001)
    assert 0.3 < time.monotonic() - began < 30
    assert steps > 20


def test_ctrl_c_ends_a_long_think_and_its_search():
    engine = taikyoku.engine("uct", "score-four", ms=600_000, seed=1)
    interrupt = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        engine.choose(taikyoku.game("score-four").initial())

    def used() -> float:
        began = time.process_time()
        time.sleep(0.2)
        return time.process_time() - began

    assert any(used() < 0.02 for _ in range(50)), "the search goes on"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_while_it_thinks_is_named():
    engine = taikyoku.engine("uct", "score-four", ms=3000, seed=1)
    position = taikyoku.game("score-four").initial()
    thinking = threading.Thread(target=engine.choose, args=(position,))
    thinking.start()
    time.sleep(0.3)
    child = os.fork()
    if child == 0:
        try:
            engine.choose(position)
        except RuntimeError as error:
            os._exit(7 if "forked" in str(error) else 8)
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    thinking.join()


def test_the_networks_of_a_wheel_are_found_in_its_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    models = tmp_path / "share" / "taikyoku" / "models" / "dobutsu"
    models.mkdir(parents=True)
    shutil.copy(MODELS / "dobutsu" / "dobutsu-pairs.onnx", models)
    packages = Path(taikyoku.__file__).resolve().parents[1]
    code = "import taikyoku; taikyoku.engine('alphazero', 'dobutsu', playouts=1)"
    environment = os.environ | {"PYTHONPATH": str(packages)}
    subprocess.run([tmp_path / "bin" / "python", "-c", code], cwd=tmp_path, env=environment, check=True)
