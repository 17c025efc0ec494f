//! The page.

use super::*;

#[test]
fn the_page_is_well_formed_and_shows_names_as_they_are() {
    let (settings, entries) = large(&NAMES);
    let shown = page(&settings, &entries);
    well_formed(&shown);
    assert!(shown.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(shown.contains("強い大貧民ボット"));
    assert!(shown.contains("&lt;b&gt;y&lt;/b&gt;"));
    let (settings, entries) = small();
    let shown = page(&settings, &entries);
    well_formed(&shown);
    assert!(shown.contains("1 fixture of a, c: c did not connect"));
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
    assert!(
        bare.contains("There are no records") && !bare.contains("<a href=\"records"),
        "{bare}"
    );
    recorded(&mut entries[0], "0.0.0.jsonl", 1);
    recorded(&mut entries[1], "0.0.0.jsonl", 2);
    recorded(&mut entries[8], "1.0.0-2.jsonl", 3);
    let shown = page(&settings, &entries);
    well_formed(&shown);
    for due in [
        "<code>taikyoku replay records/0.0.0.jsonl --game 1</code>",
        "<details open><summary><bdi>a</bdi> – <bdi>b</bdi>: 4 games</summary>",
        // A draw with b in the first seat.
        "<td class=\"key\">0.0.1</td><td class=\"name\"><bdi>b</bdi><small>1</small></td>\
         <td class=\"name\"><bdi>a</bdi><small>1</small></td><td class=\"name\">line</td><td>7</td><td>460 ms</td>\
         <td class=\"name\"><a href=\"records/0.0.0.jsonl#game=2\" \
         title=\"taikyoku replay records/0.0.0.jsonl --game 2\">0.0.0.jsonl, game 2</a></td>",
        // The fault of the loser.
        "<td class=\"name won\"><bdi>c</bdi><small>3</small></td><td class=\"name\">timeout of <bdi>a</bdi></td>",
        "<a href=\"records/1.0.0-2.jsonl#game=3\"",
    ] {
        assert!(shown.contains(due), "{due} is not in\n{shown}");
    }
    let mut table = Vec::new();
    csv::games(&mut table, &journal(&settings, &entries)).unwrap();
    let table = String::from_utf8(table).unwrap();
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
fn a_long_list_is_folded_and_sessions_count_their_games() {
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
    let names = settings.names();
    let turned: Vec<&str> = all[0].seats.iter().rev().map(|&e| names[e]).collect();
    let turned = turned.concat();
    let games: usize = all.iter().map(|played| played.games.len()).sum();
    let entries: Vec<Entry> = all.into_iter().map(Entry::Played).collect();
    let shown = page(&settings, &entries);
    well_formed(&shown);
    assert!(shown.contains("<details><summary>") && !shown.contains("<details open>"));
    assert_eq!(games, 2160);
    assert!(shown.contains("The first 2,000 of 2,160 games"));
    assert_eq!(shown.matches("jsonl#game=").count(), 2000);
    assert!(
        shown.contains("href=\"records/0.0.1.jsonl#game=48\""),
        "the last game of a session"
    );
    let row = shown
        .split("<tr>")
        .find(|row| row.contains("0.0.0</td><td>2</td>"))
        .unwrap();
    let names = row
        .split("<bdi>")
        .skip(1)
        .filter_map(|cell| cell.chars().next());
    assert_eq!(names.collect::<String>(), turned);
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
    well_formed(&shown);
    for due in [
        "<dt>openings</dt><dd>2 random plies</dd>",
        "<dt>clocks</dt><dd>500 ms a move</dd>",
        "<dt>seed</dt><dd>told when the league is over</dd>",
        "<dt>played by</dt><dd>taikyoku 0.1.0 (from 2026-11-21 10:00 UTC)</dd>",
        "<bdi>b</bdi></td><td class=\"words\">uct --playouts &lt;30&gt;</td>",
    ] {
        assert!(shown.contains(due), "{due} is not in\n{shown}");
    }
    assert!(!shown.contains("987654321"));
    settings.deals = 1;
    let all: Vec<Entry> = entries
        .into_iter()
        .filter(|entry| entry.played().is_some_and(|p| p.key.deal == 0))
        .collect();
    assert!(page(&settings, &all).contains("<dt>seed</dt><dd>987654321</dd>"));
}
