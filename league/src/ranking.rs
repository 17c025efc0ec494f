//! Who stands where in a group: by points, and where these are equal by what the file says, in its order.

use std::collections::{BTreeMap, BTreeSet};

use super::journal::DealBlock;
use super::sections::{Section, drawn};
use super::settings::{Format, Settings, Stage, TieBreak};
use stats::Outcome;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub entrant: usize,
    pub games: u64,
    pub points: f64,
    /// Games that it has won alone.
    pub wins: u64,
    /// Points of its opponents.
    pub buchholz: f64,
}

/// The table of these entrants by whole blocks, from the best to the worst; those that are disqualified are the last.
pub fn table(
    settings: &Settings,
    members: &[usize],
    blocks: &[&DealBlock],
    disqualified: &BTreeSet<usize>,
) -> Vec<Row> {
    let sums = Sums::of(settings, members, blocks);
    let is_out = |entrant: &&usize| disqualified.contains(entrant);
    let (out, all): (Vec<&usize>, Vec<&usize>) = members.iter().partition(is_out);
    let criteria = [settings.ranking.order(), &[TieBreak::Lot]].concat();
    let mut order = Vec::with_capacity(members.len());
    for part in [all, out] {
        let part = part.into_iter().copied().collect();
        sums.sort(part, &criteria, &mut order);
    }
    order.into_iter().map(|entrant| sums.row(entrant)).collect()
}

/// What an entrant has for a round of a Swiss tournament in which it sits out, as the seats do not suffice for all: as much
/// as if it had won as many games as the slowest table of the round has played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bye {
    pub entrant: usize,
    /// Its points, as a table counts them.
    pub points: f64,
    /// The points of the games.
    pub game_points: f64,
    pub wins: u64,
}

/// The byes of these entrants in the rounds of a section that are paired, by the blocks of the section.
pub fn byes(
    settings: &Settings,
    section: &Section,
    members: &[usize],
    blocks: &[&DealBlock],
) -> Vec<Bye> {
    let mut byes = Vec::new();
    if !matches!(section.format, Format::Swiss { .. }) || section.matchups == 0 {
        return byes;
    }
    let mut rounds: BTreeMap<u32, Vec<&DealBlock>> = BTreeMap::new();
    for block in blocks {
        let round = (block.matchup - section.first) / section.matchups;
        rounds.entry(round).or_default().push(block);
    }
    // Where the file does not say what a win is worth, it is the most that a seat has had in a game.
    let games = blocks.iter().flat_map(|block| block.counted());
    let most = games.flat_map(|game| game.points.iter().copied());
    let win = settings
        .points
        .map_or_else(|| most.fold(0.0, f64::max), |[win, ..]| win);
    for round in rounds.values() {
        let mut games: BTreeMap<u32, u64> = BTreeMap::new();
        let mut seated: BTreeSet<usize> = BTreeSet::new();
        for block in round {
            *games.entry(block.matchup).or_default() += block.counted().count() as u64;
            seated.extend(block.counted().flat_map(|game| &game.entrants));
        }
        // Those who seem to sit out may have a seat at a table that has not begun.
        let (Some(&wins), true) = (
            games.values().min(),
            games.len() == section.matchups as usize,
        ) else {
            continue;
        };
        let game_points = win * wins as f64;
        let points = settings.ranking.pairing_points;
        let points = points.map_or(game_points, |[more, ..]| more);
        let absent = members.iter().filter(|entrant| !seated.contains(entrant));
        byes.extend(absent.map(|&entrant| Bye {
            entrant,
            points,
            game_points,
            wins,
        }));
    }
    byes
}

/// The groups of a later section: the best of each table, each group with as many winners of a table as the others, and so
/// on, and then the best of the others, those that are disqualified last.
pub fn next_groups(
    settings: &Settings,
    section: usize,
    tables: &[Vec<Row>],
    stage: &Stage,
    disqualified: &BTreeSet<usize>,
) -> Vec<Vec<usize>> {
    let advance = stage.advance as usize;
    let place = |place: usize| tables.iter().filter_map(move |table| table.get(place));
    let mut order: Vec<usize> = (0..advance)
        .flat_map(place)
        .map(|row| row.entrant)
        .collect();
    let longest = tables.iter().map(Vec::len).max().unwrap_or_default();
    let mut others: Vec<&Row> = (advance..longest).flat_map(place).collect();
    // Those that are level in points and wins go by their place and the lot of the table.
    let is_out = |row: &Row| disqualified.contains(&row.entrant);
    others.sort_by(|a, b| {
        let is_out = is_out(a).cmp(&is_out(b));
        is_out
            .then(b.points.total_cmp(&a.points))
            .then(b.wins.cmp(&a.wins))
    });
    let others = others.into_iter().take(stage.wild_cards as usize);
    order.extend(others.map(|row| row.entrant));
    let groups = stage.groups.max(1) as usize;
    let pots: Vec<Vec<usize>> = order.chunks(groups).map(<[usize]>::to_vec).collect();
    drawn(settings.seed, section as u32, &pots, groups)
}

#[derive(Debug, Default)]
struct PairScores {
    of: BTreeMap<usize, (u64, f64)>,
    /// Games but those that all have lost without playing.
    played: usize,
}

/// What the entrants of a group have come to.
struct Sums<'a> {
    settings: &'a Settings,
    blocks: &'a [&'a DealBlock],
    rows: BTreeMap<usize, Row>,
}

impl<'a> Sums<'a> {
    fn of(settings: &'a Settings, members: &[usize], blocks: &'a [&'a DealBlock]) -> Sums<'a> {
        let row = |&entrant: &usize| {
            let row = Row {
                entrant,
                games: 0,
                points: 0.0,
                wins: 0,
                buchholz: 0.0,
            };
            (entrant, row)
        };
        let mut sums = Sums {
            settings,
            blocks,
            rows: members.iter().map(row).collect(),
        };
        let mut pairings: BTreeMap<u32, PairScores> = BTreeMap::new();
        for block in blocks {
            let pairing = pairings.entry(block.matchup).or_default();
            pairing.played += block.block.games.len();
            for game in block.counted() {
                for (seat, &entrant) in game.entrants.iter().enumerate() {
                    let won = u64::from(is_won(game, seat));
                    let (wins, points) = pairing.of.entry(entrant).or_default();
                    *wins += won;
                    *points += game.points[seat];
                    if let Some(row) = sums.rows.get_mut(&entrant) {
                        row.games += 1;
                        row.wins += won;
                    }
                }
            }
        }
        for pairing in pairings.values() {
            for (entrant, points) in sums.points(pairing) {
                if let Some(row) = sums.rows.get_mut(&entrant) {
                    row.points += points;
                }
            }
        }
        let section = blocks.first().and_then(|block| {
            let mut all = Section::all(settings).into_iter();
            all.find(|section| section.has(block.matchup))
        });
        let byes = section.map_or_else(Vec::new, |section| {
            byes(settings, &section, members, blocks)
        });
        for bye in &byes {
            if let Some(row) = sums.rows.get_mut(&bye.entrant) {
                row.points += bye.points;
                row.wins += bye.wins;
            }
        }
        // A bye counts as an opponent with as many points as the entrant itself.
        for bye in &byes {
            if let Some(row) = sums.rows.get_mut(&bye.entrant) {
                row.buchholz += row.points;
            }
        }
        for pairing in pairings.values() {
            for &entrant in pairing.of.keys() {
                let others = pairing.of.keys().filter(|&&other| other != entrant);
                let points = others.filter_map(|other| Some(sums.rows.get(other)?.points));
                let points: f64 = points.sum();
                if let Some(row) = sums.rows.get_mut(&entrant) {
                    row.buchholz += points;
                }
            }
        }
        sums
    }

    /// The points of a pairing, from the wins and points of its games.
    fn points(&self, pairing: &PairScores) -> Vec<(usize, f64)> {
        let all = pairing.of.iter().map(|(&entrant, &of)| (entrant, of));
        let all: Vec<_> = all.collect();
        let (Some([more, equal, less]), &[(a, (a_wins, _)), (b, (b_wins, _))]) =
            (self.settings.ranking.pairing_points, &all[..])
        else {
            return all
                .into_iter()
                .map(|(e, (_, points))| (e, points))
                .collect();
        };
        let of = match a_wins.cmp(&b_wins) {
            std::cmp::Ordering::Greater => [more, less],
            std::cmp::Ordering::Less => [less, more],
            // Both have lost all without a game.
            std::cmp::Ordering::Equal if pairing.played == 0 => [less; 2],
            std::cmp::Ordering::Equal => [equal; 2],
        };
        vec![(a, of[0]), (b, of[1])]
    }

    fn row(&self, entrant: usize) -> Row {
        self.rows[&entrant]
    }

    /// Adds these, from the best to the worst.
    fn sort(&self, level: Vec<usize>, criteria: &[TieBreak], into: &mut Vec<usize>) {
        let (Some((first, rest)), 2..) = (criteria.split_first(), level.len()) else {
            into.extend(level);
            return;
        };
        let mut valued: Vec<(f64, usize)> = level
            .iter()
            .map(|&entrant| (self.value(*first, entrant, &level), entrant))
            .collect();
        valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for equal in valued.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
            let equal = equal.iter().map(|(_, entrant)| *entrant).collect();
            self.sort(equal, rest, into);
        }
    }

    fn value(&self, by: TieBreak, entrant: usize, level: &[usize]) -> f64 {
        let row = self.row(entrant);
        match by {
            TieBreak::Points => row.points,
            TieBreak::Wins => row.wins as f64,
            TieBreak::Buchholz => row.buchholz,
            TieBreak::HeadToHead => self.among(entrant, level),
            TieBreak::Lot => {
                let key = self.settings.seed.key().part("lot", &[entrant as u32]);
                (key.seed() >> 11) as f64
            }
        }
    }

    /// The share of the seats of others of these that an entrant has beaten; one half where they have not met.
    fn among(&self, entrant: usize, level: &[usize]) -> f64 {
        let (mut beaten, mut met) = (0.0, 0.0);
        for game in self.blocks.iter().flat_map(|block| &block.block.games) {
            for (seat, _) in game
                .entrants
                .iter()
                .enumerate()
                .filter(|(_, e)| **e == entrant)
            {
                for (other, &rival) in game.entrants.iter().enumerate() {
                    if rival != entrant && level.contains(&rival) {
                        met += 1.0;
                        beaten += match game.places[seat].cmp(&game.places[other]) {
                            std::cmp::Ordering::Less => 1.0,
                            std::cmp::Ordering::Equal => 0.5,
                            std::cmp::Ordering::Greater => 0.0,
                        };
                    }
                }
            }
        }
        if met > 0.0 { beaten / met } else { 0.5 }
    }
}

fn is_won(game: &Outcome, seat: usize) -> bool {
    let mut others = game
        .places
        .iter()
        .enumerate()
        .filter(|(other, _)| *other != seat);
    others.all(|(_, place)| game.places[seat] < *place)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::settings::Ranking;
    use crate::testing::settings;
    use stats::Block;

    /// A pairing of two: how often the first has won, drawn and lost.
    fn pairing(matchup: u32, [a, b]: [usize; 2], [won, drawn, lost]: [usize; 3]) -> DealBlock {
        let game = |places: [u8; 2], points: [f64; 2]| Outcome {
            entrants: vec![a, b],
            places: places.to_vec(),
            points: points.to_vec(),
        };
        let games = [
            vec![game([0, 1], [3.0, 0.0]); won],
            vec![game([0, 0], [1.0, 1.0]); drawn],
            vec![game([1, 0], [0.0, 3.0]); lost],
        ];
        DealBlock {
            matchup,
            deal: 0,
            block: Block::from_iter(games.concat()),
            walkovers: Vec::new(),
        }
    }

    fn order(settings: &Settings, blocks: &[DealBlock], out: &[usize]) -> Vec<usize> {
        let members: Vec<usize> = (0..settings.entrants.len()).collect();
        let blocks: Vec<&DealBlock> = blocks.iter().collect();
        let rows = table(settings, &members, &blocks, &out.iter().copied().collect());
        rows.iter().map(|row| row.entrant).collect()
    }

    fn of(entrants: usize, ranking: Ranking) -> Settings {
        let mut settings = settings();
        let one = settings.entrants[0].clone();
        settings.entrants = vec![one; entrants];
        settings.ranking = ranking;
        settings
    }

    #[test]
    fn a_pairing_of_many_games_gives_its_points_once_and_wins_decide() {
        let ranking = Ranking {
            pairing_points: Some([3.0, 1.0, 0.0]),
            tie_breaks: vec![TieBreak::Points, TieBreak::Wins],
        };
        let settings = of(3, ranking);
        // 0 wins most of all games, but 1 wins its two pairings.
        let blocks = [
            pairing(0, [0, 1], [49, 0, 51]),
            pairing(1, [0, 2], [100, 0, 0]),
            pairing(2, [1, 2], [40, 22, 38]),
        ];
        assert_eq!(order(&settings, &blocks, &[]), [1, 0, 2]);
        let all: Vec<&DealBlock> = blocks.iter().collect();
        let rows = table(&settings, &[0, 1, 2], &all, &BTreeSet::new());
        let points: Vec<f64> = rows.iter().map(|row| row.points).collect();
        assert_eq!(points, [6.0, 3.0, 0.0]);
        assert_eq!((rows[0].wins, rows[0].games), (91, 200));
        // One pairing each, by total wins; equal wins are a point each, no game at all none.
        let mut lost = pairing(3, [1, 2], [0, 1, 0]);
        lost.walkovers = std::mem::take(&mut lost.block.games);
        let blocks = [
            pairing(0, [0, 1], [60, 0, 40]),
            pairing(1, [1, 2], [70, 0, 30]),
            pairing(2, [2, 0], [50, 0, 50]),
            lost,
        ];
        let all: Vec<&DealBlock> = blocks.iter().collect();
        let rows = table(&settings, &[0, 1, 2], &all, &BTreeSet::new());
        let found: Vec<_> = rows.iter().map(|row| (row.entrant, row.points)).collect();
        assert_eq!(found, [(0, 4.0), (1, 3.0), (2, 1.0)]);
    }

    #[test]
    fn a_drawn_pairing_is_no_walkover_where_a_draw_gives_no_points() {
        let ranking = Ranking {
            pairing_points: Some([3.0, 1.0, 0.0]),
            ..Ranking::default()
        };
        let settings = of(2, ranking);
        // As with `points = [1, 0, -1]`: draws give 0, and who does not play loses 1.
        let mut drawn = pairing(0, [0, 1], [0, 2, 0]);
        for game in &mut drawn.block.games {
            Arc::make_mut(game).points = vec![0.0; 2];
        }
        let mut lost = drawn.clone();
        lost.walkovers = std::mem::take(&mut lost.block.games);
        for game in &mut lost.walkovers {
            Arc::make_mut(game).points = vec![-1.0; 2];
        }
        for (block, due) in [(drawn, [1.0; 2]), (lost, [0.0; 2])] {
            let rows = table(&settings, &[0, 1], &[&block], &BTreeSet::new());
            let points: Vec<f64> = rows.iter().map(|row| row.points).collect();
            assert_eq!(points, due);
        }
    }

    #[test]
    fn what_is_level_is_decided_in_the_order_of_the_file() {
        // A circle of 0, 1 and 3, and 4 has beaten 3.
        let blocks = [
            pairing(0, [0, 1], [1, 0, 0]),
            pairing(1, [1, 3], [1, 0, 0]),
            pairing(2, [0, 3], [0, 0, 1]),
            pairing(3, [3, 4], [0, 0, 1]),
        ];
        let by = |tie_breaks: &[TieBreak]| {
            let tie_breaks = tie_breaks.to_vec();
            let ranking = Ranking {
                tie_breaks,
                ..Ranking::default()
            };
            order(&of(5, ranking), &blocks, &[])
        };
        // All but 2 have 3 points.
        let all = by(&[TieBreak::Points, TieBreak::HeadToHead]);
        assert_eq!((all[0], all[4]), (4, 2));
        let buchholz = by(&[TieBreak::Points, TieBreak::Buchholz]);
        // 3 has met three with 3 points, 0 and 1 two, 4 one.
        assert_eq!((buchholz[0], buchholz[3]), (3, 4));
        let lots = by(&[TieBreak::Lot]);
        assert_eq!(lots, by(&[TieBreak::Lot]));
        let mut settings = of(5, Ranking::default());
        let drawn = |settings: &Settings| order(settings, &[], &[]);
        let others = (2..20_u64).map(|seed| {
            settings.seed = seed.into();
            drawn(&settings)
        });
        assert!(
            others.collect::<BTreeSet<_>>().len() > 5,
            "lots follow from the seed"
        );
    }

    #[test]
    fn a_bye_is_worth_a_won_pairing() {
        // Each of three sits out once.
        let blocks = [
            pairing(0, [2, 1], [2, 0, 0]),
            pairing(1, [0, 2], [2, 0, 0]),
            pairing(2, [0, 1], [1, 0, 1]),
        ];
        let mut settings = of(3, Ranking::default());
        settings.format = Format::Swiss { rounds: 3 };
        // More deals may come.
        settings.deals = u32::MAX;
        let rows = |settings: &Settings, blocks: &[DealBlock]| -> Vec<(usize, f64, u64)> {
            let blocks: Vec<&DealBlock> = blocks.iter().collect();
            let rows = table(settings, &[0, 1, 2], &blocks, &BTreeSet::new());
            let mut rows: Vec<_> = rows
                .iter()
                .map(|row| (row.entrant, row.points, row.wins))
                .collect();
            rows.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            rows
        };
        for points in [None, Some([3.0, 1.0, 0.0])] {
            settings.points = points;
            assert_eq!(
                rows(&settings, &blocks[..1]),
                [(0, 6.0, 2), (2, 6.0, 2), (1, 0.0, 0)]
            );
            assert_eq!(
                rows(&settings, &blocks),
                [(0, 15.0, 5), (2, 12.0, 4), (1, 9.0, 3)]
            );
        }
        // A drawn pairing, or one that nobody has played, makes a bye no worse where the file says what a win is worth.
        let drawn = pairing(0, [2, 1], [0, 2, 0]);
        assert_eq!(rows(&settings, &[drawn])[0], (0, 6.0, 2));
        settings.ranking.pairing_points = Some([2.0, 1.0, 0.0]);
        assert_eq!(
            rows(&settings, &blocks),
            [(0, 5.0, 5), (2, 4.0, 4), (1, 3.0, 3)]
        );
        // In another format nobody sits out.
        settings.format = Format::RoundRobin;
        assert_eq!(rows(&settings, &blocks[..1])[0], (2, 2.0, 2));
    }

    #[test]
    fn a_bye_has_the_games_of_the_slowest_table() {
        let mut settings = of(5, Ranking::default());
        settings.format = Format::Swiss { rounds: 1 };
        settings.points = Some([1.0, 0.5, 0.0]);
        let section = &Section::all(&settings)[0];
        let all = [pairing(0, [0, 1], [4, 0, 0]), pairing(1, [2, 3], [2, 0, 0])];
        let found = |blocks: &[DealBlock], members: &[usize]| {
            let blocks: Vec<&DealBlock> = blocks.iter().collect();
            byes(&settings, section, members, &blocks)
        };
        let bye = Bye {
            entrant: 4,
            points: 2.0,
            game_points: 2.0,
            wins: 2,
        };
        assert_eq!(found(&all, &[0, 1, 2, 3, 4]), [bye]);
        // Entrants outside the stage have no bye. An entrant may still play at a table that has not begun.
        assert_eq!(found(&all, &[0, 1, 2, 3]), []);
        assert_eq!(found(&all[..1], &[0, 1, 2, 3, 4]), []);
    }

    #[test]
    fn one_that_is_disqualified_is_the_last() {
        let blocks = [pairing(0, [0, 1], [2, 0, 0])];
        let settings = of(2, Ranking::default());
        assert_eq!(order(&settings, &blocks, &[]), [0, 1]);
        assert_eq!(order(&settings, &blocks, &[0]), [1, 0]);
    }

    #[test]
    fn the_best_of_each_group_go_on() {
        let settings = of(9, Ranking::default());
        let row = |entrant| Row {
            entrant,
            games: 1,
            points: 0.0,
            wins: 0,
            buchholz: 0.0,
        };
        let tables = [[4, 1, 7], [0, 8, 2], [5, 3, 6]].map(|table| table.map(row).to_vec());
        let mut stage = Stage {
            name: "final".to_owned(),
            advance: 2,
            wild_cards: 0,
            groups: 1,
            format: Format::RoundRobin,
            deals: 7,
        };
        let none = BTreeSet::new();
        assert_eq!(
            next_groups(&settings, 1, &tables, &stage, &none),
            [[0, 1, 3, 4, 5, 8]]
        );
        let mut better = tables.clone();
        (better[1][2].points, better[2][1].points) = (1.0, 2.0);
        (stage.advance, stage.wild_cards) = (1, 2);
        assert_eq!(
            next_groups(&settings, 1, &better, &stage, &none),
            [[0, 2, 3, 4, 5]]
        );
        // One that is disqualified leaves its place to the next.
        let two = next_groups(&settings, 1, &better, &stage, &[2].into());
        assert!(!two[0].contains(&2) && two[0].len() == 5, "{two:?}");
        (stage.advance, stage.wild_cards, stage.groups) = (2, 0, 3);
        let three = next_groups(&settings, 1, &tables, &stage, &none);
        for group in three {
            let winners = group.iter().filter(|entrant| [4, 0, 5].contains(entrant));
            assert_eq!((group.len(), winners.count()), (2, 1));
        }
    }
}
