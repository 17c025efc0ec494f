//! Divides sittings into pieces, tracks the pieces that are out, and handles pieces that come back or are lost.
//!
//! Without input and output: a league on a thousand simulated machines is driven by the same code.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use super::bounds::{MOST_MS, is_bounded, is_name, plain};
use super::message::{Piece, PieceSitting, WorkLine};
use super::recorded::Recorded;
use crate::journal::{Game, Host, Machine, Played};
use crate::settings::Settings;
use crate::table_session::{FixtureResult, SessionEnd};

/// Most sittings of a piece, and most sittings that are known at the same time.
const MOST_SITTINGS: usize = 10_000;
const MOST_KNOWN: usize = 100_000;

/// Most bytes of the records of a piece, estimated from the sitting with the most so far. As text in JSON they fit in a line.
const MOST_RECORDED: usize = 16 << 20;

/// Losses after which a sitting becomes a piece of its own, and losses after which it is void.
const ALONE: u32 = 2;
const LOSSES: u32 = 5;

/// How often a sitting comes to nothing before it is void, where one machine alone says so. Of two machines once is enough.
const TRIES: u32 = 3;

/// Most pieces that are out at the same time, whatever the carrier says.
const MOST_SLOTS: usize = 100_000;

/// Weight of a new piece in the running mean of the time of a sitting.
const WEIGHT: f64 = 0.2;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A file of its record, before the fixtures that are in it: its name and what is in it.
    Record(String, String),
    Done(FixtureResult),
    /// The sitting is over; with the standard error of its programs.
    Ended(SessionEnd, String),
}

#[derive(Debug, Default)]
pub(super) struct Harvest {
    /// News of sittings, in order.
    pub(super) words: Vec<(u64, Word)>,
    pub(super) machine: Option<Machine>,
    /// Number of lines that do not belong to the piece.
    pub(super) odd: usize,
}

/// Where a sitting is that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Waiting,
    Out,
    /// It came to nothing on a machine, and waits until another one is free.
    Doubted,
}

/// A sitting that is not over.
#[derive(Debug)]
struct Sitting {
    given: PieceSitting,
    losses: u32,
    /// The machine on which it came to nothing.
    void: Option<String>,
    /// How often that counts: the machine is the only one, or has played something else since.
    tries: u32,
    place: Place,
    /// Whether it must not go out again.
    is_last: bool,
}

/// The sittings of a league that are not over, and pieces of them.
#[derive(Debug)]
pub(super) struct Pieces {
    length: Duration,
    /// Most pieces that are out at the same time.
    slots: usize,
    sittings: HashMap<u64, Sitting>,
    /// Sittings in no piece, the next one first; some may be over.
    waiting: VecDeque<u64>,
    /// Number of waiting sittings that are not over.
    idle: usize,
    /// Sittings that came to nothing on one machine; some may be over.
    doubted: Vec<u64>,
    /// The sittings of the pieces that are out.
    out: HashMap<u64, Vec<u64>>,
    /// Entrants whose programs are not started.
    left_out: BTreeSet<usize>,
    empty: Vec<u64>,
    next_sitting: u64,
    next_piece: u64,
    /// Mean time of a sitting, milliseconds, once one is known.
    pace: Option<f64>,
    /// Most bytes of the record of a sitting so far.
    recorded: usize,
}

impl Pieces {
    pub(super) fn new(length: Duration) -> Pieces {
        Pieces {
            length,
            slots: 0,
            sittings: HashMap::new(),
            waiting: VecDeque::new(),
            idle: 0,
            doubted: Vec::new(),
            out: HashMap::new(),
            left_out: BTreeSet::new(),
            empty: Vec::new(),
            next_sitting: 0,
            next_piece: 0,
            pace: None,
            recorded: 0,
        }
    }

    /// Sets the number of pieces that may be out; pieces above it still come back.
    pub(super) fn set_slots(&mut self, slots: usize) {
        self.slots = slots.min(MOST_SLOTS);
    }

    /// Sets the entrants whose programs are not started from now on.
    pub(super) fn leave_out(&mut self, out: &BTreeSet<usize>) {
        self.left_out.clone_from(out);
    }

    /// Whether all of these entrants are left out.
    pub(super) fn is_empty(&self, players: &[usize]) -> bool {
        players
            .iter()
            .all(|entrant| self.left_out.contains(entrant))
    }

    /// The ends of sittings without an entrant to start; the league decides their results.
    pub(super) fn empty(&mut self) -> Vec<(u64, Word)> {
        let numbers = std::mem::take(&mut self.empty).into_iter();
        numbers
            .map(|number| (number, Word::Ended(SessionEnd::Absent, String::new())))
            .collect()
    }

    /// Number of sittings that the scheduler should supply: twice those of the pieces that may be out.
    pub(super) fn wanted(&self) -> usize {
        let two = self.slots.saturating_mul(2);
        two.saturating_mul(self.usual())
            .clamp(1, MOST_KNOWN.max(two))
    }

    /// Number of sittings in a piece of the target length.
    fn usual(&self) -> usize {
        let length = self.length.as_millis() as f64;
        let fit = self.pace.map_or(1.0, |pace| length / pace.max(1.0));
        let most = MOST_SITTINGS.min(MOST_RECORDED / self.recorded.max(1));
        (fit as usize).clamp(1, most.max(1))
    }

    pub(super) fn add(&mut self, given: PieceSitting) -> u64 {
        let number = self.next_sitting;
        self.next_sitting += 1;
        let sitting = Sitting {
            given,
            losses: 0,
            void: None,
            tries: 0,
            place: Place::Waiting,
            is_last: false,
        };
        self.sittings.insert(number, sitting);
        self.waiting.push_back(number);
        self.idle += 1;
        number
    }

    /// Marks a sitting so that it does not go out again after a loss; gives whether its piece is out.
    pub(super) fn finish(&mut self, number: u64) -> bool {
        let sitting = self.sittings.get_mut(&number);
        sitting.is_some_and(|sitting| {
            sitting.is_last = true;
            sitting.place == Place::Out
        })
    }

    /// Forgets a sitting: its later lines do not count.
    pub(super) fn forget(&mut self, number: u64) {
        if let Some(sitting) = self.sittings.remove(&number) {
            self.idle -= usize::from(sitting.place == Place::Waiting);
        }
    }

    /// The next piece, if one is to go out. Towards the end pieces are smaller, so that all slots end at about the same time.
    pub(super) fn next(&mut self) -> Option<Piece> {
        if self.out.len() >= self.slots {
            return None;
        }
        if self.idle == 0 && self.out.is_empty() {
            // There is no other machine now.
            self.release(None);
        }
        if self.idle == 0 {
            return None;
        }
        let most = self.usual().min(self.idle.div_ceil(self.slots));
        let (mut numbers, mut sittings) = (Vec::new(), Vec::new());
        while numbers.len() < most
            && let Some(number) = self.waiting.pop_front()
        {
            let Some(sitting) = self.sittings.get_mut(&number) else {
                continue;
            };
            let is_left_out = |entrant: &usize| self.left_out.contains(entrant);
            if sitting.given.players.iter().all(is_left_out) {
                self.idle -= 1;
                self.sittings.remove(&number);
                self.empty.push(number);
                continue;
            }
            let is_alone = sitting.losses >= ALONE;
            if is_alone && !numbers.is_empty() {
                self.waiting.push_front(number);
                break;
            }
            sitting.place = Place::Out;
            self.idle -= 1;
            numbers.push(number);
            let players = sitting.given.players.iter().copied();
            sittings.push(PieceSitting {
                out: players.filter(is_left_out).collect(),
                ..sitting.given.clone()
            });
            if is_alone {
                break;
            }
        }
        if numbers.is_empty() {
            return None;
        }
        let piece = self.next_piece;
        self.next_piece += 1;
        self.out.insert(piece, numbers);
        Some(Piece { piece, sittings })
    }

    /// Takes back a piece. Lines of a piece that is not out (it was lost, or came back before) do not count, nor do lines of
    /// fixtures outside the piece.
    pub(super) fn over(
        &mut self,
        piece: u64,
        ms: u64,
        mut lines: Vec<WorkLine>,
        settings: &Settings,
    ) -> Harvest {
        let mut harvest = Harvest::default();
        let Some(numbers) = self.out.remove(&piece) else {
            return harvest;
        };
        let mut places = HashMap::new();
        for &number in &numbers {
            let sitting = self.sittings.get(&number);
            let fixtures = sitting.map_or(&[][..], |sitting| &sitting.given.fixtures);
            let numbered = fixtures.iter().enumerate();
            places.extend(numbered.map(|(place, one)| (one.fixture.key, (number, place))));
        }
        let sitting = |key| places.get(&key).map(|&(number, _)| number);
        let recorded = Recorded::take(&mut lines, settings, sitting);
        // Whether a fixture was played, and why the sitting stopped.
        let mut ends: HashMap<u64, (usize, Option<Word>)> = HashMap::new();
        for line in lines {
            match line {
                WorkLine::Played(played) => {
                    let Some(&(number, place)) = places.get(&played.key) else {
                        continue;
                    };
                    let is_recorded = match &played.record {
                        Some(games) => recorded.has(number, games),
                        None => !settings.records || played.games.iter().all(Game::is_walkover),
                    };
                    if !is_recorded || !self.fits(number, place, &played, settings) {
                        harvest.odd += 1;
                        continue;
                    }
                    places.remove(&played.key);
                    ends.entry(number).or_default().0 += 1;
                    let done = FixtureResult {
                        number: place,
                        ms: played.ms,
                        games: played.games,
                        record: played.record,
                        host: played.host,
                    };
                    harvest.words.push((number, Word::Done(done)));
                }
                WorkLine::Void { key, void, said } => {
                    if let Some(&(number, _)) = places.get(&key) {
                        let (void, said) = (plain(&void), plain(&said));
                        let end = Word::Ended(SessionEnd::Void(void), said);
                        ends.entry(number).or_default().1 = Some(end);
                    }
                }
                WorkLine::Joined { joined, .. } => {
                    let Host { program, machine } = &joined.host;
                    if [&joined.name, program, machine]
                        .into_iter()
                        .all(|text| is_name(text))
                    {
                        harvest.machine.get_or_insert(joined);
                    }
                }
                WorkLine::Record { .. } | WorkLine::Odd(_) => harvest.odd += 1,
            }
        }
        let is_played = |number| ends.get(&number).is_some_and(|end| end.0 > 0);
        let (records, bytes) = recorded.words(is_played);
        self.recorded = self.recorded.max(bytes);
        harvest.words.splice(..0, records);
        let machine = harvest.machine.as_ref();
        let machine = machine.map_or_else(String::new, |machine| machine.name.clone());
        let mut whole = 0;
        for number in numbers {
            let Some(sitting) = self.sittings.get(&number) else {
                continue;
            };
            let (played, end) = ends.remove(&number).unwrap_or_default();
            let end = match end {
                _ if played == sitting.given.fixtures.len() => {
                    whole += 1;
                    SessionEnd::Whole
                }
                // The fault may be that of one machine.
                Some(_) if played == 0 && self.doubts(number, &machine) => continue,
                Some(Word::Ended(ended, said)) => {
                    self.sittings.remove(&number);
                    harvest.words.push((number, Word::Ended(ended, said)));
                    continue;
                }
                // The remaining fixtures become a sitting of their own.
                _ if played > 0 => SessionEnd::Gone,
                _ => {
                    let why = "its worker has said nothing of it";
                    harvest.words.extend(self.lose(number, why));
                    continue;
                }
            };
            self.sittings.remove(&number);
            harvest
                .words
                .push((number, Word::Ended(end, String::new())));
        }
        // A machine on which nothing can be played is quick with it: its time says nothing of sittings that are played.
        if whole > 0 {
            self.release(Some(&machine));
            let each = ms as f64 / f64::from(whole);
            let pace = self.pace.map_or(each, |pace| pace + WEIGHT * (each - pace));
            self.pace = Some(pace);
        }
        harvest
    }

    /// Takes a sitting of which nothing could be played on this machine; gives whether another one is to try it.
    fn doubts(&mut self, number: u64, machine: &str) -> bool {
        let Some(sitting) = self.sittings.get_mut(&number) else {
            return false;
        };
        let is_others = |before: &String| before != machine;
        if sitting.is_last
            || sitting.tries + 1 >= TRIES
            || sitting.void.as_ref().is_some_and(is_others)
        {
            return false;
        }
        sitting.void = Some(machine.to_owned());
        sitting.place = Place::Doubted;
        self.doubted.push(number);
        true
    }

    /// Lets doubted sittings go out again, after all others; this machine has played something, or there is only one.
    fn release(&mut self, machine: Option<&str>) {
        for number in std::mem::take(&mut self.doubted) {
            if let Some(sitting) = self.sittings.get_mut(&number) {
                let is_sound = machine.is_none_or(|name| sitting.void.as_deref() == Some(name));
                sitting.tries += u32::from(is_sound);
                sitting.place = Place::Waiting;
                self.idle += 1;
                self.waiting.push_back(number);
            }
        }
    }

    fn fits(&self, number: u64, place: usize, played: &Played, settings: &Settings) -> bool {
        let sitting = self.sittings.get(&number);
        let Some(one) = sitting.and_then(|sitting| sitting.given.fixtures.get(place)) else {
            return false;
        };
        let seats = settings.seats();
        played.seats == one.fixture.seats
            && played.ms <= MOST_MS
            && played.games.len() == settings.session.max(1) as usize
            && played
                .games
                .iter()
                .all(|game| game.misfit(seats).is_none() && is_bounded(game))
            && played.host.as_ref().is_some_and(|name| is_name(name))
    }

    /// Takes a piece as lost: its sittings go out again, before all others.
    pub(super) fn lost(&mut self, piece: u64, why: &str) -> Vec<(u64, Word)> {
        let numbers = self.out.remove(&piece).unwrap_or_default();
        let numbers = numbers.into_iter().rev();
        numbers
            .filter_map(|number| self.lose(number, why))
            .collect()
    }

    /// Counts a loss of a sitting; gives its end after the last loss allowed.
    fn lose(&mut self, number: u64, why: &str) -> Option<(u64, Word)> {
        let sitting = self.sittings.get_mut(&number)?;
        if sitting.is_last {
            self.sittings.remove(&number);
            return Some((number, Word::Ended(SessionEnd::Whole, String::new())));
        }
        sitting.losses += 1;
        if sitting.losses < LOSSES {
            sitting.place = Place::Waiting;
            self.idle += 1;
            self.waiting.push_front(number);
            return None;
        }
        self.sittings.remove(&number);
        let why = plain(why);
        let reason = format!("{LOSSES} workers were lost that played it, the last one: {why}");
        Some((number, Word::Ended(SessionEnd::Void(reason), String::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bounds::MOST_BYTES;
    use super::*;
    use crate::table_session::SessionPlan;
    use crate::testing::settings;

    const MINUTE: Duration = Duration::from_mins(1);

    fn sitting(settings: &Settings, deal: u32) -> PieceSitting {
        let plan = SessionPlan {
            fixtures: settings.plan().block(0, &[0, 1], deal),
            players: vec![0, 1],
            record: None,
            seeds: Vec::new(),
        };
        PieceSitting::of(settings, &plan)
    }

    fn lines(settings: &Settings, piece: &Piece) -> Vec<WorkLine> {
        let fixtures = piece.sittings.iter().flat_map(|sitting| &sitting.fixtures);
        let line = |one: &super::super::PieceFixture| {
            let host = Some("alpha".to_owned());
            WorkLine::Played(Played {
                host,
                ..Played::lost_by_all(settings, &one.fixture)
            })
        };
        fixtures.map(line).collect()
    }

    fn ended(harvest: &Harvest) -> Vec<(u64, SessionEnd)> {
        let words = harvest.words.iter();
        let ends = words.filter_map(|(number, word)| match word {
            Word::Ended(ended, _) => Some((*number, ended.clone())),
            _ => None,
        });
        ends.collect()
    }

    #[test]
    fn pieces_take_about_a_minute_and_less_at_the_end() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        assert_eq!((pieces.wanted(), pieces.next()), (1, None));
        (0..400).for_each(|deal| _ = pieces.add(sitting(&settings, deal)));
        assert_eq!(pieces.next(), None, "there is no slot");
        pieces.set_slots(2);
        let first = pieces.next().unwrap();
        assert_eq!((first.sittings.len(), pieces.wanted()), (1, 4));
        let lines = lines(&settings, &first);
        let harvest = pieces.over(first.piece, 600, lines, &settings);
        assert_eq!(ended(&harvest), [(0, SessionEnd::Whole)]);
        assert_eq!(pieces.wanted(), 2 * 2 * 100);
        let sizes: Vec<usize> = std::iter::from_fn(|| {
            let piece = pieces.next()?;
            let size = piece.sittings.len();
            pieces.over(
                piece.piece,
                600 * size as u64,
                super::tests::lines(&settings, &piece),
                &settings,
            );
            Some(size)
        })
        .collect();
        assert_eq!(sizes.iter().sum::<usize>(), 399);
        assert_eq!(
            (sizes[0], sizes[1], sizes.last()),
            (100, 100, Some(&1)),
            "{sizes:?}"
        );
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    }

    #[test]
    fn each_fixture_counts_once_whatever_comes_twice() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(3);
        let number = pieces.add(sitting(&settings, 0));
        let first = pieces.next().unwrap();
        assert_eq!(pieces.lost(first.piece, "gone"), []);
        let second = pieces.next().unwrap();
        assert_eq!(second.sittings, first.sittings);
        let line = || lines(&settings, &second);
        let all = |harvest: Harvest| harvest.words.len();
        // The lost piece comes back after all; then the other piece, with each line twice; then the other piece again.
        assert_eq!(all(pieces.over(first.piece, 1, line(), &settings)), 0);
        let twice = [line(), line()].concat();
        let harvest = pieces.over(second.piece, 1, twice, &settings);
        assert_eq!(ended(&harvest), [(number, SessionEnd::Whole)]);
        assert_eq!(all(harvest), 2 + 1);
        assert_eq!(all(pieces.over(second.piece, 1, line(), &settings)), 0);
    }

    #[test]
    fn what_was_not_played_is_played_again_and_strange_lines_do_not_count() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        let number = pieces.add(sitting(&settings, 0));
        for (change, due) in [
            ("seats", None),
            ("places", None),
            ("host", None),
            ("key", None),
            ("void", None),
            ("void", None),
            ("void", Some(SessionEnd::Void("no port".to_owned()))),
        ] {
            let is_last = change == "void" && due.is_some();
            let piece = pieces.next().unwrap();
            let again = is_last.then(|| pieces.add(sitting(&settings, 1)));
            let mut lines = lines(&settings, &piece);
            if let WorkLine::Played(played) = &mut lines[0] {
                match change {
                    "seats" => played.seats.swap(0, 1),
                    "places" => played.games[0].places[0] = 9,
                    "host" => played.host = Some("a\u{7}".to_owned()),
                    _ => played.key.deal += 7,
                }
            }
            if change == "void" {
                lines[0] = WorkLine::Void {
                    key: piece.sittings[0].fixtures[0].fixture.key,
                    void: "no port".to_owned(),
                    said: String::new(),
                };
            }
            lines.truncate(1);
            let harvest = pieces.over(piece.piece, 1, lines, &settings);
            let due: Vec<_> = due.into_iter().map(|end| (number, end)).collect();
            assert_eq!(ended(&harvest), due, "{change}");
            if let Some(again) = again {
                // Half of the second sitting was played.
                let piece = pieces.next().unwrap();
                let lines = super::tests::lines(&settings, &piece)[..1].to_vec();
                let harvest = pieces.over(piece.piece, 1, lines, &settings);
                assert_eq!(ended(&harvest), [(again, SessionEnd::Gone)]);
            }
        }
        assert_eq!(pieces.next(), None);
    }

    /// The lines of a machine on which no sitting of a piece can be played.
    fn sick(piece: &Piece, machine: &str) -> Vec<WorkLine> {
        let joined = Machine {
            name: machine.to_owned(),
            host: Host::here(),
        };
        let begun = "2026-11-23T10:00:00Z".to_owned();
        let sittings = piece.sittings.iter();
        let voids = sittings.map(|sitting| WorkLine::Void {
            key: sitting.fixtures[0].fixture.key,
            void: "no bot".to_owned(),
            said: String::new(),
        });
        std::iter::once(WorkLine::Joined { begun, joined })
            .chain(voids)
            .collect()
    }

    #[test]
    fn a_machine_that_can_play_nothing_gives_nothing_up_and_makes_no_piece_larger() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        let number = pieces.add(sitting(&settings, 0));
        (1..50).for_each(|deal| _ = pieces.add(sitting(&settings, deal)));
        // A sick machine is quick, and takes every piece; the sittings come back when no other machine plays.
        let mut seen = Vec::new();
        for _ in 0..2 * 50 {
            let piece = pieces.next().unwrap();
            assert_eq!(piece.sittings.len(), 1, "nothing is known of the time");
            seen.push(piece.sittings[0].fixtures[0].fixture.key.deal);
            let harvest = pieces.over(piece.piece, 1, sick(&piece, "sick"), &settings);
            assert_eq!(ended(&harvest), []);
        }
        assert_eq!(seen, (0..50).chain(0..50).collect::<Vec<_>>());
        // Another one says the same of the first sitting, and plays the second.
        let piece = pieces.next().unwrap();
        let harvest = pieces.over(piece.piece, 1, sick(&piece, "other"), &settings);
        let void = || SessionEnd::Void("no bot".to_owned());
        assert_eq!(ended(&harvest), [(number, void())]);
        let piece = pieces.next().unwrap();
        let lines = lines(&settings, &piece);
        let harvest = pieces.over(piece.piece, 600, lines, &settings);
        assert_eq!(ended(&harvest), [(number + 1, SessionEnd::Whole)]);
        // A third time is the last one, also on the same machine.
        let piece = pieces.next().unwrap();
        let harvest = pieces.over(piece.piece, 1, sick(&piece, "sick"), &settings);
        let ends = ended(&harvest);
        assert!(
            ends.len() == 48 && ends.iter().all(|(_, end)| *end == void()),
            "{ends:?}"
        );
        // While another machine plays, the sick one gets no sitting twice.
        pieces.set_slots(2);
        (50..60).for_each(|deal| _ = pieces.add(sitting(&settings, deal)));
        let played = pieces.next().unwrap();
        while let Some(piece) = pieces.next() {
            let harvest = pieces.over(piece.piece, 1, sick(&piece, "sick"), &settings);
            assert_eq!(ended(&harvest), []);
        }
        let doubted = pieces.doubted.clone();
        assert!(!doubted.is_empty() && !pieces.finish(doubted[0]));
        pieces.forget(doubted[0]);
        let lines = super::tests::lines(&settings, &played);
        pieces.over(played.piece, 600, lines, &settings);
        pieces.set_slots(usize::MAX);
        let again: usize = std::iter::from_fn(|| Some(pieces.next()?.sittings.len())).sum();
        assert_eq!(again, doubted.len() - 1);
        assert!(pieces.wanted() <= 2 * MOST_SLOTS, "the memory is bounded");
    }

    #[test]
    fn a_machine_that_plays_others_is_believed_the_third_time() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        let number = pieces.add(sitting(&settings, 0));
        for deal in 1..=3 {
            let piece = pieces.next().unwrap();
            let harvest = pieces.over(piece.piece, 1, sick(&piece, "m"), &settings);
            let due = (deal == 3).then(|| (number, SessionEnd::Void("no bot".to_owned())));
            assert_eq!(ended(&harvest), Vec::from_iter(due), "{deal}");
            let other = pieces.add(sitting(&settings, deal));
            let piece = pieces.next().unwrap();
            let lines = [sick(&piece, "m")[..1].to_vec(), lines(&settings, &piece)].concat();
            let harvest = pieces.over(piece.piece, 1, lines, &settings);
            assert_eq!(ended(&harvest), [(other, SessionEnd::Whole)]);
        }
        assert_eq!(pieces.next(), None);
    }

    #[test]
    fn lines_with_what_no_game_has_do_not_count() {
        let settings = settings();
        let changes: [fn(&mut Played); 7] = [
            |played| played.host = None,
            |played| played.ms = u64::MAX,
            |played| played.games[0].used[1] = u64::MAX / 2,
            |played| played.games[0].slowest[0] = MOST_MS + 1,
            |played| played.games[0].plies = u32::MAX,
            |played| played.games[0].points[0] = 1e300,
            |played| played.games[0].rule = Some("x".repeat(MOST_BYTES + 1)),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut pieces = Pieces::new(MINUTE);
            pieces.set_slots(1);
            pieces.add(sitting(&settings, 0));
            let piece = pieces.next().unwrap();
            let mut lines = lines(&settings, &piece);
            let WorkLine::Played(played) = &mut lines[0] else {
                panic!("{lines:?}");
            };
            change(played);
            lines.push(WorkLine::Odd(serde_json::Value::Null));
            let harvest = pieces.over(piece.piece, 1, lines, &settings);
            let done = harvest.words.iter();
            let done = done.filter(|(_, word)| matches!(word, Word::Done(_)));
            assert_eq!((done.count(), harvest.odd), (1, 2), "change {number}");
        }
    }

    #[test]
    fn a_sitting_that_nobody_would_play_does_not_go_out() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        let number = pieces.add(sitting(&settings, 0));
        pieces.leave_out(&BTreeSet::from([1]));
        assert!(!pieces.is_empty(&[0, 1]));
        let piece = pieces.next().unwrap();
        assert_eq!(piece.sittings[0].out, BTreeSet::from([1]));
        assert_eq!(pieces.lost(piece.piece, "gone"), []);
        pieces.leave_out(&BTreeSet::from([0, 1]));
        assert!(pieces.is_empty(&[0, 1]));
        assert_eq!(pieces.next(), None);
        let absent = Word::Ended(SessionEnd::Absent, String::new());
        assert_eq!(pieces.empty(), [(number, absent)]);
        assert_eq!((pieces.empty(), pieces.next()), (Vec::new(), None));
    }

    #[test]
    fn a_lost_sitting_that_is_to_finish_does_not_go_out_again() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        let number = pieces.add(sitting(&settings, 0));
        let piece = pieces.next().unwrap();
        assert!(pieces.finish(number));
        let whole = Word::Ended(SessionEnd::Whole, String::new());
        assert_eq!(pieces.lost(piece.piece, "gone"), [(number, whole)]);
        assert_eq!(pieces.next(), None);
    }

    #[test]
    fn a_sitting_that_is_lost_again_and_again_comes_to_nothing_alone() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(1);
        pieces.pace = Some(1.0);
        let numbers: Vec<u64> = (0..3)
            .map(|deal| pieces.add(sitting(&settings, deal)))
            .collect();
        let mut sizes = Vec::new();
        let mut ends = Vec::new();
        // Each piece that contains the first sitting is lost.
        while let Some(piece) = pieces.next() {
            sizes.push(piece.sittings.len());
            if piece.sittings[0].fixtures[0].fixture.key.deal == 0 {
                ends.extend(pieces.lost(piece.piece, "out of memory"));
            } else {
                let lines = lines(&settings, &piece);
                ends.extend(pieces.over(piece.piece, 1, lines, &settings).words);
            }
        }
        assert_eq!(sizes, [3, 3, 1, 1, 1, 1, 1]);
        let (number, Word::Ended(SessionEnd::Void(reason), _)) = &ends[0] else {
            panic!("{ends:?}");
        };
        assert_eq!(*number, numbers[0]);
        assert!(reason.contains("out of memory"), "{reason}");
        let whole = ends
            .iter()
            .filter(|(_, word)| matches!(word, Word::Ended(SessionEnd::Whole, _)));
        assert_eq!(whole.count(), 2);
    }

    #[test]
    fn what_is_forgotten_goes_out_no_more_and_counts_no_more() {
        let settings = settings();
        let mut pieces = Pieces::new(MINUTE);
        pieces.set_slots(2);
        let [a, b] = [0, 1].map(|deal| pieces.add(sitting(&settings, deal)));
        let piece = pieces.next().unwrap();
        assert!(pieces.finish(a) && !pieces.finish(b));
        pieces.forget(a);
        pieces.forget(b);
        assert_eq!(pieces.next(), None);
        let lines = lines(&settings, &piece);
        assert!(
            pieces
                .over(piece.piece, 1, lines, &settings)
                .words
                .is_empty()
        );
        assert!(pieces.sittings.is_empty() && pieces.out.is_empty());
    }
}
