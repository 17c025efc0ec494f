"""Self-play on Ray actors: on two of this machine, and what is done when they fail."""

import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from taikyoku_train import ray_run
from taikyoku_train.preset import SelfPlay
from taikyoku_train.worker import LATEST, Task, WorkerError


class RayError(Exception):
    """As Ray's."""


class RayTaskError(RayError):
    """A call that failed; its actor lives."""


class RayActorError(RayError):
    """An actor that died."""


class OutOfMemoryError(RayError):
    """Another failure."""


class Pretended:
    """The part of Ray that is used. Each call fails as `faults` says, one after the other, then none does."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, RayActorError=RayActorError)

    def __init__(self, faults, alive=True):
        self.faults, self.alive, self.started, self.killed, self.cpus = list(faults), alive, 0, 0, 0
        self.joined = []
        """What `init` was called with."""

    def is_initialized(self):
        return bool(self.joined)

    def init(self, **options):
        self.joined.append((options["address"], options["num_cpus"]))
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def put(self, content):
        return content

    def kill(self, player):
        self.killed += 1

    def remote(self, num_cpus):
        self.cpus = num_cpus
        return lambda _: SimpleNamespace(remote=self._start)

    def _start(self, worker):
        self.started += 1
        return SimpleNamespace(
            lives=SimpleNamespace(remote=lambda: ("lives", self.started)),
            play=SimpleNamespace(remote=lambda task, models, held: ("play", task.first, models[LATEST], len(held))),
        )

    def wait(self, futures, num_returns=1, timeout=None):
        ready = [future for future in futures if future[0] == "play" or self.alive]
        return ready[:num_returns], []

    def get(self, future):
        if self.faults:
            raise self.faults.pop(0)
        return f"{future[1]} {future[2]} {future[3]}".encode(), {"games": 5, "positions": 30, "seconds": 1}


def tasks(folder, threads=1):
    """20 games in four files."""
    return [
        (
            Task("score-four", SelfPlay(games=20, simulations=1), first, 5, seed=1, threads=threads),
            folder / f"games-{first}",
        )
        for first in range(0, 20, 5)
    ]


def test_without_ray_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match="pip install ray"):
        ray_run.load_ray()


def test_what_failed_is_played_again(tmp_path, monkeypatch):
    ray = Pretended([RayTaskError("a"), RayActorError("b"), OutOfMemoryError("c")])
    monkeypatch.setattr(ray_run, "load_ray", lambda: ray)
    done, told = ray_run.play_tasks(tasks(tmp_path, threads=2), {LATEST: "net"}, 3, None, lambda: False)
    assert done and told == {"games": 20, "positions": 120, "evaluations": 0}
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == sorted(
        f"{first} net 0" for first in (0, 5, 10, 15)
    )
    # Two of the three failures cost an actor; in the end all are given back.
    assert (ray.started, ray.killed, ray.cpus) == (5, 5, 2)


def test_what_fails_again_and_again_ends_the_run(tmp_path, monkeypatch):
    ray = Pretended([RayTaskError("broken")] * 100)
    monkeypatch.setattr(ray_run, "load_ray", lambda: ray)
    with pytest.raises(WorkerError, match="failed 3 times: broken"):
        ray_run.play_tasks(tasks(tmp_path), {LATEST: "net"}, 1, None, lambda: False)
    assert ray.started == ray.killed == 1


def test_lost_actors_do_not_end_the_run_until_none_plays(tmp_path, monkeypatch):
    # A machine is lost four times with the actor that plays the same games.
    ray = Pretended([RayActorError("lost")] * 4)
    monkeypatch.setattr(ray_run, "load_ray", lambda: ray)
    done, told = ray_run.play_tasks(tasks(tmp_path), {LATEST: "net"}, 1, None, lambda: False)
    assert done and told["games"] == 20
    ray = Pretended([RayActorError("no such program")] * 100)
    with pytest.raises(WorkerError, match="5 Ray actors in a row have died: no such program"):
        ray_run.play_tasks(tasks(tmp_path), {LATEST: "net"}, 1, None, lambda: False)


@pytest.mark.parametrize("alive", [False, True])
def test_actors_without_a_place_are_told_of_once(capsys, monkeypatch, alive):
    ray = Pretended([], alive)
    actors = ray_run.Actors(ray, 2, 1, None)
    now = actors.seen
    for seconds in (30, 61, 90):
        monkeypatch.setattr(ray_run.time, "monotonic", lambda seconds=seconds: now + seconds)
        actors.look()
    assert capsys.readouterr().err.count("none of 2 Ray actors") == (0 if alive else 1)


@pytest.mark.parametrize("address", [None, "host:6379"])
def test_without_an_address_a_cluster_of_this_machine_is_started(tmp_path, monkeypatch, address):
    ray = Pretended([])
    monkeypatch.setattr(ray_run, "load_ray", lambda: ray)
    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        ray_run.play_tasks(tasks(tmp_path, threads=2), {LATEST: "net"}, 3, None, lambda: False, address)
    # A cluster that there is has the CPUs that it has; and one that is only near is not joined.
    assert ray.joined == [(address, None) if address else ("local", 6)]
    assert signal.getsignal(signal.SIGINT) is before, "Ray's own would end a run without saving"


def mock_worker(folder, pause="0"):
    """A program that plays made-up games, and takes so many seconds for each."""
    worker = folder / "worker"
    program = Path(__file__).parent / "mock_worker.py"
    worker.write_text(f'#!/bin/sh\nMOCK_PAUSE={pause} exec {sys.executable} {program} "$@"\n')
    worker.chmod(0o755)
    return worker


@pytest.fixture(scope="module")
def cluster():
    """A cluster of this machine, with a node of one CPU; starting it takes most of the time of its tests."""
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is an optional extra: pip install ray")
    # A node that is killed is missed within a second or two.
    watchful = {"health_check_period_ms": 500, "health_check_failure_threshold": 2}
    head = {"num_cpus": 1, "include_dashboard": False, "_system_config": watchful}
    with pytest.MonkeyPatch.context() as patch:
        here = str(Path(__file__).parents[1])
        patch.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
        one = utils.Cluster(initialize_head=True, head_node_args=head)
        one.add_node(num_cpus=1)
    yield one
    one.shutdown()


@pytest.fixture
def joined(cluster):
    """The cluster; what a test does not leave is left after it."""
    import ray

    yield cluster
    ray.shutdown()


def test_two_actors_play_each_game_once(tmp_path, joined):
    worker = mock_worker(tmp_path)
    given = tasks(tmp_path)
    given[0][1].write_text("1 before\n2 before\n")
    models = {LATEST: b"model", "latest.int8.onnx": b"small"}
    done, told = ray_run.play_tasks(given, models, 2, str(worker), lambda: False, joined.address)
    assert done and told["games"] == 18, "games that were there are not counted again"
    lines = [line.split() for _, out in given for line in out.open()]
    assert sorted(int(number) for number, _ in lines) == list(range(20))
    assert [number for number, network in lines if network == "before"] == ["1", "2"]


def test_a_node_that_is_killed_and_a_learner_that_is_resumed_lose_and_repeat_nothing(tmp_path, joined):
    import ray

    worker = mock_worker(tmp_path, pause="0.1")
    (second,) = joined.worker_nodes
    given = tasks(tmp_path)
    models = {LATEST: b"model"}
    there = [out for _, out in given]

    def in_the_middle():
        """Kills the second node after the first file, and stops after the third: one actor has no place any more."""
        done = sum(out.exists() for out in there)
        if done >= 1 and second in joined.worker_nodes:
            joined.remove_node(second, allow_graceful=False)
        return done >= 3

    done, first = ray_run.play_tasks(given, models, 2, str(worker), in_the_middle, joined.address)
    assert not done and not joined.worker_nodes
    # The learner is gone, and another begins with the files that it finds.
    ray.shutdown()
    held = [out for out in there if out.exists()]
    left = [(task, out) for task, out in given if out not in held]
    done, more = ray_run.play_tasks(left, models, 2, str(worker), lambda: False, joined.address)
    assert done and first["games"] + more["games"] == 20
    lines = [line.split() for out in there for line in out.open()]
    assert sorted(int(number) for number, _ in lines) == list(range(20))
