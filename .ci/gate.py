#!/usr/bin/env python3
"""Everything that must hold before a change goes in, side by side where steps do not fight for the cores.

    .ci/run             all steps, then a table of them, and the slowest tests
    .ci/run STEP...     these, and those that they need
    .ci/run --list      the steps

It needs cargo, Python 3.11 or later with pip, a C compiler, and the registries of crates and of Python; bubblewrap,
Node and Chromium are installed where apt allows it. The examples in Java and JavaScript play where javac and node are
installed. Each step's output is printed when it ends, and is in `target/gate` while it runs. TAIKYOKU_FULL=1 plays all
drawn cases, as a release does; otherwise each run plays the eighth of the day.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
LOGS = TARGET / "gate"
CORES = os.cpu_count() or 1
#: Where nobody looks on, a step that hangs fails after so many seconds; none takes half as long.
LIMIT = None if sys.stdout.isatty() else 2700
#: Lines of a step that name a test and its time: of Rust, of pytest and of Node.
TIMES = (
    re.compile(r"^test (?P<name>.*) \.\.\. \w+ <(?P<s>[\d.]+)s>$", re.M),
    re.compile(r"^(?P<s>[\d.]+)s (?:call|setup) +(?P<name>\S+)$", re.M),
    re.compile(r"^ *[✔✖] (?P<name>.*) \((?P<ms>[\d.]+)ms\)$", re.M),
)
TESTS = "cargo test --locked --workspace --lib --bins --tests"
#: Clippy is the compiler of the workspace: one pass builds and lints, and a warning ends it. It leaves optimisation to
#: LLVM alone; cargo without these variables builds once more.
LINTS = {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"}
BENCHES = sorted(
    path.stem for path in ROOT.glob("*/benches/*.rs") if "criterion_main" in path.read_text(encoding="utf-8")
)


@dataclass
class Step:
    """Commands of a shell, after other steps. Of those that build with cargo one runs at a time."""

    name: str
    commands: str
    after: str = ""
    #: Whether it builds: until its end, or until it prints that.
    builds: bool | str = False
    #: While it runs, and afterwards.
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    seconds: float = 0.0
    spent: float = 0.0
    result: str = ""

    @property
    def log(self) -> Path:
        """The file of its output."""
        return LOGS / f"{self.name}.log"


# In the order in which they begin where several can.
STEPS = [
    Step(
        "tools",
        """
        # With the library of ONNX Runtime the tests of networks run in both engines.
        python3 models/fetch-onnxruntime
        # The sandbox of leagues. Where it cannot be had, TAIKYOKU_REQUIRE_SANDBOX=0 leaves its tests out.
        if [ "$TAIKYOKU_REQUIRE_SANDBOX" = 1 ] && ! command -v bwrap; then
            apt-get update -qq
            apt-get install -y -qq --no-install-recommends bubblewrap
        fi
        """,
    ),
    Step("format", "cargo fmt --all --check"),
    # All programs, tests, benchmarks and examples, in the profile for development: link-time optimisation would take
    # longer than all of this.
    Step(
        "build",
        "cargo test --locked --workspace --all-targets --no-run\ncargo build --locked --workspace --bins --examples",
        builds=True,
    ),
    Step("dependencies", "python3 .ci/supply_chain.py\npython3 .ci/licences.py --check"),
    Step("train-environment", "python3 models/train/setup_env.py"),
    Step("python-environment", "python3 python/environment.py --packages"),
    # The time of each test is an option of the test programs that only asks for this variable; cargo and rustc never
    # see it. Most end-to-end tests wait for sockets and processes: more of them at once than there are cores.
    Step(
        "test",
        f"""
        runner=CARGO_TARGET_$(rustc --print host-tuple | tr a-z- A-Z_)_RUNNER
        times="-Zunstable-options --report-time"
        env "$runner=env RUSTC_BOOTSTRAP=1" {TESTS} --no-fail-fast -- $times --test-threads {3 * CORES}
        """,
        "tools build",
        "Running",
    ),
    Step("browser", "web/browser/run", "tools build"),
    # The package for Python, as its users build it: without the features of the rest.
    Step(
        "wheel",
        "python3 python/environment.py",
        "python-environment build",
        True,
    ),
    # The commands of the documentation in a short form.
    Step("commands", "python3 .ci/commands.py", "build"),
    Step(
        "python",
        """
        python=$(python3 python/environment.py --packages)
        $python -m mypy --config-file python/pyproject.toml
        $python -m mypy.stubtest taikyoku._native --mypy-config-file python/pyproject.toml
        TAIKYOKU_REQUIRE_PROGRAMS=1 $python -m pytest -q --durations=10 python
        """,
        "wheel",
    ),
    # The whole loop of the training in small.
    Step("smoke", "cd models/train\n$(python3 setup_env.py) -m taikyoku_train smoke", "tools train-environment build"),
    Step(
        "training",
        """
        python=$(python3 models/train/setup_env.py)
        cd models/train
        sources=(. ../fixtures ../fetch-onnxruntime ../../.ci ../../.ci/site ../../examples ../../python)
        sources+=(../../web/browser)
        $python -m ruff check "${sources[@]}" --config pyproject.toml
        $python -m ruff format --check "${sources[@]}" --config pyproject.toml
        $python -m mypy
        $python -m pytest -q --durations=10 tests
        """,
        "tools train-environment build",
    ),
    # Links, headings and commands of the documentation.
    Step("pages", "python3 -m unittest discover -s .ci\npython3 .ci/pages.py", "build"),
    # As docs/build.md builds them: the workspace unites the features of all packages, with TLS and ONNX Runtime.
    Step(
        "clippy",
        """
        cargo clippy --locked --bins -- -D warnings
        cargo clippy --locked -p taikyoku-bots --bins -- -D warnings
        cargo clippy --locked -p taikyoku-lab --bins -- -D warnings
        """,
        builds=True,
    ),
    Step("doc", 'RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps', builds=True),
    # They are built when they run.
    Step("doctest", "cargo test --locked --workspace --doc", "build", "Doc-tests"),
    # Every benchmark of Criterion once, so that none of them rots; all of the workspace is selected for its features.
    Step(
        "benches",
        f"cargo test --locked --workspace {' '.join(f'--bench {name}' for name in BENCHES)}",
        "build",
        "Running",
    ),
    # The libraries, as packages for crates.io.
    Step(
        "package",
        "cargo package --locked --no-verify --allow-dirty -p taikyoku-games -p taikyoku-stats -p taikyoku-protocol"
        " -p taikyoku-record -p taikyoku-program",
        builds=True,
    ),
]


def environment() -> dict[str, str]:
    """The variables of all steps."""
    cases = ROOT.parent / "shared/uecda/cases"
    return {
        # Incremental compilation does not speed up a clean build, and takes the most disk space.
        "CARGO_INCREMENTAL": "0",
        "TAIKYOKU_REQUIRE_SANDBOX": "1",
        # More recorded matches of the official server, where there are any.
        **({"TAIKYOKU_CASES": str(cases)} if cases.is_dir() else {}),
        **os.environ,
        **LINTS,
        "TAIKYOKU_REQUIRE_ORT": "1",
        "ORT_DYLIB_PATH": str(ROOT / ".ort/libonnxruntime.so"),
        # Not what somebody has built for speed.
        "TAIKYOKU_BIN": str(TARGET / "debug"),
        "TAIKYOKU_PROGRAMS": str(TARGET / "debug"),
        # The user's data may hold the table of Dobutsu shogi, with which the engines there answer as nowhere else.
        "XDG_DATA_HOME": str(LOGS / "data"),
    }


def selected(names: list[str]) -> list[Step]:
    """The named steps and those that they need, or all."""
    known = {step.name: step for step in STEPS}
    wanted: set[str] = set()
    left = list(names) or list(known)
    while left:
        name = left.pop()
        if name not in known:
            sys.exit(f".ci/run: there is no step {name}; .ci/run --list names them")
        if name not in wanted:
            wanted.add(name)
            left += known[name].after.split()
    return [step for step in STEPS if step.name in wanted]


def can_begin(step: Step, steps: list[Step]) -> bool:
    """Whether what a step needs has passed, and the cores have room for it."""

    def is_ready(step: Step) -> bool:
        return all(one.result == "ok" for one in steps if one.name in step.after.split())

    running = [one for one in steps if one.process and not one.result]
    waiting = [one for one in running if one.builds is not True]
    if not is_ready(step) or (step.builds and any(one.builds for one in running)):
        return False
    # The clocks of the tests run out where others use the cores: only builds run beside them, which take what is idle.
    if step.builds is True:
        return True
    if step.name == "test":
        return not waiting
    if any(one.name == "test" and not one.result and is_ready(one) for one in steps):
        return False
    # Each of these waits for half of its time.
    return len(waiting) <= CORES


def begin(step: Step) -> None:
    """Starts a step, in a session of its own."""
    print(f"== {step.name} begins", flush=True)
    step.began = time.monotonic()
    # Tests and the page, which have limits of time, come before the others, and these before builds. Linux shares the
    # cores by session where it has autogroups, so a build beside the tests has one of its own with the lowest priority.
    is_last = step.builds is True and step.name != "build"
    nice = 19 if is_last else 0 if step.name in ("test", "browser", "build") else 5
    yields = "! echo 19 > /proc/self/autogroup\n" if is_last else ""
    with step.log.open("wb") as log:
        step.process = subprocess.Popen(
            ["nice", "-n", str(nice), "bash", "-euxo", "pipefail", "-c", yields + step.commands],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def look(step: Step) -> None:
    """Notes the end of a step that runs, or of its build."""
    assert step.process
    step.seconds = time.monotonic() - step.began
    if isinstance(step.builds, str) and step.builds in step.log.read_text(errors="replace"):
        step.builds = False
    pid, status, usage = os.wait4(step.process.pid, os.WNOHANG)
    if pid:
        step.process.returncode = os.waitstatus_to_exitcode(status)
        step.spent = usage.ru_utime + usage.ru_stime
        step.result = "FAILED" if status else "ok"
    elif LIMIT and step.seconds > LIMIT:
        end([step])
        step.result = f"FAILED: it does not end in {LIMIT} s"
    if step.result:
        print(f"== {step.name}: {step.result}\n{step.log.read_text(errors='replace')}", flush=True)


def end(steps: list[Step]) -> None:
    """Ends what runs: with the signal of Ctrl-C, by which programs end their children, and 10 s later by force."""
    running = [step.process for step in steps if step.process and step.process.returncode is None]
    for number in (signal.SIGINT, signal.SIGKILL):
        for process in running:
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                pass
        until = time.monotonic() + 10
        while any(process.poll() is None for process in running) and time.monotonic() < until:
            time.sleep(0.1)


def summary(steps: list[Step], seconds: float) -> None:
    """Prints a table of all steps, the slowest steps and tests, and what has failed."""
    print(f"\n{'step':20} {'wall s':>8} {'cpu s':>8}")
    for step in sorted(steps, key=lambda one: -one.seconds):
        print(f"{step.name:20} {step.seconds:8.0f} {step.spent:8.0f}  {step.result or 'not run'}")
    print(f"{'all':20} {seconds:8.0f} {sum(step.spent for step in steps):8.0f}")
    tests = []
    for step in steps:
        for form in TIMES if step.process else ():
            for found in form.finditer(step.log.read_text(errors="replace")):
                part = found.groupdict()
                taken = float(part["s"]) if "s" in part else float(part["ms"]) / 1000
                tests.append((taken, f"{step.name}: {part['name']}"))
    print("\nthe slowest tests")
    for taken, name in sorted(set(tests), reverse=True)[:10]:
        print(f"{taken:8.1f} s  {name}")
    for step in steps:
        if step.result.startswith("FAILED"):
            print(f"\n== {step.name}: {step.result}; .ci/run {step.name} repeats it")
            print(step.log.read_text(errors="replace"))


def main() -> None:
    """The program."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=".ci/run", description=__doc__, formatter_class=formatter)
    parser.add_argument("--list", action="store_true", help="name the steps and what each needs")
    parser.add_argument("step", nargs="*", metavar="STEP")
    arguments = parser.parse_args()
    steps = selected(arguments.step)
    if arguments.list:
        print("\n".join(f"{step.name:20} {step.after}".rstrip() for step in steps))
        return
    (LOGS / "data").mkdir(parents=True, exist_ok=True)
    # A shell that starts it behind itself has both ignored, and so would be the programs of the steps.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    began = time.monotonic()
    try:
        while True:
            for step in steps:
                if not step.process and can_begin(step, steps):
                    begin(step)
            running = [step for step in steps if step.process and not step.result]
            if not running:
                break
            time.sleep(0.1)
            for step in running:
                look(step)
    except KeyboardInterrupt:
        end(steps)
        sys.exit(130)
    summary(steps, time.monotonic() - began)
    sys.exit(any(step.result != "ok" for step in steps))


if __name__ == "__main__":
    main()
