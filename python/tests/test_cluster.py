"""Leagues on clusters: two nodes of Ray on this machine; one of them is killed, and so is the program that drives."""

import json
import os
import queue
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from taikyoku import cluster
from test_play import PROGRAMS

FILE = """
game = "score-four"
deals = DEALS
seed = 5
records = true
[[entrants]]
engine = "random"
[[entrants]]
engine = "flat"
options = ["--playouts", "PLAYOUTS"]
[[entrants]]
engine = "uct"
options = ["--playouts", "PLAYOUTS"]
"""
#: Deals of each of three matchups, of two fixtures each: `TAIKYOKU_LEAGUE_DEALS` sets another number.
DEALS = int(os.environ.get("TAIKYOKU_LEAGUE_DEALS", "5"))
#: Playouts a move. The results of a piece come all at once, and the program that drives is to be killed before the last
#: of them: few games are slow ones, so that a piece of a second has not all of them.
PLAYOUTS = max(3000, 400_000 // DEALS)


@pytest.fixture
def league(tmp_path):
    """A league's file, and a function that runs `taikyoku league` on it."""
    if not (PROGRAMS / "taikyoku").exists():
        reason = f"no programs in {PROGRAMS}: cargo build --workspace --bins"
        assert os.environ.get("TAIKYOKU_REQUIRE_PROGRAMS") != "1", reason
        pytest.skip(reason)
    (tmp_path / "it.toml").write_text(FILE.replace("DEALS", str(DEALS)).replace("PLAYOUTS", str(PLAYOUTS)))

    def run(*arguments):
        command = [str(PROGRAMS / "taikyoku"), "league", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=600).stdout

    return tmp_path, run


@pytest.fixture
def nodes():
    """A cluster of two nodes of one CPU each, and a function that kills the second."""
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is an optional extra: pip install 'taikyoku[cluster]'")
    # A node that is killed is missed within a second or two.
    watchful = {"health_check_period_ms": 500, "health_check_failure_threshold": 2}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": watchful}
    two = utils.Cluster(initialize_head=True, head_node_args=head)
    second = two.add_node(num_cpus=1)
    yield two.address, lambda: two.remove_node(second, allow_graceful=False)
    two.shutdown()


@pytest.fixture
def processes(tmp_path):
    """A function that starts a process, which is killed at the end, and one that gives what all of them have said."""
    started, path = [], tmp_path / "stderr.txt"

    def start(command, folder):
        with path.open("a") as stderr:
            started.append(subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=stderr))
        return started[-1]

    yield start, path.read_text
    for process in started:
        process.kill()
        process.wait()


def played(folder):
    """The fixtures of a journal, by key: each on one line."""
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    entries = [json.loads(line) for line in lines if line.endswith("\n")]
    fixtures = {}
    for entry in entries:
        if "games" in entry:
            assert entry["key"] not in fixtures, "played twice"
            fixtures[entry["key"]] = entry
    return fixtures


def figures(report):
    """What a report says beside times and machines."""
    for entrant in report["entrants"]:
        del entrant["thinking"]
    return {name: report[name] for name in ("entrants", "cross", "seats", "totals", "voids")}


def test_a_league_on_two_nodes_loses_nothing_with_a_node_and_with_its_driver(league, nodes, processes):
    folder, run = league
    start, said = processes
    run("it.toml", "--out", "whole")
    address, kill_second = nodes
    options = ["--ray-address", address, "--program", str(PROGRAMS / "taikyoku"), "--out", "torn", "--piece", "1"]
    command = [sys.executable, "-m", "taikyoku.cluster", "league", "it.toml", *options]

    def begin():
        return start(command, folder)

    def wait(process, enough):
        began = time.monotonic()
        journal = folder / "torn" / "journal.jsonl"
        while not (journal.exists() and enough(played(folder / "torn"))):
            assert process.poll() is None and time.monotonic() - began < 300, said()
            time.sleep(0.02)
        return len(played(folder / "torn"))

    process = begin()
    wait(process, lambda fixtures: len({fixture["host"] for fixture in fixtures.values()}) == 2)
    kill_second()
    before = len(played(folder / "torn"))
    count = wait(process, lambda fixtures: len(fixtures) > before + 2)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert count < 6 * DEALS, "it was killed in the middle"
    process = begin()
    assert process.wait(timeout=600) == 0, said()
    whole, torn = played(folder / "whole"), played(folder / "torn")
    assert whole.keys() == torn.keys() and len(torn) == 6 * DEALS
    reports = [json.loads(run("report", name, "--json")) for name in ("whole", "torn")]
    assert figures(reports[0]) == figures(reports[1])
    found = [json.loads(run("verify", name, "--json")) for name in ("whole", "torn")]
    assert found[0]["games"] == found[1]["games"] == 6 * DEALS and found[0]["moves"] == found[1]["moves"]
    machines = reports[1]["machines"]
    assert len(machines) == 2 and sum(machine["fixtures"] for machine in machines) == 6 * DEALS


def test_a_match_and_tables_on_two_nodes_have_the_figures_of_one_machine(league, nodes):
    folder, _ = league
    address, _ = nodes
    lab = str(PROGRAMS / "taikyoku-lab")
    carried = [sys.executable, "-m", "taikyoku.cluster"]
    options = ["--ray-address", address, "--program", lab]
    times = {"ms_per_move", "longest_ms", "work_per_second", "seconds_per_move", "times_faster"}

    def figures(command):
        done = subprocess.run([*command, "--json"], cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        timeless = {"object_pairs_hook": lambda pairs: {key: value for key, value in pairs if key not in times}}
        return [json.loads(line, **timeless) for line in done.stdout.splitlines()]

    for name, *words in (
        ["match", "score-four", "uct:playouts=300", "flat:playouts=200", "--games", "60"],
        ["tables", "score-four", "--table", "3", "--games", "1"],
    ):
        here, there = figures([lab, name, *words]), figures([*carried, name, *options, *words])
        assert here == there and len(here) == (1 if name == "match" else 4)


def test_without_ray_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit, match="pip install"):
        cluster.load_ray()


def test_a_worker_that_has_played_nothing_says_why():
    with pytest.raises(RuntimeError, match="status 2: no such league"):
        cluster.work(["sh", "-c", "echo no such league >&2; exit 2"], b"", b"")
    with pytest.raises(RuntimeError, match="the program ./nothing does not start: No such file"):
        cluster.work(["./nothing", "work"], b"", b"")
    with pytest.raises(RuntimeError, match="status 0: nothing"):
        cluster.work(["sh", "-c", "cat; echo nothing >&2"], b'{"joined":1}\n', b"")


@pytest.mark.parametrize("end", ["exit 1", "exit 130", "kill -9 $$"])
def test_what_was_played_before_a_worker_failed_counts(end):
    whole = b'{"joined":1}\n{"key":"0.0.0","games":[]}\n'
    ms, lines = cluster.work(["sh", "-c", f"cat; {end}"], whole, b'no JSON\n{"key":"0.0.1","ga')
    assert lines == whole and ms >= 0


class Pretended:
    """The part of Ray that is used: tasks that are over at once, or fail as `faults` says of their pieces."""

    class exceptions:  # noqa: N801
        class RayError(Exception):
            """As Ray's."""

    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: node)
    )

    def __init__(self, faults, result=b'{"key":"0.0.0","games":[]}\n\n{"key":"0.0.1"}\n'):
        self.faults, self.result, self.cancelled, self.cpus = faults, result, [], 0
        self.alive = [True, True]
        self.places = []
        """The machine of each task, in order."""

    def put(self, content):
        return content

    def nodes(self):
        numbered = enumerate(self.alive)
        return [{"NodeID": f"node{n}", "Alive": alive, "Resources": {"CPU": 5.0}} for n, alive in numbered]

    def remote(self, num_cpus, max_retries):
        self.cpus = num_cpus

        def options(scheduling_strategy):
            def start(command, league, piece):
                self.places.append(scheduling_strategy)
                return piece

            return SimpleNamespace(remote=start)

        return lambda _: SimpleNamespace(options=options)

    def wait(self, tasks, num_returns, timeout):
        return tasks[:num_returns], []

    def get(self, task):
        if fault := self.faults.pop(json.loads(task)["piece"], None):
            raise fault
        return 7, self.result

    def cancel(self, task, force):
        self.cancelled.append(task)


def test_pieces_are_carried_and_losses_told(monkeypatch):
    ray = Pretended({1: Pretended.exceptions.RayError("the node died\nat length")})
    carrier = cluster.Carrier(ray, ["taikyoku"], 2)
    said = []
    monkeypatch.setattr(carrier, "say", lambda line: said.append(json.loads(line)))
    lines = queue.Queue()
    lines.put(b'{"league":{"entrants":[{},{}]},"draws":"keyed"}\n')
    for piece in (0, 1):
        lines.put(b'{"piece":%d,"sittings":[]}\n' % piece)
    for _ in range(2):
        lines.put(None)
        carrier.run(lines)
        if not said[1:]:
            # Given up when the league had ended.
            assert said == [{"slots": 4}] and len(ray.cancelled) == 2 and ray.cpus == 2
            carrier.fetch()
    assert said[1:] == [
        {"piece": 0, "ms": 7, "lines": [{"key": "0.0.0", "games": []}, {"key": "0.0.1"}]},
        {"piece": 1, "lost": "node-node1: RayError: the node died"},
    ]
    ray.alive[0] = False
    carrier.look()
    assert said[-1] == {"slots": 2}


def test_a_machine_that_plays_nothing_gets_no_more_while_another_plays(monkeypatch, capsys):
    ray, now, said = Pretended({}, result=b'{"key":"0.0.0","void":"no bot"}\n'), 0.0, []
    monkeypatch.setattr(cluster.time, "monotonic", lambda: now)
    carrier = cluster.Carrier(ray, ["taikyoku"], 5)
    monkeypatch.setattr(carrier, "say", lambda line: said.append(json.loads(line)))
    carrier.hear(b'{"league":{}}\n')
    given = 0

    def give(count):
        nonlocal given
        for _ in range(count):
            carrier.hear(b'{"piece":%d,"sittings":[]}\n' % given)
            given += 1

    # Two machines with a table each; the second one plays a long piece, and the first plays nothing of its own.
    give(2)
    (long,) = (task for task, (_, node) in carrier.tasks.items() if node == ray.places[1])
    sick = ray.places[0]
    held = carrier.tasks.pop(long)
    carrier.fetch()
    for _ in range(2):
        give(1)
        carrier.fetch()
    assert ray.places == [sick, "node1", sick, sick] and "played nothing of 3 pieces" in capsys.readouterr().err
    give(2)
    assert len(carrier.waiting) == 2 and not carrier.tasks, "it gets none, and the other one is busy"
    carrier.look()
    assert said[-1] == {"slots": 1}
    # A minute later it is tried again, and after another failure two minutes later.
    now = 60.0
    carrier.look()
    assert len(carrier.waiting) == 1 and ray.places[-1] == sick and said[-1] == {"slots": 2}
    carrier.fetch()
    now = 179.0
    carrier.look()
    assert len(carrier.waiting) == 1
    # Once it plays, it is as good as any.
    ray.result = b'{"key":"0.0.0","games":[]}\n'
    now = 180.0
    carrier.look()
    carrier.fetch()
    assert not carrier.waiting and carrier.nodes[sick].bad == 0
    # If no machine can play anything, the league is at fault, and is to say so.
    carrier.tasks[long] = held
    ray.result = b""
    carrier.fetch()
    for node in carrier.nodes.values():
        node.bad, node.until = 9, 1e9
    assert sum(carrier.rooms().values()) == 2


def test_pieces_that_a_machine_has_already_make_its_rest_no_longer(monkeypatch, capsys):
    ray = Pretended({}, result=b'{"key":"0.0.0","void":"no bot"}\n')
    monkeypatch.setattr(cluster.time, "monotonic", lambda: 0.0)
    carrier = cluster.Carrier(ray, ["taikyoku"])
    monkeypatch.setattr(carrier, "say", lambda line: None)
    carrier.hear(b'{"league":{}}\n')
    for piece in range(10):
        carrier.hear(b'{"piece":%d,"sittings":[]}\n' % piece)
    carrier.fetch()
    assert [(node.bad, node.until) for node in carrier.nodes.values()] == [(3, 60.0)] * 2
    assert capsys.readouterr().err.count("pieces in a row") == 2


def test_options_of_the_league_are_not_taken_for_beginnings_of_others(monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(cluster, "load_ray", lambda: None)
    monkeypatch.setattr(cluster.os, "execvp", lambda _, command: ran.append(command))
    monkeypatch.setattr(sys, "argv", ["cluster", "league", str(tmp_path / "it.toml"), "--p", "1"])
    cluster.main()
    assert ran[0][3:6] == ["--p", "1", "--workers"]
    monkeypatch.setattr(sys, "argv", ["cluster", "tables", "score-four", "--table", "1"])
    cluster.main()
    assert ran[1][:6] == ["taikyoku-lab", "tables", "score-four", "--table", "1", "--workers"]


def test_programs_of_a_worker_do_not_see_the_variables_of_ray(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "secret")
    monkeypatch.setenv("OF_A_BOT", "seen")
    program = """echo '{"games":"'$RAY_ADDRESS$OF_A_BOT'"}'"""
    assert cluster.work(["sh", "-c", program], b"", b"")[1] == b'{"games":"seen"}\n'


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's end")
def test_a_worker_ends_with_the_process_that_started_it(tmp_path):
    worker = "trap 'echo asked > asked; exit' TERM; echo > begun; while :; do sleep 0.05; done"
    program = f"from taikyoku import cluster; cluster.work(['sh', '-c', {worker!r}], b'', b'')"
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path)

    def wait_for(name):
        began = time.monotonic()
        while not (tmp_path / name).exists():
            assert time.monotonic() - began < 60, name
            time.sleep(0.02)

    try:
        wait_for("begun")
    finally:
        parent.kill()
        parent.wait()
    wait_for("asked")
