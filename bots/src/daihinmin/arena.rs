//! A match runner inside one process, for experiments: no sockets, no clocks but the engines'
//! own, every seat sees only its view.
//!
//! A **block** is one deal sequence (a session of some games from one seed) played once for each
//! rotation of the five engines over the players, so that every engine meets every seat and, in
//! the first games, the same cards. Blocks are independent; error bars are over blocks.

use std::time::{Duration, Instant};

use games::daihinmin::{
    Dealer, DealerKind, Exchanged, Meld, Position, SEATS, Session, SessionRules, View, is_legal,
    strongest,
};

use super::Engine;

/// What one engine did in one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Points: 5, 4, 3, 2, 1 by place.
    pub points: f64,
    /// Games played.
    pub games: u32,
    /// How often each place was reached.
    pub places: [u32; SEATS],
    /// Calls of [`Engine::choose`] that took more than 5 microseconds: forced moves are not decisions.
    pub decisions: u64,
    /// Time spent in these calls; gifts are not timed.
    pub time: Duration,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: &Tally) {
        self.points += other.points;
        self.games += other.games;
        self.decisions += other.decisions;
        self.time += other.time;
        for (mine, theirs) in self.places.iter_mut().zip(other.places) {
            *mine += theirs;
        }
    }
}

/// Plays a block: `games` games from `seed`, once for each rotation. `make(i, seed)` makes engine
/// `i` of 0..5 afresh. Gives a tally for each engine.
pub fn play_block(
    games: u32,
    seed: u64,
    make: &dyn Fn(usize, u64) -> Box<dyn Engine>,
) -> [Tally; SEATS] {
    let mut tallies = [Tally::default(); SEATS];
    for rotation in 0..SEATS {
        let rules = SessionRules {
            rank_reset: 0,
            ..SessionRules::default()
        };
        let mut session = Session::new(rules, Dealer::new(DealerKind::Modern, seed));
        // Player p is engine (p + rotation) % 5.
        let engine_of = |player: u8| (usize::from(player) + rotation) % SEATS;
        let mut engines: Vec<Box<dyn Engine>> = (0..SEATS)
            .map(|e| {
                make(
                    e,
                    seed.wrapping_mul(31)
                        .wrapping_add((rotation * SEATS + e) as u64),
                )
            })
            .collect();
        for game in 0..games {
            let to_reset = games - game - 1;
            play_game(
                &mut session,
                to_reset,
                &mut engines,
                engine_of,
                &mut tallies,
            );
        }
    }
    tallies
}

fn play_game(
    session: &mut Session,
    to_reset: u32,
    engines: &mut [Box<dyn Engine>],
    engine_of: impl Fn(u8) -> usize,
    tallies: &mut [Tally; SEATS],
) {
    let mut deal = session.deal();
    let seat_engine: Vec<usize> = deal.player_at.iter().map(|&p| engine_of(p)).collect();
    let ranks = deal
        .ranked
        .then(|| deal.player_at.map(|p| deal.ranks[usize::from(p)]));
    let mut exchanged = [Exchanged::default(); SEATS];
    if deal.ranked {
        for (poor, rich) in [(4, 0), (3, 1)] {
            let (p, r) = (deal.seat_of_rank(poor), deal.seat_of_rank(rich));
            let tribute = deal.tribute(poor);
            let [ep, er] = [usize::from(p), usize::from(r)];
            exchanged[er] = Exchanged {
                partner: Some(p),
                // The rich see one hand with the tribute in it, as over the wire.
                received: strongest(deal.hands[er], tribute.len()),
                rich: true,
                ..Exchanged::default()
            };
            exchanged[ep] = Exchanged {
                partner: Some(r),
                given: tribute,
                ..Exchanged::default()
            };
            let position = Position::new(deal.hands, deal.rules);
            let mut view = View::at_start(&position, r);
            view.exchanged = exchanged[er];
            view.ranks = ranks;
            view.games_to_reset = Some(to_reset);
            let owed = deal.owes[er];
            let gift = engines[seat_engine[er]].gift(&view, owed);
            let given = deal.give(r, gift);
            exchanged[er].given = given;
            exchanged[ep].received = given;
        }
    }
    let mut position = deal.start();
    let mut views: Vec<View> = (0..SEATS as u8)
        .map(|seat| {
            let mut view = View::at_start(&position, seat);
            view.exchanged = exchanged[usize::from(seat)];
            view.ranks = ranks;
            view.games_to_reset = Some(to_reset);
            view
        })
        .collect();
    for (seat, view) in views.iter().enumerate() {
        engines[seat_engine[seat]].game_begins(view);
    }
    while !position.table.is_over() {
        if position.table.is_stalled() {
            session.settle_stall(&mut position);
            break;
        }
        let seat = usize::from(position.table.turn);
        let engine = seat_engine[seat];
        let begin = Instant::now();
        let mut meld = engines[engine].choose(&views[seat]);
        let spent = begin.elapsed();
        if spent > Duration::from_micros(5) {
            tallies[engine].decisions += 1;
            tallies[engine].time += spent;
        }
        if is_legal(&position.table, position.hand(), meld).is_err() {
            log::warn!("engine {engine} answered {meld}, which is illegal: a pass");
            meld = Meld::PASS;
        }
        for (s, view) in views.iter_mut().enumerate() {
            engines[seat_engine[s]].observe(view, meld);
            if let Err(error) = view.follow(meld) {
                log::error!("seat {s} could not follow {meld}: {error}");
            }
        }
        position.play_unchecked(meld);
    }
    session.finish(position.table.places);
    for (seat, &place) in position.table.places.iter().enumerate() {
        let tally = &mut tallies[seat_engine[seat]];
        tally.games += 1;
        tally.places[usize::from(place)] += 1;
        tally.points += 5.0 - f64::from(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::{DefaultEngine, EngineOptions, RandomEngine};

    #[test]
    fn a_block_gives_every_game_fifteen_points_and_default_beats_random() {
        let tallies = play_block(40, 3, &|i, seed| {
            if i == 0 {
                Box::new(DefaultEngine)
            } else {
                Box::new(RandomEngine::new(seed))
            }
        });
        let total: f64 = tallies.iter().map(|t| t.points).sum();
        assert!((total - 15.0 * 200.0).abs() < 1e-9);
        assert!(tallies.iter().all(|t| t.games == 200));
        assert!(tallies[0].points > 3.3 * 200.0, "{}", tallies[0].points);
    }

    #[test]
    fn sessions_with_exchanges_are_played_by_every_engine() {
        for text in ["best:playouts=24:trust=0.5", "crow:playouts=24"] {
            let options: EngineOptions = text.parse().expect("specification");
            let tallies = play_block(4, 8, &|_, seed| options.build(seed).expect("engine"));
            let again = play_block(4, 8, &|_, seed| options.build(seed).expect("engine"));
            for (tally, same) in tallies.iter().zip(&again) {
                assert_eq!((tally.games, tally.places), (20, same.places), "{text}");
            }
        }
    }
}
