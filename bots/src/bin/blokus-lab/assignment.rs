//! Which entrant sits where.

use games::blokus::SEATS;

/// The entrant of each seat.
pub(crate) type Assignment = [usize; SEATS];

/// All assignments of the entrants 0 to `entrants` - 1 to the seats in which all are present.
pub(crate) fn all_present(entrants: usize) -> Vec<Assignment> {
    let count = entrants.pow(SEATS as u32);
    (0..count)
        .map(|number| std::array::from_fn(|seat| number / entrants.pow(seat as u32) % entrants))
        .filter(|assignment: &Assignment| (0..entrants).all(|e| assignment.contains(&e)))
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
