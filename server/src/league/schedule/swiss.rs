//! Pairings that depend on results: entrants of about the same score meet, if possible not again.

/// Entrants that meet in a round, and those that sit out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The matchups of the round.
    pub matchups: Vec<Vec<usize>>,
    /// Entrants without a game in it.
    pub byes: Vec<usize>,
}

/// The next round of a Swiss tournament for games of `seats` seats.
///
/// `scores` are the mean scores so far; `met` says how often two entrants have met, `byes`
/// how often each sat out. Who sits out is the last of those that have done so least often. The others sit
/// down from the top: each table takes the best that is left, then one by one the best of those that have met
/// the table least often.
pub fn pairings(
    seats: usize,
    scores: &[f64],
    met: impl Fn(usize, usize) -> u32,
    byes: &[u32],
) -> Pairing {
    let mut waiting: Vec<usize> = (0..scores.len()).collect();
    waiting.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let mut out = Vec::new();
    for _ in 0..waiting.len() % seats {
        let least = waiting.iter().map(|&e| byes[e]).min().unwrap_or_default();
        if let Some(last) = waiting.iter().rposition(|&e| byes[e] == least) {
            out.push(waiting.remove(last));
        }
    }
    let mut matchups = Vec::new();
    while !waiting.is_empty() {
        let mut table = vec![waiting.remove(0)];
        while table.len() < seats {
            let known = |&e: &usize| table.iter().map(|&seated| met(e, seated)).sum::<u32>();
            // The first of the least: positions are in the order of the scores.
            let next = (0..waiting.len()).min_by_key(|&i| known(&waiting[i]));
            match next {
                Some(next) => table.push(waiting.remove(next)),
                None => break,
            }
        }
        table.sort_unstable();
        matchups.push(table);
    }
    out.sort_unstable();
    Pairing {
        matchups,
        byes: out,
    }
}
