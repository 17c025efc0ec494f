//! The audit of one record of a league: its header, its deals, and its games, which are compared with the journal.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Cursor, Read as _};

use games::daihinmin::Chance;
use games::{Blokus, Dobutsu, Game as _, ScoreFour};
use record::{
    DealtSession, Header, LONGEST_LINE, ReadError, RecordReader, Replayed, What, verify_events,
};
use serde_json::{Value, json};

use super::contents::Disagreement;
use crate::journal::{FILE_NAME, Game, Played};
use crate::schedule::{Fixture, Key};
use crate::settings::{Rules, Settings};
use crate::table_session::{Counting, FIXTURES, FixtureCollector, RecordedFixture, header_of};
use server::referee::native::opening;

/// Results of the journal by the number of their first game in a record, each with its line.
pub(crate) type RecordedResults<'a> = BTreeMap<u32, (u64, &'a Played)>;

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
    results: RecordedResults<'_>,
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
    results: RecordedResults<'_>,
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
    mut results: RecordedResults<'_>,
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
    let of_header =
        |(key, reason): HeaderFault| Disagreement::of(name, reason).at_line(1).at_key(key);
    check_header(reader.header(), settings).map_err(|reason| of_header((None, reason)))?;
    let fixtures = fixtures(reader.header(), settings).map_err(of_header)?;
    let sessions = match settings.rules {
        Rules::Daihinmin(_) => sessions(settings, &fixtures),
        _ => Vec::new(),
    };
    let seatings = fixtures
        .iter()
        .map(|(recorded, _)| recorded.players.clone());
    let mut collector = FixtureCollector::new(Counting::of(settings), seatings.collect());
    collector = collector.recorded_in(Some(String::new()));
    let names = settings.names();
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
        let facts = |key: Option<Key>, seats: Option<&Vec<usize>>, ms: u64, games: &[Game]| {
            let seats = seats.into_iter().flatten();
            let names = seats.filter_map(|&entrant| names.get(entrant).copied());
            let names = names.collect::<Vec<_>>().join(", ");
            json!({"key": key, "seats": names, "ms": ms, "games": games.len()})
        };
        let seats = fixtures.get(done.number).map(|(_, fixture)| &fixture.seats);
        let in_record = facts(key, seats, done.ms, &done.games);
        let said = facts(
            Some(played.key),
            Some(&played.seats),
            played.ms,
            &played.games,
        );
        let by_game = played.games.iter().zip(&done.games);
        let by_game = by_game.map(|(said, due)| (json!(said), json!(due)));
        let mut all = std::iter::once((said, in_record)).chain(by_game);
        if let Some(what) = all.find_map(|(said, due)| difference(&said, &due)) {
            return Err(format!(
                "{what}: line {in_journal} of {FILE_NAME} does not agree with the game that ends on line {line}"
            ));
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

/// The entrants of the players of a header.
fn entrants(header: &Header, settings: &Settings) -> Result<Vec<usize>, String> {
    let names = settings.names();
    let players = header.players.iter();
    let entrants: Option<Vec<usize>> = players
        .map(|player| names.iter().position(|name| *name == player.name))
        .collect();
    entrants.ok_or_else(|| "its players are no entrants".to_owned())
}

/// Whether a header is one of this league.
pub(super) fn check_header(header: &Header, settings: &Settings) -> Result<(), String> {
    let players = entrants(header, settings)?
        .into_iter()
        .map(|one| (one, None));
    let due = header_of(settings, &header.id, players.collect(), &[]);
    let options = |header: &Header| {
        let mut options = header.options.as_object().cloned().unwrap_or_default();
        options.remove(FIXTURES);
        options
    };
    let (own, due_options) = (options(header), options(&due));
    let clocks = |header: &Header| {
        let players = 0..header.players.len();
        json!(players.map(|one| header.clocks_of(one)).collect::<Vec<_>>())
    };
    let mut facts = vec![
        ("game".to_owned(), json!(header.game), json!(due.game)),
        (
            "protocol".to_owned(),
            json!(header.tongue),
            json!(due.tongue),
        ),
        ("rules".to_owned(), header.rules.clone(), due.rules.clone()),
        ("limits of time".to_owned(), clocks(header), clocks(&due)),
    ];
    facts.extend(own.keys().chain(due_options.keys()).map(|name| {
        let of = |options: &serde_json::Map<String, Value>| {
            options.get(name).cloned().unwrap_or_default()
        };
        (format!("option {name}"), of(&own), of(&due_options))
    }));
    let wrong = facts.into_iter().find(|(_, own, due)| own != due);
    wrong.map_or(Ok(()), |(name, own, due)| {
        Err(format!("its {name}: {own}, that of the league: {due}"))
    })
}

/// A fixture as a header names it, and as the schedule has it.
type NamedFixture = (RecordedFixture, Fixture);

/// What is wrong with a header, and with which fixture in it.
type HeaderFault = (Option<Key>, String);

/// The fixtures of a record, as its header names them and as the schedule has them.
fn fixtures(header: &Header, settings: &Settings) -> Result<Vec<NamedFixture>, HeaderFault> {
    let recorded = header.options.get(FIXTURES).cloned().unwrap_or_default();
    let recorded: Vec<RecordedFixture> = serde_json::from_value(recorded)
        .map_err(|_| (None, format!("its header has no `{FIXTURES}` of a league")))?;
    let entrants = entrants(header, settings).map_err(|reason| (None, reason))?;
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

/// The fixture of a key as it is drawn from the seed, whose entrants are `seats`; `paired` are those of its matchup in a
/// round that follows from results.
///
/// # Errors
/// When the pairing or the schedule has no such fixture with these seats.
pub(super) fn fixture(
    settings: &Settings,
    paired: Option<&[usize]>,
    key: Key,
    seats: &[usize],
) -> Result<Fixture, String> {
    let mut seated = seats.to_vec();
    seated.sort_unstable();
    let names = |entrants: &[usize]| {
        let all = settings.names();
        let names = entrants.iter().map(|&entrant| all[entrant]);
        names.collect::<Vec<_>>().join(", ")
    };
    if let Some(paired) = paired {
        let mut due = paired.to_vec();
        due.sort_unstable();
        if due != seated {
            return Err(format!(
                "{} play it, and the round was paired with {}",
                names(&seated),
                names(&due)
            ));
        }
    }
    let block = settings.plan().block(key.matchup, &seated, key.deal);
    let fixture = block.into_iter().find(|fixture| fixture.key == key);
    let fixture = fixture.ok_or("the schedule has no such game")?;
    if fixture.seats != seats {
        return Err(format!(
            "the seats are {}, and by the seed {}",
            names(seats),
            names(&fixture.seats)
        ));
    }
    Ok(fixture)
}

/// What is dealt in the fixtures of Daihinmin.
fn sessions(settings: &Settings, fixtures: &[NamedFixture]) -> Vec<DealtSession> {
    let session = |(recorded, fixture): &NamedFixture| {
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

/// The first difference between the journal and the record.
fn difference(journal: &Value, record: &Value) -> Option<String> {
    let [journal, record] = [journal.as_object()?, record.as_object()?];
    let mut names = journal.keys().chain(record.keys());
    names.find_map(|name| {
        let [said, due] = [journal, record].map(|all| all.get(name).unwrap_or(&Value::Null));
        (said != due).then(|| format!("`{name}` is {said} in the journal, {due} in the record"))
    })
}
