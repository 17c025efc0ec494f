#!/usr/bin/env python3
"""Tries on empty machines what `cargo xtask dist` makes: archive, wheel, sources and image.

    .ci/try_dist.py target/dist

A machine is a folder with the files of a few packages of this Debian or Ubuntu (C library, shell, the usual tools: no
compiler, no Rust), in which bubblewrap starts the commands: without a network but its own loopback, without this
machine's files and processes, as a user without rights. In the archive the commands of README.md run that do not build
anything. The wheel is installed by pip on such a machine with Python; NumPy, which PyPI has, lies beside it. For the
image nothing is there but its layers. Cargo checks the sources on this machine, without a network. Long commands run
in a short form, and commands that wait for players get some. Printed are the commands with their seconds, and for each
artefact those to its first board: until the page answers. Exit status 1 when a command fails, or when README.md has one
that is not known here.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import http.client
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pages

ROOT = Path(__file__).resolve().parent.parent
#: What a machine has on which nothing was installed.
PACKAGES = ("bash", "base-files", "coreutils", "dash", "gzip", "grep", "libc6", "libc-bin", "libgcc-s1", "sed", "tar")
#: What such a machine has besides, where Python is installed with pip.
PYTHON = ("python3", "python3-minimal", "python3-pip", "python3-distutils", "python3-setuptools", "python3-wheel")
PYTHON_LIBRARIES = ("libexpat1", "libffi8", "libssl3", "libssl3t64", "zlib1g", "libbz2-1.0", "liblzma5", "libstdc++6")
LIBRARIES = ("libacl1", "libattr1", "libpcre2-8-0", "libselinux1", "libtinfo6")
#: Commands of README.md, and what is run in their place; nothing where the command needs what the archive has not.
SHORT: dict[str, str | None] = {
    "tar -xzf taikyoku-0.1.0-x86_64-linux.tar.gz": None,
    "cd taikyoku-0.1.0-x86_64-linux": None,
    "taikyoku play dobutsu": "taikyoku play dobutsu --no-open --listen 127.0.0.1:8303 & served 8303",
    "cargo build --release -p taikyoku-lab": None,
    "cargo build --release": None,
    "cargo test --workspace": None,
    "./target/release/taikyoku play dobutsu": "taikyoku play dobutsu --no-open --listen 127.0.0.1:8301 & served 8301",
    "./target/release/taikyoku demo": "taikyoku demo --games 20 --playouts 200",
    "taikyoku play blokus --against best,greedy,random": "taikyoku play blokus --against best,greedy,random --no-open"
    " --listen 127.0.0.1:8302 & served 8302",
    "daihinmin -h contest.example.org -p 42485 -n mine": "taikyoku serve uecda -p 42485 --games 2 --once & "
    "for i in 1 2 3 4; do daihinmin --engine random -n bot$i >/dev/null & done; "
    "daihinmin -h localhost -p 42485 -n mine --playouts 100",
    "taikyoku check --game daihinmin -- ./client -h {host} -p {port} -n {name}": "taikyoku check --game daihinmin --"
    " daihinmin --engine default -h {host} -p {port} -n {name}",
    "taikyoku league examples/leagues/score-four.toml": "taikyoku league examples/leagues/score-four.toml",
    "taikyoku serve uecda --games 1000 --records records --watch 4446": "taikyoku serve uecda --games 20 --once"
    " --records records --watch 4446 & for i in 1 2 3 4 5; do daihinmin --engine random -n bot$i >/dev/null & done;"
    " wait && taikyoku replay --check records/*.jsonl && taikyoku verify records/*.jsonl",
    # Its entrants come in a loop, as in the hall. The shell does not become the league, which ends
    # all processes below its own.
    "taikyoku league examples/leagues/contest-uecda.toml": "port=5100; for name in ada bea cem dov eli fay gil hal ivy"
    " jon kai lea mia noa; do"
    " (while :; do daihinmin --engine random -p $port -n $name >/dev/null 2>&1 || sleep 0.2; done) &"
    " port=$((port + 1)); done; taikyoku league examples/leagues/contest-uecda.toml"
    " && ! taikyoku league status examples/leagues/contest-uecda.toml --json | grep -q '\"faults\": *[1-9]'",
    "taikyoku-lab match score-four best:playouts=4000 best:playouts=2000 --games 1000 --random-plies 6": "taikyoku-lab"
    " match score-four best:playouts=400 best:playouts=200 --games 4",
    "taikyoku-lab tables score-four --games 100": "taikyoku-lab tables score-four --games 1 --table 1",
}
#: What the pages about the archive promise besides.
MORE = (
    "taikyoku --version",
    "taikyoku-lab match blokus blokus-zero:simulations=2 greedy --games 4",
    "taikyoku-lab match dobutsu alphazero:simulations=2 random --games 2",
    "test -s share/man/man1/taikyoku-serve-blokus.1 -a -s share/man/man1/taikyoku-play.1",
    "bash -c 'source share/bash-completion/completions/taikyoku && complete -p taikyoku'",
    "printf 'genmove 1\\nquit\\n' | blokus --gtp --engine greedy",
    "score-four move a1b2c3 --engine best --move-ms 100",
)
#: What the wheel promises besides the page.
WHEEL = (
    "taikyoku --version",
    "taikyoku demo --games 20 --playouts 200",
    "for bot in daihinmin geister blokus dobutsu score-four; do $bot --version; done",
    "taikyoku-lab match blokus blokus-zero:simulations=2 greedy --games 4",
    "test -s .local/share/man/man1/taikyoku-play.1 -a -s .local/share/doc/taikyoku/LICENSE-DEPENDENCIES",
    """python3 -c 'import taikyoku; print(taikyoku.game("dobutsu").initial().legal_moves())'""",
)
#: What the image does without a shell.
IMAGE = (
    [],
    ["demo", "--games", "20", "--playouts", "200"],
    ["lab", "match", "blokus", "blokus-zero:simulations=2", "greedy", "--games", "4"],
    ["league", "examples/leagues/score-four.toml"],
)
#: The first board.
PLAY = ["play", "dobutsu", "--no-open", "--listen", "127.0.0.1:8300"]
#: `served PORT` succeeds when the page that was started last answers at the port, and ends it.
PRELUDE = """
set -e
served() {
    page=$!
    for try in 1 2 3 4 5 6 7 8 9 10; do
        if { exec 9<>/dev/tcp/127.0.0.1/$1; } 2>/dev/null; then break; fi
        sleep 0.5
    done
    printf 'GET / HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nConnection: close\\r\\n\\r\\n' $1 >&9
    grep -a -q 'HTTP/1.1 200 OK' <&9
    kill $page && wait $page
}
"""


def commands() -> list[str]:
    """The commands of README.md, in its order."""
    read = pages.read(ROOT / "README.md").commands
    lines = [line.removeprefix("$ ") for _, line in read if line.startswith("$ ")]
    return [line.split(" #")[0].strip() for line in lines]


def make_root(root: Path, packages: Sequence[str]) -> None:
    """Copies the files of the packages, and makes the folders that a system has."""
    # A release of the system may do without one of the libraries.
    listed = subprocess.run(["dpkg", "-L", *packages], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in ("dev", "etc", "home/user", "proc", "tmp"):
        (root / name).mkdir(parents=True)
    for line in dict.fromkeys(listed.stdout.split("\n")):
        path = Path(line)
        skipped = line.startswith(
            ("/usr/share/doc", "/usr/share/man", "/usr/lib/x86_64-linux-gnu/gconv", "package div")
        )
        if skipped or not line.startswith("/") or path.is_dir():
            continue
        # What stands in /lib is in /usr/lib.
        target = root / ("usr" + line if line.startswith(("/lib", "/bin", "/sbin")) else line[1:])
        if path.exists() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    (root / "etc" / "passwd").write_text("user:x:1000:1000::/home/user:/bin/bash\n")


def check_sums(dist: Path) -> list[Path]:
    """Compares the files with the lines of SHA256SUMS, and gives them: archive, wheel, sources, image."""
    files = []
    for line in (dist / "SHA256SUMS").read_text().splitlines():
        digits, name = line.split("  ")
        if hashlib.sha256((dist / name).read_bytes()).hexdigest() != digits:
            sys.exit(f"try_dist: {name} is not what SHA256SUMS says")
        files.append(dist / name)
    return files


class Machine:
    """A root with nothing but what is tried, and its user."""

    def __init__(self, root: Path, home: str, path: str) -> None:
        """Names the folder of the user, and where programs are."""
        self.root, self.home, self.path = root, home, path
        self.failed: list[str] = []

    def start(self, arguments: Sequence[str], share: Sequence[str] = ()) -> list[str]:
        """The line that starts a program in it."""
        line = ["bwrap", "--unshare-all", *share, "--die-with-parent", "--new-session", "--clearenv"]
        line += ["--uid", "1000", "--gid", "1000", "--hostname", "empty"]
        line += ["--bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        line += ["--setenv", "HOME", self.home, "--setenv", "PATH", self.path, "--chdir", self.home]
        return [*line, *arguments]

    def run(self, name: str, line: Sequence[str]) -> float:
        """Runs a line of this machine, tells how that went, and gives the seconds."""
        begun = time.monotonic()
        done = subprocess.run(line, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
        seconds = time.monotonic() - begun
        print(f"{'FAILED' if done.returncode else 'ok':<8}{seconds:5.1f} s  {name}", flush=True)
        if done.returncode:
            self.failed.append(name)
            print(f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return seconds

    def shell(self, name: str, command: str) -> float:
        """Runs a command of the shell in it."""
        return self.run(name, self.start(["/bin/bash", "-c", PRELUDE + command]))

    def board(self, program: str, unpacked: float) -> None:
        """Starts a game in the page, whose network is a loopback that this script has, too, and tells the seconds."""
        line = ["bwrap", "--unshare-net", "--dev-bind", "/", "/", "--die-with-parent", sys.executable, __file__]
        played = self.start([program, *PLAY], ["--share-net"])
        seconds = self.run(f"taikyoku {' '.join(PLAY)}", [*line, "--await-page", *played])
        print(f"        {unpacked + seconds:5.1f} s  to the first board, {unpacked:.1f} s of them to unpack or install")


def await_page(line: Sequence[str]) -> None:
    """Starts the page and waits for its answer."""
    page = subprocess.Popen(line, stdout=subprocess.DEVNULL)
    address = PLAY[-1]
    while page.poll() is None:
        connection = http.client.HTTPConnection(address, timeout=10)
        try:
            connection.request("GET", "/")
            answered = connection.getresponse().status
        except OSError:
            time.sleep(0.01)
            continue
        page.terminate()
        sys.exit(answered != 200)
    sys.exit(f"try_dist: the page ended with exit status {page.returncode}")


def try_archive(place: Path, archive: Path) -> list[str]:
    """Runs the commands of README.md in the unpacked archive."""
    lines = commands()
    failed = [line for line in lines if line not in SHORT and not line.startswith("export PATH=")]
    for line in failed:
        print(f"try_dist: README.md has a command that is not known here: {line}")
    make_root(place, (*PACKAGES, *LIBRARIES))
    begun = time.monotonic()
    with tarfile.open(archive) as packed:
        packed.extractall(place / "home" / "user", filter="data")
    unpacked = time.monotonic() - begun
    (folder,) = (path.name for path in (place / "home" / "user").iterdir())
    machine = Machine(place, f"/home/user/{folder}", f"/home/user/{folder}/bin:/usr/bin:/bin")
    machine.board("taikyoku", unpacked)
    for line in [*lines, *MORE]:
        command = SHORT.get(line, line if line in MORE else None)
        if command is None:
            print(f"not here  {line}")
        else:
            machine.shell(line, command)
    return failed + machine.failed


def try_wheel(place: Path, wheel: Path) -> list[str]:
    """Installs the wheel where Python is, and runs its programs and its package."""
    make_root(place, (*PACKAGES, *LIBRARIES, *PYTHON, *PYTHON_LIBRARIES, *python_packages()))
    # Without this note of the distribution pip installs outside an environment.
    for note in place.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        note.unlink()
    machine = Machine(place, "/home/user", "/home/user/.local/bin:/usr/bin:/bin")
    with zipfile.ZipFile(wheel) as packed:
        (record,) = (name for name in packed.namelist() if name.endswith(".dist-info/RECORD"))
        recorded = {name: digest for name, digest, _ in csv.reader(packed.read(record).decode().splitlines())}
        for name in packed.namelist():
            digest = base64.urlsafe_b64encode(hashlib.sha256(packed.read(name)).digest()).rstrip(b"=").decode()
            if recorded.pop(name, None) != ("" if name == record else f"sha256={digest}"):
                machine.failed.append(f"RECORD does not have what {name} is")
    if recorded:
        machine.failed.append(f"RECORD has {list(recorded)}, which are not there")
    print(*machine.failed, sep="\n", end="" if not machine.failed else "\n")
    shutil.copy(wheel, place / "home" / "user")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--no-deps", "numpy"]
    fetch += ["--python-version", python_packages()[0].removeprefix("python"), "--dest", str(place / "home" / "user")]
    subprocess.run([*fetch, "--disable-pip-version-check"], check=True)
    command = f"pip install --quiet --user --no-index --find-links . {wheel.name}"
    installed = machine.shell(command, command)
    machine.board("taikyoku", installed)
    for command in WHEEL:
        machine.shell(command, command)
    return machine.failed


def python_packages() -> list[str]:
    """The packages of this system that have the Python of the version that it starts."""
    resolved = Path("/usr/bin/python3").resolve().name
    return [resolved, f"{resolved}-minimal", f"lib{resolved}-stdlib", f"lib{resolved}-minimal"]


def try_sources(place: Path, sources: Path) -> list[str]:
    """Lets cargo check the sources without a network, as far as a few crates go."""
    with tarfile.open(sources) as packed:
        packed.extractall(place, filter="data")
    (folder,) = place.iterdir()
    machine = Machine(place, str(folder), "")
    line = ["bwrap", "--unshare-net", "--dev-bind", "/", "/", "--die-with-parent", "--chdir", str(folder)]
    line += ["--setenv", "CARGO_TARGET_DIR", str(folder / "target"), "cargo"]
    for words in ("metadata --format-version 1", "check --package taikyoku-stats"):
        machine.run(f"cargo {words}", [*line, *words.split(), "--locked", "--offline"])
    return machine.failed


def owned(member: tarfile.TarInfo, place: str) -> tarfile.TarInfo:
    """A file of a layer, where root runs this: the machine's user is root outside, and its root is somebody else."""
    owner = 0 if member.uid else 65534
    return tarfile.tar_filter(member, place).replace(uid=owner, gid=owner, deep=False)


def try_image(place: Path, image: Path) -> list[str]:
    """Unpacks the layers of an image, and runs what its configuration says."""
    begun = time.monotonic()
    with tarfile.open(image) as packed:

        def blob(described: dict) -> bytes:
            kind, digits = described["digest"].split(":")
            bytes_ = packed.extractfile(f"blobs/{kind}/{digits}").read()
            assert hashlib.sha256(bytes_).hexdigest() == digits, f"the blob {digits} has another digest"
            return bytes_

        index = json.load(packed.extractfile("index.json"))
        manifest = json.loads(blob(index["manifests"][0]))
        config = json.loads(blob(manifest["config"]))
        for layer in manifest["layers"]:
            with tarfile.open(fileobj=io.BytesIO(blob(layer))) as files:
                files.extractall(place, filter=owned)
    unpacked = time.monotonic() - begun
    # The engine of containers makes these.
    for name in ("dev", "proc"):
        (place / name).mkdir()
    says = config["config"]
    environment = dict(pair.split("=", 1) for pair in says["Env"])
    machine = Machine(place, says["WorkingDir"], environment["PATH"])
    machine.board(*says["Entrypoint"], unpacked)
    for words in IMAGE:
        words = words or says["Cmd"]
        machine.run(f"taikyoku {' '.join(words)}", machine.start([*says["Entrypoint"], *words]))
    return machine.failed


def main() -> None:
    """The program."""
    if sys.argv[1:2] == ["--await-page"]:
        await_page(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path, metavar="DIR", help="the folder that `cargo xtask dist` has filled")
    attempts = {"archive": try_archive, "wheel": try_wheel, "sources": try_sources, "image": try_image}
    parser.add_argument("--only", choices=attempts, help="try this one alone")
    options = parser.parse_args()
    failed = []
    for (name, attempt), file in zip(attempts.items(), check_sums(options.dist.resolve()), strict=True):
        if options.only not in (None, name):
            continue
        print(f"== {file.name}, {file.stat().st_size / 1e6:.0f} MB")
        with tempfile.TemporaryDirectory() as place:
            failed += attempt(Path(place), file)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
