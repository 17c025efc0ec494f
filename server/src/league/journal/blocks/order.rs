//! Where blocks stand in the schedule.

use crate::league::schedule::{self, matchups};
use crate::league::settings::{Format, Settings};

/// Where blocks stand in the schedule: round by round, in it deal by deal, in it matchup by matchup. Programs that live
/// on for several deals play these in a row; the order is the same nevertheless, so that it does not change when a league
/// is given more deals.
#[derive(Clone, Debug)]
pub struct Order {
    /// Entrants of each matchup, in formats in which they do not depend on results.
    fixed: Option<Vec<Vec<usize>>>,
    /// Matchups of a round; without rounds all.
    matchups: u64,
    /// Deals of a matchup.
    deals: u64,
}

impl Order {
    /// That of a league.
    pub fn of(settings: &Settings) -> Order {
        let plan = settings.plan();
        let fixed = match settings.format {
            Format::RoundRobin => Some(schedule::Format::RoundRobin),
            Format::Gauntlet { challenger } => Some(schedule::Format::Gauntlet { challenger }),
            Format::Copies { challenger } => Some(schedule::Format::Copies { challenger }),
            Format::Swiss { .. } | Format::Ladder => None,
        };
        let fixed = fixed.map(|format| matchups(format, plan.entrants, plan.seats));
        let of_round = plan.entrants / plan.seats;
        Order {
            matchups: fixed.as_ref().map_or(of_round, Vec::len).max(1) as u64,
            fixed,
            deals: u64::from(plan.deals).max(1),
        }
    }

    /// The number of a block in the schedule, from 0.
    pub fn position(&self, matchup: u32, deal: u32) -> u64 {
        let (matchup, deal) = (u64::from(matchup), u64::from(deal));
        let (round, matchup) = if self.fixed.is_some() {
            (0, matchup)
        } else {
            (matchup / self.matchups, matchup % self.matchups)
        };
        (round * self.deals + deal) * self.matchups + matchup
    }

    /// The matchup of the block at a position, counted through all rounds.
    pub(super) fn matchup(&self, position: u64) -> u64 {
        let round = match self.fixed {
            Some(_) => 0,
            None => position / (self.deals * self.matchups),
        };
        round * self.matchups + position % self.matchups
    }

    /// The entrants of a matchup, as far as the format says without results.
    pub fn seated(&self, matchup: u32) -> Option<&[usize]> {
        let matchup = self.fixed.as_ref()?.get(matchup as usize)?;
        Some(matchup)
    }

    /// Matchups: in formats with rounds those of a round.
    pub const fn matchups(&self) -> u64 {
        self.matchups
    }

    /// Whether these are the entrants of a matchup, in any order, as far as the format says without results.
    pub(in crate::league::journal) fn seats(&self, matchup: u32, seats: &[usize]) -> bool {
        let Some(fixed) = &self.fixed else {
            return true;
        };
        let mut sorted = seats.to_vec();
        sorted.sort_unstable();
        fixed.get(matchup as usize) == Some(&sorted)
    }

    /// Whether an entrant may have a seat in the block at a position.
    pub(super) fn may_seat(&self, entrant: usize, position: u64) -> bool {
        let Some(fixed) = &self.fixed else {
            return true;
        };
        let matchup = fixed.get(self.matchup(position) as usize);
        matchup.is_some_and(|seated| seated.contains(&entrant))
    }

    /// Blocks of the whole schedule; `None` if it has no end.
    pub fn end(&self, settings: &Settings) -> Option<u64> {
        let round = self.matchups * self.deals;
        match settings.format {
            Format::Swiss { rounds } => Some(u64::from(rounds) * round),
            Format::Ladder => None,
            Format::RoundRobin | Format::Gauntlet { .. } | Format::Copies { .. } => Some(round),
        }
    }
}
