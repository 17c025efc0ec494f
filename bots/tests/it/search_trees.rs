//! The searches for several seats against plain search, on a made-up game full of ties and transpositions and on
//! late positions of Blokus.

use games::blokus::Board;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::search::alpha_beta::{Brs, Paranoid};
use taikyoku_bots::search::maxn::{Cuts, Maxn};
use taikyoku_bots::search::mcts::{Mcts, MctsPlan, OpponentModel};
use taikyoku_bots::search::{
    Budget, Evaluated, Game, OutOfTurn, Playout, Rewards, Values, most_tried,
};

const SEATS: u8 = 3;
const MOST: i32 = 9;

/// Three seats move a number around for some plies; what it is worth is drawn by lot.
#[derive(Clone, Copy, Debug)]
struct Carousel {
    number: u64,
    left: u32,
    turn: u8,
}

fn lot(n: u64) -> u64 {
    let n = (n ^ n >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (n ^ n >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

impl Game for Carousel {
    type Move = u8;
    const SEATS: usize = SEATS as usize;
    const MOVES: usize = 4;

    fn index(mv: u8) -> usize {
        usize::from(mv)
    }

    fn to_move(&self) -> Option<u8> {
        (self.left > 0).then_some(self.turn)
    }

    fn moves(&self, out: &mut Vec<u8>) {
        self.moves_of(self.turn, out);
    }

    fn play(&mut self, mv: u8) {
        self.play_of(self.turn, mv);
        self.give_turn((self.turn + 1) % SEATS);
    }

    fn rewards(&self) -> Option<Rewards> {
        (self.left == 0).then(|| {
            let lots = lot(self.number * 64 + u64::from(self.left));
            let values = [0, 8, 16].map(|shift| (lots >> shift & 3) as f64 + 0.01);
            let sum: f64 = values.iter().sum();
            [values[0] / sum, values[1] / sum, values[2] / sum, 0.0]
        })
    }
}

impl OutOfTurn for Carousel {
    fn moves_of(&self, seat: u8, out: &mut Vec<u8>) {
        out.clear();
        if self.left > 0 {
            out.extend(0..=(lot(self.number * 5 + u64::from(seat)) % 4) as u8);
        }
    }

    fn play_of(&mut self, seat: u8, mv: u8) {
        self.number = (self.number * 3 + u64::from(seat) * 5 + u64::from(mv)) % 61;
        self.left -= 1;
    }

    fn give_turn(&mut self, seat: u8) {
        self.turn = seat;
    }
}

impl Evaluated for Carousel {
    /// 0 to 9 each, 9 in sum.
    fn evaluate(&self) -> Values {
        let lots = lot(self.number * 64 + u64::from(self.left));
        let first = (lots % 10) as i32;
        let second = (lots / 16 % (10 - first as u64)) as i32;
        let mut values = [first, second, MOST - first - second, 0];
        values[..3].rotate_left((lots / 1024 % 3) as usize);
        values
    }

    fn floor(&self) -> Values {
        [0; 4]
    }

    fn ceiling(&self, _seat: u8, _turns: u32) -> i32 {
        MOST
    }

    fn ceiling_of_sum(&self) -> i32 {
        MOST
    }

    fn hash(&self) -> u64 {
        lot((self.number * 64 + u64::from(self.left)) * 4 + u64::from(self.turn))
    }
}

fn played<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = position.clone();
    next.play(mv);
    next
}

/// Plain MAXN; the first of equal moves counts, and a seat that is passed over uses up a turn.
fn maxn<G: Evaluated>(position: &G, turns: u32) -> Values {
    let Some(mover) = position.to_move().filter(|_| turns > 0) else {
        return position.evaluate();
    };
    let mut moves = Vec::new();
    position.ordered_moves_of(mover, &mut moves);
    let mut best: Option<Values> = None;
    for mv in moves {
        let values = maxn_after(position, mv, turns);
        let at = usize::from(mover);
        if best.is_none_or(|best| values[at] > best[at]) {
            best = Some(values);
        }
    }
    best.unwrap_or_default()
}

fn maxn_after<G: Evaluated>(position: &G, mv: G::Move, turns: u32) -> Values {
    let next = played(position, mv);
    let mut left = turns - 1;
    if let (Some(mut seat), Some(to_move)) = (position.to_move(), next.to_move()) {
        seat = (seat + 1) % G::SEATS as u8;
        while seat != to_move && left > 0 {
            seat = (seat + 1) % G::SEATS as u8;
            left -= 1;
        }
    }
    maxn(&next, left)
}

/// Plain minimax of one seat against the others, who move one by one or, if merged, one of them only.
fn minimax<G: Evaluated>(position: &G, plies: u32, seat: u8, merged: bool) -> i32 {
    let Some(mover) = position.to_move().filter(|_| plies > 0) else {
        return position.evaluate()[usize::from(seat)];
    };
    let mut moves = Vec::new();
    if mover == seat || !merged {
        position.moves(&mut moves);
        let values = moves
            .iter()
            .map(|&mv| minimax(&played(position, mv), plies - 1, seat, merged));
        let best = if mover == seat {
            values.max()
        } else {
            values.min()
        };
        return best.unwrap_or(0);
    }
    let mut worst = i32::MAX;
    for other in (0..G::SEATS as u8).filter(|&other| other != seat) {
        position.moves_of(other, &mut moves);
        for &mv in &moves {
            let mut next = position.clone();
            next.play_of(other, mv);
            next.give_turn(seat);
            worst = worst.min(minimax(&next, plies - 1, seat, merged));
        }
    }
    worst
}

/// Compares the three searches with plain search at some depth; not where there is nothing to choose, which
/// they search one ply deep. Gives what MAXN cut off.
fn compare<G: Evaluated>(root: &G, plies: u32, rng: &mut Xoshiro256PlusPlus) -> Cuts {
    let budget = Budget::playouts(u64::MAX);
    let seat = root.to_move().expect("a game that goes on");
    let me = usize::from(seat);
    let mut moves = Vec::new();
    root.moves(&mut moves);
    if moves.len() < 2 {
        return Cuts::default();
    }
    let mut search = Maxn::default();
    let found = search.search(root, plies, budget, rng).expect("moves");
    let cuts = search.cuts();
    assert_eq!(found.value, maxn(root, plies)[me], "MAXN {plies}");
    let after = maxn_after(root, found.mv, plies);
    assert_eq!(found.value, after[me], "MAXN {plies}");
    let found = Paranoid::default()
        .search(root, plies, budget, rng)
        .expect("moves");
    assert_eq!(found.value, minimax(root, plies, seat, false), "{plies}");
    let next = played(root, found.mv);
    assert_eq!(found.value, minimax(&next, plies - 1, seat, false));
    let found = Brs::default()
        .search(root, plies, budget, rng)
        .expect("moves");
    assert_eq!(found.value, minimax(root, plies, seat, true), "{plies}");
    let next = played(root, found.mv);
    assert_eq!(found.value, minimax(&next, plies - 1, seat, true));
    cuts
}

/// Asserts that there were at least so many cuts of both kinds.
fn assert_cuts(cuts: &[Cuts], least: u64) {
    let immediate: u64 = cuts.iter().map(|cuts| cuts.immediate).sum();
    let shallow: u64 = cuts.iter().map(|cuts| cuts.shallow).sum();
    println!("{immediate} immediate and {shallow} shallow cuts");
    assert!(immediate.min(shallow) >= least, "{immediate}, {shallow}");
}

#[test]
fn depth_first_searches_find_the_values_of_plain_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut cuts = Vec::new();
    for number in 0..61 {
        for (left, turn) in [(9, 0), (5, 1), (7, 2)] {
            let root = Carousel { number, left, turn };
            for plies in 1..=7 {
                cuts.push(compare(&root, plies, &mut rng));
            }
        }
    }
    assert_cuts(&cuts, 1000);
}

#[test]
fn depth_first_searches_find_the_values_of_plain_search_late_in_blokus() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut moves = Vec::new();
    let mut cuts = Vec::new();
    for game in 0..12 {
        let mut board = Board::new();
        let from = 40 + 2 * (game % 5);
        while board.to_move().is_some() {
            board.legal_moves(&mut moves);
            if board.ply() >= from && moves.len() > 1 && moves.len() <= 25 {
                cuts.push(compare(&board, 3, &mut rng));
                if moves.len() <= 8 {
                    cuts.push(compare(&board, 4, &mut rng));
                }
                break;
            }
            let from = moves.len() - moves.len().div_ceil(4);
            board.play_unchecked(moves[rng.random_range(from..moves.len())]);
        }
    }
    assert!(cuts.len() >= 6, "{}", cuts.len());
    assert_cuts(&cuts, 10);
}

#[test]
fn a_search_to_the_end_of_the_game_says_so_and_ends() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let budget = Budget::playouts(u64::MAX);
    for number in 0..20 {
        let root = Carousel {
            number,
            left: 6,
            turn: 1,
        };
        let mut moves = Vec::new();
        root.moves(&mut moves);
        for found in [
            Maxn::default().search(&root, u32::MAX, budget, &mut rng),
            Paranoid::default().search(&root, u32::MAX, budget, &mut rng),
            Brs::default().search(&root, u32::MAX, budget, &mut rng),
        ] {
            let found = found.expect("moves");
            if moves.len() > 1 {
                assert!(found.is_exact && found.depth == 7, "{found:?}");
            } else {
                assert_eq!(found.depth, 1);
            }
        }
        let over = Carousel { left: 0, ..root };
        assert!(Maxn::default().search(&over, 3, budget, &mut rng).is_none());
    }
}

struct Random;

impl<G: Game> Playout<G> for Random {
    fn run(&mut self, position: &G, rng: &mut Xoshiro256PlusPlus) -> Rewards {
        let mut position = position.clone();
        let mut moves = Vec::new();
        while position.rewards().is_none() {
            position.moves(&mut moves);
            position.play(moves[rng.random_range(0..moves.len())]);
        }
        position.rewards().expect("the end")
    }
}

/// Expected rewards of the position under plain play of a form to the end.
fn solved(position: &Carousel, form: OpponentModel, root: u8) -> Rewards {
    let Some(mover) = position.to_move() else {
        return position.rewards().expect("the end");
    };
    let is_merged = form == OpponentModel::Brs && mover != root;
    let seats = (0..SEATS).filter(|&seat| {
        if is_merged {
            seat != root
        } else {
            seat == mover
        }
    });
    let wanted = |rewards: &Rewards| match form {
        OpponentModel::Maxn => rewards[usize::from(mover)],
        _ if mover == root => rewards[usize::from(root)],
        _ => -rewards[usize::from(root)],
    };
    let mut moves = Vec::new();
    let mut all = Vec::new();
    for seat in seats {
        position.moves_of(seat, &mut moves);
        for &mv in &moves {
            let mut next = *position;
            next.play_of(seat, mv);
            next.give_turn(if is_merged { root } else { (seat + 1) % SEATS });
            all.push(solved(&next, form, root));
        }
    }
    all.into_iter()
        .max_by(|a, b| wanted(a).total_cmp(&wanted(b)))
        .expect("moves")
}

#[test]
fn tree_search_comes_to_the_best_moves_of_small_games() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for form in [
        OpponentModel::Maxn,
        OpponentModel::Paranoid,
        OpponentModel::Brs,
    ] {
        let (mut best, mut all) = (0, 0);
        for number in 0..61 {
            let root = Carousel {
                number,
                left: 5,
                turn: 0,
            };
            let plan = MctsPlan {
                exploration: 0.5,
                ..MctsPlan::new(form)
            };
            let mut mcts = Mcts::new(plan);
            let found = mcts.search(&root, &mut Random, Budget::playouts(20_000), &mut rng);
            let chosen = most_tried(&found).expect("moves").mv;
            let value = |mv| solved(&played(&root, mv), form, 0)[0];
            let most = found.iter().map(|c| value(c.mv)).fold(0.0, f64::max);
            all += 1;
            best += i32::from(value(chosen) > most - 1e-9);
        }
        // Ties below the root may be broken otherwise than here under MAXN.
        assert!(best * 10 >= all * 8, "{form:?} {best} of {all}");
    }
}
