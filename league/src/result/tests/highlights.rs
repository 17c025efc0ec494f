//! Highlights.

use games::{Blokus, Game as _};
use record::{Header, HighlightKind, RecordWriter, What};
use serde_json::json;

use super::*;

fn of_kind(report: &Report, kind: HighlightKind) -> Vec<(String, f64)> {
    let all = report.highlights.iter().filter(|one| one.kind == kind);
    all.map(|one| (one.key.to_string(), one.measure)).collect()
}

#[test]
fn the_games_of_a_journal_are_measured() {
    let mut settings = settings(&["a", "b"], 2);
    settings.rules = Rules::ScoreFour(ScoreFourRules::default());
    settings.deals = 20;
    let mut entries: Vec<Entry> = (0..20)
        .flat_map(|number| deal(0, number, [0, 1], if number < 18 { 2 } else { 0 }))
        .collect();
    let mut change = |at: usize, change: &dyn Fn(&mut Game)| {
        let Entry::Played(played) = &mut entries[at] else {
            unreachable!("all were played");
        };
        change(&mut played.games[0]);
    };
    change(3, &|game| game.plies = 40);
    change(5, &|game| game.plies = 39);
    // One with a fault.
    change(7, &|game| {
        game.plies = 50;
        game.kinds = vec![EndKind::Normal, EndKind::Timeout];
    });
    change(9, &|game| game.plies = 3);
    change(11, &|game| game.rule = Some("full-board".to_owned()));
    change(13, &|game| game.counts = vec![30, 31]);
    change(15, &|game| game.counts = vec![30, 50]);
    let report = report(&settings, &entries);
    // One of each kind is of the same entrants.
    for (kind, key, measure) in [
        (HighlightKind::Longest, "0.1.1", 40.0),
        (HighlightKind::Shortest, "0.4.1", 3.0),
        (HighlightKind::RareEnd, "0.5.1", 1.0),
        (HighlightKind::Closest, "0.6.1", 1.0),
    ] {
        assert_eq!(of_kind(&report, kind), [(key.to_owned(), measure)]);
    }
    // b wins only the last four games, and is rated below.
    let upsets = of_kind(&report, HighlightKind::Upset);
    let [a, b] = [0, 1].map(|rank| report.entrants[rank].rating.unwrap());
    assert!(a - b > 100.0);
    assert_eq!(upsets, [("0.18.0".to_owned(), a - b)]);
}

/// A game of Blokus with moves at random, and by player the largest deficit after each ply by the plain sum of squares.
fn random_blokus(
    writer: &mut RecordWriter<fs::File>,
    number: u32,
    pick: &mut u64,
) -> Vec<(i32, u32)> {
    let mut game = Blokus::begin(&games::blokus::Rules::default(), 0);
    let mut most = [(0, 0); 4];
    let begin = json!({ "event": "begin", "game": number, "seats": [0, 1, 2, 3] });
    let event = |what: Value| serde_json::from_value::<What>(what).unwrap().at(0);
    writer.event(&event(begin)).unwrap();
    let mut squares = [0; 4];
    let mut ply = 0;
    while let Some(mover) = game.to_move() {
        let legal = game.legal_texts();
        *pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mv = &legal[(*pick >> 33) as usize % legal.len()];
        game.play_text(mv).unwrap();
        ply += 1;
        squares[mover.index()] += mv.split(',').count() as i32;
        let mv = json!({ "event": "move", "player": mover.index(), "move": mv, "used": 1 });
        writer.event(&event(mv)).unwrap();
        for player in 0..4 {
            let best = (0..4)
                .filter(|other| *other != player)
                .map(|other| squares[other])
                .max();
            let behind = best.unwrap() - squares[player];
            if behind > most[player].0 {
                most[player] = (behind, ply);
            }
        }
    }
    let outcome = game.outcome().unwrap();
    let end = json!({ "event": "end", "game": number, "places": outcome.places, "points": outcome.points, "game_points": outcome.game_points,
        "kinds": ["normal", "normal", "normal", "normal"], "rule": outcome.rule });
    writer.event(&event(end)).unwrap();
    let first = outcome.places.pairs().filter(|(_, place)| **place == 0);
    let first: Vec<usize> = first.map(|(seat, _)| seat.index()).collect();
    if first.len() == 1 {
        vec![most[first[0]]]
    } else {
        Vec::new()
    }
}

/// Scores of Blokus are sums of squares under the usual rules, until somebody has placed all pieces.
#[test]
fn comebacks_are_found_in_records_and_lead_to_their_ply() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(RECORDS)).unwrap();
    let mut settings = settings(&["a", "b", "c", "d"], 1);
    settings.rules = Rules::Blokus(games::blokus::Rules::default());
    let players = vec![record::Player::default(); 4];
    let header = Header::new(games::GameName::Blokus, "m", "native", players, 2);
    let header = header.with_rules(&games::blokus::Rules::default());
    let path = folder.path().join(RECORDS).join("0.0.0.jsonl");
    let file = fs::File::create(&path).unwrap();
    let mut writer = RecordWriter::new(file, &header).unwrap();
    let mut pick = 7;
    let mut due: Vec<(i32, u32)> = (1..=2)
        .flat_map(|number| random_blokus(&mut writer, number, &mut pick))
        .collect();
    drop(writer);
    let mut entries = Vec::new();
    for (at, rotation) in [0, 1].into_iter().enumerate() {
        let mut game = played(&settings).swap_remove(rotation);
        game.record = Some(InRecord {
            file: "0.0.0.jsonl".to_owned(),
            game: at as u32 + 1,
        });
        entries.push(Entry::Played(game));
    }
    let results = read(&settings, &entries).0;
    let report = Report::of(&results).with_comebacks(&results, &Records::beside(folder.path()));
    let mut found: Vec<(i32, u32)> = report
        .highlights
        .iter()
        .filter(|one| one.kind == HighlightKind::Comeback)
        .map(|one| (one.measure as i32, one.ply.unwrap()))
        .collect();
    // Both are of the same entrants.
    due.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, [due.pop().unwrap()]);
}
