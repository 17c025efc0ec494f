#!/usr/bin/env python3
"""Executes the commands of the documentation, in a minute.

    .ci/commands.py [--programs FOLDER] [--at-once N] [WORD]     WORD: only commands that contain it, with their output

Each command that `.ci/pages.py` finds runs in a folder of its own, in a short form: `SMALL` has smaller numbers for
its options, and `PLACES` has what names such as FILE stand for. A client finds a server of its game with players in
the other seats, and a server of one match gets players. Servers, pages and leagues that would wait are interrupted.
Commands that cannot run here are in `SKIPPED`, each with its reason. The exit status is 1 if a command fails or is
not known, or if an entry of a table has no use.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pages
import programs
from programs import Command

ROOT = Path(__file__).resolve().parent.parent
#: The table of all positions of Dobutsu shogi takes minutes to make.
NO_TABLE = "needs the table of Dobutsu shogi"
NEEDS_TABLE = re.compile(r"perfect|accuracy dobutsu|c-study|dobutsu samples|probe")
INCOMPLETE = "is a name, whose arguments are elsewhere"
#: What a program says of arguments that are not there.
MISSING = re.compile(r"required|Usage: [^\n]*<COMMAND>|a value is required|values? required")
#: Programs of others that run where they are installed.
OTHERS = {"cc", "java", "node", "openssl"}
#: Seconds that a command may take on a busy machine.
LIMIT = 60
#: Seconds after which a league is interrupted.
LEAGUE = 1.5
#: Exit statuses of a program that is interrupted.
STOPPED = {0, 130}
#: Exit statuses of a person's client when the person leaves the seat.
LEFT = {0, 4}
SEATS = {"daihinmin": 5, "geister": 2, "blokus": 4, "dobutsu": 2, "score-four": 2}
#: Other names of games, and programs that play one.
GAMES = {"uecda": "daihinmin", "gat": "geister", "uecda_client": "daihinmin", "UecdaClient": "daihinmin"}
GAMES |= {"gat_client": "geister", "GatClient": "geister", "native_client": "score-four", "bot.py": "score-four"}
GAMES |= {"gtp": "blokus", "usi": "dobutsu"} | {game: game for game in SEATS}

#: Commands that do not run here, as expressions for what they begin with, and why.
SKIPPED = {
    r"cargo ": "builds the project, as the other steps of .ci/run do",
    r"\.ci/|python3 (models/|python/)": "is a step of .ci/run, or part of one",
    r"docker ": "needs a container",
    r"pip |ray |python (-m |-c 'import )taikyoku|'?\$PY|PY=\$": "needs an environment of Python, as other steps have",
    r"(sudo|man|tar|sha256sum|source|mkdir|cp|export|cd|sleep|head|echo)\b|:": "names no program of the project",
    r"(sed|grep) ": "changes the repository",
    r"\./client ": "is a program of another person",
    r"taikyoku check.*(java -jar|\$PY|pentobi)": "checks a program of another person",
    r"taikyoku bot (GAME|\{)": "stands for several commands",
    r".*--tls($| |-ca|-cert)": "needs a server with a certificate for its name; tests/tests/it/doors/tls.rs has one",
    r".*--workers COMMAND": "needs a cluster, as python/tests/test_cluster.py has one",
    r"taikyoku play .*--terminal": "needs a terminal",
    r"dobutsu-solve( --(table|verify|json)|$)": "takes minutes and cannot be shortened",
    r"taikyoku-lab work$": "gets its work from a driver",
}
#: What names in the documentation stand for: expressions for a command, and for a part of it, and what takes its place.
PLACES = [
    (r"", r"\[(--json)\]", r"\1"),
    (
        r"",
        r"\b(localhost|HOST|[\w.]*\.example(\.org)?|192\.168\.0\.1|10\.8\.0\.1|0\.0\.0\.0|127\.0\.0\.1)\b",
        "{address}",
    ),
    (r"", r"\$(name|i)\b", "a"),
    (r"replay", r"\bGAME\.blksgf\b", f"{ROOT}/tests/fuzz/corpus/sheets/game.blksgf"),
    (r"serve GAME|match GAME|play GAME|new-bot GAME", r"\bGAME\b", "score-four"),
    (r"serve|watch|organiser", r"\bPORT\b", "4445"),
    (r"--organiser", r"\bTOKENFILE\b", "token"),
    (r"", r"--port PORT\b", "--port 8080"),
    (r"", r"\bRECORD\b(\.\.\.)?", "records/score-four.jsonl"),
    (r"(verify|--statistics|--official-log)", r"records/score-four.jsonl", "records/daihinmin.jsonl"),
    (r"uecda-2026", r"records/uecda-[\w-]+.jsonl", "records/daihinmin.jsonl"),
    (r"--sheet", r"records/score-four.jsonl", "records/dobutsu.jsonl"),
    (r"--league-seed", r"records/daihinmin.jsonl", "daihinmin.league/records/0.0.0.jsonl"),
    (r"--league-seed", r"\bSEED\b", "7"),
    (
        r"taikyoku league (status |report |verify |archive )?(ARCHIVE|FILE)",
        r"\b(ARCHIVE|FILE(\.toml)?)(?= |$)",
        "mine.toml",
    ),
    (r"taikyoku ladder ", r"\b(club|FILE)\.toml", "ladder.toml"),
    (r"--commitment", r"\bHEX\b", "{commitment}"),
    (r"tune FILE", r"FILE\.toml", "uct.toml"),
    (
        r"^taikyoku-lab (nn-bench FILE|accuracy dobutsu|dobutsu c-study)",
        r"\b(FILE|MODEL\.onnx|RUN/latest\.onnx)",
        "dobutsu.onnx",
    ),
    (r"nn-bench", r"MODEL\.onnx", "models/blokus/blokus-zero.onnx"),
    (r"model=RUN", r"RUN/latest\.onnx", "models/blokus/blokus-zero.onnx"),
    (r"train score-four", r"\bFILE\b\.\.\.", "samples"),
    (r"train daihinmin-field", r"--kind.*RECORDS", "records/daihinmin.jsonl"),
    (r"--out", r"\b(FILE|NETWORK)\b", "made"),
    (r"", r"(run1/)?theta_\w+\.npy", "theta.npy"),
    (r"weights=A ", r"weights=[AB]\b", "weights=theta.npy"),
    (r"(match|tables) ", r" A B\b( \.\.\.)?", " random random"),
    (r"blokus|ENGINE", r"\b(engine|blokus) (E|ENGINE)\b", r"\1 greedy"),
    (r"score-four move", r"\bPOSITION\b", "a1b2a1"),
    (r"score-four move", r"engine E\b", "engine best"),
    (r"new-bot", r"\b(mybot|DIR)\b", "newbot"),
    (r"check", r"\bCOMMAND\b", "dobutsu --engine random --host {host} --port {port}"),
    (r"report records", r"records$", "records/daihinmin.jsonl"),
    (r"replay .*0\.0\.0", r"(mine.league/)?records", "daihinmin.league/records"),
    (r"check .*bot\.py", r"bot\.py", "mybot/bot.py"),
    # The sandbox of `taikyoku check` must show the programs that the stand-ins of `SCRIPTS` start.
    (r"^taikyoku check", r"^taikyoku check", "taikyoku check --reads {programs}"),
    # Clients of GAT are paced.
    (r"^taikyoku check .*geister", r"^taikyoku check", "taikyoku check --games 2"),
    (r"tables score-four", r"--games \w+", "--games 1"),
    (r"tables score-four(?!.*--games)", r"$", " --games 1"),
    (r"tables score-four(?!.*--table)", r"$", " --table 1"),
    (r"--game 12", "12", "2"),
    (r"league (pause|resume|disqualify|reinstate) ", r"(\w+/)*\w+\.toml", "hall.toml"),
    (r"check.*geister|check.*GAT", r"\./client", "./geister-client"),
    (r"gat_client|GatClient", r" \d+$", " 2"),
    (r"match blokus", r"$", " --random-plies 40"),
    (r"level-9 level-8", r"level-9 level-8", "level-2 level-1"),
    (r"league (status|report|archive|verify) ", r"examples/leagues/daihinmin.toml", "mine.toml"),
    (r"--protocol animal-shogi", r"--games N", "--games 1"),
    (r"selfplay COMMAND", r"COMMAND", "play"),
    (r"", r"\b([NMS])\b(?! ?=)", "20"),
]
#: Small numbers of options.
SMALL = {"games": "2", "g": "2", "blocks": "1", "session": "1", "positions": "10", "decisions": "2"}
SMALL |= {"playouts": "20", "simulations": "4", "fast-simulations": "2", "nodes": "100"}
SMALL |= {
    "passes": "1",
    "draw": "2000",
    "seconds": "0.01",
    "move-ms": "20",
    "threads": "1",
}
#: Options of `SMALL` that a command of taikyoku-lab, or demo, gets if it has no option of the same line.
ADDED = (
    ("blocks", "games"),
    ("games", "blocks"),
    ("session",),
    ("positions",),
    ("decisions",),
    ("playouts", "move-ms"),
    ("simulations",),
    ("nodes",),
    ("passes",),
    ("seconds",),
)
#: Programs that commands name and others write.
SCRIPTS = {
    "client": 'exec daihinmin --engine default "$@"',
    "geister-client": 'while geister --engine random --host "$1" --port "$2" --connect-timeout 1; do :; done',
    "engine": 'if [ "$1" = --gtp ]; then exec blokus --gtp --engine random; fi\nexec dobutsu --usi --engine random',
}
#: Commands that prepare the state that an act of the organiser needs.
BEFORE = {"resume": ["pause", "hall.toml"], "reinstate": ["disqualify", "hall.toml", "ada", "--reason", "late"]}
#: Small budgets of engines.
BUDGETS = re.compile(r"\b(playouts|simulations|nodes|ms)=\w+")


@dataclass
class Task:
    """A command as it is executed."""

    text: str
    where: str
    words: list[str]
    #: Whether it is in a block: what is between backticks may lack arguments.
    is_block: bool
    failure: str = ""
    seconds: float = 0.0
    output: str = ""


class Room:
    """A folder with what commands find in the documentation's examples, and programs that run in it at an address."""

    def __init__(self, folder: Path, address: str, built: Path, told: Path | None = None) -> None:
        self.folder, self.address, self.built = folder, address, built
        #: Where the output of the programs is.
        self.told = told or folder
        self.running: list[subprocess.Popen[str]] = []
        # Of the user's data the commands see nothing.
        data = {"XDG_DATA_HOME": str(folder / "data")}
        self.environment = os.environ | data | {"PATH": f"{built}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def start(self, words: list[str], given: str = "", output: str = "beside") -> subprocess.Popen[str]:
        """Starts a command; its output goes into a file of that name."""
        folder = self.folder / "mybot" if words[0] == "python3" and words[1] in {"bot.py", "-m"} else self.folder
        (self.told / "given").write_text(given)
        with open(self.told / output, "a") as written, open(self.told / "given") as read:
            process = subprocess.Popen(
                words,
                cwd=folder,
                stdin=read,
                stdout=written,
                stderr=subprocess.STDOUT,
                text=True,
                env=self.environment,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def players(self, game: str, count: int, port: str = "") -> None:
        """Starts players of a game that move at random."""
        line = ["score-four", "play"] if game == "score-four" else [game]
        line += ["--host", self.address, "--engine", "random"]
        for n in range(count):
            more = ["--seat", str(n)] if game == "geister" and not port else ["--port", port] if port else []
            more += ["--games", "2"] if game == "geister" else []
            self.start([*line, *more])

    def wait_for(self, text: str) -> None:
        """Waits until a program beside has printed a text."""
        end = time.monotonic() + LIMIT
        while text not in (self.told / "beside").read_text() and time.monotonic() < end:
            time.sleep(0.02)

    def close(self) -> None:
        """Ends what still runs."""
        for process in self.running:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def lead(self, words: list[str], stop: str | float = "", given: str = "") -> str:
        """Runs a command to its end, or interrupts it after so many seconds or at the text; what went wrong."""
        output = self.told / "output"
        began = time.monotonic()
        process = self.start(words, given, "output")
        interrupted = False
        while process.poll() is None and time.monotonic() < began + LIMIT:
            time.sleep(0.02)
            due = time.monotonic() > began + stop if isinstance(stop, float) else stop and stop in output.read_text()
            if due and not interrupted:
                os.killpg(process.pid, signal.SIGINT)
                interrupted = True
        if process.poll() is None:
            return f"does not end in {LIMIT} s"
        good = STOPPED if interrupted else LEFT if "human" in words else {0}
        # It leaves the end to the system.
        good = good | {-signal.SIGINT} if words[:2] == ["taikyoku", "watch"] else good
        return "" if process.returncode in good else f"exit status {process.returncode}"


def game_of(words: list[str]) -> str:
    """The game that a client plays."""
    for word in words:
        name = word.split("/")[-1].removesuffix(".py").removesuffix(".java").removesuffix(".js")
        for part in (word, name):
            if part in GAMES:
                return GAMES[part]
    return ""


def value(words: list[str], *options: str) -> str:
    """The value of an option, or nothing."""
    for word, after in zip(words, words[1:]):
        if word in options:
            return after
    return ""


def execute(room: Room, words: list[str]) -> str:
    """Executes a command with what it needs beside it; what went wrong."""
    own, rest = words[0], words[1:]
    game = game_of(words)
    port = value(words, "-p", "--port")
    if words[-1] in {"--help", "-h"} or own in {"cc", "openssl"}:
        return room.lead(words)
    if own == "taikyoku" and rest[:1] == ["serve"]:
        if "--host" not in words:
            words += ["--host", room.address]
        if "--once" not in words:
            return room.lead(words, "listening on")
        room.players(game, SEATS[game], port)
        return room.lead(words)
    if own == "taikyoku" and rest[:1] and rest[0] in {"play", "web"}:
        words += ["--no-open"] if rest[0] == "play" else []
        words = [*words, *([] if "--listen" in words else ["--listen", f"{room.address}:0"])]
        if watch := value(words, "--watch"):
            room.start(["taikyoku", "serve", "score-four", "--host", room.address, "--watch", watch.split(":")[-1]])
        return room.lead(words, "http://")
    if own == "taikyoku" and rest[:1] == ["watch"] and ":" in "".join(rest[1:2]):
        serve = ["taikyoku", "serve", "score-four", "--host", room.address, "--games", "2"]
        room.start([*serve, "--watch", rest[1].split(":")[-1]])
        room.wait_for("watched on")
        # Its matches begin when they are watched.
        player = 'score-four play --engine random --host "$0"'
        room.start(["sh", "-c", f"sleep 0.3; for i in 1 2 3 4; do {player} & done; wait", room.address])
        return room.lead(words, LEAGUE)
    if own == "taikyoku" and rest[:1] == ["league"] and rest[1:]:
        if before := BEFORE.get(rest[1]):
            room.start(["taikyoku", "league", *before]).wait()
        if rest[1] == "work" or rest[1].endswith(".toml"):
            words += ["--watch-host", room.address] if "--watch" in words else []
            return room.lead(words, LEAGUE, "0.0.0\n")
        return room.lead(words)
    if own == "taikyoku" and rest[:1] == ["ladder"] and rest[1:]:
        if rest[1].endswith(".toml"):
            return room.lead(words, LEAGUE)
        if rest[1] in {"status", "verify"} and (failed := room.lead(["taikyoku", "ladder", "ladder.toml"], LEAGUE)):
            return failed
        return room.lead(words)
    if own != "engine-bridge" and ("--gtp" in words or "--usi" in words):
        return room.lead(words, given="quit\n")
    is_bot = own == "taikyoku" and rest[:1] == ["bot"] or own in {"python3", "java", "node", "./uecda_client"}
    if is_bot and rest[0] != "-m" or own == "engine-bridge" or own in SEATS and rest[:1] != ["move"]:
        if own in programs.NAMES and "--host" not in words and not (game == "daihinmin" and "-h" in words):
            at = words.index("--") if "--" in words else len(words)
            words[at:at] = ["--host", room.address]
        port = port or next((word for word in rest if re.fullmatch(r"\d{4,5}", word)), "")
        protocol = ["--animal-shogi", port] if "animal-shogi" in words else []
        asked = ["--port", port] if port and not protocol and game != "geister" else []
        room.start(["taikyoku", "serve", game, "--host", room.address, "--games", "2", *asked, *protocol])
        if game == "geister":
            room.players(game, 1, "10000" if port == "10001" or value(words, "--seat") == "1" else "10001")
        else:
            room.players(game, SEATS[game] - 1, port if asked else "")
        return room.lead(words)
    return room.lead(words)


def furnish(room: Room, at_once: int) -> list[str]:
    """Puts what the documentation's commands name into a folder; what went wrong."""
    folder = room.folder
    for name in ("bots", "models", "web"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("records", "RUN"):
        (folder / name).mkdir()
    # A league writes its journal beside its settings.
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns("*.league"))
    for run in range(1, 6):
        (folder / f"run{run}").mkdir()
        for games in (10_000, 1_000_000):
            shutil.copy(ROOT / "models/geister/paper.npy", folder / f"run{run}" / f"theta_{games}.npy")
    shutil.copy(ROOT / "models/geister/paper.npy", folder / "theta.npy")
    (folder / "dobutsu.onnx").symlink_to(ROOT / "models/dobutsu/dobutsu-zero.onnx")
    (folder / "taikyoku.toml").write_text("[uecda]\ngames = 2\n")
    ladder = '[contest]\nhost = "127.0.0.1"\nport = 0\n[ladder]\n[[entrants]]\nengine = "random"\n'
    (folder / "ladder.toml").write_text('game = "score-four"\n' + ladder)
    shutil.copy(ROOT / "tests/fuzz/corpus/settings/tndhms.cfg", folder)
    (folder / "uct.toml").write_text(
        'game = "score-four"\nengine = "uct:playouts=20"\nsteps = 1\ngames = 2\n'
        "[parameters.exploration]\nstart = 1.0\nmin = 0.1\nmax = 4.0\n"
    )
    for name, line in SCRIPTS.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    made = []
    names = ["ada", "bea", "cem", "dov", "eli"]
    for file, game, engine, more in [
        *((name, "score-four", "random", "records = true\n") for name in ("mine", "contest", "league")),
        ("daihinmin", "daihinmin", "random", "records = true\nsession = 2\nseed = 7\n"),
        # It waits for its players until it is interrupted.
        ("hall", "score-four", "", "contest.port = 0\n"),
    ]:
        bot = f'engine = "{engine}"' if engine else 'start = "remote"'
        entrants = "".join(f'[[entrants]]\nname = "{name}"\n{bot}\n' for name in names)
        (folder / f"{file}.toml").write_text(f'game = "{game}"\ndeals = 1\n{more}{entrants}')
        made.append(["taikyoku", "league", f"{file}.toml"])
    made += [
        ["taikyoku", "new-bot", "score-four", "mybot"],
        shlex.split("taikyoku-lab score-four samples --games 9 --nodes 50 --out samples"),
        *(shlex.split(f"taikyoku-lab selfplay teach --games 2 --engine random --out {name}.tkg") for name in "ab"),
    ]
    if shutil.which("cc"):
        made.append(["cc", "-o", "uecda_client", "examples/uecda_client.c"])
    for game in SEATS:
        record = ["--records", f"records/{game}.jsonl"]
        made.append(["taikyoku", "serve", game, "--games", "2", "--once", *record])

    def make(numbered: tuple[int, list[str]]) -> list[str]:
        number, words = numbered
        with tempfile.TemporaryDirectory() as told:
            # An address of its own, as servers of several games have one port.
            beside = Room(folder, room.address.replace(".0.1", f".0.{2 + number}"), room.built, Path(told))
            failure = execute(beside, words)
            beside.close()
            return [f"{' '.join(words)}: {failure}\n{(Path(told) / 'output').read_text()}"] if failure else []

    with ThreadPoolExecutor(at_once) as pool:
        failed = [fault for faults in pool.map(make, enumerate(made)) for fault in faults]
    return failed or make((len(made), ["taikyoku", "league", "archive", "contest.toml"]))


def shape(text: str, known: dict[str, Command], used: set[int]) -> list[str]:
    """The words of the short form of a command; adds the numbers of the `PLACES` that it has used."""
    for number, (commands, part, place) in enumerate(PLACES):
        if re.search(commands, text) and re.search(part, text):
            text = re.sub(part, place, text)
            used.add(number)
    words = [BUDGETS.sub(r"\1=1" if "ms=" in word else r"\1=20", word) for word in shlex.split(text)]
    if words[0] not in known:
        return words
    command, depth = known[words[0]], 1
    while depth < len(words) and (below := command.commands.get(command.aliases.get(words[depth], words[depth]))):
        command, depth = below, depth + 1
    if command.path == ("taikyoku", "bot") and words[2:] and words[2] in known:
        command, depth = known[words[2]], 3
    end = words.index("--") if "--" in words else len(words)
    given = {word.lstrip("-") for word in words[:end] if word.startswith("-")}
    small = {"games": "2", "g": "2"} if command.path[:2] == ("taikyoku", "serve") else SMALL
    for at in range(depth, end - 1):
        option = words[at].lstrip("-")
        digits = re.match(r"\d+", words[at + 1])
        if words[at] != option and option in small and digits and int(digits[0]) > float(small[option]):
            words[at + 1] = small[option]
    if command.path[0] == "taikyoku-lab" or command.path == ("taikyoku", "demo"):
        for group in ADDED:
            if f"--{group[0]}" in command.options() and not given.intersection(group):
                words += [f"--{group[0]}", SMALL[group[0]]]
                given.add(group[0])
    elif (
        command.path[0] in SEATS
        and "--move-ms" in command.options()
        and not given.intersection({"playouts", "move-ms"})
    ):
        words[end:end] = ["--move-ms", "20"]
    return words


def gather(known: dict[str, Command], word: str) -> tuple[list[Task], Counter[str], list[str]]:
    """The commands of all pages, each once, those that do not run by their reason, and faults of the tables."""
    skipped: Counter[str] = Counter()
    tasks: dict[str, Task] = {}
    used: set[str] = set()
    placed: set[int] = set()
    read = {path: pages.read(path) for path in pages.tracked() if path.suffix == ".md"}
    for page, number, line, is_block in pages.shell_lines(read, known):
        if page.name == "CHANGELOG.md":
            continue
        for words in pages.simple_commands(line):
            text = re.sub(r"^\./target/release/", "", shlex.join(words))
            if not is_block and words[0] not in known:
                continue
            reason = next((entry for entry in SKIPPED if re.match(entry, text)), "")
            used.add(reason)
            shaped = [] if reason else shape(text, known, placed)
            if reason:
                skipped[SKIPPED[reason]] += 1
            elif NEEDS_TABLE.search(text):
                skipped[NO_TABLE] += 1
            elif words[0] in OTHERS and not shutil.which(words[0]):
                skipped[f"{words[0]} is not installed"] += 1
            elif not is_block and "..." in words:
                skipped[INCOMPLETE] += 1
            else:
                task = Task(text, f"{page.name}:{number}", shaped, is_block)
                tasks.setdefault(shlex.join(shaped), task).is_block |= is_block
    faults = [f"no command begins with {entry}" for entry in SKIPPED if entry not in used]
    faults += [f"no command has {entry[:2]}" for number, entry in enumerate(PLACES) if number not in placed]
    return [task for task in tasks.values() if word in task.text], skipped, faults


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, default=programs.BUILT, metavar="FOLDER")
    parser.add_argument("--at-once", type=int, default=3 * (os.cpu_count() or 1), metavar="N")
    parser.add_argument("word", nargs="?", default="", metavar="WORD")
    arguments = parser.parse_args()
    began = time.monotonic()
    tasks, skipped, faults = gather(programs.read(arguments.programs), arguments.word)
    built = arguments.programs.resolve()
    with tempfile.TemporaryDirectory() as place:
        first = Room(Path(place) / "first", f"127.{64 + os.getpid() % 64}.0.1", built)
        first.folder.mkdir()
        faults += furnish(first, arguments.at_once)
        commitment = re.search(r'"commitment":"(\w+)"', (first.folder / "records/daihinmin.jsonl").read_text())

        def run(numbered: tuple[int, Task]) -> None:
            number, task = numbered
            address = f"127.{64 + os.getpid() % 64}.{1 + number // 250}.{1 + number % 250}"
            room = Room(Path(place) / str(number), address, built)
            shutil.copytree(first.folder, room.folder, symlinks=True)
            places = {"address": address, "commitment": commitment[1] if commitment else "", "programs": str(built)}
            words = [re.sub(f"{{({'|'.join(places)})}}", lambda name: places[name[1]], word) for word in task.words]
            start = time.monotonic()
            try:
                task.failure = execute(room, words)
            except OSError as error:
                task.failure = str(error)
            finally:
                room.close()
            task.seconds = time.monotonic() - start
            task.output = "".join(
                (room.folder / name).read_text() for name in ("output", "beside") if (room.folder / name).exists()
            )
            if not task.is_block and task.failure == "exit status 2" and MISSING.search(task.output):
                task.failure = INCOMPLETE
            shutil.rmtree(room.folder)

        if not faults:
            with ThreadPoolExecutor(arguments.at_once) as pool:
                list(pool.map(run, enumerate(tasks)))
    for task in tasks:
        if task.failure == INCOMPLETE:
            skipped[INCOMPLETE] += 1
        elif task.failure:
            faults.append(
                f"{task.where}: {task.failure}: {task.text}\n    {shlex.join(task.words)}\n{task.output[-1500:]}"
            )
        if arguments.word:
            print(f"{task.seconds:5.1f} s  {task.text}\n    {shlex.join(task.words)}\n{task.output}")
    for fault in faults:
        print(f"commands: {fault}")
    for reason, count in skipped.most_common():
        print(f"commands: {count:4} not run: {reason}")
    ran = sum(task.failure != INCOMPLETE for task in tasks)
    print(f"commands: {ran} ran, {len(faults)} faults, {time.monotonic() - began:.1f} s")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
