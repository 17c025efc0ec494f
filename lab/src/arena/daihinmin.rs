//! Games between engines inside one process: every seat sees only its view.

use std::time::{Duration, Instant};

use bots::BuildError;
use bots::daihinmin::{Engine, EngineOptions};
use bots::search::Usage;
use bots::spec::Specified as _;
use games::GameName;
use games::daihinmin::{
    Deal, Dealer, Exchanged, Meld, Position, SEATS, Session, SessionRules, View, is_legal,
    strongest,
};
use stats::Outcome;

use super::{Contest, Failure, Played};

/// Plays a session of `games` games from `seed` in which player `p` is engine `(p + rotation) % 5`. `make(i, seed)`
/// makes engine `i` of 0..5 afresh. The entrants of the games are the engines.
pub fn play_session(
    games: u32,
    seed: u64,
    rotation: usize,
    make: &dyn Fn(usize, u64) -> Result<Box<dyn Engine>, BuildError>,
) -> Result<Vec<Played>, BuildError> {
    let rules = SessionRules {
        rank_reset: 0,
        ..SessionRules::default()
    };
    let mut session = Session::new(rules, Dealer::plain(seed));
    let engine_of = |player: u8| (usize::from(player) + rotation) % SEATS;
    let engines: Result<Vec<Box<dyn Engine>>, BuildError> = (0..SEATS)
        .map(|engine| {
            let number = (rotation * SEATS + engine) as u64;
            make(engine, seed.wrapping_mul(31).wrapping_add(number))
        })
        .collect();
    let mut engines = engines?;
    Ok((0..games)
        .map(|game| play_game(&mut session, games - game - 1, &mut engines, engine_of))
        .collect())
}

/// A match of Daihinmin of one to five entrants, of which the last one takes the seats that are left. A block is one sequence of
/// deals, a session of games in which ranks are carried over, the same for each rotation of the five engines over the players.
pub fn daihinmin_contest(entrants: Vec<EngineOptions>, session: u32, first_seed: u64) -> Contest {
    let play = move |block: u64, sitting: u64| -> Result<Vec<Played>, Failure> {
        let entrant = |engine: usize| engine.min(entrants.len() - 1);
        let make = |engine: usize, seed: u64| entrants[entrant(engine)].build(seed);
        let mut played = play_session(session, first_seed + block, sitting as usize, &make)?;
        for game in &mut played {
            for engine in &mut game.outcome.entrants {
                *engine = entrant(*engine);
            }
        }
        Ok(played)
    };
    Contest::new(GameName::Daihinmin, "session", SEATS as u64, play)
}

fn play_game(
    session: &mut Session,
    to_reset: u32,
    engines: &mut [Box<dyn Engine>],
    engine_of: impl Fn(u8) -> usize,
) -> Played {
    let mut deal = session.deal();
    let seat_engine: Vec<usize> = deal.player_at.iter().map(|&p| engine_of(p)).collect();
    let ranks = deal
        .ranked
        .then(|| deal.player_at.map(|p| deal.ranks[usize::from(p)]));
    for engine in engines.iter_mut() {
        engine.seated(deal.player_at);
    }
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
            let mut view = View::at_start(&Position::new(deal.hands, deal.rules), r);
            view.counts = counts_at_gift(&deal, [p, r]);
            view.exchanged = exchanged[er];
            view.ranks = ranks;
            view.games_to_reset = Some(to_reset);
            let owed = deal.owes[er];
            let gift = engines[seat_engine[er]].gift(&view, owed, None);
            let given = deal.give(r, gift);
            exchanged[er].given = given;
            exchanged[ep].received = given;
        }
    }
    let mut position = deal.start();
    let (mut plies, mut usage) = (0, [Usage::default(); SEATS]);
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
        let mut meld = engines[engine].choose(&views[seat], None);
        let spent = begin.elapsed();
        // Forced moves are no decisions.
        if spent > Duration::from_micros(5) {
            usage[seat].add_move(spent, None);
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
        plies += 1;
    }
    session.finish(position.table.places);
    let places = position.table.places;
    Played {
        outcome: Outcome {
            entrants: seat_engine,
            places: places.to_vec(),
            points: places.map(|place| 5.0 - f64::from(place)).to_vec(),
        },
        plies,
        usage: usage.to_vec(),
        // No deal is played twice.
        end: 0,
    }
}

/// Numbers of cards as a rich seat sees them before its gift: those dealt, and the tribute of its own pair has moved.
pub(crate) fn counts_at_gift(deal: &Deal, [poor, rich]: [u8; 2]) -> [u8; SEATS] {
    let mut counts = deal.dealt.map(|hand| hand.len() as u8);
    let owed = deal.owes[usize::from(rich)] as u8;
    counts[usize::from(poor)] -= owed;
    counts[usize::from(rich)] += owed;
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use bots::daihinmin::{DefaultEngine, EngineName};

    #[test]
    fn a_block_gives_every_game_fifteen_points_and_default_beats_random() {
        let make = |i: usize, seed: u64| -> Result<Box<dyn Engine>, BuildError> {
            if i == 0 {
                return Ok(Box::new(DefaultEngine));
            }
            EngineOptions::named(EngineName::Random).build(seed)
        };
        let games: Vec<Played> = (0..SEATS)
            .flat_map(|rotation| play_session(40, 3, rotation, &make).expect("engines"))
            .collect();
        assert_eq!(games.len(), 200);
        let total: f64 = games.iter().flat_map(|game| &game.outcome.points).sum();
        assert!((total - 15.0 * 200.0).abs() < 1e-9);
        let of = |engine: usize| {
            let seat = |game: &Played| {
                let seats = &game.outcome.entrants;
                let seat = seats.iter().position(|&e| e == engine);
                game.outcome.points[seat.expect("every engine has a seat")]
            };
            games.iter().map(seat).sum::<f64>()
        };
        assert!(of(0) > 3.3 * 200.0, "{}", of(0));
    }

    #[test]
    fn sessions_with_exchanges_are_played_by_every_engine() {
        for text in [
            "best:playouts=24:learn=off",
            "best:playouts=24",
            "crow:playouts=24",
            "policy",
        ] {
            let options: EngineOptions = text.parse().expect("specification");
            let make = |_: usize, seed: u64| options.build(seed);
            for rotation in 0..SEATS {
                let once = play_session(4, 8, rotation, &make).expect("engines");
                let again = play_session(4, 8, rotation, &make).expect("engines");
                assert_eq!(once.len(), 4);
                for (game, same) in once.iter().zip(&again) {
                    assert_eq!(game.outcome, same.outcome, "{text}");
                }
            }
        }
    }
}
