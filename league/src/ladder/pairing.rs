//! The pairing of a ladder: the entrants of the next table.

use std::time::Duration;

use crate::settings::LadderRules;

/// An entrant that waits for a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) entrant: usize,
    pub(super) rating: f64,
    /// Games that count.
    pub(super) games: u64,
    pub(super) waited: Duration,
}

/// What an entrant waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wait {
    pub(super) entrant: usize,
    /// Players that are missing near its rating.
    pub(super) missing: usize,
    /// The rating points by which they may differ from it now.
    pub(super) reach: f64,
    /// When entrants that the ladder starts take these seats; `None` where it has none.
    pub(super) house_in: Option<Duration>,
}

/// Rating points that a further meeting of two weighs as much as.
const MEETING: f64 = 100.0;

/// Rating points by which the reach grows in a second.
const GROWTH: f64 = 10.0;

/// A table of `seats` seats out of those that wait.
///
/// The first in line is an entrant without a rank, and among equals the one that has waited longest; the next ones follow
/// where it finds no table. It meets those within its reach that are nearest in rating and have met it least of late, which
/// `met` counts. One that has met none of `house` of late plays with one of it. Where they are too few, entrants of `house`
/// with their ratings fill the seats once it has waited for that.
///
/// # Errors
/// What each that waits is waiting for, where no table can begin.
pub(super) fn choose(
    seats: usize,
    rules: &LadderRules,
    waiting: &[Contender],
    house: &[(usize, f64)],
    met: impl Fn(usize, usize) -> f64,
) -> Result<Vec<usize>, Vec<Wait>> {
    let mut line: Vec<&Contender> = waiting.iter().collect();
    let is_ranked = |contender: &Contender| contender.games >= rules.ranked_after;
    line.sort_by(|a, b| {
        let by_rank = is_ranked(a).cmp(&is_ranked(b));
        by_rank
            .then(b.waited.cmp(&a.waited))
            .then(a.entrant.cmp(&b.entrant))
    });
    let reach = |contender: &Contender| rules.reach + GROWTH * contender.waited.as_secs_f64();
    let mut waits = Vec::new();
    for first in &line {
        let cost = |entrant: usize, rating: f64| {
            (rating - first.rating).abs() + MEETING * met(first.entrant, entrant)
        };
        let is_near = |other: &&&Contender| {
            let allowed = reach(first).max(reach(other));
            other.entrant != first.entrant && (other.rating - first.rating).abs() <= allowed
        };
        let mut near: Vec<(f64, usize)> = line
            .iter()
            .filter(is_near)
            .map(|other| (cost(other.entrant, other.rating), other.entrant))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut table = vec![first.entrant];
        // Ratings of different days have the house in common.
        let owes = is_ranked(first)
            && !house.is_empty()
            && house.iter().all(|&(one, _)| met(first.entrant, one) == 0.0);
        let others = seats - 1 - usize::from(owes);
        table.extend(near.iter().take(others).map(|&(_, entrant)| entrant));
        let missing = seats - table.len();
        let house_after = Duration::from_secs(rules.house_after_s);
        if missing > usize::from(owes) && (house.is_empty() || first.waited < house_after) {
            waits.push(Wait {
                entrant: first.entrant,
                missing: missing - usize::from(owes),
                reach: reach(first),
                house_in: (!house.is_empty()).then(|| house_after.saturating_sub(first.waited)),
            });
            continue;
        }
        let mut own: Vec<(f64, usize)> = house
            .iter()
            .map(|&(entrant, rating)| (cost(entrant, rating), entrant))
            .collect();
        own.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // Where they are fewer than the seats, each takes several.
        table.extend(
            own.iter()
                .cycle()
                .take(missing)
                .map(|&(_, entrant)| entrant),
        );
        return Ok(table);
    }
    Err(waits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn contender(entrant: usize, rating: f64, games: u64, waited: u64) -> Contender {
        Contender {
            entrant,
            rating,
            games,
            waited: Duration::from_secs(waited),
        }
    }

    fn table(
        seats: usize,
        waiting: &[Contender],
        house: &[(usize, f64)],
    ) -> Result<Vec<usize>, Vec<Wait>> {
        choose(seats, &LadderRules::default(), waiting, house, |_, _| 1.0)
    }

    #[test]
    fn new_ones_come_first_and_meet_the_nearest() {
        let waiting = [
            contender(1, 0.0, 100, 15),
            contender(2, 150.0, 0, 1),
            contender(3, 100.0, 100, 1),
            contender(4, 900.0, 100, 1),
        ];
        assert_eq!(table(2, &waiting, &[]), Ok(vec![2, 3]));
        let three = Ok(vec![2, 3, 1]);
        assert_eq!(table(3, &waiting, &[]), three);
    }

    #[test]
    fn the_same_two_do_not_meet_again_and_again() {
        let waiting = [
            contender(1, 0.0, 100, 2),
            contender(2, 0.0, 100, 1),
            contender(3, 120.0, 100, 1),
        ];
        let met = |a: usize, b: usize| if a.max(b) == 2 { 2.0 } else { 0.0 };
        let chosen = choose(2, &LadderRules::default(), &waiting, &[], met);
        assert_eq!(chosen, Ok(vec![1, 3]));
    }

    #[test]
    fn one_that_has_not_met_the_house_of_late_meets_it() {
        let waiting = [contender(1, 0.0, 100, 2), contender(2, 0.0, 100, 1)];
        let house = [(8, -300.0), (9, 700.0)];
        let met = |_: usize, other: usize| f64::from(u8::from(other < 8));
        let chosen = choose(2, &LadderRules::default(), &waiting, &house, met);
        assert_eq!(chosen, Ok(vec![1, 8]));
        let chosen = choose(3, &LadderRules::default(), &waiting, &house, met);
        assert_eq!(chosen, Ok(vec![1, 2, 8]));
    }

    #[test]
    fn one_that_nobody_is_near_to_is_told_so_and_meets_the_house() {
        let house = [(8, -300.0), (9, 700.0)];
        let waiting = [contender(1, 0.0, 5, 8), contender(2, 600.0, 100, 1)];
        let waits = table(2, &waiting, &house).unwrap_err();
        let entrants: Vec<usize> = waits.iter().map(|wait| wait.entrant).collect();
        assert_eq!(entrants, [1, 2]);
        assert_eq!((waits[0].missing, waits[0].reach), (1, 280.0));
        assert_eq!(waits[0].house_in, Some(Duration::from_secs(12)));
        let waiting = [contender(1, 0.0, 5, 20), contender(2, 600.0, 100, 1)];
        let met = Ok(vec![1, 8]);
        assert_eq!(table(2, &waiting, &house), met);
        // Two that wait long enough meet, however far apart they are.
        let waiting = [contender(1, 0.0, 5, 60), contender(2, 600.0, 100, 1)];
        assert_eq!(table(2, &waiting, &[]), Ok(vec![1, 2]));
        assert_eq!(table(2, &[], &house), Err(Vec::new()));
    }

    proptest! {
        #[test]
        fn a_table_is_full_and_nobody_waits_for_ever(
            seats in 2..=5_usize,
            ratings in prop::collection::vec(-1000.0..1000.0, 1..9),
            waits in prop::collection::vec(0_u64..300, 9),
            house in prop::collection::vec(-1000.0..1000.0, 0..3),
        ) {
            let waiting: Vec<Contender> = (0..).zip(&ratings).zip(&waits)
                .map(|((entrant, &rating), &waited)| contender(entrant, rating, 30, waited))
                .collect();
            let house: Vec<(usize, f64)> = (100..).zip(house).collect();
            match table(seats, &waiting, &house) {
                Ok(table) => {
                    prop_assert_eq!(table.len(), seats);
                    let mut guests: Vec<usize> = table.into_iter().filter(|&e| e < 100).collect();
                    let count = guests.len();
                    guests.sort_unstable();
                    guests.dedup();
                    prop_assert!(count > 0 && guests.len() == count);
                }
                Err(waits) => {
                    prop_assert_eq!(waits.len(), waiting.len());
                    for wait in waits {
                        let waited = waiting[wait.entrant].waited.as_secs();
                        prop_assert!(house.is_empty() || waited < 20);
                        // All that are here are near enough after three minutes.
                        prop_assert!(waited < 200 || waiting.len() < seats);
                    }
                }
            }
        }
    }
}
