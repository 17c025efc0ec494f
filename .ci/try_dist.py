#!/usr/bin/env python3
"""Tries an archive of `cargo xtask dist` on an empty machine: the commands of README.md that do not build anything.

    .ci/try_dist.py target/dist/taikyoku-VERSION-ARCH-linux.tar.gz

The machine is a folder with the files of a few packages of this Debian or Ubuntu (C library, shell, the usual tools: no
compiler, no Python, no Rust), in which bubblewrap starts the commands: without a network but its own loopback, without
this machine's files and processes, as a user without rights. Long commands run in a short form, and commands that wait
for players get some. Exit status 1 when a command fails, or when README.md has one that is not known here.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import pages

ROOT = Path(__file__).resolve().parent.parent
#: What a machine has on which nothing was installed.
PACKAGES = ("bash", "base-files", "coreutils", "dash", "gzip", "grep", "libc6", "libc-bin", "libgcc-s1", "sed", "tar")
LIBRARIES = ("libacl1", "libattr1", "libpcre2-8-0", "libselinux1", "libtinfo6")
#: Commands of README.md, and what is run in their place; nothing where the command needs what the archive has not.
SHORT: dict[str, str | None] = {
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


def make_root(root: Path) -> None:
    """Copies the files of the packages, and makes the folders that a system has."""
    # A release of the system may do without one of the libraries.
    listed = subprocess.run(["dpkg", "-L", *PACKAGES, *LIBRARIES], stdout=subprocess.PIPE, text=True).stdout
    for name in ("bin", "lib", "lib64", "sbin"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    for name in ("dev", "etc", "home/user", "proc", "tmp"):
        (root / name).mkdir(parents=True)
    for line in dict.fromkeys(listed.split("\n")):
        path = Path(line)
        skipped = line.startswith(("/usr/share", "/usr/lib/x86_64-linux-gnu/gconv", "package diverts"))
        if skipped or not line.startswith("/") or path.is_dir():
            continue
        # What stands in /lib is in /usr/lib.
        target = root / ("usr" + line if line.startswith(("/lib", "/bin", "/sbin")) else line[1:])
        if path.exists() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)
    (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n")
    (root / "etc" / "passwd").write_text("user:x:1000:1000::/home/user:/bin/bash\n")


def check_sum(archive: Path) -> None:
    """Compares the archive with the line of SHA256SUMS."""
    line = f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}"
    if line not in (archive.parent / "SHA256SUMS").read_text().splitlines():
        sys.exit(f"try_dist: {archive.name} is not what SHA256SUMS says")


def run(root: Path, folder: str, command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in the folder of the archive on that machine."""
    line = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    line += ["--uid", "1000", "--gid", "1000", "--hostname", "empty"]
    line += ["--bind", str(root), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    line += ["--setenv", "HOME", "/home/user", "--setenv", "PATH", f"/home/user/{folder}/bin:/usr/bin:/bin"]
    line += ["--chdir", f"/home/user/{folder}", "/bin/bash", "-c", PRELUDE + command]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")
    archive = parser.parse_args().archive.resolve()
    check_sum(archive)
    lines = commands()
    failed = [line for line in lines if line not in SHORT and not line.startswith("export PATH=")]
    for line in failed:
        print(f"try_dist: README.md has a command that is not known here: {line}")
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        make_root(root)
        with tarfile.open(archive) as packed:
            packed.extractall(root / "home" / "user", filter="data")
        (folder,) = (path.name for path in (root / "home" / "user").iterdir())
        for line in [*lines, *MORE]:
            command = SHORT.get(line, line if line in MORE else None)
            if command is None:
                print(f"not here  {line}")
                continue
            begun = time.monotonic()
            done = run(root, folder, command)
            print(f"{'ok' if done.returncode == 0 else 'FAILED':<8}{time.monotonic() - begun:5.1f} s  {line}")
            if done.returncode:
                failed.append(line)
                print(f"          {command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
