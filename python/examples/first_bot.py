#!/usr/bin/env python3
"""A bot for every game and every protocol: python first_bot.py uecda://HOST:PORT [NAME]"""

import sys

import taikyoku


def choose(view, moves):
    """The move that wins at once in most of ten positions that the view allows; without any, the last one."""
    wins = dict.fromkeys(moves, 0)
    for seed in range(10):
        for move in moves:
            after = view.determinized(seed)
            after.play(move)
            wins[move] += after.returns()[view.seat] > 0
    return max(reversed(moves), key=wins.__getitem__)


print(taikyoku.play(choose, *sys.argv[1:]))
