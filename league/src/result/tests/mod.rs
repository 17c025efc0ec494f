//! Reports of small leagues.

use std::fs;
use std::io::Cursor;

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

use super::*;
use crate::journal::tests::{played, settings, text};
use crate::journal::{Entry, Game, InRecord, JournalReader, Played};
use crate::schedule::LeagueSeed;
use crate::settings::{Format, Rules, Settings, Sprt, Start};
use games::score_four::Rules as ScoreFourRules;
use record::EndKind;
use stats::Hypotheses;

mod columns;
mod highlights;
mod intervals;
mod pages;
mod results;

pub(super) fn read(settings: &Settings, entries: &[Entry]) -> (Results, Fixtures<Cursor<String>>) {
    let text = Cursor::new(text(settings, entries));
    let reader = JournalReader::new(Path::new("j"), text).unwrap();
    Results::read(reader).unwrap()
}

/// Rows of the tables, the heading first.
pub(super) fn tables(settings: &Settings, entries: &[Entry]) -> [String; 2] {
    let (results, mut fixtures) = read(settings, entries);
    let tables = csv::tables(&Report::of(&results), &results, &mut fixtures).unwrap();
    tables.map(|(_, text)| String::from_utf8(text).unwrap())
}

fn report(settings: &Settings, entries: &[Entry]) -> Report {
    Report::of(&read(settings, entries).0)
}

/// What the page of a league with these lines shows. It loads nothing, and no text of the league is a tag.
fn page(settings: &Settings, entries: &[Entry]) -> Value {
    let (results, mut fixtures) = read(settings, entries);
    let records = Records::beside(Path::new("nowhere"));
    let page = super::page(&Report::of(&results), &results, &mut fixtures, &records).unwrap();
    let (head, rest) = page
        .split_once(r#"<script type="application/json" id="result">"#)
        .unwrap();
    let (json, script) = rest.split_once("</script>").unwrap();
    assert!(head.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"));
    assert!(!json.contains('<'), "{json}");
    assert_eq!(script.trim().matches("<script>").count(), 1);
    for elsewhere in ["src=", "url(", "<link", "@import", "fetch(", "innerHTML"] {
        assert!(
            !head.contains(elsewhere) && !script.contains(elsewhere),
            "{elsewhere}"
        );
    }
    serde_json::from_str(json).unwrap()
}

/// A game of two seats; `wins` is the seat that wins, 2 for a draw.
fn pair(key: &str, seats: [usize; 2], wins: usize) -> Entry {
    let (places, points) = match wins {
        0 => (vec![0, 1], vec![3.0, 0.0]),
        1 => (vec![1, 0], vec![0.0, 3.0]),
        _ => (vec![0, 0], vec![1.0, 1.0]),
    };
    Entry::Played(Played {
        key: key.parse().unwrap(),
        seats: seats.to_vec(),
        ms: 36_000,
        games: vec![Game {
            places,
            points,
            plies: 7,
            moves: vec![4, 3],
            used: vec![400, 60],
            slowest: vec![200, 30],
            rule: Some("line".to_owned()),
            ..Game::default()
        }],
        record: None,
        host: None,
    })
}

/// Three entrants of 3D four-in-a-row: two deals of a against b, one each of a against c and b against c, and half a deal.
fn small() -> (Settings, Vec<Entry>) {
    let mut settings = settings(&["a", "b", "c"], 2);
    settings.rules = Rules::ScoreFour(ScoreFourRules::default());
    let mut entries = vec![
        pair("0.0.0", [0, 1], 0),
        pair("0.0.1", [1, 0], 2),
        pair("0.1.0", [0, 1], 1),
        pair("0.1.1", [1, 0], 0),
        pair("1.0.0", [0, 2], 0),
        pair("1.0.1", [2, 0], 1),
        pair("2.0.0", [1, 2], 2),
        pair("2.0.1", [2, 1], 2),
        pair("1.1.0", [0, 2], 1),
    ];
    if let Some(Entry::Played(last)) = entries.last_mut() {
        last.games[0].kinds = vec![EndKind::Timeout, EndKind::Normal];
        last.games[0].rule = None;
    }
    entries.push(Entry::Void {
        key: "1.1.1".parse().unwrap(),
        void: "c did not connect within 10 s".to_owned(),
    });
    (settings, entries)
}

fn close(got: f64, due: f64) {
    assert!((got - due).abs() < 1e-3, "{got}, not {due}");
}

/// A league of Daihinmin that fills every part of a report.
pub(super) fn large(names: &[&str]) -> (Settings, Vec<Entry>) {
    let mut settings = settings(names, 6);
    settings.sprt = Some(Sprt {
        entrant: 1,
        hypotheses: Hypotheses {
            s0: 0.5,
            s1: 0.6,
            alpha: 0.05,
            beta: 0.05,
        },
    });
    let mut entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
    for (i, entry) in entries.iter_mut().enumerate() {
        if let Entry::Played(played) = entry {
            let game = &mut played.games[0];
            game.at = vec![4, 3, 2, 1, 0];
            game.used = (0..5).map(|seat| 10 * (i as u64 + seat)).collect();
            if i % 7 == 0 {
                game.kinds = vec![EndKind::Normal; 5];
                game.kinds[i % 5] = EndKind::Illegal;
            }
        }
    }
    entries.truncate(entries.len() - 2);
    for (key, void) in [("0.0.0", "x"), ("0.0.1", "<b>y</b>"), ("0.0.2", "x")] {
        entries.push(Entry::Void {
            key: key.parse().unwrap(),
            void: void.to_owned(),
        });
    }
    for begun in ["2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z"] {
        entries.push(Entry::Begun {
            begun: begun.to_owned(),
            settings: None,
            by: None,
        });
    }
    (settings, entries)
}

pub(super) const NAMES: [&str; 6] = [
    "<script>alert(1)</script>",
    "強い大貧民ボット",
    "a \"quoted\", name",
    "d&d",
    "=e",
    "a name that is far too long for any column of a table",
];

fn all_of(settings: &Settings) -> Vec<Entry> {
    played(settings).into_iter().map(Entry::Played).collect()
}

/// A deal of two entrants of 3D four-in-a-row; the first wins `won` games.
fn deal(matchup: u32, number: u32, [a, b]: [usize; 2], won: u32) -> [Entry; 2] {
    let game = |rotation: u32, seats: [usize; 2]| {
        let first_wins = (rotation < won) == (rotation == 0);
        pair(
            &format!("{matchup}.{number}.{rotation}"),
            seats,
            usize::from(!first_wins),
        )
    };
    [game(0, [a, b]), game(1, [b, a])]
}
