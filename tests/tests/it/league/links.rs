//! The report of a league on the page: each game of its list leads to its replay.

use std::collections::{BTreeMap, BTreeSet};

use end_to_end::league::{League, random_bots};
use end_to_end::web::Gateway;
use serde_json::{Value, json};

#[derive(Debug)]
struct Listed {
    key: String,
    seats: Vec<(String, f64)>,
    /// Its link: the file of the record, and the number of the game in it.
    file: String,
    game: u32,
}

/// What is between two texts for the first time.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let rest = text
        .split_once(from)
        .unwrap_or_else(|| panic!("{from}: {text}"))
        .1;
    rest.split_once(to)
        .unwrap_or_else(|| panic!("{to}: {text}"))
        .0
}

/// The games of the list of a report.
fn listed(page: &str) -> Vec<Listed> {
    let json = between(page, "id=\"result\">", "</script>");
    let shown: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(shown["games"]["records"], "records");
    let mut names = BTreeMap::new();
    for line in shown["report"]["entrants"].as_array().expect("entrants") {
        names.insert(
            line["number"].as_u64(),
            line["name"].as_str().expect("a name").to_owned(),
        );
    }
    let games = shown["games"]["shown"].as_array().expect("games").iter();
    let game = |game: &Value| {
        let entrants = game["entrants"].as_array().expect("entrants").iter();
        let points = game["points"].as_array().expect("points").iter();
        let named = entrants.map(|entrant| names[&entrant.as_u64()].clone());
        Listed {
            key: game["key"].as_str().expect("a key").to_owned(),
            seats: named.zip(points.filter_map(Value::as_f64)).collect(),
            file: game["record"].as_str().expect("a record").to_owned(),
            game: game["record_game"].as_u64().expect("a number") as u32,
        }
    };
    games.map(game).collect()
}

/// Name and points by seat of the game that the page shows at the address of a link.
fn shown(gateway: &Gateway, one: &Listed) -> Vec<(String, f64)> {
    let link = format!("GET /leagues/out/records/{}", one.file);
    let (status, head, _) = gateway.ask(&link, "", "");
    assert_eq!(status, 303, "{head}");
    let place = between(&head.to_ascii_lowercase(), "location: ", "\r\n").to_owned();
    assert_eq!(gateway.ask(&format!("GET {place}"), "", "").0, 200);
    let id = place.strip_prefix("/g/").expect("a replay");
    let record = gateway.get(&format!("/api/records/{id}/games/{}", one.game));
    assert_eq!(record["table"]["league"], "out");
    let names = record["table"]["players"].as_array().expect("players");
    let game = &record["games"][0];
    assert_eq!(game["game"], one.game);
    let seats = game["frames"][0]["players"]
        .as_array()
        .expect("seats")
        .iter();
    let scores = game["result"]["scores"].as_array().expect("scores");
    let named = seats.map(|player| &names[player.as_u64().expect("a number") as usize]["name"]);
    let named = named.map(|name| name.as_str().expect("a name").to_owned());
    named.zip(scores.iter().filter_map(Value::as_f64)).collect()
}

#[test]
fn every_game_of_a_report_leads_to_its_replay() {
    for (game, rest, entrants, games) in [
        // Several games of a sitting are in one record.
        ("score-four", "process = \"sitting\"\n", 3, 12),
        // The dealer draws the seats anew, and sessions are several games.
        ("daihinmin", "session = 2\n", 5, 20),
    ] {
        let head =
            format!("game = {game:?}\ntitle = \"Spring\"\ndeals = 2\nrecords = true\n{rest}");
        let league = League::new(&(head + &random_bots(0..entrants)));
        league.ends("out", 0);
        let fixtures = league.fixtures("out");
        let gateway = Gateway::over(league.folder);

        let leagues = gateway.get("/api/leagues");
        assert_eq!(
            (&leagues[0]["name"], &leagues[0]["title"]),
            (&json!("out"), &json!("Spring"))
        );
        let (status, head, page) = gateway.ask("GET /leagues/out/report.html", "", "");
        assert_eq!(status, 200, "{head}");
        let policy = between(&head, "content-security-policy: ", "\r\n");
        assert!(
            policy.starts_with("default-src 'none'; style-src")
                && policy.contains("sandbox allow-scripts "),
            "{policy}"
        );
        assert!(head.contains("content-type: text/html"), "{head}");

        let list = listed(&page);
        assert_eq!(list.len(), games, "{game}");
        let links: BTreeSet<(&str, u32)> =
            list.iter().map(|one| (&one.file[..], one.game)).collect();
        assert_eq!(links.len(), games, "{game}: no two lead to the same game");
        for one in &list {
            assert_eq!(shown(&gateway, one), one.seats, "{game}: {one:?}");
        }
        let keys: BTreeSet<&str> = list.iter().map(|one| &one.key[..]).collect();
        let due: Vec<String> = fixtures.keys().map(ToString::to_string).collect();
        assert_eq!(keys, due.iter().map(String::as_str).collect(), "{game}");

        let (status, head, table) = gateway.ask("GET /leagues/out/games.csv", "", "");
        assert!(status == 200 && head.contains("attachment"), "{head}");
        assert!(
            table.contains(&format!(",{},{}\r\n", list[0].file, list[0].game)),
            "{table}"
        );
        // Nothing else of the folder, and of no other folder.
        for secret in [
            "out/journal.jsonl",
            "..%2fout/report.html",
            "%2e%2e/it.toml",
            "in/report.html",
        ] {
            let (status, _, body) = gateway.ask(&format!("GET /leagues/{secret}"), "", "");
            assert_eq!(status, 404, "{secret}: {body}");
        }
        assert_eq!(
            gateway.ask("GET /api/records/out:..%2fjournal", "", "").0,
            404
        );
    }
}
