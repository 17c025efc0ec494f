//! Which entrant sits where.

use games::blokus::SEATS;

/// The entrant of each seat.
pub(crate) type Assignment = [usize; SEATS];

/// All assignments of the entrants 0 to `entrants` - 1 to the seats in which all are present, in groups of
/// `entrants` in which the entrants take each other's seats in a circle: in a group each entrant has each
/// seat once.
pub(crate) fn all_present(entrants: usize) -> Vec<Assignment> {
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
pub(crate) fn one_against_three() -> Vec<Assignment> {
    let rotation = |alone| std::array::from_fn(|seat| usize::from(seat != alone));
    (0..SEATS).map(rotation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
