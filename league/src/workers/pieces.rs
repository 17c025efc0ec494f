//! The sessions of a league in pieces, and what comes back of them. Without input and output: a league on a thousand simulated
//! machines is driven by the same code.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use program::work::{Loss, Piece, Queue};

use super::message::{MOST_MS, SessionJob, SessionJobs, WorkLine, is_bounded, is_name, plain};
use super::recorded::Recorded;
use crate::journal::{Game, Host, Machine, Played};
use crate::settings::Settings;
use crate::table_session::{FixtureResult, SessionEnd};

/// A result of a session, or its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Update {
    /// A file of its record, before the fixtures that are in it: its name and what is in it.
    Record(String, String),
    Done(FixtureResult),
    /// The session is over; with the standard error of its programs.
    Ended(SessionEnd, String),
}

impl Update {
    pub(super) const fn ended(end: SessionEnd) -> Update {
        Update::Ended(end, String::new())
    }
}

#[derive(Debug, Default)]
pub(super) struct PieceResult {
    /// In order, by session.
    pub(super) updates: Vec<(u64, Update)>,
    pub(super) machine: Option<Machine>,
    /// Number of lines that do not belong to the piece.
    pub(super) odd: usize,
}

/// The sessions of a league that are not over, and pieces of them.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) queue: Queue<SessionJob>,
    /// Entrants whose programs are not started.
    excluded: BTreeSet<usize>,
}

impl Pieces {
    pub(super) fn new(length: Duration) -> Pieces {
        Pieces {
            queue: Queue::new(length),
            excluded: BTreeSet::new(),
        }
    }

    /// Sets the entrants whose programs are not started from now on.
    pub(super) fn exclude(&mut self, entrants: &BTreeSet<usize>) {
        self.excluded.clone_from(entrants);
    }

    /// Whether all of these entrants are excluded.
    pub(super) fn is_empty(&self, players: &[usize]) -> bool {
        players
            .iter()
            .all(|entrant| self.excluded.contains(entrant))
    }

    /// The next piece, if one is to go out. Sessions without an entrant to start end, as the updates say; the league decides their
    /// results.
    pub(super) fn next(&mut self) -> (Option<Piece<SessionJobs>>, Vec<(u64, Update)>) {
        let Pieces { queue, excluded } = self;
        let mut ended = Vec::new();
        let next = queue.next(|number, job| {
            let is_played = !job.players.iter().all(|entrant| excluded.contains(entrant));
            if !is_played {
                ended.push((number, Update::ended(SessionEnd::Absent)));
            }
            is_played
        });
        let session = |&number: &u64| {
            let job = queue.job(number)?;
            let players = job.players.iter().copied();
            Some(SessionJob {
                out: players.filter(|one| excluded.contains(one)).collect(),
                ..job.clone()
            })
        };
        let piece = next.map(|(piece, numbers)| Piece {
            piece,
            work: SessionJobs {
                sessions: numbers.iter().filter_map(session).collect(),
            },
        });
        (piece, ended)
    }

    /// Takes back a piece. Lines of a piece that is not out (it was lost, or came back before) do not count, nor do lines of
    /// fixtures outside the piece.
    pub(super) fn over(
        &mut self,
        piece: u64,
        ms: u64,
        mut lines: Vec<WorkLine>,
        settings: &Settings,
    ) -> PieceResult {
        let mut result = PieceResult::default();
        let Some(numbers) = self.queue.take_back(piece) else {
            return result;
        };
        let mut places = HashMap::new();
        for &number in &numbers {
            let job = self.queue.job(number);
            let numbered = job.map_or(&[][..], |job| &job.fixtures).iter().enumerate();
            places.extend(numbered.map(|(place, one)| (one.fixture.key, (number, place))));
        }
        let session = |key| places.get(&key).map(|&(number, _)| number);
        let recorded = Recorded::take(&mut lines, settings, session);
        // The fixtures that were played, and why the session stopped.
        let mut ends: HashMap<u64, (usize, Option<Update>)> = HashMap::new();
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
                        result.odd += 1;
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
                    result.updates.push((number, Update::Done(done)));
                }
                WorkLine::Void { key, void, said } => {
                    if let Some(&(number, _)) = places.get(&key) {
                        let (void, said) = (plain(&void), plain(&said));
                        let end = Update::Ended(SessionEnd::Void(void), said);
                        ends.entry(number).or_default().1 = Some(end);
                    }
                }
                WorkLine::Joined { joined, .. } => {
                    let Host { program, machine } = &joined.host;
                    if [&joined.name, program, machine]
                        .into_iter()
                        .all(|text| is_name(text))
                    {
                        result.machine.get_or_insert(joined);
                    }
                }
                WorkLine::Record { .. } | WorkLine::Odd(_) => result.odd += 1,
            }
        }
        let mut bytes: HashMap<u64, usize> = HashMap::new();
        let mut files = Vec::new();
        for (number, name, text) in recorded.files() {
            if ends.get(&number).is_some_and(|end| end.0 > 0) {
                *bytes.entry(number).or_default() += text.len();
                files.push((number, Update::Record(name, text)));
            }
        }
        self.queue
            .note_size(bytes.into_values().max().unwrap_or_default());
        result.updates.splice(..0, files);
        let machine = result.machine.as_ref();
        let machine = machine.map_or_else(String::new, |machine| machine.name.clone());
        let mut whole = 0;
        for number in numbers {
            let Some(fixtures) = self.queue.job(number).map(|job| job.fixtures.len()) else {
                continue;
            };
            let (played, end) = ends.remove(&number).unwrap_or_default();
            let end = match end {
                _ if played == fixtures => {
                    whole += 1;
                    Update::ended(SessionEnd::Whole)
                }
                // The fault may be that of one machine.
                Some(_) if played == 0 && self.queue.retry(number, &machine) => continue,
                Some(end) => end,
                // The remaining fixtures become a session of their own.
                None if played > 0 => Update::ended(SessionEnd::Gone),
                None => {
                    let why = "its worker has said nothing of it";
                    result.updates.extend(self.lose(number, why));
                    continue;
                }
            };
            self.queue.remove(number);
            result.updates.push((number, end));
        }
        self.queue.note_done(&machine, whole, ms);
        result
    }

    fn fits(&self, number: u64, place: usize, played: &Played, settings: &Settings) -> bool {
        let job = self.queue.job(number);
        let Some(one) = job.and_then(|job| job.fixtures.get(place)) else {
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

    /// Takes a piece as lost: its sessions go out again, before all others.
    pub(super) fn lost(&mut self, piece: u64, why: &str) -> Vec<(u64, Update)> {
        let numbers = self.queue.take_back(piece).unwrap_or_default();
        let numbers = numbers.into_iter().rev();
        numbers
            .filter_map(|number| self.lose(number, why))
            .collect()
    }

    /// Counts a loss of a session; gives its end after the last loss allowed.
    fn lose(&mut self, number: u64, why: &str) -> Option<(u64, Update)> {
        let end = match self.queue.lose(number) {
            Loss::Retry => return None,
            Loss::Finished => SessionEnd::Whole,
            Loss::GivenUp => SessionEnd::Void(format!(
                "its workers were lost too often, the last one: {}",
                plain(why)
            )),
        };
        Some((number, Update::ended(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::MOST_BYTES;
    use super::*;
    use crate::table_session::SessionPlan;
    use crate::testing::settings;

    fn job(settings: &Settings, deal: u32) -> SessionJob {
        let plan = SessionPlan {
            fixtures: settings.plan().block(0, &[0, 1], deal),
            players: vec![0, 1],
            record: None,
            seeds: Vec::new(),
        };
        SessionJob::of(settings, &plan)
    }

    /// Pieces of which one may be out, with a session; and its number.
    fn pieces(settings: &Settings) -> (Pieces, u64) {
        let mut pieces = Pieces::new(Duration::from_mins(1));
        pieces.queue.set_slots(1);
        let number = pieces.queue.add(job(settings, 0));
        (pieces, number)
    }

    fn next(pieces: &mut Pieces) -> Piece<SessionJobs> {
        pieces.next().0.unwrap()
    }

    fn lines(settings: &Settings, piece: &Piece<SessionJobs>) -> Vec<WorkLine> {
        let sessions = piece.work.sessions.iter();
        let line = |one: &super::super::FixtureJob| {
            let host = Some("alpha".to_owned());
            WorkLine::Played(Played {
                host,
                ..Played::lost_by_all(settings, &one.fixture)
            })
        };
        sessions.flat_map(|job| &job.fixtures).map(line).collect()
    }

    fn ended(result: &PieceResult) -> Vec<(u64, SessionEnd)> {
        let updates = result.updates.iter();
        let ends = updates.filter_map(|(number, update)| match update {
            Update::Ended(ended, _) => Some((*number, ended.clone())),
            _ => None,
        });
        ends.collect()
    }

    #[test]
    fn each_fixture_counts_once_whatever_comes_twice() {
        let settings = settings();
        let (mut pieces, number) = pieces(&settings);
        let first = next(&mut pieces);
        assert_eq!(pieces.lost(first.piece, "gone"), []);
        let second = next(&mut pieces);
        assert_eq!(second.work, first.work);
        let line = || lines(&settings, &second);
        let all = |result: PieceResult| result.updates.len();
        // The lost piece comes back after all; then the other piece, with each line twice; then the other piece again.
        assert_eq!(all(pieces.over(first.piece, 1, line(), &settings)), 0);
        let twice = [line(), line()].concat();
        let result = pieces.over(second.piece, 1, twice, &settings);
        assert_eq!(ended(&result), [(number, SessionEnd::Whole)]);
        assert_eq!(all(result), 2 + 1);
        assert_eq!(all(pieces.over(second.piece, 1, line(), &settings)), 0);
    }

    #[test]
    fn what_was_not_played_is_played_again_and_strange_lines_do_not_count() {
        let settings = settings();
        let (mut pieces, number) = pieces(&settings);
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
            let piece = next(&mut pieces);
            let again = is_last.then(|| pieces.queue.add(job(&settings, 1)));
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
                    key: piece.work.sessions[0].fixtures[0].fixture.key,
                    void: "no port".to_owned(),
                    said: String::new(),
                };
            }
            lines.truncate(1);
            let result = pieces.over(piece.piece, 1, lines, &settings);
            let due: Vec<_> = due.into_iter().map(|end| (number, end)).collect();
            assert_eq!(ended(&result), due, "{change}");
            if let Some(again) = again {
                // Half of the second session was played.
                let piece = next(&mut pieces);
                let lines = super::tests::lines(&settings, &piece)[..1].to_vec();
                let result = pieces.over(piece.piece, 1, lines, &settings);
                assert_eq!(ended(&result), [(again, SessionEnd::Gone)]);
            }
        }
        assert_eq!(pieces.next(), (None, Vec::new()));
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
            let (mut pieces, _) = pieces(&settings);
            let piece = next(&mut pieces);
            let mut lines = lines(&settings, &piece);
            let WorkLine::Played(played) = &mut lines[0] else {
                panic!("{lines:?}");
            };
            change(played);
            lines.push(WorkLine::Odd(serde_json::Value::Null));
            let result = pieces.over(piece.piece, 1, lines, &settings);
            let done = result.updates.iter();
            let done = done.filter(|(_, update)| matches!(update, Update::Done(_)));
            assert_eq!((done.count(), result.odd), (1, 2), "change {number}");
        }
    }

    #[test]
    fn a_session_that_nobody_would_play_does_not_go_out() {
        let settings = settings();
        let (mut pieces, number) = pieces(&settings);
        pieces.exclude(&BTreeSet::from([1]));
        assert!(!pieces.is_empty(&[0, 1]));
        let piece = next(&mut pieces);
        assert_eq!(piece.work.sessions[0].out, BTreeSet::from([1]));
        assert_eq!(pieces.lost(piece.piece, "gone"), []);
        pieces.exclude(&BTreeSet::from([0, 1]));
        assert!(pieces.is_empty(&[0, 1]));
        let absent = Update::ended(SessionEnd::Absent);
        assert_eq!(pieces.next(), (None, vec![(number, absent)]));
        assert_eq!(pieces.next(), (None, Vec::new()));
    }

    #[test]
    fn a_session_that_is_lost_again_and_again_is_void_and_one_that_is_to_finish_whole() {
        let settings = settings();
        for is_last in [false, true] {
            let (mut pieces, number) = pieces(&settings);
            let mut ended = Vec::new();
            while let (Some(piece), _) = pieces.next() {
                assert!(!is_last || pieces.queue.finish(number));
                assert_eq!(ended, []);
                ended = pieces.lost(piece.piece, "out of memory");
            }
            let [(of, Update::Ended(end, _))] = &ended[..] else {
                panic!("{ended:?}");
            };
            assert_eq!((*of, *end == SessionEnd::Whole), (number, is_last));
            let is_void = matches!(end, SessionEnd::Void(why) if why.ends_with("the last one: out of memory"));
            assert!(is_last || is_void, "{end:?}");
        }
    }
}
