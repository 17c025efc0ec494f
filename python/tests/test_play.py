"""Bots on servers: whole matches with the programs of the repository, and the parts of the protocols."""

import json
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import perft
import pytest
import taikyoku
from taikyoku import client, gat, native, uecda
from taikyoku.record import pairs

BOT = Path(__file__).resolve().parents[1] / "examples" / "first_bot.py"
#: Where `cargo build --workspace --bins` puts the programs.
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", perft.ROOT / "target")) / "debug"
PROGRAMS = Path(os.environ.get("TAIKYOKU_PROGRAMS", BUILT))


def start(program, *arguments, **options):
    """A program that runs for a minute at most."""
    return subprocess.Popen(["timeout", "60", str(PROGRAMS / program), *map(str, arguments)], text=True, **options)


@pytest.fixture
def serve(tmp_path):
    """Starts a server on a free port, and bots; the port, and a function that gives the record of the match."""
    if not (PROGRAMS / "taikyoku").exists():
        reason = f"no programs in {PROGRAMS}: cargo build --workspace --bins"
        assert os.environ.get("TAIKYOKU_REQUIRE_PROGRAMS") != "1", reason
        pytest.skip(reason)
    running = []

    def begin(game, *options, bots=()):
        record = tmp_path / "record.jsonl"
        port = ("--ports", "0,0") if game == "geister" else ("--port", 0)
        arguments = ("serve", game, *port, "--once", "--records", record, *options)
        server = start("taikyoku", *arguments, stderr=subprocess.PIPE)
        running.append(server)
        ports = []
        while len(ports) < (2 if game == "geister" else 1):
            line = server.stderr.readline()
            assert line, "the server has ended"
            ports += [int(number) for number in re.findall(r"listening on .*:(\d+)", line)]
        for bot in bots:
            running.append(
                start(*[str(part).replace("PORT", str(ports[0])) for part in bot], stdout=subprocess.DEVNULL)
            )

        def finished():
            server.stderr.read()
            assert server.wait(60) == 0
            return list(taikyoku.records(record))

        return ports, finished

    yield begin
    for process in running:
        process.terminate()
        process.wait()


class Watcher:
    """A bot that plays at random, and checks all that it is told."""

    def __init__(self):
        self.begun, self.ended, self.seen = 0, [], 0
        self.rng = random.Random(1)

    def game_begins(self, view):
        self.begun += 1

    def choose(self, view, moves):
        assert moves == view.legal_moves() and view.to_move == view.seat
        assert view.data["seat" if "seat" in view.data else "board"] is not None
        assert np.flatnonzero(view.legal_mask()).tolist() == sorted(view.action_of(move) for move in moves)
        assert view.observation().shape == view.game.observation_shape
        other = view.determinized(self.rng.randrange(2**32))
        assert other.view(view.seat) == view.data and other.legal_moves() == moves
        move = self.rng.choice(moves)
        return move if self.rng.random() < 0.5 else view.action_of(move)

    def observe(self, view, seat, move):
        assert seat in range(view.game.seats) and move
        self.seen += 1

    def game_ends(self, points):
        self.ended.append(points)


def own(games, name):
    """The points of a player in the games of a record, and all faults."""
    points = [game.points[game.players.index(name)] for game in games]
    return points, {kind for game in games for kind in game.kinds}


@pytest.mark.parametrize("game", ["score-four", "dobutsu", "blokus"])
def test_native(serve, game):
    seats = taikyoku.game(game).seats
    program = (game, *(["play"] if game == "score-four" else []), "--host", "localhost", "--port", "PORT")
    bots = [(*program, "--engine", "random", "--name", f"bot{i}") for i in range(seats - 1)]
    (port, *_), finished = serve(game, "--games", seats, "--random-plies", 2, bots=bots)
    watcher = Watcher()
    summary = taikyoku.play(watcher, f"native://localhost:{port}", name="mine")
    games = finished()
    points, faults = own(games, "mine")
    assert faults == {"normal"}
    assert summary == (seats, sum(points)) and watcher.ended == points and watcher.begun == seats
    assert watcher.seen == sum(event["event"] == "move" for game in games for event in game.events)


def test_gat(serve):
    """The seats change after the first game, which the client is not told."""
    bots = [("geister", "--host", "localhost", "--port", "PORT", "--engine", "random", "--games", 2)]
    ports, finished = serve("geister", "--games", 2, "--swap", "--wait-ms", 0, bots=bots)
    watcher = Watcher()
    summary = taikyoku.play(watcher, f"gat://localhost:{ports[1]}", games=2)
    games = finished()
    assert {kind for game in games for kind in game.kinds} == {"normal"}
    assert summary.games == watcher.begun == len(games) == 2
    points = [game.points[game.seats.index(1)] for game in games]
    assert watcher.ended == points and summary.points == sum(points)
    assert watcher.seen >= sum(len(list(game.steps())) // 2 - 3 for game in games)


def test_uecda(serve):
    bots = [("daihinmin", "-h", "localhost", "-p", "PORT", "--engine", "random", "-n", f"bot{i}") for i in range(4)]
    (port, *_), finished = serve("uecda", "--games", 12, "--seed", 5, bots=bots)
    watcher = Watcher()
    summary = taikyoku.play(watcher, f"uecda://localhost:{port}", name="mine")
    games = finished()
    points, faults = own(games, "mine")
    assert faults == {"normal"}
    assert watcher.ended == points and summary == (12, sum(points)) and watcher.begun == 12
    assert watcher.seen == sum(event["event"] == "move" for game in games for event in game.events)


@pytest.mark.parametrize(("game", "protocol"), [("dobutsu", "native"), ("geister", "gat"), ("uecda", "uecda")])
def test_the_first_bot(serve, game, protocol):
    """The example of the README."""
    text = BOT.read_text()
    assert text in (BOT.parents[1] / "README.md").read_text()
    others = {
        "native": [("dobutsu", "--host", "localhost", "--port", "PORT", "--engine", "random")],
        "gat": [("geister", "--host", "localhost", "--port", "PORT", "--engine", "random")],
        "uecda": [("daihinmin", "-h", "localhost", "-p", "PORT", "--engine", "random")] * 4,
    }[protocol]
    ports, finished = serve(game, "--games", 1 if protocol == "gat" else 2, bots=others)
    command = [sys.executable, str(BOT), f"{protocol}://localhost:{ports[-1]}", "mine"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    games = finished()
    assert done.stdout.startswith(f"Summary(games={len(games)}, points=")
    assert {kind for game in games for kind in game.kinds} == {"normal"}


def test_an_illegal_move_is_told_to_its_author(serve):
    (port, *_), _ = serve("dobutsu", "--games", 1, bots=[("dobutsu", "--host", "localhost", "--port", "PORT")])
    with pytest.raises(taikyoku.IllegalMove, match="does not step"):
        taikyoku.play(lambda view, moves: "2c2a" if view.seat == 0 else "2b2d", f"native://localhost:{port}")


def test_addresses():
    for wrong in ("localhost:4444", "http://localhost", "gat://"):
        with pytest.raises(ValueError, match="is no address"):
            taikyoku.play(lambda view, moves: moves[0], wrong)
    with pytest.raises(TypeError, match="a bot is a function"):
        taikyoku.play(3, "gat://localhost")
    with pytest.raises(ValueError, match="a native server tells its rules: leave out ply_limit"):
        taikyoku.play(lambda view, moves: moves[0], "native://localhost:9", ply_limit=300)
    for scheme in ("native", "uecda"):
        with pytest.raises(ValueError, match=f"{scheme}:// says how many games a match has: leave out games"):
            taikyoku.play(lambda view, moves: moves[0], f"{scheme}://localhost:9", games=5)
    begun = time.monotonic()
    with pytest.raises(ConnectionError, match="cannot connect to localhost:9"):
        taikyoku.play(lambda view, moves: moves[0], "native://localhost:9", patience=0.1)
    assert time.monotonic() - begun < 30


def test_a_host_without_an_address_is_no_matter_of_the_port():
    with pytest.raises(ConnectionError, match="Is the name of the host right?"):
        taikyoku.play(lambda view, moves: moves[0], "native://no.such.host.invalid:9")


def test_who_waits_for_a_server_says_so(capsys):
    for patience, told in ((0.1, ""), (0.5, "waiting for localhost:9 ...\n")):
        with pytest.raises(ConnectionError, match="Is the server running, and is the port right?"):
            taikyoku.play(lambda view, moves: moves[0], "native://localhost:9", patience=patience)
        assert capsys.readouterr().err == told


@pytest.mark.parametrize("seed", range(6))
def test_tables_of_uecda_have_the_melds_of_the_rules(seed):
    rng = random.Random(seed)
    position = taikyoku.game("daihinmin").initial(seed)
    while not position.is_over:
        for move in position.legal_moves():
            table = [[0] * uecda.COLUMNS for _ in range(uecda.ROWS)]
            for (row, column), value in uecda.cells_of(move).items():
                table[row][column] = value
            assert uecda.text_of(table) == move
            assert len(uecda.cards_of(move)) == len(uecda.cells_of(move))
        position.play(rng.choice(position.legal_moves()))
    assert uecda.strongest(["S3", "H2", "S2", "J3", "CA"], 3) == ["J3", "S2", "H2"]
    joker = [[0] * uecda.COLUMNS for _ in range(uecda.ROWS)]
    joker[4][1] = 2
    assert uecda.hand_of(joker) == ["J3"]


def table_of(cells=None, **status):
    """A table of the server: cards, and the cells of the rows below them."""
    table = [[0] * uecda.COLUMNS for _ in range(uecda.ROWS)]
    for (row, column), value in (cells or {}).items():
        table[row][column] = value
    for name, value in status.items():
        row, columns = {"flags": (5, slice(2, 8)), "counts": (6, slice(0, 5)), "seats": (6, slice(10, 15))}[name]
        table[row][columns] = value
    return table


def known(view, rank):
    """A view as tables of UECda have it: they tell the rich not which cards the poor have given."""
    if rank in (0, 1):
        del view["exchanged"]["received"]
    return view


@pytest.mark.parametrize("gifts", [None, "at random", "some back"])
@pytest.mark.parametrize("seed", range(6))
def test_tables_of_uecda_give_the_views_of_the_rules(seed, gifts):
    """Each player knows from its tables what the rules let its seat know, at each turn."""
    rng = random.Random(seed)
    players = rng.sample(range(5), 5)
    ranks = rng.sample(range(5), 5) if gifts else [2] * 5
    position = taikyoku.game("daihinmin").initial(seed, ranks if gifts else None)

    def by_player(counts):
        return [counts[players.index(player)] for player in range(5)]

    def tables(flags, cells=None):
        views = [position.view(seat) for seat in range(5)]
        status = {"counts": by_player(views[0]["counts"]), "seats": players, "flags": flags}
        return [table_of(cells or uecda.cells_of(view["hand"]), **status) for view in views]

    deals = tables([0, 6, 0, 0, 0, 0])
    if gifts:
        # A poor player's deal still has what it gives, and the counts are those before the exchange.
        tributes = [tribute.removesuffix(">?") for tribute in str(position).split(" ")[3].split("/")]
        moved = [{0: -2, 1: -1, 3: 1, 4: 2}.get(rank, 0) for rank in ranks]
        counts = by_player([count + more for count, more in zip(position.view()["counts"], moved)])
        for seat, deal in enumerate(deals):
            deal[5][1] = {0: 2, 1: 1}.get(ranks[seat], 0)
            deal[6][:5], deal[6][5:10] = counts, by_player(ranks)
            if ranks[seat] > 2:
                for (row, column), value in uecda.cells_of(tributes[4 - ranks[seat]]).items():
                    deal[row][column] = value
    seen = [uecda.Table(position.game, player, deal) for player, deal in zip(players, deals)]
    given = 0
    while gifts and any(position.view()["owed"]):
        giver = position.to_move
        moves = [move.removeprefix("give ") for move in position.legal_moves()]
        assert seen[giver].view().legal_moves() == position.legal_moves()
        # One of two cards comes back, or none: without a change nobody can tell that there was an exchange.
        tribute = set(pairs(tributes[ranks[giver]]))
        back = int(gifts == "some back" and ranks[giver] == 0)
        gift = rng.choice([move for move in moves if len(tribute & set(pairs(move))) == back])
        seen[giver].gave(pairs(gift))
        position.play(f"give {gift}")
        given += 1
    on_field = {}
    while not position.is_over:
        public = position.view()["table"]
        flags = [0, players[position.to_move], int(public["field"] == "pass"), 0]
        flags += [int(public["revolution"]), int(public["lock"])]
        first = position.ply == given
        assert [own.hand_table(hand) for own, hand in zip(seen, tables(flags))] == [first] * 5
        for seat, own in enumerate(seen):
            view = own.view()
            assert (own.seat, view.ply) == (seat, position.ply - given)
            assert known(view.data, ranks[seat]) == known(position.view(seat), ranks[seat])
            if ranks[seat] > 1:
                assert np.array_equal(view.observation(), position.observation(seat))
        assert seen[position.to_move].view().legal_moves() == position.legal_moves()
        move, mover = rng.choice(position.legal_moves()), position.to_move
        on_field = {} if public["field"] == "pass" else on_field
        on_field = on_field if move == "pass" else uecda.cells_of(move)
        position.play(move)
        fields = tables([0, players[mover], 0, 0, 0, 0], on_field)
        if not on_field:
            fields = [table_of(flags=field[5][2:8], counts=field[6][:5], seats=players) for field in fields]
        assert [own.field_table(field) for own, field in zip(seen, fields)] == [(mover, move)] * 5
        if not position.is_over:
            views = [known(position.view(seat), ranks[seat]) for seat in range(5)]
            assert [known(own.view().data, ranks[seat]) for seat, own in enumerate(seen)] == views
    stopped = position.outcome()["rule"] == "stalled"
    hands = [position.view(seat)["hand"] for seat in range(5)]
    places = [None if stopped and hand else place for hand, place in zip(hands, position.outcome()["places"])]
    assert [own.place() for own in seen] == places


def test_a_server_of_uecda_that_plays_by_other_rules_is_followed():
    """Its hand tables say what is on the table and who is to move, whatever should be."""
    hands = ["D3S4S5", "S6H6", "S7C7", "S8S9", "SKH3"]
    counts = [3, 2, 2, 2, 2]
    deal = table_of(uecda.cells_of(hands[4]), counts=counts, seats=range(5), flags=[0, 6, 0, 0, 0, 0])
    own = uecda.Table(taikyoku.game("daihinmin"), 4, deal)
    hand = uecda.cells_of(hands[4])
    own.hand_table(table_of(hand, counts=counts, seats=range(5), flags=[0, 0, 1, 0, 0, 0]))
    # The turn goes the other way round, and the first meld is locked.
    field = table_of(uecda.cells_of("D3"), counts=[2, 2, 2, 2, 2], seats=range(5), flags=[0, 0, 0, 0, 0, 1])
    assert own.field_table(field) == (0, "D3")
    own.hand_table(table_of(hand, counts=[2, 2, 2, 2, 2], seats=range(5), flags=[1, 4, 0, 0, 0, 1]))
    view = own.view()
    assert view.to_move == 4 and view.data["table"]["field"] == "D3" and view.data["table"]["lock"]
    assert view.legal_moves() == ["pass"]


def test_a_lost_connection_is_made_again():
    """The client comes back with its token, and goes on from the view that it gets then."""
    listener = socket.create_server(("localhost", 0))
    heard = []

    def server():
        for number in range(2):
            connection, _ = listener.accept()
            with connection, connection.makefile("r") as lines:

                def send(**message):
                    connection.sendall((json.dumps(message) + "\n").encode())  # noqa: B023

                heard.append(json.loads(lines.readline()))
                send(type="welcome", game="score-four", token="t", player=1, resumed=number == 1)
                send(type="match", players=["a", "b"], games=1, rules={})
                if number == 0:
                    send(type="game", event=1, game=1, players=[0, 1], ply=2)
                send(type="view", seat=1, view={"board": "", "moves": "a1b1a2b2a3b3"[: 4 + 8 * number]})
                if number == 0:
                    send(type="moved", event=2, game=1, ply=2, seat=0, move="a2")
                    continue
                send(type="moved", event=5, game=1, ply=6, seat=0, move="d4")
                send(type="request", game=1, ply=7)
                heard.append(json.loads(lines.readline()))
                send(type="result", game=1, scores=[0.0, 1.0], end="line")
                send(type="over", games=1, scores=[0.0, 1.0])

    thread = threading.Thread(target=server)
    thread.start()
    seen = []

    class Bot:
        def choose(self, view, moves):
            return "b4"

        def observe(self, view, seat, move):
            seen.append((seat, move, str(view.determinized())))

    summary = taikyoku.play(Bot(), f"native://localhost:{listener.getsockname()[1]}", name="mine")
    thread.join(10)
    listener.close()
    assert summary == (1, 1.0)
    assert [hello["token"] for hello in heard[:2]] == [None, "t"] and heard[0]["name"] == "mine"
    assert heard[2] == {"type": "move", "game": 1, "ply": 7, "move": "b4"}
    assert seen == [(0, "a2", "a1b1a2"), (0, "d4", "a1b1a2b2a3b3d4")]


@pytest.fixture
def speaks():
    """A server that makes a list of talks, one on each connection, and then is gone; its address."""
    listener = socket.create_server(("localhost", 0))
    threads = []

    def begin(*talks):
        def server():
            for talk in talks:
                connection, _ = listener.accept()
                if talk is talks[-1]:
                    listener.close()
                with connection, connection.makefile("rw", newline="") as lines:

                    def say(line):
                        lines.write(line)  # noqa: B023
                        lines.flush()  # noqa: B023

                    talk(lambda **message: say(json.dumps(message) + "\n"), lines.readline, say)

        threads.append(threading.Thread(target=server, daemon=True))
        threads[-1].start()
        return f"localhost:{listener.getsockname()[1]}"

    yield begin
    listener.close()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def welcome(send, resumed=False):
    """The first lines of a server of score four to its second player."""
    send(type="welcome", game="score-four", token="t", player=1, resumed=resumed)
    send(type="match", players=["a", "b"], games=2, rules={})


def test_a_server_that_is_gone_ends_a_match(speaks):
    def talk(send, readline, say):
        readline()
        welcome(send)

    with pytest.raises(ConnectionError, match="cannot connect to localhost"):
        taikyoku.play(lambda view, moves: moves[0], f"native://{speaks(talk)}", patience=0.1)


def test_a_connection_that_is_lost_between_games_costs_none(speaks):
    """The server tells the result and the game that were missed, and its empty lines are no messages."""
    hellos = []

    def first(send, readline, say):
        hellos.append(json.loads(readline()))
        say("\n\r\n")
        welcome(send)
        send(type="game", event=1, game=1, players=[0, 1], ply=0)
        send(type="view", event=1, seat=1, view={"board": "", "moves": ""})
        send(type="moved", event=2, game=1, ply=0, seat=0, move="a2")

    def second(send, readline, say):
        hellos.append(json.loads(readline()))
        welcome(send, resumed=True)
        send(type="moved", event=3, game=1, ply=1, seat=1, move="a2")
        send(type="result", event=4, game=1, scores=[0.0, 1.0], end="resign")
        send(type="game", event=5, game=2, players=[1, 0], ply=1)
        send(type="moved", event=6, game=2, ply=1, seat=1, move="b1")
        send(type="view", event=6, seat=0, view={"board": "", "moves": "a1b1"})
        send(type="request", game=2, ply=2)
        assert json.loads(readline())["move"] == "a1"
        send(type="result", event=7, game=2, scores=[0.5, 0.5], end="full-board")
        send(type="over", event=8, games=2, scores=[0.5, 1.5])

    told = []

    class Bot:
        def choose(self, view, moves):
            return moves[0]

        def game_begins(self, view):
            told.append((view.seat, view.data["moves"]))

        def observe(self, view, seat, move):
            told.append(move)

        def game_ends(self, points):
            told.append(points)

    summary = taikyoku.play(Bot(), f"native://{speaks(first, second)}")
    assert summary == (2, 1.5)
    assert [(hello["token"], hello["last"]) for hello in hellos] == [(None, None), ("t", 2)]
    assert told == [(1, ""), "a2", 1.0, (0, "a1b1"), 0.5]


def test_a_connection_that_times_out_is_lost(speaks):
    """As by a machine that is gone: the system says so by errors of other kinds."""

    def talk(send, readline, say):
        say("here\n")
        readline()

    host, port = speaks(talk).split(":")
    connection = client.Connection(host, int(port), 1.0)
    assert connection.line(b"\n") == "here"
    assert connection._socket.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
    true = connection._socket

    class Gone:
        def recv(self, size):
            raise TimeoutError("timed out")

        def sendall(self, message):
            raise OSError("no route to host")

    connection._socket = Gone()
    with pytest.raises(client.Lost, match="timed out"):
        connection.line(b"\n")
    with pytest.raises(client.Lost, match="no route to host"):
        connection.send(b"hello")
    true.close()


@pytest.mark.parametrize("placed", [True, False])
def test_a_server_of_gat_may_want_a_name(speaks, placed):
    heard = []

    def talk(send, readline, say):
        say("SET?\r\n")
        for answer in ("NG \r\n", "OK \r\nLST:\r\n" if placed else "NG \r\n"):
            heard.append(readline())
            say(answer)

    url = f"gat://{speaks(talk)}"
    if placed:
        assert taikyoku.play(lambda view, moves: "BCDE", url, name="my bot") == (1, 0.0)
    else:
        with pytest.raises(ConnectionError, match="refused the placement"):
            taikyoku.play(lambda view, moves: "BCDE", url, name="my bot")
    assert heard == ["SET:BCDE\r\n", "SET:BCDE,NAME:my_bot\r\n"]


def test_a_refusal_is_told():
    """An error after which the server closes is that of the caller, and no reason to come again."""
    listener = socket.create_server(("localhost", 0))

    def server():
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b'{"type":"error","code":"full","message":"every seat is taken"}\n')

    thread = threading.Thread(target=server)
    thread.start()
    with pytest.raises(ConnectionError, match="the server: every seat is taken"):
        taikyoku.play(lambda view, moves: moves[0], f"native://localhost:{listener.getsockname()[1]}")
    thread.join(10)
    listener.close()


@pytest.mark.parametrize("seed", range(4))
def test_boards_of_gat_have_the_views_of_the_rules(seed):
    """The position that stands on a board gives the view of the seat, and the moves of the other side are found."""
    rng = random.Random(seed)
    position = taikyoku.game("geister").initial()
    for _ in "01":
        position.play(rng.choice(position.legal_moves()))
    boards, last = {}, None
    while not position.is_over:
        seat = position.to_move
        view = position.view(seat)
        board = "".join(view["own"] + view["enemy"])
        found = gat.position_of(position.game, board, seat, view["ply"])
        assert found.view(seat) == view and found.legal_moves() == position.legal_moves()
        places = [ghost[:2] for ghost in view["enemy"]]
        if seat in boards:
            assert gat.step(boards[seat], places) == last
        boards[seat] = places
        last = rng.choice(position.legal_moves())
        position.play(last)


@pytest.mark.parametrize("ply", [199, 200, 201, 299])
def test_a_game_of_gat_goes_on_behind_the_limit_of_the_rules(ply):
    """That of the official server is 300 plies, and the usual one of the rules 200."""
    board = "14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u"
    position = gat.position_of(taikyoku.game("geister"), board, ply % 2, ply)
    assert position.to_move == ply % 2 and "A,N" in position.legal_moves()
    assert position.view(ply % 2)["ply"] == 198 + ply % 2


def test_a_view_of_blokus_is_a_position():
    """With a colour that was withdrawn in the middle of the game."""
    game = taikyoku.game("blokus")
    position = game.initial()
    for ply in range(30):
        if ply == 9:
            position = game.read(f"{position};-red")
        position.play(position.legal_moves()[ply % len(position.legal_moves())])
        found = native.position_of(game, position.view(0))
        assert found.view(0) == position.view(0)
        assert (found.to_move, found.legal_moves()) == (position.to_move, position.legal_moves())
