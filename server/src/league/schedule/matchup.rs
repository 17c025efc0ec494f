//! Who meets whom.

/// How entrants meet where results do not matter for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every choice of as many entrants as there are seats. With fewer entrants than seats all sit down, and the
    /// seats that are left go to every choice of them in turn.
    RoundRobin,
    /// One against every choice of the others.
    Gauntlet {
        /// The one.
        challenger: usize,
    },
    /// One in one seat against each other in all the other seats.
    Copies {
        /// The one.
        challenger: usize,
    },
}

/// The matchups of a format, each sorted: as many entrants as seats, some of them more than once.
pub fn matchups(format: Format, entrants: usize, seats: usize) -> Vec<Vec<usize>> {
    let all: Vec<usize> = (0..entrants).collect();
    let mut matchups = match format {
        Format::RoundRobin => seated(&all, seats),
        Format::Gauntlet { challenger } => {
            let others: Vec<usize> = all.into_iter().filter(|&e| e != challenger).collect();
            let mut matchups = seated(&others, seats - 1);
            for matchup in &mut matchups {
                matchup.push(challenger);
            }
            matchups
        }
        Format::Copies { challenger } => {
            let others = all.into_iter().filter(|&e| e != challenger);
            let against = |other| {
                let mut matchup = vec![other; seats - 1];
                matchup.push(challenger);
                matchup
            };
            others.map(against).collect()
        }
    };
    for matchup in &mut matchups {
        matchup.sort_unstable();
    }
    matchups
}

/// How many matchups a format has, without making them.
pub fn count(format: Format, entrants: usize, seats: usize) -> u128 {
    let choices = |from: usize, seats: usize| match from {
        0 => 0,
        // All sit down, again and again, and the rest of the seats goes to every choice.
        _ if from < seats => choose(from, (seats - 1) % from + 1),
        _ => choose(from, seats),
    };
    match format {
        Format::RoundRobin => choices(entrants, seats),
        Format::Gauntlet { .. } => choices(entrants.saturating_sub(1), seats - 1),
        Format::Copies { .. } => entrants.saturating_sub(1) as u128,
    }
}

fn choose(from: usize, take: usize) -> u128 {
    let product = (0..take as u128).try_fold(1_u128, |product, i| {
        let next = product.checked_mul((from as u128).saturating_sub(i))?;
        Some(next / (i + 1))
    });
    product.unwrap_or(u128::MAX)
}

/// Every way to seat some of `from`; all of them and some again if there are too few.
fn seated(from: &[usize], seats: usize) -> Vec<Vec<usize>> {
    if from.is_empty() {
        return Vec::new();
    }
    if from.len() >= seats {
        return subsets(from, seats);
    }
    let rest = seated(from, seats - from.len());
    rest.into_iter()
        .map(|mut more| {
            more.extend_from_slice(from);
            more
        })
        .collect()
}

/// The subsets with `size` elements, in lexicographic order.
fn subsets(from: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &first) in from.iter().enumerate() {
        for mut rest in subsets(&from[i + 1..], size - 1) {
            rest.insert(0, first);
            all.push(rest);
        }
    }
    all
}
