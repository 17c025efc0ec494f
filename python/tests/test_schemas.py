"""What the programs print with `--json`, against the schemas of docs/schema."""

import json
import os
import re
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
import taikyoku
from jsonschema import Draft202012Validator
from perft import ROOT
from referencing import Registry, Resource
from test_engines import ENGINES, MODELS, at_random, quick
from test_play import PROGRAMS, start

FOLDER = ROOT / "docs" / "schema"
SCHEMAS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
FIXTURES = ROOT / "models" / "fixtures"
#: By game: its schema, its bots with quick engines, the seats of the table.
GAMES = {
    "daihinmin": ("match-daihinmin", ("daihinmin", "--engine", "mc", "--playouts", "20"), 5),
    "geister": ("match-two", ("geister", "--engine", "best", "--simulations", "20", "--games", "2"), 2),
    "dobutsu": ("match-two", ("dobutsu", "--engine", "alphabeta", "--playouts", "50"), 2),
    "score-four": ("match-two", ("score-four", "play", "--engine", "uct", "--playouts", "50"), 2),
    "blokus": ("match-blokus", ("blokus", "--engine", "mcts-maxn", "--playouts", "20"), 4),
}


def closed(schema):
    """A schema by which an object has no fields but those that are described."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(part) for key, part in schema.items()}
    # An event of a record is described elsewhere.
    if "properties" in parts and parts["properties"] != {"event": {"type": "string"}}:
        parts["additionalProperties"] = False
    return parts


CLOSED = {name: closed(schema) for name, schema in SCHEMAS.items()}


def fields(schema):
    """The names of all fields."""
    if isinstance(schema, list):
        return [name for part in schema for name in fields(part)]
    if not isinstance(schema, dict):
        return []
    return [*schema.get("properties", {}), *fields(list(schema.values()))]


def judge_of(name, schemas):
    """What compares values with one of the schemas, which may refer to each other."""
    resources = ((f"{other}.json", Resource.from_contents(schema)) for other, schema in schemas.items())
    return Draft202012Validator(schemas[name], registry=Registry().with_resources(resources))


def agree(name, values):
    """Compares values with a schema, as it is and without fields that it does not name."""
    assert values, f"nothing to compare with {name}"
    for schemas in (SCHEMAS, CLOSED):
        judge = judge_of(name, schemas)
        for value in values:
            faults = [(list(fault.absolute_path), fault.message, fault.context) for fault in judge.iter_errors(value)]
            assert not faults, f"{name}: {faults} in {value}"


def lines(text):
    """The objects of lines."""
    return [json.loads(line) for line in text.splitlines()]


def run(*command, code=0, folder=None):
    """Standard output and standard error of a program of the repository."""
    program = [str(PROGRAMS / command[0]), *map(str, command[1:])]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def matches(tmp_path_factory):
    """A match of each game: what the server and the bots print, and the record."""
    if not (PROGRAMS / "taikyoku").exists():
        reason = f"no programs in {PROGRAMS}: cargo build --workspace --bins"
        assert os.environ.get("TAIKYOKU_REQUIRE_PROGRAMS") != "1", reason
        pytest.skip(reason)
    played = {}
    for game, (_, bot, seats) in GAMES.items():
        record = tmp_path_factory.mktemp(game) / "record.jsonl"
        port = ("--ports", "0,0") if game == "geister" else ("--port", "0")
        games = ("--games", seats if game == "blokus" else 2)
        words = ("serve", game, *port, *games, "--once", "--json", "--records", record, "--watch", "0")
        server = start("taikyoku", *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        address = re.search(r"watched on .*:(\d+)", server.stderr.readline())
        watcher = start("taikyoku", "watch", f"127.0.0.1:{address[1]}", "--json", stdout=subprocess.PIPE)
        seen = [watcher.stdout.readline()]
        # Games that are over before it has been told what there is need not wait for it.
        while json.loads(seen[-1])["type"] != "tables":
            seen.append(watcher.stdout.readline())
        ports = []
        while len(ports) < (2 if game == "geister" else 1):
            line = server.stderr.readline()
            assert line, "the server has ended"
            ports += re.findall(r"listening on .*:(\d+)", line)
        clients = []
        files = [record.with_name(f"bot{seat}") for seat in range(seats)]
        for seat, file in enumerate(files):
            where = ("--host", "127.0.0.1", "--port", ports[seat % len(ports)])
            with file.open("w") as out:
                clients.append(start(*bot, *where, "--json", stdout=out, stderr=subprocess.DEVNULL))
        result, log = server.communicate(timeout=60)
        assert server.returncode == 0, log
        assert [client.wait(60) for client in clients] == [0] * seats
        bots = [lines(file.read_text()) for file in files]
        seen = lines("".join(seen) + watcher.communicate(timeout=60)[0])
        assert watcher.returncode == 0
        played[game] = SimpleNamespace(result=lines(result), bots=bots, record=record, seen=seen)
    return played


@pytest.fixture
def programs():
    """The programs are there."""
    if not (PROGRAMS / "taikyoku-lab").exists():
        reason = f"no programs in {PROGRAMS}: cargo build --workspace --bins"
        assert os.environ.get("TAIKYOKU_REQUIRE_PROGRAMS") != "1", reason
        pytest.skip(reason)


def test_schemas_are_in_the_reference(programs):
    """Each is a schema, and the help text of an option leads to it."""
    subprocess.run([sys.executable, ROOT / ".ci" / "options.py", "--programs", PROGRAMS], check=True)
    pages = (ROOT / "docs" / "reference").glob("*.md")
    reference = "".join(page.read_text() for page in pages if page.name != "results.md")
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert schema["title"] and schema["description"]
        assert all(re.fullmatch("[a-z][a-z0-9_]*", field) for field in fields(schema)), name
        assert f"(../schema/{name}.json)" in reference, name


@pytest.mark.parametrize("game", GAMES)
def test_matches(matches, game):
    """What the server, the bots and a watcher print, each position of the record, and the verdict on it."""
    match = matches[game]
    agree(GAMES[game][0], match.result)
    for bot in match.bots:
        agree("bot", bot)
        assert any("move" in line for line in bot) and "summary" in bot[-1]
    agree("watch", match.seen)
    told = {message["type"] for message in match.seen}
    assert {"watching", "tables", "table", "match", "frame", "result", "record", "over"} <= told
    agree("position", lines(run("taikyoku", "replay", match.record, "--json")[0]))
    agree("verdict", lines(run("taikyoku", "verify", match.record, "--json")[0]))
    agree("report", [json.loads(run("taikyoku", "report", match.record, "--json")[0])])


def test_daihinmin(matches, tmp_path):
    """What players did, and the verdict on a record that was changed."""
    record = matches["daihinmin"].record
    agree("statistics", lines(run("taikyoku", "replay", record, "--statistics", "--json")[0]))
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text(re.sub('"move":"pass"', '"move":"S3S3"', record.read_text(), count=1))
    verdict = lines(run("taikyoku", "verify", wrong, "--json", code=1)[0])
    agree("verdict", verdict)
    assert not verdict[0]["agrees"]


LEAGUE = """
game = "GAME"
deals = 2
seed = 5
records = true
[[entrants]]
engine = "random"
[[entrants]]
engine = "OTHER"
"""


@pytest.mark.parametrize("game, other", [("score-four", "flat"), ("daihinmin", "default")])
def test_leagues(programs, tmp_path, game, other):
    """The figures, the events, the status and the verdict, of a game for two and of one for five."""
    text = LEAGUE.replace("GAME", game).replace("OTHER", other)
    if game == "score-four":
        text += 'options = ["--playouts", "50"]\n[sprt]\nentrant = "flat"\nelo0 = 0\nelo1 = 30\n'
    (tmp_path / "it.toml").write_text(text)
    run("taikyoku", "league", "it.toml", "--events", "events.jsonl", folder=tmp_path)
    events = lines((tmp_path / "events.jsonl").read_text())
    agree("league-event", events)
    assert {"begin", "table", "game", "standings", "end"} <= {event["event"] for event in events}
    agree("report", [json.loads(run("taikyoku", "league", "report", "it.toml", "--json", folder=tmp_path)[0])])
    agree("league-status", [json.loads(run("taikyoku", "league", "status", "it.toml", "--json", folder=tmp_path)[0])])
    agree("league-verdict", lines(run("taikyoku", "league", "verify", "it.toml", "--json", folder=tmp_path)[0]))
    run("taikyoku", "league", "archive", "it.toml", folder=tmp_path)
    archive = run("taikyoku", "league", "verify", "it.league.tar.gz", "--json", folder=tmp_path)[0]
    agree("league-verdict", lines(archive))
    (record, *_) = (tmp_path / "it.league" / "records").iterdir()
    record.write_text(record.read_text().replace('"event":"end"', '"event":"eny"', 1))
    verdict = lines(run("taikyoku", "league", "verify", "it.toml", "--json", code=1, folder=tmp_path)[0])
    agree("league-verdict", verdict)
    assert not verdict[0]["agrees"]


def test_a_ladder(programs, tmp_path):
    """Its state, while it runs and afterwards."""
    text = LEAGUE.replace("GAME", "score-four").replace("OTHER", "uct")
    text = re.sub(r"deals.*\n", "", text).replace("[[", '[contest]\nhost = "127.0.0.1"\nport = 0\n[ladder]\n[[', 1)
    (tmp_path / "it.toml").write_text(text)
    run("taikyoku", "ladder", "add", "it.toml", "ana", folder=tmp_path)
    ladder = start("taikyoku", "ladder", "it.toml", cwd=tmp_path, stderr=subprocess.PIPE)
    state = tmp_path / "it.ladder" / "status.json"
    while not state.exists():
        time.sleep(0.01)
    ask = ("taikyoku", "ladder", "status", "it.toml", "--json")
    agree("ladder", [json.loads(run(*ask, folder=tmp_path)[0])])
    ladder.terminate()
    ladder.communicate(timeout=60)
    agree("ladder", [json.loads(run(*ask, folder=tmp_path)[0])])
    pages = (tmp_path / "it.ladder" / "entrants").glob("*.json")
    agree("ladder-entrant", [json.loads(page.read_text()) for page in pages])


def test_a_league_that_is_watched(programs, tmp_path):
    """Its standings are among what a watcher sees."""
    text = LEAGUE.replace("GAME", "score-four").replace("OTHER", "uct").replace("deals = 2", "deals = 5000")
    (tmp_path / "it.toml").write_text(text + 'options = ["--playouts", "50"]\n')
    league = start("taikyoku", "league", "it.toml", "--watch", "0", cwd=tmp_path, stderr=subprocess.PIPE)
    address = re.search(r"watched on (\S+)", league.stderr.readline())
    watcher = start("taikyoku", "watch", address[1], "--json", stdout=subprocess.PIPE)
    seen = []
    while not {"league", "tables", "frame", "record", "over"} <= {message["type"] for message in seen}:
        seen.append(json.loads(watcher.stdout.readline()))
    for program in (watcher, league):
        program.terminate()
        program.communicate(timeout=60)
    agree("watch", seen)


#: Engines that need a network, as they play for the test: in the search alone, and with quick playouts before it.
GUIDED = [
    ("dobutsu", "alphazero", {"model": MODELS / "fixtures" / "tiny-dobutsu.onnx", "simulations": 8}),
    ("blokus", "blokus-zero", {"model": MODELS / "fixtures" / "tiny-fast.onnx", "simulations": 8}),
    ("blokus", "blokus-zero", {"model": MODELS / "fixtures" / "tiny-fast.onnx", "ms": 30, "lazy": 6}),
]


def reasons(engine, game):
    """Those of an engine for its moves in some positions, from the first to the last of games."""
    found = []
    for most in (1, 6, 90):
        for seed in range(12):
            engine.choose(at_random(game, seed, most))
            found += [engine.reasons] if engine.reasons else []
    return found


@pytest.mark.parametrize(("game", "name"), ENGINES)
def test_reasons(game, name):
    """Of each engine that searches."""
    found = reasons(quick(name, game), game)
    if name in ("random", "greedy", "default") or (game, name) == ("daihinmin", "policy"):
        assert not found
    else:
        agree("reasons", found)
        assert all(one.get("engine", name) in (name, "alphabeta") for one in found)
    if (game, name) == ("daihinmin", "best"):
        assert {"gift", "only move", "playouts"} <= {one["reason"] for one in found}
        assert not any("candidates" in one for one in found if one["reason"] == "gift")


@pytest.mark.parametrize(("game", "name", "options"), GUIDED)
def test_reasons_by_networks(game, name, options):
    """Of each engine that asks a network."""
    found = reasons(taikyoku.engine(name, game, nn="rten", seed=1, **options), game)
    agree("reasons", found)
    assert all(one["engine"] == name for one in found) and any("evaluations" in one for one in found)


def test_check(programs):
    """Of a bot that is fit, and of a program that is none."""
    bot = ("score-four", "play", "--engine", "random", "--host", "{host}", "--port", "{port}", "--name", "{name}")
    good = json.loads(run("taikyoku", "check", "--game", "score-four", "--json", "--", PROGRAMS / bot[0], *bot[1:])[0])
    bad = json.loads(run("taikyoku", "check", "--game", "score-four", "--json", "--", "false", "{port}", code=1)[0])
    agree("check", [good, bad])
    assert good["pass"] and bad["fail"]


def test_page(programs):
    """The links of a page, which goes on until it is ended."""
    for words in (("web",), ("play", "dobutsu", "--no-open")):
        page = start("taikyoku", *words, "--json", "--listen", "127.0.0.1:0", stdout=subprocess.PIPE)
        agree("page", lines(page.stdout.readline()))
        page.terminate()
        page.communicate(timeout=60)


@pytest.mark.parametrize(
    "name, command",
    [
        ("lab-match", "match score-four random flat:playouts=10 --games 4"),
        ("lab-match", "match dobutsu random random --games 4"),
        ("lab-match", "match geister random paper --games 4"),
        ("lab-match", "match blokus random greedy --games 4"),
        ("lab-match", "match daihinmin random default --blocks 2"),
        ("lab-tables-score-four", "tables score-four --games 1 --table 1"),
        ("lab-signature", "signature"),
        ("lab-nn-bench", f"nn-bench {FIXTURES / 'tiny-fast.onnx'} --nn-engine rten --seconds 0.01"),
    ],
)
def test_lab(programs, name, command):
    """Experiments in short."""
    agree(name, lines(run("taikyoku", "lab", *command.split(), "--json")[0]))


def test_a_tuning(programs, tmp_path):
    """With games at its end and without."""
    file = tmp_path / "it.toml"
    text = "game = 'score-four'\nengine = 'flat'\nsteps = 1\ngames = 2\n"
    for verify in (0, 2):
        file.write_text(f"{text}verify = {verify}\n[parameters.playouts]\nstart = 2\nmin = 1\nmax = 9\nwhole = true\n")
        out = ("--out", tmp_path / f"{verify}.jsonl")
        agree("lab-tune", lines(run("taikyoku-lab", "tune", file, *out, "--json")[0]))


def test_self_play(programs, tmp_path):
    """The progress of self-play."""
    games, model = tmp_path / "games.tks", FIXTURES / "tiny-fast.onnx"
    play = ("selfplay", "play", "blokus-fast", "--model", model, "--nn-engine", "rten", "--simulations", "4")
    _, progress = run("taikyoku-lab", *play, "--fast-simulations", "2", "--games", "1", "--out", games, "--json")
    agree("lab-progress", lines(progress))


def test_a_move(programs):
    """Of 3D four-in-a-row, by each engine."""
    for engine in ("random", "flat", "uct", "best"):
        agree("move", lines(run("score-four", "move", "a1b2", "--engine", engine, "--playouts", "50", "--json")[0]))


def test_dobutsu_solved(programs):
    """What the table of all positions knows: `TAIKYOKU_DOBUTSU_TABLE` names its folder, else it is the user's."""
    where = os.environ.get("TAIKYOKU_DOBUTSU_TABLE")
    table = ("--table", where, "--json") if where else ("--json",)
    probe = [str(PROGRAMS / "dobutsu-solve"), "probe", "gle/1c1/1C1/ELG b - 1", *table]
    probed = subprocess.run(probe, capture_output=True, text=True, timeout=60)
    if probed.returncode:
        pytest.skip(f"no table: {probed.stderr}")
    agree("probe", lines(probed.stdout))
    where = {"table": where} if where else {}
    found = reasons(taikyoku.engine("perfect", "dobutsu", seed=1, **where), "dobutsu")
    agree("reasons", found)
    assert {one["engine"] for one in found} <= {"perfect", "alphabeta"}
    network = ROOT / "models" / "dobutsu" / "dobutsu-zero.onnx"
    few = ("--positions", "20", "--threads", "1", "--nn-engine", "rten", *table)
    agree("lab-accuracy-dobutsu", lines(run("taikyoku-lab", "accuracy", "dobutsu", network, *few)[0]))
    study = ("dobutsu", "c-study", network, "--simulations", "8", *few)
    agree("lab-c-study", lines(run("taikyoku-lab", *study)[0]))
