//! The page.

use serde_json::json;

use super::*;

#[test]
fn the_page_has_names_as_they_are_and_none_is_a_tag() {
    let (settings, entries) = large(&NAMES);
    let shown = page(&settings, &entries);
    let entrants = shown["report"]["entrants"].as_array().unwrap();
    let mut names: Vec<&str> = entrants
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    let mut due = NAMES;
    names.sort_unstable();
    due.sort_unstable();
    assert_eq!(names, due);
    assert_eq!(shown["report"]["voids"][1]["reason"], "<b>y</b>");
    let (settings, entries) = small();
    let said = &page(&settings, &entries)["words"]["not_played"][0];
    assert!(
        said.as_str()
            .unwrap()
            .starts_with("1 fixture of a, c: c did not connect"),
        "{said}"
    );
}

/// The links of a page that is published with its records work in any folder.
#[test]
fn links_of_a_page_elsewhere_lead_from_its_folder_to_the_records() {
    let folder = tempfile::tempdir().unwrap();
    let league = folder.path().join("cups/spring.league");
    fs::create_dir_all(league.join(RECORDS)).unwrap();
    fs::create_dir_all(folder.path().join("public/pages")).unwrap();
    for (page, due) in [
        ("cups/spring.league/report.html", "records"),
        ("cups/result.html", "spring.league/records"),
        ("result.html", "cups/spring.league/records"),
        (
            "public/pages/result.html",
            "../../cups/spring.league/records",
        ),
    ] {
        let records = Records::seen_from(&folder.path().join(page), &league);
        assert_eq!(
            (records.seen, records.folder),
            (PathBuf::from(due), league.join(RECORDS)),
            "{page}"
        );
    }
}

#[test]
fn each_game_of_the_list_leads_to_its_record() {
    let (settings, mut entries) = small();
    let recorded = |entry: &mut Entry, file: &str, game: u32| {
        if let Entry::Played(played) = entry {
            played.record = Some(InRecord {
                file: file.to_owned(),
                game,
            });
        }
    };
    let bare = page(&settings, &entries);
    assert_eq!(bare["games"]["command"], Value::Null);
    recorded(&mut entries[0], "0.0.0.jsonl", 1);
    recorded(&mut entries[1], "0.0.0.jsonl", 2);
    recorded(&mut entries[8], "1.0.0-2.jsonl", 3);
    let games = &page(&settings, &entries)["games"];
    assert_eq!(
        games["command"],
        "taikyoku replay records/0.0.0.jsonl --game 1"
    );
    assert_eq!(games["records"], "records");
    // A draw with b in the first seat.
    let due = json!({
        "key": "0.0.1", "game": 1, "entrants": [1, 0], "places": [0, 0], "points": [1.0, 1.0], "rule": "line",
        "kinds": [], "plies": 7, "ms": 460, "record": "0.0.0.jsonl", "record_game": 2,
    });
    assert_eq!(games["shown"][1], due);
    // The fault of the loser.
    let last = &games["shown"][6];
    assert_eq!(
        (&last["key"], &last["kinds"]),
        (&json!("1.1.0"), &json!([["timeout", 0]]))
    );
    assert_eq!(
        (&last["record"], &last["record_game"]),
        (&json!("1.0.0-2.jsonl"), &json!(3))
    );
    let [_, table] = tables(&settings, &entries);
    assert!(
        table.contains("0.0.1,1,2,a,1,1,,normal,line,7,3,60,30,0.0.0.jsonl,2\r\n"),
        "{table}"
    );
    assert!(
        table.contains("0.1.0,1,1,a,2,0,,normal,line,7,4,400,200,,\r\n"),
        "{table}"
    );
}

#[test]
fn a_long_list_ends_and_sessions_count_their_games() {
    let mut settings = settings(&["a", "b", "c", "d", "e", "f"], 3);
    settings.session = 24;
    let mut all = played(&settings);
    let record = |played: &mut Played| {
        played.record = Some(InRecord {
            file: format!("{}.jsonl", played.key),
            game: 1 + 24 * u32::from(played.key.rotation),
        });
        // The dealer has reversed the seats.
        played.games[1].at = vec![4, 3, 2, 1, 0];
    };
    all.iter_mut().for_each(record);
    let turned: Vec<usize> = all[0].seats.iter().rev().copied().collect();
    let entries: Vec<Entry> = all.into_iter().map(Entry::Played).collect();
    let shown = page(&settings, &entries);
    assert_eq!(shown["report"]["totals"]["games"], 2160);
    let games = shown["games"]["shown"].as_array().unwrap();
    assert_eq!(games.len(), 2000);
    assert_eq!(
        (&games[1]["game"], &games[1]["entrants"]),
        (&json!(2), &json!(turned))
    );
    // The last game of a session.
    assert_eq!(
        (&games[47]["record"], &games[47]["record_game"]),
        (&json!("0.0.1.jsonl"), &json!(48))
    );
}

#[test]
fn a_page_says_what_was_played_with_and_keeps_the_seed_until_the_end() {
    let (mut settings, entries) = small();
    settings.seed = LeagueSeed::Number(987_654_321);
    settings.random_plies = 2;
    settings.clocks.move_ms = Some(500);
    settings.entrants[1].start = Start::House {
        engine: "uct".to_owned(),
        options: vec!["--playouts".to_owned(), "<30>".to_owned()],
    };
    let shown = page(&settings, &entries);
    for due in [
        ["openings", "2 random plies"],
        ["clocks", "500 ms a move"],
        ["seed", "told when the league is over"],
        ["played by", "taikyoku 0.1.0 (from 2026-11-21 10:00 UTC)"],
    ] {
        assert!(
            shown["settings"].as_array().unwrap().contains(&json!(due)),
            "{due:?}: {shown}"
        );
    }
    let of_b = shown["report"]["entrants"]
        .as_array()
        .unwrap()
        .iter()
        .position(|one| one["name"] == "b");
    assert_eq!(
        shown["entrants"][of_b.unwrap()]["plays"],
        "uct --playouts <30>"
    );
    assert!(!shown.to_string().contains("987654321"));
    settings.deals = 1;
    let all: Vec<Entry> = entries
        .into_iter()
        .filter(|entry| entry.played().is_some_and(|p| p.key.deal == 0))
        .collect();
    let shown = page(&settings, &all);
    assert!(
        shown["settings"]
            .as_array()
            .unwrap()
            .contains(&json!(["seed", "987654321"])),
        "{shown}"
    );
}
