//! Which hidden hands fit what the others did: each world is weighed by the likelihood that the
//! learned policy gives to the moves seen, and worlds are drawn again by their weights.

use std::time::Instant;

use games::daihinmin::{Card, Cards, Meld, Position, SEATS, Table, View, tribute_order};
use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::policy::{Known, Mover, policy_moves};

/// A move that somebody made, with what the mover and everybody else knew.
#[derive(Clone, Copy, Debug)]
struct Seen {
    table: Table,
    counts: [u8; SEATS],
    meld: Meld,
    /// Cards that the mover had laid down before.
    played: Cards,
    /// Cards that anybody had laid down before.
    gone: Cards,
}

/// The moves of the others in this game.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    seen: Vec<Seen>,
}

impl History {
    pub(crate) fn clear(&mut self) {
        self.seen.clear();
    }

    /// Books a move of another seat; `before` is the view before it.
    pub(crate) fn push(&mut self, before: &View, meld: Meld) {
        let table = before.table;
        let mover = usize::from(table.turn);
        if before.seat == table.turn || table.is_over() {
            return;
        }
        self.seen.push(Seen {
            table,
            counts: before.counts,
            meld,
            played: before.played[mover],
            gone: before.played_by_all(),
        });
    }
}

/// How worlds are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldOptions {
    /// Worlds drawn before weighing.
    pub(crate) candidates: usize,
    /// Worlds kept.
    pub(crate) kept: usize,
    /// Exponent on the likelihood, at most 1: how far the policy is trusted as a model.
    pub(crate) trust: f32,
    /// When weighing must end; worlds not weighed by then are left out.
    pub(crate) deadline: Option<Instant>,
}

/// Worlds for one decision, the likelier ones more often.
pub(crate) fn worlds(
    view: &View,
    history: &History,
    mover: &mut Mover<'_>,
    options: WorldOptions,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<Position> {
    if options.trust <= 0.0 || options.candidates <= options.kept {
        return (0..options.kept).map(|_| view.determinize(rng)).collect();
    }
    let mut candidates: Vec<Position> = (0..options.candidates)
        .map(|_| view.determinize(rng))
        .collect();
    let in_time = || options.deadline.is_none_or(|end| Instant::now() < end);
    let scores: Vec<f32> = candidates
        .iter()
        .enumerate()
        .take_while(|(i, _)| *i == 0 || in_time())
        .map(|(_, world)| {
            options.trust * likelihood(view, history, mover, world) + exchange_fit(view, world)
        })
        .collect();
    candidates.truncate(scores.len());
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let chances: Vec<f32> = scores.iter().map(|s| (s - top).exp()).collect();
    let total: f32 = chances.iter().sum();
    // Systematic resampling (Kitagawa 1996): one random offset, evenly spaced marks.
    let step = total / options.kept as f32;
    let mut mark = step * (rng.next_u32() >> 8) as f32 / 16_777_216.0;
    let mut kept = Vec::with_capacity(options.kept);
    let mut sum = 0.0;
    for (world, chance) in candidates.iter().zip(&chances) {
        sum += chance;
        while mark < sum && kept.len() < options.kept {
            kept.push(*world);
            mark += step;
        }
    }
    while kept.len() < options.kept {
        kept.push(candidates[kept.len() % candidates.len()]);
    }
    // Arms use the worlds in order, so equal neighbours must be spread.
    for i in (1..kept.len()).rev() {
        let j = ((u64::from(rng.next_u32()) * (i as u64 + 1)) >> 32) as usize;
        kept.swap(i, j);
    }
    kept
}

/// Logarithm of the chance of the others' moves in a world.
fn likelihood(view: &View, history: &History, mover: &mut Mover<'_>, world: &Position) -> f32 {
    /// No single move may count for more than this: everybody errs.
    const FLOOR: f32 = -5.0;
    let mut sum = 0.0;
    for seen in &history.seen {
        let seat = usize::from(seen.table.turn);
        let hand = world.hands[seat] | (view.played[seat] - seen.played);
        policy_moves(&seen.table, hand, &mut mover.moves);
        if mover.moves.len() < 2 {
            continue;
        }
        let Some(i) = mover.moves.iter().position(|&m| m == seen.meld) else {
            continue;
        };
        // A player that can go out does: to have passed or played less speaks against the world.
        if mover.moves.iter().any(|m| u32::from(m.len()) == hand.len()) {
            if u32::from(seen.meld.len()) != hand.len() {
                sum += FLOOR;
            }
            continue;
        }
        let known = Known {
            table: seen.table,
            hand,
            others: !(seen.gone | hand),
            counts: seen.counts,
            ranks: view.ranks,
        };
        sum += mover.log_chances(&known)[i].max(FLOOR);
    }
    sum
}

/// How well the hands of rich and poor that this seat had no part with fit their exchange: the
/// poor kept nothing above what the rich took, but for cards given back, which are seldom high.
fn exchange_fit(view: &View, world: &Position) -> f32 {
    const PENALTY: f32 = -2.0;
    let Some(ranks) = view.ranks else { return 0.0 };
    let seat_of = |place: u8| ranks.iter().position(|&r| r == place);
    let mut fit = 0.0;
    for (poor, rich, n) in [(4, 0, 2), (3, 1, 1)] {
        let (Some(p), Some(r)) = (seat_of(poor), seat_of(rich)) else {
            continue;
        };
        if p == usize::from(view.seat) || r == usize::from(view.seat) {
            continue;
        }
        let begun = |seat: usize| world.hands[seat] | view.played[seat];
        let order = |c: Card| tribute_order(c);
        let highest = begun(p).iter().map(order).max().unwrap_or(0);
        let above = begun(r).iter().filter(|&c| order(c) > highest).count();
        if above < n {
            fit += PENALTY * (n - above) as f32;
        }
    }
    fit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::Networks;
    use games::daihinmin::{Dealer, Session, SessionRules};
    use rand::SeedableRng;

    /// In games of players that follow the policy, inferred worlds must be nearer the true hands
    /// than uniform ones.
    #[test]
    fn inferred_hands_are_nearer_the_truth() {
        let networks = Networks::built_in();
        let mut mover = Mover::new(&networks, 1.0);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut session = Session::new(SessionRules::default(), Dealer::plain(5));
        let mut hits = [0_u32; 2];
        let mut cards = 0;
        for _ in 0..40 {
            let mut position = session.deal().start();
            let mut view = View::at_start(&position, 0);
            let mut history = History::default();
            let mut ply = 0;
            while !position.table.is_over() && !position.hands[0].is_empty() {
                ply += 1;
                if ply % 10 == 0 {
                    for (k, trust) in [0.0, 1.0].into_iter().enumerate() {
                        let options = WorldOptions {
                            candidates: 200,
                            kept: 20,
                            trust,
                            deadline: None,
                        };
                        for world in worlds(&view, &history, &mut mover, options, &mut rng) {
                            for seat in 1..5 {
                                hits[k] += (world.hands[seat] & position.hands[seat]).len();
                            }
                        }
                    }
                    cards += 20 * view.unseen().len();
                }
                let meld = mover.draw(&Known::in_position(&position, None), &mut rng);
                history.push(&view, meld);
                view.follow(meld).expect("legal");
                position.play_unchecked(meld);
            }
            session.finish([0, 1, 2, 3, 4]);
        }
        let share = hits.map(|h| f64::from(h) / f64::from(cards));
        assert!(share[1] > share[0] + 0.03, "{share:?}");
    }
}
