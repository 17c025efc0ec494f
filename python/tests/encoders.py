"""The observations and actions of README.md again, made from views and texts alone: slow, and of this side only."""

import numpy as np

SUITS, RANKS = "SHDC", "x3456789TJQKA2x"
DECK = [suit + rank for rank in RANKS[1:14] for suit in SUITS] + ["J3"]


def pairs(text):
    """Cards of a text, two letters each."""
    return [text[i : i + 2] for i in range(0, len(text), 2)]


def geister(view):
    """Planes from the view of a seat; a limit of 200 moves."""
    x = np.zeros((17, 6, 6), np.float32)

    def put(plane, place):
        x[plane, 5 - int(place[1]), int(place[0])] = 1

    if "enemy" not in view:
        x[16] = 1
        for i, letter in enumerate("ABCDEFGH" if view["own"] else ""):
            put(int(letter in view["own"]), f"{1 + i % 4}{4 + i // 4}")
        return x
    captured = []
    for side in ("own", "enemy"):
        for i, ghost in enumerate(view[side]):
            if ghost[0] in "89":
                captured.append((side, ghost))
            elif side == "own":
                put(int(ghost[2] == "R"), ghost)
            else:
                put(2, ghost)
                put(3 + i, ghost)
    for plane, (side, ghost) in enumerate((side, "99" + colour) for side in ("own", "enemy") for colour in "BR"):
        x[11 + plane] = captured.count((side, ghost)) / 4
    x[15] = view["ply"] / 200
    return x


def cells(meld):
    """The cells (row, column) of a meld; of the joker alone none."""
    letters = {letter: row for row, letter in enumerate(SUITS)} | {letter: row for row, letter in enumerate("KLMNJ")}
    found = [] if meld in ("pass", "Kx") else pairs(meld)
    first = [letters[card[0]] for card in found]
    columns = [RANKS.index(card[1]) if i == 0 else RANKS.rindex(card[1]) for i, card in enumerate(found)]
    return list(zip(first, columns))


def kind_of(meld):
    """0 a pass, 1 a single card, 2 a group, 3 a sequence."""
    columns = {column for _, column in cells(meld)}
    return 0 if meld == "pass" else 1 if len(meld) == 2 else 2 if len(columns) == 1 else 3


def flags(size, *at):
    """Numbers that are 1 at some indices."""
    return [float(i in at) for i in range(size)]


def cards(text):
    """53 numbers of a set of cards."""
    return [float(card in pairs(text)) for card in DECK]


def daihinmin(view):
    """Numbers from the view of a seat."""
    table, seat, given = view["table"], view["seat"], view["exchanged"]
    seats = [(seat + i) % 5 for i in range(5)]
    field = table["field"]
    kind = kind_of(field)
    of_field = "" if field == "pass" else "".join("J3" if card[0] in "KLMNJ" else card for card in pairs(field))
    low = 14 if field == "Kx" else min((column for _, column in cells(field)), default=15)
    numbers = [*cards(view["hand"]), *cards(of_field), *flags(4, kind), *flags(15, low), len(of_field) / 32]
    numbers += flags(5, *(row for row, _ in cells(field)))
    for other in seats:
        numbers += cards(view["played"][other])
    partner = given["partner"]
    numbers += cards(given["given"]) + cards(given["received"])
    numbers += flags(5, *([] if partner is None else [seats.index(partner)]))
    for other in seats:
        numbers += flags(5, table["places"][other])
    for other in seats:
        numbers += flags(5, *([] if view["ranks"] is None else [view["ranks"][other]]))
    for other in seats:
        alive = table["alive"] >> other & 1
        numbers += [view["counts"][other] / 16, view["owed"][other] / 2, alive, table["passed"] >> other & 1]
        numbers += [table["owner"] == other, table["turn"] == other and table["alive"] != 0]
    return np.array([*numbers, table["lock"], table["revolution"], table["passes_in_row"] / 20], np.float32)


def daihinmin_actions():
    """The texts of all melds and gifts, by number."""
    texts = ["pass"] + [suit + rank for rank in RANKS[1:14] for suit in SUITS] + ["Kx"]

    def meld(at, joker=None):
        return "".join(("KLMNJ" if cell == joker else SUITS)[cell[0]] + RANKS[cell[1]] for cell in at)

    for column in range(1, 14):
        for suits in range(16):
            group = [(row, column) for row in range(4) if suits >> row & 1]
            if len(group) >= 2:
                texts += [meld(group, joker) for joker in (None, *group)]
        texts.append(meld([*group, (4, column)], (4, column)))
    for length in range(3, 15):
        for low in range(16 - length):
            for row in range(4):
                sequence = [(row, column) for column in range(low, low + length)]
                # Columns 0 and 14 have no cards.
                beside = [cell for cell in sequence if cell[1] in (0, 14)]
                texts += [meld(sequence, joker) for joker in (beside or (None, *sequence)) if len(beside) < 2]
    texts += ["give " + card for card in DECK]
    return texts + [{DECK[i], DECK[j]} for i in range(53) for j in range(i)]
