//! The page: one static file, and in it the figures as JSON, from which its script makes tables and charts. It loads nothing,
//! and no other script runs in it.

use std::collections::BTreeSet;
use std::io::{self, Read, Seek};

use games::Printable;
use record::EndKind;
use record::files::{address, in_shell};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::terminal::{self, NO_GAME, READING};
use super::{Records, Report, Results, number, setup};
use crate::journal::{Fixtures, Played};
use crate::schedule::Key;

/// Games of the list; the table for other programs has all.
const MOST_GAMES: usize = 2000;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

#[derive(Serialize)]
struct Contents<'a> {
    report: &'a Report,
    words: Sentences,
    settings: Vec<(&'static str, String)>,
    entrants: Vec<Setup>,
    games: ShownGames,
}

/// Sentences that the terminal shows too.
#[derive(Serialize)]
struct Sentences {
    summary: [String; 2],
    needed: Option<String>,
    sprt: Option<String>,
    acts: Vec<String>,
    not_played: Vec<String>,
    openings: &'static str,
    no_game: &'static str,
    reading: &'static str,
}

#[derive(Serialize)]
struct Setup {
    plays: String,
    /// What its programs call themselves in the headers of records.
    clients: BTreeSet<String>,
}

#[derive(Serialize)]
struct ShownGames {
    session: u32,
    shown: Vec<ShownGame>,
    /// Address of the folder of the records, as seen from the page.
    records: String,
    /// A command that shows the first recorded game.
    command: Option<String>,
}

/// A game; lists go by the seats of the table.
#[derive(Serialize)]
struct ShownGame {
    key: Key,
    /// Its number in the session, from 1.
    game: u64,
    entrants: Vec<usize>,
    places: Vec<u8>,
    points: Vec<f64>,
    rule: Option<String>,
    /// Ends of players other than the normal one.
    kinds: Vec<(EndKind, usize)>,
    plies: u32,
    ms: u64,
    record: Option<String>,
    record_game: Option<u64>,
}

pub fn page<R: Read + Seek>(
    report: &Report,
    results: &Results,
    fixtures: &mut Fixtures<R>,
    records: &Records,
) -> io::Result<String> {
    let contents = Contents {
        report,
        words: words(report),
        settings: setup::facts(report, &results.head.settings),
        entrants: setups(report, results, records),
        games: games(results, fixtures, records)?,
    };
    let json = serde_json::to_string(&contents)?;
    // An escape for each `<`, so that none begins a tag.
    let json = Printable(json.replace('<', "\\u003c"));
    let hash = base64(&Sha256::digest(SCRIPT));
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'\">\n\
         <title>Taikyoku</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <noscript><p>This page draws its tables with JavaScript. The same figures are in report.json and standings.csv.</p></noscript>\n\
         <script type=\"application/json\" id=\"result\">{json}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    ))
}

fn words(report: &Report) -> Sentences {
    let acts = report.acts.iter();
    let acts = acts.map(|act| format!("{} {}", number::date(&act.at), act.text()));
    Sentences {
        summary: terminal::summary(report),
        needed: terminal::needed(report),
        sprt: report
            .sprt
            .as_ref()
            .map(|sprt| terminal::sequential(sprt, report)),
        acts: acts.collect(),
        not_played: report.not_played.iter().map(terminal::not_played).collect(),
        openings: report.openings(),
        no_game: NO_GAME,
        reading: READING,
    }
}

fn setups(report: &Report, results: &Results, records: &Records) -> Vec<Setup> {
    let mut clients = setup::clients(results, records);
    let entrants = &results.head.settings.entrants;
    let setup = |number: usize| Setup {
        plays: setup::start(&entrants[number].start),
        clients: clients.remove(&entrants[number].name).unwrap_or_default(),
    };
    report
        .entrants
        .iter()
        .map(|line| line.number)
        .map(setup)
        .collect()
}

fn games<R: Read + Seek>(
    results: &Results,
    fixtures: &mut Fixtures<R>,
    records: &Records,
) -> io::Result<ShownGames> {
    let command = results.first_record.as_ref().map(|(_, record)| {
        let file = in_shell(&records.seen.join(&record.file));
        format!("taikyoku replay {file} --game {}", record.game)
    });
    let mut games = Vec::new();
    for played in fixtures.by(|key| key) {
        games.extend(shown(&played?));
        if games.len() >= MOST_GAMES {
            break;
        }
    }
    games.truncate(MOST_GAMES);
    Ok(ShownGames {
        session: results.head.settings.session,
        shown: games,
        records: address(&records.seen),
        command,
    })
}

fn shown(played: &Played) -> impl Iterator<Item = ShownGame> {
    (0..).zip(&played.games).map(move |(number, game)| {
        let mut seats: Vec<usize> = (0..played.seats.len()).collect();
        seats.sort_by_key(|&seat| game.at.get(seat).copied().unwrap_or(seat as u8));
        let kinds = seats
            .iter()
            .map(|&seat| (game.kind(seat), played.seats[seat]));
        ShownGame {
            key: played.key,
            game: number + 1,
            entrants: seats.iter().map(|&seat| played.seats[seat]).collect(),
            places: seats.iter().map(|&seat| game.places[seat]).collect(),
            points: seats.iter().map(|&seat| game.points[seat]).collect(),
            rule: game.rule.clone(),
            kinds: kinds.filter(|(kind, _)| *kind != EndKind::Normal).collect(),
            plies: game.plies,
            ms: game.used.iter().sum(),
            record: played.record.as_ref().map(|record| record.file.clone()),
            record_game: played
                .record
                .as_ref()
                .map(|record| u64::from(record.game) + number),
        }
    })
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for letter in 0..4 {
            let index = bits >> (18 - 6 * letter) & 63;
            let is_padding = letter > three.len();
            text.push(if is_padding {
                '='
            } else {
                char::from(LETTERS[index as usize])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, base64};

    /// Each would leave the page blank in a browser from before 2024.
    #[test]
    fn the_script_calls_nothing_that_came_after_2022() {
        for new in ["groupBy", "toReversed", "toSorted", "toSpliced"] {
            assert!(!SCRIPT.contains(new), "{new}");
        }
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, due) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), due);
        }
    }
}
