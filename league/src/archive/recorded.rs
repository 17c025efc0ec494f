//! The audit of one record of a league: its header, its deals, and its games, which are compared with the journal.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor, Read as _};

use games::daihinmin::{Chance, DealerKind};
use games::{Blokus, Dobutsu, Game as _, ScoreFour};
use record::{
    Clocks, DealtSession, Header, LONGEST_LINE, ReadError, RecordReader, Replayed, What,
    verify_events,
};
use serde_json::{Value, json};

use super::Disagreement;
use super::audit::fixture;
use crate::journal::{FILE_NAME, Game, Played};
use crate::schedule::{Fixture, Key};
use crate::settings::{Rules, Settings};
use crate::table_session::{Collector, Counting, FIXTURES, RecordedFixture};
use server::referee::native::opening;

/// Results of the journal by the number of their first game in a record, each with its line.
pub(crate) type Results<'a> = BTreeMap<u32, (u64, &'a Played)>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordAudit {
    pub(super) games: u64,
    pub(super) moves: u64,
    /// Games that are no results.
    pub(super) uncounted: u64,
    /// Fixtures at its end that were played and that the journal does not have.
    pub(super) lost: Vec<Key>,
    /// Whether it has its last line.
    pub(super) is_closed: bool,
}

/// Audits a record, called `name`, in which these results of the journal are.
pub(super) fn audit_record<R: BufRead>(
    settings: &Settings,
    name: &str,
    input: R,
    results: Results<'_>,
) -> Result<RecordAudit, Disagreement> {
    audit_with(settings, name, input, results, |reader, sessions, check| {
        verify_events(reader, sessions, check).map(|verified| verified.replayed)
    })
}

/// Compares results with a record, called `name`, in which they are, without a look at the rules of the game; each comes with a
/// number for the error.
///
/// # Errors
/// What the results say otherwise than the record.
pub(crate) fn compare_record(
    settings: &Settings,
    name: &str,
    text: &str,
    results: Results<'_>,
) -> Result<(), Disagreement> {
    let input = text.as_bytes();
    let compared = audit_with(settings, name, input, results, |mut reader, _, check| {
        while let Some(event) = reader.next() {
            check(reader.line(), &event?).map_err(|reason| reader.error(reason))?;
        }
        Ok(Replayed::default())
    });
    compared.map(drop)
}

/// Audits a record; `read` reads it and gives its events to what compares them.
fn audit_with<R: BufRead>(
    settings: &Settings,
    name: &str,
    mut input: R,
    mut results: Results<'_>,
    read: impl FnOnce(
        RecordReader<io::Chain<Cursor<Vec<u8>>, R>>,
        &[DealtSession],
        &mut dyn FnMut(u64, &record::Event) -> Result<(), String>,
    ) -> Result<Replayed, ReadError>,
) -> Result<RecordAudit, Disagreement> {
    let of = |e: ReadError| Disagreement::of(name, &e.reason).at_line(e.line);
    let mut first = Vec::new();
    let line = input
        .by_ref()
        .take(LONGEST_LINE as u64 + 1)
        .read_until(b'\n', &mut first);
    line.map_err(|e| Disagreement::of(name, e).at_line(1))?;
    if !first.ends_with(b"\n") && first.len() <= LONGEST_LINE && results.is_empty() {
        // The league was killed before the header was written.
        return Ok(RecordAudit::default());
    }
    let reader = RecordReader::new(Cursor::new(first).chain(input), name).map_err(of)?;
    let of_header = |(key, reason): Fault| Disagreement::of(name, reason).at_line(1).at_key(key);
    check_header(reader.header(), settings).map_err(|reason| of_header((None, reason)))?;
    let fixtures = fixtures(reader.header(), settings).map_err(of_header)?;
    let sessions = match settings.rules {
        Rules::Daihinmin(_) => sessions(settings, &fixtures),
        _ => Vec::new(),
    };
    let seatings = fixtures
        .iter()
        .map(|(recorded, _)| recorded.players.clone());
    let mut collector = Collector::new(Counting::of(settings), seatings.collect());
    collector = collector.recorded_in(Some(String::new()));
    // The fixture in play, for the error.
    let playing: Cell<Option<Key>> = Cell::new(None);
    let (mut games, mut moves, mut lost) = (0, 0, Vec::new());
    let mut check = |line: u64, event: &record::Event| {
        if let What::Begin {
            seats, position, ..
        } = &event.what
        {
            let Some((recorded, fixture)) = fixtures.get(collector.number()) else {
                return Err("its header names no fixture for this game".to_owned());
            };
            playing.set(Some(recorded.game));
            check_begin(settings, recorded, fixture, seats, position.as_deref())?;
        }
        let Some(done) = collector.event(event) else {
            return Ok(());
        };
        let first = done.record.map_or(0, |at| at.game);
        let key = playing.get();
        let Some((in_journal, played)) = results.remove(&first) else {
            // Unless a later one has a line, the league was killed before it wrote this.
            lost.extend(key);
            return Ok(());
        };
        if let Some(lost) = lost.first() {
            return Err(format!(
                "the journal has no line of game {lost}, which was played to its end before: it was left out of {FILE_NAME}"
            ));
        }
        let differs = |what: String| {
            Err(format!(
                "{what}: line {in_journal} of {FILE_NAME} does not agree with the game that ends on line {line}"
            ))
        };
        if Some(played.key) != key {
            return differs(format!("the journal has game {} here", played.key));
        }
        let recorded = fixtures.get(done.number).map(|(_, fixture)| fixture);
        if let Some(recorded) = recorded.filter(|fixture| fixture.seats != played.seats) {
            let names = |seats: &[usize]| {
                let all = settings.names();
                let names = seats.iter().filter_map(|&entrant| all.get(entrant));
                names.copied().collect::<Vec<_>>().join(", ")
            };
            return differs(format!(
                "the journal says {} play, the record {}",
                names(&played.seats),
                names(&recorded.seats)
            ));
        }
        if played.ms != done.ms {
            return differs(format!(
                "the journal says {} ms, the record {}",
                played.ms, done.ms
            ));
        }
        if played.games.len() != done.games.len() {
            return differs(format!("the journal says {} games", played.games.len()));
        }
        if let Some(what) = played.games.iter().zip(&done.games).find_map(difference) {
            return differs(what);
        }
        games += done.games.len() as u64;
        moves += done
            .games
            .iter()
            .map(|game| u64::from(game.plies))
            .sum::<u64>();
        Ok(())
    };
    let replayed = read(reader, &sessions, &mut check).map_err(|e| of(e).at_key(playing.get()))?;
    if let Some((first, (line, played))) = results.first_key_value() {
        let reason = format!(
            "its games, from number {first} on, are not in the record: line {line} of {FILE_NAME} says they are"
        );
        return Err(Disagreement::of(name, reason).at_key(Some(played.key)));
    }
    let all = u64::from(replayed.games) + u64::from(replayed.void);
    Ok(RecordAudit {
        games,
        moves,
        uncounted: all.saturating_sub(games) + u64::from(replayed.unfinished),
        lost,
        is_closed: replayed.closed,
    })
}

/// Whether a header is one of this league.
pub(super) fn check_header(header: &Header, settings: &Settings) -> Result<(), String> {
    let game = settings.game();
    if header.game != game {
        return Err(format!(
            "it is a record of {}, the league plays {game}",
            header.game
        ));
    }
    let named = json!(settings.rules);
    let name = named.as_object().and_then(|named| named.keys().next());
    let name = name.ok_or("the league has no rules")?;
    let rules: Option<Rules> = serde_json::from_value(json!({ name: header.rules })).ok();
    if rules.as_ref() != Some(&settings.rules) {
        return Err(format!(
            "its rules are {}, those of the league {}",
            header.rules, named[name]
        ));
    }
    let own = |player: &record::Player| {
        let entrant = settings.entrants.iter().find(|e| e.name == player.name);
        entrant.map_or(settings.clocks, |entrant| settings.clocks_of(entrant))
    };
    let own: Vec<Clocks> = header
        .players
        .iter()
        .map(|player| own(player).into())
        .collect();
    let told: Vec<Clocks> = (0..own.len())
        .map(|player| header.clocks_of(player))
        .collect();
    if told != own {
        return Err(format!(
            "its limits of time are {}, those of the league {}",
            json!(told),
            json!(own)
        ));
    }
    let (protocol, mut due) = match settings.rules {
        Rules::Daihinmin(_) => (
            "uecda",
            vec![
                ("session", json!(settings.session.max(1))),
                ("dealer", json!(DealerKind::Modern)),
                // A client that cheats is let through by the other.
                ("compat", Value::Null),
            ],
        ),
        Rules::Geister(_) => ("gat", Vec::new()),
        _ => (
            "native",
            vec![("random-plies", json!(settings.random_plies))],
        ),
    };
    if protocol == "uecda" {
        due.push(("duplicate", json!(settings.duplicate)));
    }
    if header.tongue != protocol {
        return Err(format!(
            "its protocol is {}, that of the league {protocol}",
            header.tongue
        ));
    }
    let wrong = due.into_iter().find_map(|(name, due)| {
        let value = header.options.get(name).cloned().unwrap_or_default();
        (value != due).then(|| format!("its option {name} is {value}, that of the league {due}"))
    });
    wrong.map_or(Ok(()), Err)
}

/// A fixture as a header names it, and as the schedule has it.
type Named = (RecordedFixture, Fixture);

/// What is wrong with a header, and with which fixture in it.
type Fault = (Option<Key>, String);

/// The fixtures of a record, as its header names them and as the schedule has them.
fn fixtures(header: &Header, settings: &Settings) -> Result<Vec<Named>, Fault> {
    let recorded = header.options.get(FIXTURES).cloned().unwrap_or_default();
    let recorded: Vec<RecordedFixture> = serde_json::from_value(recorded)
        .map_err(|_| (None, format!("its header has no `{FIXTURES}` of a league")))?;
    let names = settings.names();
    let entrants: Option<Vec<usize>> = header
        .players
        .iter()
        .map(|player| names.iter().position(|name| *name == player.name))
        .collect();
    let entrants = entrants.ok_or_else(|| (None, "its players are no entrants".to_owned()))?;
    let of_schedule = |recorded: RecordedFixture| {
        let key = recorded.game;
        let fault = |reason: String| (Some(key), reason);
        let seats: Option<Vec<usize>> = recorded
            .players
            .iter()
            .map(|&player| entrants.get(usize::from(player)).copied())
            .collect();
        let mut players = recorded.players.clone();
        players.sort_unstable();
        let is_whole = players.iter().copied().eq(0..settings.seats() as u8);
        let seats = seats.filter(|seats| is_whole && seats.len() == entrants.len());
        let seats =
            seats.ok_or_else(|| fault("its header does not seat each player once".to_owned()))?;
        let fixture = fixture(settings, None, key, &seats).map_err(fault)?;
        Ok((recorded, fixture))
    };
    recorded.into_iter().map(of_schedule).collect()
}

/// What is dealt in the fixtures of Daihinmin.
fn sessions(settings: &Settings, fixtures: &[Named]) -> Vec<DealtSession> {
    let session = |(recorded, fixture): &Named| {
        Some(DealtSession {
            games: settings.session.max(1),
            chance: Chance::Key(fixture.deal),
            order: recorded.players.clone().try_into().ok()?,
            duplicate: settings.duplicate,
        })
    };
    fixtures.iter().filter_map(session).collect()
}

/// Whether a game begins with the players in their seats, and in the position that is drawn for it. The deals of Daihinmin
/// are compared elsewhere.
fn check_begin(
    settings: &Settings,
    recorded: &RecordedFixture,
    fixture: &Fixture,
    seats: &[u8],
    position: Option<&str>,
) -> Result<(), String> {
    let (plies, seed) = (settings.random_plies, fixture.deal.seed());
    let due = match &settings.rules {
        Rules::Daihinmin(_) => return Ok(()),
        Rules::Geister(_) => None,
        Rules::Blokus(rules) => opening::<Blokus>(rules, plies, seed).map(|game| game.position()),
        Rules::ScoreFour(rules) => {
            opening::<ScoreFour>(rules, plies, seed).map(|game| game.position())
        }
        Rules::Dobutsu(rules) => opening::<Dobutsu>(rules, plies, seed).map(|game| game.position()),
    };
    if seats != recorded.players {
        return Err(format!(
            "the players sit {seats:?}, by the seed {:?}",
            recorded.players
        ));
    }
    let due = due.filter(|_| plies > 0);
    if position != due.as_deref() {
        let text = |position: Option<&str>| position.unwrap_or("the usual one").to_owned();
        return Err(format!(
            "the first position is {}, by the seed {}",
            text(position),
            text(due.as_deref())
        ));
    }
    Ok(())
}

/// What of a game the journal says otherwise than the record.
fn difference((journal, record): (&Game, &Game)) -> Option<String> {
    let (Value::Object(journal), Value::Object(record)) = (json!(journal), json!(record)) else {
        return None;
    };
    let mut names = journal.keys().chain(record.keys());
    names.find_map(|name| {
        let of =
            |game: &serde_json::Map<String, Value>| game.get(name).cloned().unwrap_or_default();
        let (said, due) = (of(&journal), of(&record));
        (said != due).then(|| format!("`{name}` is {said} in the journal, {due} in the record"))
    })
}
