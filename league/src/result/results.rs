//! What a league has come to, line by line of its journal: live progress, the runner, status and report read these.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{Read, Seek};
use std::path::Path;

use record::EndKind;
use serde::Serialize;
use stats::Verdict;

use super::highlights::Highlights;
use super::seats::SeatScores;
use crate::journal::{
    DealBlock, Entry, Fixtures, Game, Head, InRecord, JournalError, JournalReader, Machine,
    MachineWork, Order, OrganiserCommand, OrganiserState, Outcomes, Played, PlayedBy, Test,
    TimeoutPolicy,
};
use crate::ranking::{Row, table};
use crate::schedule::Key;
use crate::sections::Section;

/// Records in whose headers the names of programs are looked for.
const MOST_RECORDS: usize = 200;
/// The fixtures that were played last of which the entrants are kept.
const LAST: usize = 12;

/// Sums of a league, in any order of its fixtures. Of a fixture it keeps which outcomes its games had, and no more.
#[derive(Clone, Debug)]
pub struct Results {
    /// The settings in it are those of all that is counted.
    pub head: Head,
    pub order: Order,
    pub fixtures: u64,
    pub games: u64,
    /// Moves of all games.
    pub plies: u64,
    /// Milliseconds of all fixtures together.
    pub ms: u64,
    pub entrants: Vec<EntrantCounts>,
    /// How many games ended by which rule, in games that end by several.
    pub ends: BTreeMap<String, u64>,
    pub test: Option<Test>,
    /// Whole blocks by their position in the schedule and their matchup.
    blocks: BTreeMap<(u64, u32), DealBlock>,
    /// By matchup and deal the fixtures of blocks that are not whole.
    open: HashMap<(u32, u32), Vec<Played>>,
    rotations: u8,
    outcomes: Outcomes,
    pub(super) seats: SeatScores,
    pub(super) highlights: Highlights,
    /// Whole blocks whose games are all those of an earlier one: they add no information.
    pub repeats: u64,
    known_blocks: HashSet<u64>,
    /// The last fixtures that were played, the latest last, with the entrants by seat.
    pub last: VecDeque<(Key, Vec<usize>)>,
    /// The first names of files with records, and the first recorded game by its key.
    pub(super) records: BTreeSet<String>,
    pub(super) first_record: Option<(Key, InRecord)>,
    /// By matchup its sorted entrants, where pairings depend on results and they are known.
    pub pairings: BTreeMap<u32, Vec<usize>>,
    /// By section its groups, where these depend on results.
    pub groups: BTreeMap<usize, Vec<Vec<usize>>>,
    /// By the reason which fixtures were begun in vain, in the order of the lines, and the last of them.
    pub(super) voids: BTreeMap<String, Vec<Key>>,
    pub last_void: Option<(Key, String)>,
    /// When the league was begun and taken up again, RFC 3339.
    pub(super) began: BTreeSet<String>,
    /// The programs and machines that have played the league, each with the time from which on.
    pub(super) played_by: Vec<PlayedBy>,
    /// By its name what each machine has played of the results that count, where others than the league's own have.
    pub machines: BTreeMap<String, MachineWork>,
    /// What was done to the league, and its state after that.
    pub acts: Vec<OrganiserCommand>,
    pub orders: OrganiserState,
    pub timeouts: TimeoutPolicy,
}

#[derive(Clone, Debug, Default)]
pub struct EntrantCounts {
    /// Games, each once however many seats of it were the entrant's.
    pub games: u64,
    pub faults: BTreeMap<&'static str, u64>,
    pub refused: u64,
    /// Games and milliseconds that its time is of, and all of it that is no mean.
    timed: u64,
    used: u64,
    time: Thinking,
}

impl EntrantCounts {
    pub fn all_faults(&self) -> u64 {
        self.faults.values().sum()
    }

    pub fn thinking(&self) -> Thinking {
        let mean = |n: u64| (n > 0).then(|| self.used as f64 / n as f64);
        Thinking {
            move_ms: mean(self.time.moves),
            game_ms: mean(self.timed),
            ..self.time
        }
    }

    fn add_time(&mut self, game: &Game, seat: usize) {
        let (used, slowest, time) = (game.used[seat], game.slowest[seat], &mut self.time);
        self.timed += 1;
        self.used += used;
        time.moves += u64::from(game.moves[seat]);
        time.slowest_move_ms = time.slowest_move_ms.max(slowest);
        time.longest_game_ms = time.longest_game_ms.max(used);
    }
}

impl Results {
    /// Those of a league of which nothing was played.
    pub fn new(head: Head) -> Results {
        let settings = &head.settings;
        Results {
            order: Order::of(settings),
            fixtures: 0,
            games: 0,
            plies: 0,
            ms: 0,
            entrants: vec![EntrantCounts::default(); settings.entrants.len()],
            ends: BTreeMap::new(),
            test: Test::new(settings),
            blocks: BTreeMap::new(),
            open: HashMap::new(),
            rotations: settings.plan().rotations(),
            outcomes: Outcomes::default(),
            seats: SeatScores::new(settings),
            highlights: Highlights::default(),
            repeats: 0,
            known_blocks: HashSet::new(),
            last: VecDeque::new(),
            records: BTreeSet::new(),
            first_record: None,
            pairings: BTreeMap::new(),
            groups: BTreeMap::new(),
            voids: BTreeMap::new(),
            last_void: None,
            began: BTreeSet::from([head.started.clone()]),
            played_by: vec![PlayedBy {
                since: head.started.clone(),
                program: head.server.clone(),
                machine: head.machine.clone(),
            }],
            machines: BTreeMap::new(),
            acts: Vec::new(),
            orders: OrganiserState::default(),
            timeouts: TimeoutPolicy::new(settings),
            head,
        }
    }

    /// Those of the journal of a path, which may be one as [`find`](crate::journal::find) knows, with its fixtures.
    pub fn open(path: &Path) -> Result<(Results, Fixtures<File>), JournalError> {
        Results::read(JournalReader::open(path)?)
    }

    /// Those of a journal by the settings that its reader has now, with its fixtures.
    pub fn read<R: Read + Seek>(
        mut reader: JournalReader<R>,
    ) -> Result<(Results, Fixtures<R>), JournalError> {
        let mut results = Results::new(reader.head.clone());
        let mut places = Vec::new();
        for line in reader.lines()? {
            let line = line?;
            match line.entry.played() {
                Some(played) if !line.counts => results.know(played),
                Some(played) => {
                    places.push((played.key, line.at));
                    results.take(&line.entry);
                }
                None => results.take(&line.entry),
            }
        }
        Ok((results, reader.fixtures(places)))
    }

    /// Takes a line. Results that a command strikes stay: what follows from those that are left is in the journal.
    pub fn take(&mut self, entry: &Entry) {
        let settings = &self.head.settings;
        match entry {
            Entry::Played(played)
            | Entry::Replayed {
                replayed: played, ..
            } => {
                // Those of the other tables may have begun at the same time.
                let beside = settings.run.at_once.saturating_sub(1) as u64;
                let since = self.timeouts.taken.saturating_sub(beside);
                self.timeouts.take(played, since);
                self.count(played);
            }
            Entry::Void { key, void } => {
                self.voids.entry(void.clone()).or_default().push(*key);
                self.last_void = Some((*key, void.clone()));
            }
            Entry::Command { act, .. } => {
                self.orders.follow(act, settings);
                self.timeouts.obey(&act.action, settings);
                self.acts.push(act.clone());
            }
            Entry::Round { round, .. } => {
                self.groups.insert(round.section, round.groups.clone());
                let paired = (round.first..).zip(round.matchups.iter().cloned());
                self.pairings.extend(paired);
            }
            Entry::Excluded { set_aside, .. } => self.timeouts.set_aside(set_aside, settings),
            Entry::Joined { joined, .. } => {
                let Machine { name, host } = joined;
                let work = self.machine(name);
                if !work.hosts.contains(host) {
                    work.hosts.push(host.clone());
                }
            }
            Entry::Begun { begun, by, .. } => {
                self.timeouts.go_on();
                self.began.insert(begun.clone());
                let last = &self.played_by[self.played_by.len() - 1];
                if let Some(by) = by
                    && (&last.program, last.machine.as_ref()) != (&by.program, Some(&by.machine))
                {
                    self.played_by.push(PlayedBy {
                        since: begun.clone(),
                        program: by.program.clone(),
                        machine: Some(by.machine.clone()),
                    });
                }
            }
        }
    }

    /// Takes the result of a fixture that began when `since` results were known.
    pub fn add(&mut self, played: &Played, since: u64) {
        self.timeouts.note(played, since);
        self.count(played);
    }

    /// Counts a fixture, which must come but once.
    fn count(&mut self, played: &Played) {
        let key = played.key;
        self.know(played);
        self.fixtures += 1;
        self.ms += played.ms;
        for game in &played.games {
            self.games += 1;
            self.plies += u64::from(game.plies);
            self.add_game(played, game);
        }
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back((key, played.seats.clone()));
        if let Some(name) = &played.host {
            let work = self.machine(name);
            work.fixtures += 1;
            work.ms += played.ms;
        }
        if let Some(record) = &played.record {
            self.records.insert(record.file.clone());
            if self.records.len() > MOST_RECORDS {
                self.records.pop_last();
            }
            let first = self.first_record.as_ref();
            if first.is_none_or(|&(first, _)| key < first) {
                self.first_record = Some((key, record.clone()));
            }
        }
        let position = self.order.position(key.matchup, key.deal);
        let game = self.head.settings.game();
        self.highlights.add(game, played, position);
        let open = self.open.entry((key.matchup, key.deal)).or_default();
        open.push(played.clone());
        if open.len() == usize::from(self.rotations) {
            let mut whole = std::mem::take(open);
            self.open.remove(&(key.matchup, key.deal));
            whole.sort_by_key(|played| played.key.rotation);
            self.add_block(position, &whole);
        }
    }

    fn add_block(&mut self, position: u64, fixtures: &[Played]) {
        let block = DealBlock::of(fixtures, &mut self.outcomes);
        if let Some(test) = &mut self.test {
            test.add(&block);
        }
        self.seats.add(fixtures);
        let digest = digest(fixtures);
        let is_new = digest.is_none_or(|digest| self.known_blocks.insert(digest));
        self.repeats += u64::from(!is_new);
        self.blocks.insert((position, block.matchup), block);
    }

    fn add_game(&mut self, played: &Played, game: &Game) {
        let ends = [EndKind::Resign, EndKind::Agreed].into_iter();
        let mut ends = ends.filter(|kind| game.kinds.contains(kind));
        if let Some(end) = game.rule.as_deref().or_else(|| Some(ends.next()?.as_str())) {
            match self.ends.get_mut(end) {
                Some(count) => *count += 1,
                None => _ = self.ends.insert(end.to_owned(), 1),
            }
        }
        for (seat, &entrant) in played.seats.iter().enumerate() {
            let counts = &mut self.entrants[entrant];
            counts.games += u64::from(!played.seats[..seat].contains(&entrant));
            let kind = game.kind(seat);
            if kind.is_fault() {
                *counts.faults.entry(kind.as_str()).or_default() += 1;
            }
            let refused = game.refused.get(seat).copied().unwrap_or_default();
            counts.refused += u64::from(refused);
            if !game.is_walkover() {
                counts.add_time(game, seat);
            }
        }
    }

    /// Takes in who plays a matchup, also by a result that was struck.
    fn know(&mut self, played: &Played) {
        if self.head.settings.pairs_rounds() {
            let seated = || {
                let mut seats = played.seats.clone();
                seats.sort_unstable();
                seats
            };
            let pairing = self.pairings.entry(played.key.matchup);
            pairing.or_insert_with(seated);
        }
    }

    fn machine(&mut self, name: &str) -> &mut MachineWork {
        let work = || MachineWork {
            name: name.to_owned(),
            fixtures: 0,
            ms: 0,
            hosts: Vec::new(),
        };
        self.machines.entry(name.to_owned()).or_insert_with(work)
    }

    /// Whole blocks, in the order of the schedule.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = &DealBlock> {
        self.blocks.values()
    }

    /// The fixtures of deals of which some rotations were played, but not all, by deal.
    pub fn begun(&self) -> impl ExactSizeIterator<Item = &[Played]> {
        self.open.values().map(|fixtures| &fixtures[..])
    }

    pub fn is_played(&self, key: Key) -> bool {
        let position = self.order.position(key.matchup, key.deal);
        let open = self.open.get(&(key.matchup, key.deal));
        self.blocks.contains_key(&(position, key.matchup))
            || open.is_some_and(|all| all.iter().any(|played| played.key == key))
    }

    /// Whole blocks of a section, in the order of the schedule.
    pub fn blocks_of(&self, section: &Section) -> Vec<&DealBlock> {
        let blocks = self.blocks();
        blocks.filter(|block| section.has(block.matchup)).collect()
    }

    /// The tables of these groups of a section, by whole blocks.
    pub fn tables(&self, section: &Section, groups: &[Vec<usize>]) -> Vec<Vec<Row>> {
        let (settings, blocks) = (&self.head.settings, self.blocks_of(section));
        let groups = groups.iter();
        let table = |group: &Vec<usize>| table(settings, group, &blocks, &self.orders.disqualified);
        groups.map(table).collect()
    }

    /// By matchup how many fixtures were played.
    pub fn fixtures_of(&self) -> BTreeMap<u32, u64> {
        let whole = self.blocks();
        let whole = whole.map(|block| (block.matchup, u64::from(self.rotations)));
        let open = self.begun();
        let open = open.map(|all| (all[0].key.matchup, all.len() as u64));
        let mut fixtures = BTreeMap::new();
        for (matchup, more) in whole.chain(open) {
            *fixtures.entry(matchup).or_default() += more;
        }
        fixtures
    }

    /// The sorted entrants of a matchup, as far as the schedule or a fixture says.
    pub fn seated(&self, matchup: u32) -> Vec<usize> {
        let known = self.order.seated(matchup).map(<[usize]>::to_vec);
        let of_block = || {
            let block = self.blocks().find(|block| block.matchup == matchup)?;
            Some(block.counted().next()?.entrants.clone())
        };
        let of_fixture = || {
            let mut begun = self.begun().map(|all| &all[0]);
            let fixture = begun.find(|played| played.key.matchup == matchup)?;
            Some(fixture.seats.clone())
        };
        let known = known.or_else(of_block).or_else(of_fixture);
        let mut seated = known.unwrap_or_default();
        seated.sort_unstable();
        seated
    }

    pub fn voids(&self) -> u64 {
        self.voids.values().map(|keys| keys.len() as u64).sum()
    }

    pub fn verdict(&self) -> Verdict {
        let test = self.test.as_ref();
        test.map_or(Verdict::Open, |test| test.sprt.verdict())
    }

    /// Fixtures of the whole schedule; `None` if it has no end.
    pub fn scheduled(&self) -> Option<u64> {
        Section::fixtures_of(&self.head.settings)
    }

    /// Whether no game is left to play: all are played, or the test has its verdict.
    pub fn is_over(&self) -> bool {
        self.scheduled() == Some(self.fixtures) || self.verdict() != Verdict::Open
    }
}

/// What the games of a deal were, seat by seat, in any order of its fixtures: two blocks of the same digest are the same
/// games. `None` where that is not known, and for games that a fault ends: these are the same without any play.
fn digest(fixtures: &[Played]) -> Option<u64> {
    let mut games = fixtures.iter().flat_map(|played| &played.games);
    let is_told =
        |game: &Game| !game.digest.is_empty() && !game.kinds.iter().any(|kind| kind.is_fault());
    if !games.all(is_told) {
        return None;
    }
    let fixtures = fixtures.iter().map(|played| {
        let digests = played.games.iter().map(|game| &game.digest[..]);
        (&played.seats[..], digests.collect())
    });
    let mut fixtures: Vec<(&[usize], Vec<&str>)> = fixtures.collect();
    fixtures.sort_unstable();
    let mut hasher = DefaultHasher::new();
    fixtures.hash(&mut hasher);
    Some(hasher.finish())
}

/// Use of time. Milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Thinking {
    pub moves: u64,
    /// Mean of a move; `None` without one.
    pub move_ms: Option<f64>,
    pub slowest_move_ms: u64,
    /// Mean of all moves of a game; `None` without one.
    pub game_ms: Option<f64>,
    /// Most for all moves of one game.
    pub longest_game_ms: u64,
}
