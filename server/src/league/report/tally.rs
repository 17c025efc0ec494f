//! What is counted game by game: seats, faults, ends, time.

use std::collections::BTreeMap;

use super::figures::{SeatScore, Thinking};
use crate::league::journal::{Game, Played};
use crate::league::settings::Settings;
use record::EndKind;
use stats::Mean;

/// Counts of a league.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// By seat of the table and block the sum of scores and their number.
    scores: Vec<Vec<(f64, f64)>>,
    /// By entrant and seat of the table the seats of others that it has beaten, and how many there were.
    by_seat: Vec<Vec<(f64, f64)>>,
    /// By entrant how often it made which fault.
    pub(super) faults: Vec<BTreeMap<&'static str, u64>>,
    /// Games by the rule that ended them.
    pub(super) ends: BTreeMap<String, u64>,
    /// By entrant.
    pub(super) thinking: Vec<Thinking>,
}

impl Tally {
    /// Counts fixtures in the order of the schedule.
    pub(super) fn of(settings: &Settings, played: &[&Played]) -> Tally {
        let (entrants, seats) = (settings.entrants.len(), settings.seats());
        let mut tally = Tally {
            scores: vec![Vec::new(); seats],
            by_seat: vec![vec![(0.0, 0.0); seats]; entrants],
            faults: vec![BTreeMap::new(); entrants],
            ends: BTreeMap::new(),
            thinking: Vec::new(),
        };
        let rotations = usize::from(settings.plan().rotations());
        for block in
            played.chunk_by(|a, b| (a.key.matchup, a.key.deal) == (b.key.matchup, b.key.deal))
        {
            if block.len() == rotations {
                tally.count_scores(block);
            }
        }
        let mut clocks = vec![Clock::default(); entrants];
        for fixture in played {
            for game in &fixture.games {
                tally.count_game(fixture, game, &mut clocks);
            }
        }
        tally.thinking = clocks.iter().map(Clock::thinking).collect();
        tally
    }

    /// The scores of a whole block by seat of the table.
    fn count_scores(&mut self, block: &[&Played]) {
        let mut sums = vec![(0.0, 0.0); self.scores.len()];
        for fixture in block {
            for game in &fixture.games {
                for (seat, &entrant) in fixture.seats.iter().enumerate() {
                    let at = game.at.get(seat).map_or(seat, |&at| usize::from(at));
                    sums[at].0 += score(&game.places, seat);
                    sums[at].1 += 1.0;
                    let (beaten, others) = beaten(&fixture.seats, &game.places, seat);
                    let (sum, count) = &mut self.by_seat[entrant][at];
                    *sum += beaten;
                    *count += others;
                }
            }
        }
        for (blocks, sum) in self.scores.iter_mut().zip(sums) {
            if sum.1 > 0.0 {
                blocks.push(sum);
            }
        }
    }

    /// Faults, end and time of a game.
    fn count_game(&mut self, fixture: &Played, game: &Game, clocks: &mut [Clock]) {
        for (seat, &kind) in game.kinds.iter().enumerate() {
            if kind != EndKind::Normal {
                let faults = &mut self.faults[fixture.seats[seat]];
                *faults.entry(kind.as_str()).or_default() += 1;
            }
        }
        if let Some(rule) = &game.rule {
            match self.ends.get_mut(rule) {
                Some(count) => *count += 1,
                None => _ = self.ends.insert(rule.clone(), 1),
            }
        }
        for (seat, &entrant) in fixture.seats.iter().enumerate() {
            let clock = &mut clocks[entrant];
            clock.games += 1;
            clock.moves += u64::from(game.moves[seat]);
            clock.used += game.used[seat];
            clock.slowest = clock.slowest.max(game.slowest[seat]);
            clock.longest = clock.longest.max(game.used[seat]);
        }
    }

    /// Scores by seat of the table.
    pub(super) fn seats(&self) -> Vec<SeatScore> {
        let seats = self.scores.iter().enumerate();
        let score = seats.map(|(seat, blocks)| SeatScore {
            seat,
            score: Mean::ratio(blocks).within([0.0, 1.0]),
        });
        score.collect()
    }

    /// Mean scores of an entrant by seat of the table.
    pub(super) fn of_entrant(&self, entrant: usize) -> Vec<Option<f64>> {
        let seats = self.by_seat[entrant].iter();
        seats
            .map(|&(sum, count)| (count > 0.0).then(|| sum / count))
            .collect()
    }
}

/// Share of the other seats that are behind, ties counting one half: what the seat is worth, whoever sits there.
fn score(places: &[u8], seat: usize) -> f64 {
    let behind = places.iter().map(|&other| behind(places[seat], other));
    // It is level with itself.
    (behind.sum::<f64>() - 0.5) / (places.len() as f64 - 1.0)
}

/// Seats of other entrants that are behind, ties counting one half, and how many there are.
fn beaten(entrants: &[usize], places: &[u8], seat: usize) -> (f64, f64) {
    let seats = entrants.iter().zip(places);
    let others = seats.filter(|(entrant, _)| **entrant != entrants[seat]);
    others.fold((0.0, 0.0), |(sum, count), (_, &other)| {
        (sum + behind(places[seat], other), count + 1.0)
    })
}

fn behind(own: u8, other: u8) -> f64 {
    match other.cmp(&own) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 1.0,
    }
}

/// Time of an entrant, added up.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    games: u64,
    moves: u64,
    used: u64,
    slowest: u64,
    longest: u64,
}

impl Clock {
    fn thinking(&self) -> Thinking {
        let mean = |n: u64| (n > 0).then(|| self.used as f64 / n as f64);
        Thinking {
            moves: self.moves,
            move_ms: mean(self.moves),
            slowest_move_ms: self.slowest,
            game_ms: mean(self.games),
            longest_game_ms: self.longest,
        }
    }
}
