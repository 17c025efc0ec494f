//! Deals that nobody can foresee: keys of matches, their commitments, and `taikyoku verify`.

use std::path::Path;

use end_to_end::programs::{Ended, run};
use end_to_end::run::{Finished, Server};
use end_to_end::uecda::Player;
use games::DealKey;
use games::daihinmin::{Chance, Dealer, Session, SessionRules};
use record::{Record, What};
use serde_json::Value;

/// Plays matches until the server ends; gives what it left, its records' files and the lines of its output.
fn play(options: &str, matches: usize) -> (Server, Vec<Value>) {
    let line = format!("uecda --games 3 --json --matches {matches} {options}");
    let mut server = Server::serve(&line);
    for number in 0..matches {
        let player = |i| Player::honest(&format!("m{number}p{i}"));
        let outcomes = server.play(&[0, 1, 2, 3, 4].map(player));
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    }
    let Finished { status, output, .. } = server.end();
    assert!(status.success());
    let lines = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (server, lines.collect())
}

/// The hands of the first game.
fn hands(record: &Record) -> Vec<String> {
    match &record.events[0].what {
        What::Begin { hands, .. } => hands.clone(),
        other => panic!("{other:?}"),
    }
}

fn dealt(chance: Chance) -> Vec<String> {
    let deal = Session::new(SessionRules::default(), Dealer::of(chance)).deal();
    match What::begin(&deal) {
        What::Begin { hands, .. } => hands,
        other => panic!("{other:?}"),
    }
}

fn verify(path: &Path, options: &[&str]) -> (Option<i32>, String) {
    let path = path.to_string_lossy();
    let Ended { code, out, .. } = run(&[&["verify", &path], options].concat());
    (code, out)
}

#[test]
fn the_key_of_a_match_tells_nothing_about_the_next() {
    let (server, lines) = play("", 2);
    let records = server.records();
    let keys: Vec<DealKey> = lines
        .iter()
        .map(|line| line["key"].as_str().unwrap().parse().unwrap())
        .collect();
    assert!(lines.iter().all(|line| line.get("seed").is_none()));
    assert_ne!(keys[0], keys[1]);
    // The old attack: the next match by counting on from the one that is over.
    let mut next = *keys[0].bytes();
    next[0] = next[0].wrapping_add(1);
    let second = hands(&records[1]);
    assert_eq!(second, dealt(Chance::Key(keys[1])));
    for guess in [keys[0], DealKey::new(next)] {
        assert_ne!(second, dealt(Chance::Key(guess)));
        for more in 0..100 {
            assert_ne!(
                second,
                dealt(Chance::Plain(guess.seed().wrapping_add(more)))
            );
            assert_ne!(
                second,
                dealt(Chance::Key(guess.part("game", &[more as u32])))
            );
        }
    }
    for (record, key) in records.iter().zip(&keys) {
        assert_eq!(record.header.options["dealer"], "modern");
        let commitment = record.header.commitment.as_deref().unwrap();
        assert_eq!(commitment, key.commitment(&record.header.id));
        let text = serde_json::to_string(&record.header).unwrap();
        assert!(!text.contains(&key.to_string()));
    }
}

#[test]
fn matches_with_seeds_count_up_and_verify() {
    for dealer in ["official", "modern"] {
        let (server, lines) = play(&format!("--seed 41 --dealer {dealer}"), 2);
        let seeds: Vec<&Value> = lines.iter().map(|line| &line["seed"]).collect();
        assert_eq!(seeds, [41, 42]);
        for path in server.record_files() {
            let (code, text) = verify(&path, &[]);
            assert_eq!(code, Some(0), "{text}");
            assert_eq!(verify(&path, &["--commitment", "00"]).0, Some(1));
            assert_eq!(
                text.contains("not verified"),
                dealer == "official",
                "{text}"
            );
        }
    }
    let (_, lines) = play("--dealer official", 2);
    let seeds: Vec<u64> = lines.iter().map(|l| l["seed"].as_u64().unwrap()).collect();
    assert!(seeds.iter().all(|&seed| u32::try_from(seed).is_ok()));
    assert!(seeds[0].abs_diff(seeds[1]) > 1, "{seeds:?}");
}
