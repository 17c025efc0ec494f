//! Perft: numbers of sequences of moves, from the data file `perft/daihinmin.txt`.

use taikyoku_games::daihinmin::{
    Cards, Dealer, DealerKind, Meld, Position, SEATS, Session, SessionRules,
};

use super::oracle::{Field, all_submissions, allowed};
use crate::perft::{self, Case};

/// Counts above this are left out; the environment variable `TAIKYOKU_PERFT_LIMIT` sets another
/// limit.
const NODE_LIMIT: u64 = 3_000_000;

fn cases() -> Vec<Case<Position>> {
    perft::cases(
        include_str!("../../perft/daihinmin.txt"),
        [8, 2],
        parse_position,
    )
}

fn parse_position(text: &str) -> Position {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["deal", kind, seed] => {
            let seed = seed.parse().expect("a seed");
            let dealer = match kind {
                "official" => Dealer::new(DealerKind::Official, seed),
                "plain" => Dealer::plain(seed),
                _ => panic!("no dealer {kind}"),
            };
            Session::new(SessionRules::default(), dealer).deal().start()
        }
        ["hands", a, b, c, d, e] => {
            let hands: [Cards; SEATS] = [a, b, c, d, e].map(|hand| hand.parse().expect("cards"));
            Position::new(hands, SessionRules::default().game)
        }
        _ => panic!("no position: {text}"),
    }
}

fn perft(position: &Position, depth: usize, pool: &mut [Vec<Meld>]) -> u64 {
    let Some((moves, rest)) = pool.split_first_mut() else {
        return 1;
    };
    if depth == 0 {
        return 1;
    }
    position.legal_moves(moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut count = 0;
    for &mv in moves.iter() {
        let mut next = *position;
        next.play_unchecked(mv);
        count += perft(&next, depth - 1, rest);
    }
    count
}

#[test]
fn counts_up_to_the_node_limit() {
    let limit = perft::limit("TAIKYOKU_PERFT_LIMIT", NODE_LIMIT);
    let mut pool = vec![Vec::new(); 64];
    for case in cases() {
        // Hands run out: some deep counts are small and quick.
        case.check(limit, true, |position, depth| {
            perft(position, depth, &mut pool)
        });
    }
}

#[test]
fn small_hands_agree_with_the_oracle_two_plies_deep() {
    fn count(position: &Position, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if position.table.is_over() || position.table.is_stalled() {
            return 0;
        }
        let field = Field::of(&position.table);
        let mut seen = std::collections::BTreeSet::new();
        all_submissions(position.hand(), |s| {
            if allowed(s, position.hand(), &field) {
                seen.insert(s.key());
            }
        });
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        assert_eq!(moves.len(), seen.len() + 1);
        let deeper = |mv: &Meld| {
            let mut next = *position;
            next.play_unchecked(*mv);
            count(&next, depth - 1)
        };
        moves.iter().map(deeper).sum()
    }
    for case in cases() {
        let small = case.position.hands.iter().all(|hand| hand.len() <= 6);
        if small && case.counts.len() >= 2 {
            assert_eq!(
                count(&case.position, 2),
                case.counts[1],
                "line {}",
                case.line
            );
        }
    }
}
