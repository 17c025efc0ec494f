//! What is counted of a league, fixture by fixture: live progress, status and report read the same counts.

use std::collections::BTreeMap;

use record::EndKind;
use stats::Verdict;

use super::Thinking;
use crate::journal::{BlockCollector, DealBlock, Game, Journal, Order, Played, Test};
use crate::settings::Settings;

/// Counts of a league, in any order of its fixtures.
#[derive(Clone, Debug)]
pub struct Counts {
    pub fixtures: u64,
    pub games: u64,
    /// Moves of all games.
    pub plies: u64,
    /// Milliseconds of all fixtures together.
    pub ms: u64,
    /// By number of the entrant.
    pub entrants: Vec<EntrantCounts>,
    /// How many games ended by which rule, in games that end by several.
    pub ends: BTreeMap<String, u64>,
    /// Whole blocks.
    pub blocks: Vec<DealBlock>,
    pub test: Option<Test>,
    collector: BlockCollector,
}

#[derive(Clone, Debug, Default)]
pub struct EntrantCounts {
    /// Games, each once however many seats of it were the entrant's.
    pub games: u64,
    pub faults: BTreeMap<&'static str, u64>,
    pub refused: u64,
    clock: Clock,
}

impl EntrantCounts {
    pub fn all_faults(&self) -> u64 {
        self.faults.values().sum()
    }

    pub fn thinking(&self) -> Thinking {
        self.clock.thinking()
    }
}

impl Counts {
    pub fn new(settings: &Settings) -> Counts {
        Counts {
            fixtures: 0,
            games: 0,
            plies: 0,
            ms: 0,
            entrants: vec![EntrantCounts::default(); settings.entrants.len()],
            ends: BTreeMap::new(),
            blocks: Vec::new(),
            test: Test::new(settings),
            collector: BlockCollector::new(settings),
        }
    }

    /// Of all results of a journal that count, with the blocks in the order of the schedule.
    pub fn of(journal: &Journal) -> Counts {
        let settings = &journal.head.settings;
        let mut counts = Counts::new(settings);
        for played in journal.played() {
            counts.add(played);
        }
        counts.sort(&Order::of(settings));
        counts
    }

    /// Counts a fixture, which must come but once.
    pub fn add(&mut self, played: &Played) {
        self.fixtures += 1;
        self.ms += played.ms;
        for game in &played.games {
            self.games += 1;
            self.plies += u64::from(game.plies);
            self.add_game(played, game);
        }
        if let Some(block) = self.collector.add(played) {
            if let Some(test) = &mut self.test {
                test.add(&block);
            }
            self.blocks.push(block);
        }
    }

    fn add_game(&mut self, played: &Played, game: &Game) {
        let ends = [EndKind::Resign, EndKind::Agreed].into_iter();
        let mut ends = ends.filter(|kind| game.kinds.contains(kind));
        if let Some(end) = game.rule.as_deref().or_else(|| Some(ends.next()?.as_str())) {
            match self.ends.get_mut(end) {
                Some(count) => *count += 1,
                None => _ = self.ends.insert(end.to_owned(), 1),
            }
        }
        for (seat, &entrant) in played.seats.iter().enumerate() {
            let counts = &mut self.entrants[entrant];
            counts.games += u64::from(!played.seats[..seat].contains(&entrant));
            let kind = game.kind(seat);
            if kind.is_fault() {
                *counts.faults.entry(kind.as_str()).or_default() += 1;
            }
            let refused = game.refused.get(seat).copied().unwrap_or_default();
            counts.refused += u64::from(refused);
            if !game.is_walkover() {
                counts.clock.add(game, seat);
            }
        }
    }

    /// Puts the blocks into the order of the schedule: resampling depends on it.
    pub fn sort(&mut self, order: &Order) {
        self.blocks
            .sort_by_key(|block| order.position(block.matchup, block.deal));
    }

    /// Deals of which some rotations were played, but not all.
    pub fn begun(&self) -> usize {
        self.collector.open()
    }

    /// Whether no game is left to play: all of so many fixtures are played, or the test has its verdict.
    pub fn is_over(&self, scheduled: Option<u64>) -> bool {
        let has_verdict = |test: &Test| test.sprt.verdict() != Verdict::Open;
        scheduled == Some(self.fixtures) || self.test.as_ref().is_some_and(has_verdict)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    games: u64,
    moves: u64,
    used: u64,
    slowest: u64,
    longest: u64,
}

impl Clock {
    fn add(&mut self, game: &Game, seat: usize) {
        self.games += 1;
        self.moves += u64::from(game.moves[seat]);
        self.used += game.used[seat];
        self.slowest = self.slowest.max(game.slowest[seat]);
        self.longest = self.longest.max(game.used[seat]);
    }

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
