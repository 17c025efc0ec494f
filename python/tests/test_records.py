"""Records of the server: their games again, move by move."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import perft
import pytest
import taikyoku

HERE = Path(__file__).resolve().parent
#: Written by the programs of the repository; those of the fuzz targets break off in places.
FILES = sorted([*(HERE / "records").glob("*.jsonl"), *(perft.ROOT / "tests/fuzz/corpus/records").glob("*-?.jsonl")])


def write(path, *lines):
    """A record of these lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def header(game, rules=None):
    """The first line of a record."""
    players = [{"name": name} for name in "abcde"[: taikyoku.game(game).seats]]
    return {"taikyoku-record": 1, "game": game, "match": "m", "players": players, "rules": rules or {}}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_records_play_again(file):
    games = list(taikyoku.records(file))
    assert games
    for game in games:
        steps = list(game.steps())
        positions = list(game.positions())
        assert len(positions) == len(steps) + 1
        moves = [event for event in game.events if event["event"] == "move"]
        assert [step.event for step in steps if step.event["event"] == "move"] == moves
        for step in steps:
            assert step.position.to_move == step.seat
            assert step.event["player" if "player" in step.event else "from"] == game.seats[step.seat]
        if game.places and set(game.kinds) == {"normal"}:
            outcome = positions[-1].outcome()
            assert outcome["places"] == game.places
            assert outcome["points"] == game.points
            assert game.rule is None or outcome["rule"] == game.rule


def test_all_games_of_the_field_are_there():
    assert {game.name for file in FILES for game in taikyoku.records(file)} == set(taikyoku.GAMES)


def test_gifts_of_daihinmin():
    """The games behind the first one have ranks, and begin with the gifts of the daifugo and the fugo."""
    first, *others = taikyoku.records(HERE / "records" / "daihinmin.jsonl")
    assert not next(first.steps()).move.startswith("give")
    assert len(others) == 2
    for game in others:
        gifts = list(game.steps())[:2]
        assert [step.move.split()[0] for step in gifts] == ["give", "give"]
        assert [len(step.move.split()[1]) for step in gifts] == [4, 2]
        position = gifts[0].position
        ranks = position.view(0)["ranks"]
        assert ranks.index(0) == gifts[0].seat and ranks.index(1) == gifts[1].seat
        # The deal is that of the record, and the cards of the poor have moved.
        for seat, player in enumerate(game.seats):
            dealt = len(game.events[0]["hands"][player]) // 2
            moved = {0: 2, 1: 1, 3: -1, 4: -2}.get(ranks[seat], 0)
            assert len(position.view(seat)["hand"]) // 2 == dealt + moved


def test_lots_rank_the_seats_when_twenty_passes_stop_a_game(tmp_path):
    seats, hands = [4, 2, 0, 1, 3], ["C3", "D3S4", "H3", "S3", "S5"]
    begin = {"ms": 0, "event": "begin", "game": 1, "seats": seats, "hands": hands}
    position = taikyoku.game("daihinmin").read("S5/H3/C3/D3S4/S3 //// - -/- pass 3 3 0 31 - 0 55555 01234 0")
    events = []
    while not position.is_over:
        events.append({"ms": 1, "event": "move", "player": seats[position.to_move], "move": "pass"})
        position.play("pass")
    assert len(events) == 20
    lot = {"ms": 2, "event": "lot", "order": [3, 0, 4, 2, 1]}
    end = {"ms": 2, "event": "end", "game": 1, "places": [1, 4, 3, 0, 2], "points": [4.0, 1.0, 2.0, 5.0, 3.0]}
    end["kinds"] = ["normal"] * 5
    (game,) = taikyoku.records(write(tmp_path / "r.jsonl", header("daihinmin"), begin, *events, lot, end))
    assert list(game.positions())[-1].outcome()["places"] == game.places == [2, 3, 1, 4, 0]


def test_placements_of_geister_come_in_any_order(tmp_path):
    begin = {"ms": 0, "event": "begin", "game": 1, "seats": [1, 0]}
    setups = [
        {"ms": 1, "event": "setup", "player": player, "setup": setup} for player, setup in enumerate(("ABCD", "EFGH"))
    ]
    move = {"ms": 2, "event": "move", "player": 1, "move": "A,N"}
    (game,) = taikyoku.records(write(tmp_path / "r.jsonl", header("geister", {"ply-limit": 9}), begin, *setups, move))
    assert [(step.seat, step.move) for step in game.steps()] == [(0, "EFGH"), (1, "ABCD"), (0, "A,N")]
    assert game.game.rules == {"ply-limit": 9}
    assert game.end is game.places is game.points is game.rule is None and game.players == ["b", "a"]


def test_names_of_geister_are_those_that_players_give_themselves(tmp_path):
    """From the game on in which they give them."""
    lines = [header("geister")]
    for number in (1, 2, 3):
        lines.append({"ms": 0, "event": "begin", "game": number, "seats": [1, 0]})
        name = {"name": "zoe"} if number == 2 else {}
        lines.append({"ms": 1, "event": "setup", "player": 1, "setup": "ABCD", **name})
        lines.append({"ms": 2, "event": "end", "game": number, "kinds": ["normal", "normal"]})
    games = list(taikyoku.records(write(tmp_path / "r.jsonl", *lines)))
    assert [game.players for game in games] == [["b", "a"], ["zoe", "a"], ["zoe", "a"]]


def test_what_breaks_the_rules_is_named(tmp_path):
    begin = {"ms": 0, "event": "begin", "game": 3, "seats": [0, 1], "position": "a1"}
    for events, reason in (
        ([begin, {"ms": 1, "event": "move", "player": 0, "move": "a1"}], "game 3: a1: seat 0 moves out of turn"),
        ([begin, {"ms": 1, "event": "move", "player": 1, "move": "e9"}], "game 3: .*e9"),
        ([{**begin, "position": "q"}], "game 3: "),
    ):
        (game,) = taikyoku.records(write(tmp_path / "r.jsonl", header("score-four"), *events))
        with pytest.raises(ValueError, match=reason):
            list(game.positions())
    for text, reason in (
        ("", "no header"),
        ('{"taikyoku-record":2}\n', "no header of a record of version 1"),
        (json.dumps(header("dobutsu")) + "\n{\n", ":2: "),
    ):
        (tmp_path / "r.jsonl").write_text(text)
        with pytest.raises(ValueError, match=reason):
            list(taikyoku.records(tmp_path / "r.jsonl"))


def test_a_torn_line_ends_a_record(tmp_path):
    text = (HERE / "records" / "dobutsu.jsonl").read_text()
    whole = list(taikyoku.records(HERE / "records" / "dobutsu.jsonl"))
    cut = text.index('"event":"end","game":2')
    (tmp_path / "r.jsonl").write_text(text[:cut])
    games = list(taikyoku.records(tmp_path / "r.jsonl"))
    assert [game.places is None for game in games] == [False, True]
    assert [str(p) for p in games[1].positions()] == [str(p) for p in whole[1].positions()]


def test_folders_and_tables(tmp_path):
    (tmp_path / "a").mkdir()
    for file in (HERE / "records").glob("*.jsonl"):
        (tmp_path / "a" / file.name).write_text(file.read_text())
    (tmp_path / "journal.jsonl").write_text('{"league": 1}\n')
    games = list(taikyoku.records(tmp_path))
    assert [game.name for game in games] == ["daihinmin"] * 3 + ["dobutsu"] * 2
    frame = taikyoku.table(tmp_path)
    assert len(frame) == 3 * 5 + 2 * 2
    points = frame.groupby(["match", "name"])["points"].sum()
    assert points.sum() == 3 * 15 + 2
    row = frame.iloc[7]
    game = games[1]
    assert (row["number"], row["seat"], row["player"]) == (2, 2, game.seats[2])
    assert (row["name"], row["place"], row["kind"]) == (game.players[2], game.places[2], "normal")
    assert row["plies"] == sum(step.seat == 2 and step.event["event"] == "move" for step in game.steps())


def test_numpy_is_enough(tmp_path):
    """Games and records need no package of the extras; tables say which one they need."""
    lines = f"""
        import sys
        for name in ("pandas", "pettingzoo", "gymnasium"):
            sys.modules[name] = None
        import taikyoku
        position = taikyoku.game("dobutsu").initial()
        position.play(position.legal_moves()[0])
        assert position.observation().shape == (16, 4, 3)
        assert len(list(taikyoku.records({str(HERE / "records" / "dobutsu.jsonl")!r}))) == 2
        for wants in (lambda: taikyoku.table("."), lambda: taikyoku.env("dobutsu")):
            try:
                wants()
            except ImportError as reason:
                print(reason.name)
    """
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(lines))
    done = subprocess.run([sys.executable, str(program)], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split()[0] == "pandas" and len(done.stdout.split()) == 2


def test_what_the_programs_read_is_read(tmp_path):
    """A mark of byte order, blank lines, line ends of other systems, and a line torn within a letter."""
    source = HERE / "records" / "dobutsu.jsonl"
    wanted = [game.events for game in taikyoku.records(source)]
    lines = source.read_bytes().splitlines()
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n \n".join(lines) + b'\n\n{"ms":1,"event":"\xe3')
    assert [game.events for game in taikyoku.records(path)] == wanted
    for broken in (b"\n", b"\xff\n", b"{\n"):
        path.write_bytes(broken + source.read_bytes())
        with pytest.raises(ValueError, match="a.jsonl:1: "):
            list(taikyoku.records(path))


def test_copies_count_once(tmp_path):
    source = (HERE / "records" / "dobutsu.jsonl").read_bytes()
    games = len(list(taikyoku.records(HERE / "records" / "dobutsu.jsonl")))
    (tmp_path / "a.jsonl").write_bytes(source)
    (tmp_path / "a (1).jsonl").write_bytes(source.replace(b"\n", b"\r\n"))
    (tmp_path / "backup.jsonl").write_bytes(source[: len(source) // 2])
    (tmp_path / "b.jsonl").write_bytes(source.replace(b'"match":"', b'"match":"x'))
    with pytest.warns(UserWarning, match="a copy of") as warned:
        read = list(taikyoku.records(tmp_path))
    assert len(read) == 2 * games
    names = sorted(str(warning.message).split(": ")[0] for warning in warned)
    original = tmp_path / "a.jsonl"
    assert names == [f"{tmp_path / name} is a copy of {original}" for name in ("a (1).jsonl", "backup.jsonl")]
