//! Matches of Blokus.

use bots::blokus::EngineOptions;
use bots::engine::{OpenPosition as _, play_game};
use bots::spec::Specified as _;
use games::GameName;
use games::blokus::{Board, SEATS, Scoring};
use stats::Outcome;

use super::duels::illegal;
use super::{Contest, Failure, Played};

pub type Assignment = [usize; SEATS];

/// All assignments of the entrants 0 to `entrants` - 1 to the seats in which all are present, in groups of
/// `entrants` in which the entrants take each other's seats in a circle: in a group each entrant has each
/// seat once.
pub fn all_present(entrants: usize) -> Vec<Assignment> {
    let count = entrants.pow(SEATS as u32 - 1);
    let first = |number: usize| -> Assignment {
        std::array::from_fn(|seat| number * entrants / entrants.pow(seat as u32) % entrants)
    };
    (0..count)
        .map(first)
        .filter(|assignment| (0..entrants).all(|e| assignment.contains(&e)))
        .flat_map(|assignment| {
            (0..entrants).map(move |step| assignment.map(|entrant| (entrant + step) % entrants))
        })
        .collect()
}

/// Entrant 0 in each seat against three times entrant 1.
pub fn one_against_three() -> Vec<Assignment> {
    let rotation = |alone| std::array::from_fn(|seat| usize::from(seat != alone));
    (0..SEATS).map(rotation).collect()
}

/// The seed of one of `count` parts of what has a seed.
const fn seed_of(whole: u64, part: usize, count: usize) -> u64 {
    whole.wrapping_mul(count as u64).wrapping_add(part as u64)
}

/// A match of Blokus from openings of random plies. A block is an opening with `width` games, the next ones of all assignments, in
/// which the entrants take each other's seats; the scoring says what decides.
pub fn blokus_contest(
    entrants: Vec<EngineOptions>,
    assignments: Vec<Assignment>,
    width: usize,
    random_plies: u32,
    first_seed: u64,
    scoring: Scoring,
) -> Contest {
    let play = move |block: u64, sitting: u64| -> Result<Vec<Played>, Failure> {
        let part = sitting as usize;
        let assignment = assignments[(block as usize * width + part) % assignments.len()];
        let block = first_seed.wrapping_add(block);
        let seed = seed_of(block, part, width);
        let engine = |seat: usize| entrants[assignment[seat]].build(seed_of(seed, seat, SEATS));
        let mut engines = [engine(0)?, engine(1)?, engine(2)?, engine(3)?];
        let start = Board::random_opening(random_plies, block);
        let game = play_game(&mut engines, start).map_err(illegal)?;
        let played = Played {
            outcome: Outcome {
                entrants: assignment.to_vec(),
                places: game.end.places(scoring).to_vec(),
                points: game.end.scores(scoring).map(f64::from).to_vec(),
            },
            plies: u32::from(game.end.ply()),
            usage: game.usage.to_vec(),
            end: 0,
        };
        Ok(vec![played.ending(&game.end)])
    };
    Contest::new(GameName::Blokus, "game", width as u64, play)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_may_be_given() {
        assert_eq!(seed_of(5, 2, 4), 22);
        assert_eq!(seed_of(u64::MAX / 3, 2, 3), 1);
        assert_eq!(seed_of(u64::MAX, 3, 4), u64::MAX);
    }

    #[test]
    fn each_entrant_has_each_seat_equally_often() {
        for (entrants, count) in [(2, 14), (3, 36), (4, 24)] {
            let all = all_present(entrants);
            assert_eq!(all.len(), count);
            for (i, assignment) in all.iter().enumerate() {
                assert!(!all[..i].contains(assignment));
            }
            for group in all.chunks(entrants) {
                for seat in 0..SEATS {
                    let mut there: Vec<usize> = group.iter().map(|a| a[seat]).collect();
                    there.sort_unstable();
                    assert_eq!(there, (0..entrants).collect::<Vec<_>>());
                }
            }
            for entrant in 0..entrants {
                for seat in 0..SEATS {
                    let there = all.iter().filter(|a| a[seat] == entrant).count();
                    assert_eq!(there * entrants, count);
                }
            }
        }
        let alone = one_against_three();
        assert!((0..SEATS).all(|seat| alone.iter().filter(|a| a[seat] == 0).count() == 1));
    }
}
