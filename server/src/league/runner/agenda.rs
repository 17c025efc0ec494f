//! What is still to be played: the schedule minus the journal.

use std::collections::HashSet;
use std::path::Path;

use crate::league::schedule::{Fixture, Key};
use crate::league::settings::{ProcessLife, Settings};
use crate::league::table::Sitting;

/// The sittings of some matchups, the first of which has the number `first`, in the order of the schedule, without the
/// fixtures that were played. `records` is the folder of their records.
pub(super) fn sittings<'a>(
    settings: &'a Settings,
    first: u32,
    matchups: &'a [Vec<usize>],
    played: &'a HashSet<Key>,
    records: Option<&'a Path>,
) -> impl Iterator<Item = Sitting> + 'a {
    let plan = settings.plan();
    let (chunk, single) = match settings.process {
        ProcessLife::Fixture => (1, true),
        ProcessLife::Deals(deals) => (deals.max(1), false),
    };
    let chunks = (0..plan.deals).step_by(chunk as usize);
    let tables = chunks.flat_map(move |deal| {
        let numbered = (first..).zip(matchups);
        numbered.map(move |(number, seated)| (number, seated, deal))
    });
    tables.flat_map(move |(number, seated, deal)| {
        let deals = deal..deal.saturating_add(chunk).min(plan.deals);
        let left: Vec<Fixture> = deals
            .flat_map(|deal| plan.block(number, seated, deal))
            .filter(|fixture| !played.contains(&fixture.key))
            .collect();
        let size = if single { 1 } else { left.len().max(1) };
        let sitting = |fixtures: &[Fixture]| sitting(fixtures, seated, records);
        left.chunks(size).map(sitting).collect::<Vec<_>>()
    })
}

/// A sitting of these fixtures of a matchup, of which there is one at least.
pub(super) fn sitting(fixtures: &[Fixture], seated: &[usize], records: Option<&Path>) -> Sitting {
    let record =
        |first: &Fixture| records.map(|folder| folder.join(format!("{}.jsonl", first.key)));
    Sitting {
        fixtures: fixtures.to_vec(),
        players: seated.to_vec(),
        record: fixtures.first().and_then(record),
    }
}
