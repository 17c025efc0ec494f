"""The positions of the perft files of `games/perft`, in the texts of the wheel."""

from pathlib import Path

import numpy as np
import taikyoku

ROOT = Path(__file__).resolve().parents[2]


def score_four(words):
    """Pegs from the empty board, or `start`."""
    return taikyoku.game("score-four").read("".join(word for word in words if word != "start"))


def blokus(words):
    """Placements from the empty board, or `start`."""
    return taikyoku.game("blokus").read(";".join(word for word in words if word != "start"))


def dobutsu(words):
    """SFEN, or `startpos`; repetitions end nothing."""
    text = " ".join(words)
    return taikyoku.game("dobutsu", repetition=0).read(text if text == "startpos" else f"sfen {text}")


def turned(ghost):
    """A ghost on the board as the other seat sees it."""
    place, colour = ghost[:2], ghost[2]
    return ghost if place in ("99", "88") else f"{5 - int(place[0])}{5 - int(place[1])}{colour}"


def geister(words):
    """A start with moves, or a board as one of the seats sees it."""
    if words[0] == "start":
        position = taikyoku.game("geister", ply_limit=int(words[3])).initial()
        for move in words[1:3] + words[4:]:
            position.play(move)
        return position
    ghosts = [words[1][i : i + 3].upper() for i in range(0, 48, 3)]
    if words[2] == "1":
        ghosts = [turned(ghost) for ghost in ghosts[8:] + ghosts[:8]]
    return taikyoku.game("geister", ply_limit=int(words[4])).read(f"{''.join(ghosts)} {words[3]}")


def official_hands(seed):
    """The first deal of the official server, as `protocol/UECDA.md` describes its chance; hands by seat."""
    outputs = np.random.RandomState(seed)

    def draw():
        return int(outputs.randint(0, 2**32, dtype=np.uint32)) / 4294967295

    keys = []
    while len(keys) < 5:
        key = draw()
        if key not in keys:
            keys.append(key)
    player_at = sorted(range(5), key=keys.__getitem__)
    seat = player_at.index(int(5 * draw()))
    deck = [suit + rank for suit in "SHDC" for rank in "3456789TJQKA2"] + ["J3"]
    hands = [""] * 5
    for dealt in range(53):
        hands[(seat + dealt) % 5] += deck.pop(int(draw() * (53 - dealt)))
    return hands


def daihinmin(words):
    """Five hands, or the deal of a seed."""
    if words[:2] == ["deal", "plain"]:
        return taikyoku.game("daihinmin").initial(int(words[2]))
    hands = official_hands(int(words[2])) if words[0] == "deal" else words[1:]
    leader = next((seat for seat, hand in enumerate(hands) if "D3" in hand), 0)
    table = f"pass {leader} {leader} 0 31 - 0 55555 01234 0"
    return taikyoku.game("daihinmin").read(f"{'/'.join(hands)} //// - -/- {table}")


SETUPS = {"score-four": score_four, "blokus": blokus, "dobutsu": dobutsu, "geister": geister, "daihinmin": daihinmin}


def cases(game):
    """The positions of a game, each with the counts of depths 1, 2, ..."""
    lines = (ROOT / "games" / "perft" / f"{game.replace('-', '_')}.txt").read_text().splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            setup, counts = line.split(";")
            yield SETUPS[game](setup.split()), [int(count) for count in counts.split()]


def count(position, depth):
    """Sequences of moves, one position after the other, by the texts of the moves."""
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = position.copy()
        after.play(move)
        total += count(after, depth - 1)
    return total


def count_in_batches(position, depth):
    """The same, a depth at a time, by the numbers of the actions."""
    level = [position]
    for _ in range(depth - 1):
        parents = [(parent, action) for parent in level for action in parent.legal_actions()]
        if not parents:
            return 0
        batch = taikyoku.Batch(position.game, len(parents))
        for i, (parent, _) in enumerate(parents):
            batch[i] = parent
        batch.play([action for _, action in parents])
        level = [batch[i] for i in range(len(batch))]
    batch = taikyoku.Batch(position.game, len(level))
    for i, parent in enumerate(level):
        batch[i] = parent
    return int(batch.masks().sum())
