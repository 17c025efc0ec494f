//! The journal is written and read back.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::result::Results;
use crate::schedule::matchups;
use crate::settings::{Entrant, Format, Rules, Run, Settings, Stage};
use crate::testing;
use record::EndKind;

/// A league of such entrants in Daihinmin, all in one round robin.
pub(crate) fn settings(names: &[&str], deals: u32) -> Settings {
    let entrant = |name: &&str| Entrant {
        name: (*name).to_owned(),
        ..testing::settings().entrants.swap_remove(0)
    };
    Settings {
        rules: Rules::Daihinmin(games::daihinmin::SessionRules::default()),
        deals,
        run: Run::default(),
        entrants: names.iter().map(entrant).collect(),
        ..testing::settings()
    }
}

/// Every fixture of a league, played; places are a function of the key and the seat.
pub(crate) fn played(settings: &Settings) -> Vec<Played> {
    let plan = settings.plan();
    let pairs = matchups(Format::RoundRobin, plan.entrants, plan.seats).unwrap();
    let play = |fixture: crate::schedule::Fixture| {
        let shift = fixture.key.deal as usize * 7 + usize::from(fixture.key.rotation) * 3;
        let seats = fixture.seats.len();
        let place = |seat: usize| ((seat * 2 + shift + fixture.seats[seat]) % seats) as u8;
        let game = |_| Game {
            places: (0..seats).map(place).collect(),
            points: (0..seats).map(|s| f64::from(place(s))).collect(),
            plies: 40,
            moves: vec![8; seats],
            used: vec![80; seats],
            slowest: vec![20; seats],
            ..Game::default()
        };
        Played {
            key: fixture.key,
            seats: fixture.seats.clone(),
            ms: 100,
            games: (0..settings.session).map(game).collect(),
            record: None,
            host: None,
        }
    };
    plan.fixtures(&pairs).map(play).collect()
}

pub(crate) fn text(settings: &Settings, entries: &[Entry]) -> String {
    let head = Head {
        version: VERSION,
        started: "2026-11-21T10:00:00Z".to_owned(),
        server: "taikyoku 0.1.0".to_owned(),
        machine: None,
        settings: settings.clone(),
    };
    let mut text = serde_json::to_string(&head).unwrap() + "\n";
    for entry in entries {
        text += &(serde_json::to_string(entry).unwrap() + "\n");
    }
    text
}

/// What a journal of these lines comes to, by these settings.
pub(crate) fn read(settings: &Settings, entries: &[Entry]) -> Results {
    let text = Cursor::new(text(settings, entries));
    let mut reader = JournalReader::new(Path::new("j"), text).unwrap();
    reader.head.settings = settings.clone();
    Results::read(reader).unwrap().0
}

fn parse(text: &str) -> Result<Journal, JournalError> {
    Journal::parse(Path::new("spring.league/journal.jsonl"), text.as_bytes())
}

fn fault(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

fn entries() -> (Settings, Vec<Entry>) {
    let settings = settings(&["a", "b", "c", "d", "e"], 3);
    let mut entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
    entries.insert(
        4,
        Entry::Void {
            key: "0.1.2".parse().unwrap(),
            void: "a did not connect within 10 s".to_owned(),
        },
    );
    entries.push(Entry::Begun {
        begun: "2026-11-21T11:00:00Z".to_owned(),
        settings: None,
        by: None,
    });
    if let Entry::Played(played) = &mut entries[0] {
        played.games[0].kinds = vec![EndKind::Normal; 5];
        played.games[0].kinds[3] = EndKind::Timeout;
        played.games[0].at = vec![4, 3, 2, 1, 0];
        played.games[0].rule = Some("revolution".to_owned());
        played.games[0].counts = vec![-1, 2, 3, 4, 5];
        played.record = Some(InRecord {
            file: "0.0.0-2.jsonl".to_owned(),
            game: 1,
        });
    }
    (settings, entries)
}

#[test]
fn what_is_written_is_read() {
    let (settings, entries) = entries();
    let text = text(&settings, &entries);
    let journal = parse(&text).unwrap();
    assert_eq!(journal.head.settings, settings);
    assert_eq!(journal.entries, entries);
    assert_eq!(journal.whole, text.len() as u64);
    assert_eq!(journal.played().count(), 15);
}

#[test]
fn a_league_that_was_made_longer_has_more_deals() {
    let long = settings(&["a", "b", "c", "d", "e"], 3);
    let played = played(&long).into_iter().map(Entry::Played);
    let short = settings(&["a", "b", "c", "d", "e"], 2);
    let said = fault(&text(&short, &played.clone().collect::<Vec<_>>()));
    assert!(said.contains("jsonl:12: the key of game 0.2.0"), "{said}");
    // The clock was set back between the two.
    let longer = settings(&["a", "b", "c", "d", "e"], 4);
    let begun = |hour, settings: &Settings| Entry::Begun {
        begun: format!("2026-11-21T{hour}:00:00Z"),
        settings: Some(Box::new(settings.clone())),
        by: None,
    };
    let begun = [begun(12, &long), begun(11, &longer)];
    let entries: Vec<Entry> = played.chain(begun).collect();
    assert_eq!(
        parse(&text(&short, &entries)).unwrap().head.settings,
        longer
    );
}

#[test]
fn a_line_that_changes_what_may_not_change_is_refused() {
    let first = settings(&["a", "b", "c", "d", "e"], 3);
    let begun = |change: &dyn Fn(&mut Settings)| {
        let mut settings = first.clone();
        change(&mut settings);
        Entry::Begun {
            begun: "2026-11-21T12:00:00Z".to_owned(),
            settings: Some(Box::new(settings)),
            by: None,
        }
    };
    let seed = begun(&|s| s.seed = 77.into());
    // The line after it takes the change back.
    let said = fault(&text(&first, &[seed, begun(&|_| {})]));
    assert!(said.contains("jsonl:2: `seed` was 1 and is 77"), "{said}");
    let longer = begun(&|s| s.deals = 5);
    let said = fault(&text(&first, &[longer, begun(&|_| {})]));
    assert!(said.contains("jsonl:3: `deals` was 5 and is 3"), "{said}");
    let unsound = begun(&|s| s.anchor = 5);
    let said = fault(&text(&first, &[unsound]));
    assert!(said.contains("jsonl:2: anchor is entrant 5"), "{said}");
}

proptest! {
    #[test]
    fn a_torn_last_line_is_left_out(cut in 0_usize..400) {
        let (settings, entries) = entries();
        let all = text(&settings, &entries);
        let cut = all.len() - cut;
        let torn = &all[..cut];
        let journal = parse(torn).unwrap();
        let whole = torn.rfind('\n').unwrap() + 1;
        prop_assert_eq!(journal.whole, whole as u64);
        prop_assert_eq!(parse(&all[..whole]).unwrap(), journal);
    }

    #[test]
    fn arbitrary_bytes_are_no_journal_and_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let (settings, entries) = entries();
        prop_assert!(Journal::parse(Path::new("j"), &bytes).is_err());
        let mut all = text(&settings, &entries).into_bytes();
        all.extend_from_slice(&bytes);
        all.push(b'\n');
        // Blank lines alone would be the only ones that say nothing.
        prop_assert!(Journal::parse(Path::new("j"), &all).is_err());
    }
}

#[test]
fn bytes_that_never_reached_the_disk_are_a_torn_line() {
    let (settings, entries) = entries();
    let text = text(&settings, &entries);
    let mut bytes = text.clone().into_bytes();
    bytes.extend([0; 512]);
    let journal = Journal::parse(Path::new("j"), &bytes).unwrap();
    assert_eq!(journal.whole, text.len() as u64);
}

#[test]
fn errors_name_the_line_and_the_remedy() {
    let (settings, entries) = entries();
    let text = text(&settings, &entries);
    let lines: Vec<&str> = text.lines().collect();

    let twice = format!("{text}{}\n", lines[2]);
    let said = fault(&twice);
    assert!(
        said.contains("journal.jsonl:19: game 0.0.1 was played before, on line 3; remove"),
        "{said}"
    );

    let said = fault(&text.replace("\"key\":\"0.1.0\"", "\"key\":\"0.1\""));
    assert!(
        said.contains("jsonl:8:") && said.contains("--resume"),
        "{said}"
    );

    for (from, to, what) in [
        ("\"key\":\"0.2.4\"", "\"key\":\"0.3.4\"", "the key"),
        ("\"key\":\"0.2.4\"", "\"key\":\"0.2.5\"", "the key"),
        ("\"key\":\"0.2.4\"", "\"key\":\"1.2.4\"", "`seats`"),
        ("\"at\":[4,", "\"at\":[5,", "`at`"),
        ("\"counts\":[-1,", "\"counts\":[", "`counts`"),
        ("\"places\":[1,", "\"places\":[5,", "`places`"),
        ("\"file\":\"0.0", "\"file\":\"../0.0", "`record`"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let said = fault(&changed);
        assert!(said.contains(what) && said.contains("remove"), "{said}");
    }

    let said = fault(&text.replace("\"taikyoku-league\":3", "\"taikyoku-league\":9"));
    assert!(said.contains("format 9"), "{said}");
    assert!(fault("").contains("--fresh"));
    assert!(fault("hello\n").contains(":1: this is not the first line"));
    let said = fault(&text.replace("\"anchor\":0", "\"anchor\":5"));
    assert!(said.contains("anchor is entrant 5"), "{said}");
}

#[test]
fn a_head_that_asks_for_endless_room_is_refused() {
    let (settings, _) = entries();
    let refused = |change: &dyn Fn(&mut Settings), what: &str| {
        let mut settings = settings.clone();
        change(&mut settings);
        let text = text(&settings, &[]);
        let error = Journal::parse(Path::new("j.jsonl"), text.as_bytes()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(what) && said.contains("--fresh"), "{said}");
    };
    let stage = |advance, groups| Stage {
        name: "final".to_owned(),
        advance,
        wild_cards: 0,
        groups,
        format: Format::RoundRobin,
        deals: u32::MAX,
    };
    refused(&|s| s.groups.count = u32::MAX, "more groups than entrants");
    refused(&|s| s.stages = vec![stage(2, u32::MAX)], "more groups");
    refused(
        &|s| s.stages = vec![stage(u32::MAX, 1)],
        "more entrants go on",
    );
    refused(&|s| s.random_plies = u32::MAX, "random plies");
    refused(
        &|s| s.entrants = vec![s.entrants[0].clone(); 100],
        "matchups",
    );
}

#[test]
fn a_journal_is_found_by_its_league() {
    let folder = tempfile::tempdir().unwrap();
    let league = folder.path().join("spring.league");
    let toml = folder.path().join("spring.toml");
    let said = |path: &Path| Journal::read(path).unwrap_err().to_string();
    let absent = said(&toml);
    let due = format!("{}: there is no journal here", toml.display());
    assert!(absent.starts_with(&due), "{absent}");
    fs::write(&toml, "").unwrap();
    assert!(said(&toml).contains("has not begun"));
    fs::create_dir(&league).unwrap();
    for path in [&league, &toml] {
        assert!(said(path).contains("no journal here"));
    }
    let (settings, entries) = entries();
    fs::write(league.join(FILE_NAME), text(&settings, &entries)).unwrap();
    let all =
        [toml, league.clone(), league.join(FILE_NAME)].map(|path| Journal::read(&path).unwrap());
    assert_eq!(all[0], all[1]);
    assert_eq!(all[0], all[2]);
}
