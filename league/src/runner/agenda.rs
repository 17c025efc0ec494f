//! The sessions of a round that are not played yet, and which of them is the next.

use std::collections::{BTreeSet, VecDeque};
use std::iter::Peekable;
use std::path::Path;
use std::sync::Arc;

use super::play::Play;
use super::rounds::Round;
use crate::remote::Readiness;
use crate::schedule::{Fixture, Key};
use crate::settings::{ProcessLife, Settings};
use crate::table_session::SessionPlan;

/// Sittings that wait for players; while there are so many no further ones are looked for.
const MOST_WAITING: usize = 1000;

/// The sessions that are left, in the order of the schedule.
pub(super) struct Agenda<'a> {
    left: Peekable<Box<dyn Iterator<Item = SessionPlan> + Send + 'a>>,
    /// Those that have been looked at, and those that are played again.
    waiting: VecDeque<Planned>,
    /// Those that are played again after all others.
    last: VecDeque<Planned>,
    /// Entrants without which something was left for later.
    absent: BTreeSet<usize>,
}

/// A session, and the entrants in whose seats nobody sits: they came to it before and did not sit down in time.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) plan: SessionPlan,
    pub(crate) nobody: BTreeSet<usize>,
}

impl From<SessionPlan> for Planned {
    fn from(plan: SessionPlan) -> Planned {
        Planned {
            plan,
            nobody: BTreeSet::new(),
        }
    }
}

/// What becomes of a session whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is played when its players are there; nobody takes the seats of these.
    Played(BTreeSet<usize>),
    Left,
    Lost,
}

/// What becomes of a session of which something is left.
pub(super) enum Retry {
    First(Planned),
    /// After all others: they need not wait for a player that does not sit down.
    Last(Planned),
    /// It is left for a later run, as this entrant was missing for too long.
    Skipped(usize),
}

pub(super) enum Next<T> {
    Session(Planned, T),
    Lost(SessionPlan),
}

impl<T> Next<T> {
    fn lost(planned: Planned) -> Next<T> {
        Next::Lost(planned.plan)
    }
}

impl<'a> Agenda<'a> {
    pub(super) fn new(left: impl Iterator<Item = SessionPlan> + Send + 'a) -> Agenda<'a> {
        let left: Box<dyn Iterator<Item = SessionPlan> + Send + 'a> = Box::new(left);
        Agenda {
            left: left.peekable(),
            waiting: VecDeque::new(),
            last: VecDeque::new(),
            absent: BTreeSet::new(),
        }
    }

    /// The first session whose players are there, or which all of them lose.
    pub(super) fn next<P: Play>(
        &mut self,
        play: &Arc<P>,
        decision: impl Fn(&SessionPlan) -> Decision,
    ) -> Option<Next<P::Guests>> {
        let mut place = 0;
        loop {
            if place == self.waiting.len() {
                if place >= MOST_WAITING {
                    return None;
                }
                let left = self.left.next().map(Planned::from);
                let left = left.or_else(|| self.last.pop_front());
                self.waiting.push_back(left?);
            }
            let Planned { plan, nobody } = &self.waiting[place];
            let nobody = match decision(plan) {
                Decision::Played(faulty) => &faulty | nobody,
                Decision::Left => {
                    self.waiting.remove(place);
                    continue;
                }
                Decision::Lost => return self.waiting.remove(place).map(Next::lost),
            };
            match play.call(plan, &nobody) {
                Readiness::Ready(guests) => {
                    let Planned { plan, .. } = self.waiting.remove(place)?;
                    return Some(Next::Session(Planned { plan, nobody }, guests));
                }
                Readiness::Lost => return self.waiting.remove(place).map(Next::lost),
                Readiness::Wait => place += 1,
                Readiness::Skip(absent) => {
                    self.absent.extend(absent);
                    self.waiting.remove(place);
                }
            }
        }
    }

    /// Takes a session of which something is left.
    pub(super) fn again(&mut self, again: Retry) {
        match again {
            Retry::First(planned) => self.waiting.push_front(planned),
            Retry::Last(planned) => self.last.push_back(planned),
            Retry::Skipped(absent) => _ = self.absent.insert(absent),
        }
    }

    /// Whether sessions wait for players, as far as was looked, or in a league that is paused for its end.
    pub(super) fn waits(&mut self, is_paused: bool) -> bool {
        let is_open = !self.waiting.is_empty() || !self.last.is_empty();
        is_open || is_paused && self.left.peek().is_some()
    }

    pub(super) fn absent(self) -> BTreeSet<usize> {
        self.absent
    }
}

pub(super) fn matchup(plan: &SessionPlan) -> u32 {
    plan.fixtures.first().map_or(0, |f| f.key.matchup)
}

/// The sessions of a round in the order of the schedule, without fixtures that were played. `records` is the folder of
/// their records.
pub(super) fn plans<'a>(
    settings: &'a Settings,
    round: &'a Round,
    is_played: impl Fn(Key) -> bool + 'a,
    records: Option<&'a Path>,
) -> impl Iterator<Item = SessionPlan> + 'a {
    let (plan, deals) = (settings.plan(), round.deals);
    let (chunk, single) = match settings.process {
        ProcessLife::Fixture => (1, true),
        ProcessLife::Deals(deals) => (deals.max(1), false),
    };
    let chunks = (0..deals).step_by(chunk as usize);
    let tables = chunks.flat_map(move |deal| {
        let numbered = (round.first..).zip(&round.matchups);
        numbered.map(move |(number, seated)| (number, seated, deal))
    });
    tables.flat_map(move |(number, seated, deal)| {
        let of_session = deal..deal.saturating_add(chunk).min(deals);
        let left: Vec<Fixture> = of_session
            .flat_map(|deal| plan.block(number, seated, deal))
            .filter(|fixture| !is_played(fixture.key))
            .collect();
        let size = if single { 1 } else { left.len().max(1) };
        let chunk = |fixtures: &[Fixture]| plan_of(fixtures, seated, records);
        left.chunks(size).map(chunk).collect::<Vec<_>>()
    })
}

/// A session of these fixtures of a matchup, of which there is one at least.
pub(crate) fn plan_of(
    fixtures: &[Fixture],
    seated: &[usize],
    records: Option<&Path>,
) -> SessionPlan {
    let record =
        |first: &Fixture| records.map(|folder| folder.join(format!("{}.jsonl", first.key)));
    SessionPlan {
        fixtures: fixtures.to_vec(),
        players: seated.to_vec(),
        record: fixtures.first().and_then(record),
        seeds: Vec::new(),
    }
}
