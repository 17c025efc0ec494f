//! Which games a league plays, and in which order: a function of the plan, its seed and, where pairings depend on
//! results, of the results so far.
//!
//! A matchup is a choice of entrants for the seats. It plays deals; a deal is played once for each rotation of
//! the seats, so that whatever it gives to a seat, every entrant gets. The circular order of the entrants is drawn
//! anew for each deal. Deals go round: each matchup plays its first deal before any plays its second, so that a league
//! that is stopped is a smaller league.

use std::fmt;
use std::str::FromStr;

use games::DealKey;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

/// A game, or a session of games with ranks that are carried over, that is to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    pub key: Key,
    pub seats: Vec<usize>,
    /// Key of the deal or opening: the same for all rotations. No entrant is ever told.
    pub deal: DealKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    pub entrants: usize,
    /// Seats of the game, 2 to 5.
    pub seats: usize,
    pub deals: u32,
    /// Whether each deal is played once per rotation of the seats; if not, each game has a deal of its own.
    pub duplicate: bool,
    pub seed: LeagueSeed,
}

/// The seed of a league: a number of its file, or what a league draws that has none there, as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "a seed is a number, or 64 hexadecimal digits in quotes"
)]
pub enum LeagueSeed {
    Number(u64),
    /// 256 bits, which nobody can guess.
    Key(DealKey),
}

impl LeagueSeed {
    /// The key from which the keys of its deals and programs follow.
    pub fn key(self) -> DealKey {
        match self {
            LeagueSeed::Number(number) => DealKey::of_seed(number),
            LeagueSeed::Key(key) => key,
        }
    }

    /// A seed for generators; it reveals no deal.
    pub const fn number(self) -> u64 {
        match self {
            LeagueSeed::Number(number) => number,
            LeagueSeed::Key(key) => key.seed(),
        }
    }

    /// What all follows from in a block: the games of one deal of a matchup.
    fn block(self, matchup: u32, deal: u32) -> DealKey {
        self.key().part("league", &[matchup, deal])
    }

    pub fn deal(self, game: Key, duplicate: bool) -> DealKey {
        let rotation = if duplicate { 0 } else { game.rotation };
        deal_of(self.block(game.matchup, game.deal), rotation)
    }
}

fn deal_of(block: DealKey, rotation: u8) -> DealKey {
    block.part("deal", &[rotation.into()])
}

impl From<u64> for LeagueSeed {
    fn from(number: u64) -> LeagueSeed {
        LeagueSeed::Number(number)
    }
}

impl fmt::Display for LeagueSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeagueSeed::Number(number) => number.fmt(f),
            LeagueSeed::Key(key) => key.fmt(f),
        }
    }
}

impl FromStr for LeagueSeed {
    type Err = String;

    fn from_str(text: &str) -> Result<LeagueSeed, String> {
        let number = text.parse().map(LeagueSeed::Number);
        number
            .or_else(|_| text.parse().map(LeagueSeed::Key))
            .map_err(|_| "a seed is a number, or 64 hexadecimal digits".to_owned())
    }
}

impl Plan {
    /// Games of one deal, or of one block of fresh deals.
    pub fn rotations(&self) -> u8 {
        self.seats as u8
    }

    /// The games of one deal of a matchup: a block of the statistics.
    pub fn block(&self, matchup: u32, seated: &[usize], deal: u32) -> Vec<Fixture> {
        let block = self.seed.block(matchup, deal);
        let shuffle = |order: &mut [usize], rotation: u8| {
            let seed = block.part("order", &[rotation.into()]).seed();
            order.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        };
        let mut order = seated.to_vec();
        shuffle(&mut order, 0);
        let mut key = deal_of(block, 0);
        let fixture = |rotation: u8| {
            if rotation > 0 {
                if self.duplicate {
                    order.rotate_left(1);
                } else {
                    shuffle(&mut order, rotation);
                    key = deal_of(block, rotation);
                }
            }
            Fixture {
                key: Key {
                    matchup,
                    deal,
                    rotation,
                },
                seats: order.clone(),
                deal: key,
            }
        };
        (0..self.rotations()).map(fixture).collect()
    }

    /// All games of these matchups, in order.
    pub fn fixtures<'a>(
        &'a self,
        matchups: &'a [Vec<usize>],
    ) -> impl Iterator<Item = Fixture> + 'a {
        (0..self.deals).flat_map(move |deal| {
            (0..)
                .zip(matchups)
                .flat_map(move |(number, seated)| self.block(number, seated, deal))
        })
    }
}

/// A game of the schedule: `MATCHUP.DEAL.ROTATION`, all from 0. In formats with rounds the matchup counts
/// on through the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Key {
    pub matchup: u32,
    pub deal: u32,
    pub rotation: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the key of a game, such as `0.17.2`")]
pub struct KeyError(String);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.matchup, self.deal, self.rotation)
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Key, KeyError> {
        let read = || {
            let mut parts = text.split('.');
            let key = Key {
                matchup: parts.next()?.parse().ok()?,
                deal: parts.next()?.parse().ok()?,
                rotation: parts.next()?.parse().ok()?,
            };
            (parts.next().is_none() && key.to_string() == text).then_some(key)
        };
        read().ok_or_else(|| KeyError(text.chars().take(40).collect()))
    }
}

impl From<Key> for String {
    fn from(key: Key) -> String {
        key.to_string()
    }
}

impl TryFrom<String> for Key {
    type Error = KeyError;

    fn try_from(text: String) -> Result<Key, KeyError> {
        text.parse()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every choice of as many entrants as there are seats. With fewer entrants than seats all sit down, and the
    /// seats that are left go to every choice of them in turn.
    RoundRobin,
    /// One entrant against every choice of the others.
    Gauntlet { challenger: usize },
    /// One entrant in one seat, each other one in all other seats.
    Copies { challenger: usize },
    /// Rounds in which entrants of about the same score meet.
    Swiss { rounds: u32 },
    /// Rounds without end in which entrants of about the same rating meet.
    Ladder,
}

impl Format {
    /// Whether each round is paired from all games of the rounds before.
    pub const fn pairs_rounds(&self) -> bool {
        matches!(self, Format::Swiss { .. } | Format::Ladder)
    }
}

/// The matchups of a format whose pairing does not depend on results, each sorted: as many entrants as seats, some of them
/// more than once.
pub fn matchups(format: Format, entrants: usize, seats: usize) -> Option<Vec<Vec<usize>>> {
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
        Format::Swiss { .. } | Format::Ladder => return None,
    };
    for matchup in &mut matchups {
        matchup.sort_unstable();
    }
    Some(matchups)
}

/// How many matchups a format has, or a round of it, without making them.
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
        Format::Swiss { .. } | Format::Ladder => (entrants / seats.max(1)) as u128,
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

/// Entrants that meet in a round, and those that sit out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    pub matchups: Vec<Vec<usize>>,
    /// Entrants without a game in it.
    pub byes: Vec<usize>,
}

/// The next round of a Swiss tournament for games of `seats` seats.
///
/// `scores` are the mean scores so far; `met` says how often two entrants have met, `byes`
/// how often each sat out. The entrant that sits out is the last of those that have done so least often. The others sit
/// down from the top: each table takes the best that is left, then one by one the best of those that have met
/// the table least often. Where two that have met before would be left over so, pairings higher up change as far as it takes.
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
    let all = waiting.clone();
    let (mut matchups, mut again) = (Vec::new(), 0);
    while !waiting.is_empty() {
        let mut table = vec![waiting.remove(0)];
        while table.len() < seats {
            let known = |&e: &usize| table.iter().map(|&seated| met(e, seated)).sum::<u32>();
            // The first of the least: positions are in the order of the scores.
            let next = (0..waiting.len()).min_by_key(|&i| known(&waiting[i]));
            match next {
                Some(next) => {
                    again += known(&waiting[next]);
                    table.push(waiting.remove(next));
                }
                None => break,
            }
        }
        table.sort_unstable();
        matchups.push(table);
    }
    if seats == 2 && all.len() <= MOST_SEARCHED {
        let fresher = (0..again).find_map(|spare| fresh_pairs(&all, &met, spare));
        matchups = fresher.unwrap_or(matchups);
    }
    out.sort_unstable();
    Pairing {
        matchups,
        byes: out,
    }
}

/// Entrants among which other pairings are looked for, and how many are tried for each number of pairs that meet again.
const MOST_SEARCHED: usize = 512;
const MOST_TRIED: u32 = 20_000;

/// Pairs of these, from the best to the worst, that have met so often in all; the first in this order.
fn fresh_pairs(
    all: &[usize],
    met: &impl Fn(usize, usize) -> u32,
    spare: u32,
) -> Option<Vec<Vec<usize>>> {
    fn pair(
        left: &mut Vec<usize>,
        pairs: &mut Vec<Vec<usize>>,
        met: &impl Fn(usize, usize) -> u32,
        spare: u32,
        tries: &mut u32,
    ) -> bool {
        if left.is_empty() {
            return true;
        }
        let first = left.remove(0);
        for place in 0..left.len() {
            let known = met(first, left[place]);
            if known > spare || *tries == 0 {
                continue;
            }
            *tries -= 1;
            let second = left.remove(place);
            pairs.push(vec![first.min(second), first.max(second)]);
            if pair(left, pairs, met, spare - known, tries) {
                return true;
            }
            pairs.pop();
            left.insert(place, second);
        }
        left.insert(0, first);
        false
    }
    let (mut pairs, mut tries) = (Vec::new(), MOST_TRIED);
    pair(&mut all.to_vec(), &mut pairs, met, spare, &mut tries).then_some(pairs)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn round_robins_seat_every_choice() {
        let pairs = matchups(Format::RoundRobin, 4, 2).unwrap();
        let due = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        assert_eq!(pairs, due.map(|pair| pair.to_vec()));
        assert_eq!(matchups(Format::RoundRobin, 6, 5).unwrap().len(), 6);
        // Four kinds of bots for five seats: each sits twice in turn.
        let filled = matchups(Format::RoundRobin, 4, 5).unwrap();
        assert_eq!(filled.len(), 4);
        assert_eq!(filled[1], [0, 1, 1, 2, 3]);
        assert_eq!(matchups(Format::RoundRobin, 1, 4).unwrap(), [[0; 4]]);
    }

    #[test]
    fn the_last_two_of_a_swiss_do_not_meet_again_and_again() {
        // 6 and 7 lose all, and are the last two in every round.
        let (mut met, mut scores) = (HashSet::new(), vec![0.0; 8]);
        for round in 0..5 {
            let known = |a: usize, b: usize| u32::from(met.contains(&(a.min(b), a.max(b))));
            let Pairing { matchups, .. } = pairings(2, &scores, known, &[0; 8]);
            let seated: HashSet<usize> = matchups.iter().flatten().copied().collect();
            assert_eq!((matchups.len(), seated.len()), (4, 8));
            for pair in matchups {
                assert!(met.insert((pair[0], pair[1])), "{pair:?} again in {round}");
                scores[pair[0]] += 1.0;
            }
        }
    }

    proptest! {
        #[test]
        fn eight_meet_others_in_five_rounds_whoever_wins(wins in prop::collection::vec(any::<bool>(), 20)) {
            let (mut met, mut scores) = (HashSet::new(), vec![0.0; 8]);
            let mut wins = wins.into_iter();
            for _ in 0..5 {
                let known = |a: usize, b: usize| u32::from(met.contains(&(a.min(b), a.max(b))));
                for pair in pairings(2, &scores, known, &[0; 8]).matchups {
                    prop_assert!(met.insert((pair[0], pair[1])));
                    scores[pair[usize::from(wins.next() == Some(true))]] += 1.0;
                }
            }
        }
    }

    #[test]
    fn gauntlets_have_the_challenger_once() {
        for (format, count) in [
            (Format::Gauntlet { challenger: 2 }, 10),
            (Format::Copies { challenger: 2 }, 5),
        ] {
            let all = matchups(format, 6, 4).unwrap();
            assert_eq!(all.len(), count);
            for matchup in all {
                assert_eq!(
                    matchup.iter().filter(|&&e| e == 2).count(),
                    1,
                    "{matchup:?}"
                );
            }
        }
    }

    fn plan(seats: usize, duplicate: bool) -> Plan {
        Plan {
            entrants: 5,
            seats,
            deals: 6,
            duplicate,
            seed: 9.into(),
        }
    }

    #[test]
    fn every_entrant_has_every_seat_of_a_deal() {
        for seats in 2..=5 {
            let plan = plan(seats, true);
            let all = matchups(Format::RoundRobin, 5, seats).unwrap();
            let fixtures: Vec<Fixture> = plan.fixtures(&all).collect();
            assert_eq!(fixtures.len(), all.len() * 6 * seats);
            let keys: HashSet<Key> = fixtures.iter().map(|f| f.key).collect();
            assert_eq!(keys.len(), fixtures.len());
            for block in fixtures.chunks(seats) {
                assert!(block.iter().all(|f| f.deal == block[0].deal));
                for seat in 0..seats {
                    let mut had: Vec<usize> = block.iter().map(|f| f.seats[seat]).collect();
                    had.sort_unstable();
                    assert_eq!(had, all[block[0].key.matchup as usize]);
                }
            }
            let deals: HashSet<DealKey> = fixtures.iter().map(|f| f.deal).collect();
            assert_eq!(
                deals.len(),
                fixtures.len() / seats,
                "deals differ between blocks"
            );
        }
        // With more than two seats the circular order changes between deals.
        let plan = plan(5, true);
        let all = [vec![0, 1, 2, 3, 4]];
        let orders = plan.fixtures(&all).filter(|f| f.key.rotation == 0);
        let orders: HashSet<Vec<usize>> = orders
            .map(|f| {
                let zero = f.seats.iter().position(|&e| e == 0).unwrap();
                [&f.seats[zero..], &f.seats[..zero]].concat()
            })
            .collect();
        assert!(orders.len() >= 4, "{orders:?}");
    }

    #[test]
    fn the_deal_of_a_game_follows_from_its_seed_and_number_alone() {
        let key = DealKey::new([7; 32]);
        for seed in [LeagueSeed::Number(9), LeagueSeed::Key(key)] {
            assert_eq!(seed.to_string().parse(), Ok(seed));
            let text = serde_json::to_string(&seed).unwrap();
            assert_eq!(serde_json::from_str::<LeagueSeed>(&text).unwrap(), seed);
            for duplicate in [false, true] {
                let plan = Plan {
                    seed,
                    ..plan(4, duplicate)
                };
                for fixture in plan.fixtures(&[vec![0, 1, 2, 3]]) {
                    assert_eq!(seed.deal(fixture.key, duplicate), fixture.deal);
                }
            }
        }
        let error = serde_json::from_str::<LeagueSeed>("\"12\"").unwrap_err();
        assert!(error.to_string().contains("64 hexadecimal"), "{error}");
    }

    #[test]
    fn without_duplicates_every_game_has_its_deal() {
        let plan = plan(4, false);
        let fixtures: Vec<Fixture> = plan.fixtures(&[vec![0, 1, 2, 3]]).collect();
        let deals: HashSet<DealKey> = fixtures.iter().map(|f| f.deal).collect();
        assert_eq!((deals.len(), fixtures.len()), (24, 24));
    }

    proptest! {
        #[test]
        fn a_schedule_is_a_function_of_its_seed(seed: u64, other: u64) {
            let of = |seed: u64| {
                let seed = seed.into();
                let plan = Plan { seed, ..plan(3, true) };
                let all: Vec<Fixture> = plan.fixtures(&[vec![0, 1, 2]]).collect();
                all
            };
            prop_assert_eq!(of(seed), of(seed));
            if seed != other {
                prop_assert_ne!(of(seed), of(other));
            }
        }

        #[test]
        fn keys_read_back(matchup: u32, deal: u32, rotation: u8) {
            let key = Key { matchup, deal, rotation };
            prop_assert_eq!(key.to_string().parse(), Ok(key));
            let json = serde_json::to_string(&key).unwrap();
            prop_assert_eq!(serde_json::from_str::<Key>(&json).unwrap(), key);
        }

        #[test]
        fn what_is_no_key_is_refused(text in "[0-9.+ ]{0,12}") {
            if let Ok(key) = text.parse::<Key>() {
                prop_assert_eq!(key.to_string(), text);
            }
        }

        #[test]
        fn swiss_rounds_seat_everyone_once(
            seats in 2_usize..=5,
            scores in prop::collection::vec(0.0..1.0_f64, 5..20),
            byes in prop::collection::vec(0_u32..3, 20),
        ) {
            let round = pairings(seats, &scores, |_, _| 0, &byes);
            let mut all: Vec<usize> = round.matchups.concat();
            all.extend(&round.byes);
            all.sort_unstable();
            prop_assert_eq!(all, (0..scores.len()).collect::<Vec<_>>());
            prop_assert!(round.matchups.iter().all(|table| table.len() == seats));
            prop_assert_eq!(round.byes.len(), scores.len() % seats);
        }
    }

    #[test]
    fn swiss_pairs_neighbours_that_have_not_met() {
        let scores = [0.9, 0.8, 0.7, 0.1];
        let first = pairings(2, &scores, |_, _| 0, &[0; 4]);
        assert_eq!(first.matchups, [[0, 1], [2, 3]]);
        let met = |a: usize, b: usize| u32::from([(0, 1), (2, 3)].contains(&(a.min(b), a.max(b))));
        let second = pairings(2, &scores, met, &[0; 4]);
        assert_eq!(second.matchups, [[0, 2], [1, 3]]);
        // The last sits out, but not twice before the others have.
        let odd = pairings(2, &scores[..3], |_, _| 0, &[0, 0, 1]);
        assert_eq!((odd.byes, odd.matchups), (vec![1], vec![vec![0, 2]]));
    }

    #[test]
    fn matchups_are_counted_without_making_them() {
        for seats in 2..=5 {
            for entrants in 1..=9 {
                for format in [
                    Format::RoundRobin,
                    Format::Gauntlet { challenger: 0 },
                    Format::Copies { challenger: 0 },
                ] {
                    let made = matchups(format, entrants, seats).unwrap().len();
                    assert_eq!(
                        count(format, entrants, seats),
                        made as u128,
                        "{format:?} {entrants} {seats}"
                    );
                }
            }
        }
        assert_eq!(count(Format::RoundRobin, 300, 5), 19_582_837_560);
    }
}
