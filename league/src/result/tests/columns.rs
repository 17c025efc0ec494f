//! The tables of the terminal.

use super::*;

#[test]
fn columns_of_the_terminal_stand_below_each_other() {
    let (settings, entries) = large(&["あいう", "bo", "強い大貧民ボット", "d", "e\u{1b}[2J"]);
    let text = terminal::text(&report(&settings, &entries));
    assert!(!text.contains('\u{1b}'), "{text}");
    let table: Vec<&str> = text
        .lines()
        .skip_while(|l| !l.contains("stronger %"))
        .take(6)
        .collect();
    // The column of games is flush right in all lines.
    let head = table[0].find("games").unwrap() + "games".len();
    for line in &table[1..] {
        let cut = line
            .char_indices()
            .map(|(i, _)| i)
            .find(|&i| line[..i].width() == head);
        let (before, after) = line.split_at(cut.unwrap());
        assert!(before.ends_with("30") || before.ends_with("25"), "{text}");
        assert!(after.starts_with("  "), "{text}");
    }
}

#[test]
fn a_league_without_a_game_has_a_report() {
    let (settings, _) = large(&NAMES);
    let report = report(&settings, &[]);
    assert!(
        report
            .entrants
            .iter()
            .all(|l| l.rating.is_none() && l.games == 0)
    );
    assert_eq!((report.needed, report.totals.games), (None, 0));
    let shown = page(&settings, &[]);
    assert_eq!(shown["words"]["no_game"], "No game has been played yet.");
    let text = terminal::text(&report);
    assert!(text.contains("0 of 180 fixtures"), "{text}");
    assert!(text.contains("No game has been played yet."), "{text}");
    assert!(!text.contains("wins %"), "{text}");
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains("\"rating\":null"), "{json}");
}

#[test]
fn figures_read_well() {
    assert_eq!(number::count(1_234_567), "1,234,567");
    assert_eq!(number::signed(-0.4, 0), "0");
    assert_eq!(number::signed(-12.6, 0), "−13");
    assert_eq!(number::signed(12.6, 1), "+12.6");
    assert_eq!(number::time(0.25), "0.2 ms");
    assert_eq!(number::time(12_345.0), "12.35 s");
    assert_eq!(number::mean_time(0.25), "< 1 ms");
    assert_eq!(number::points(1234.0), "1,234");
    assert_eq!(number::points(-1.5), "-1.5");
    assert_eq!(number::chance(0.999_95), "> 99.9 %");
    assert_eq!(number::hours(0.01), "36 s");
    assert_eq!(
        number::date("2026-11-21T10:00:00.5+09:00"),
        "2026-11-21 01:00 UTC"
    );
    assert_eq!(number::date("yesterday"), "yesterday");
}

/// Tables show an asymmetric interval by its ends.
#[test]
fn intervals_are_shown_as_what_is_possible() {
    let mean = |won: &[f64]| {
        let blocks = won.iter().map(|&won| (won, 2.0));
        number::mean(&stats::Mean::ratio(blocks, [0.0, 1.0]), 100.0, 1)
    };
    let [value, interval] = mean(&[2.0; 16]);
    assert!(
        value == "100.0" && interval.ends_with("–100.0") && interval.starts_with("87"),
        "{interval}"
    );
    let [value, interval] = mean(&[1.0; 30]);
    assert!(value == "50.0" && interval.starts_with('±'), "{interval}");
    assert_eq!(mean(&[1.0]), ["50.0", "±–"]);
    let below = stats::Mean::of([-3.0, -3.0, -2.9, -3.0], [-3.0, 3.0]);
    let [_, interval] = number::mean(&below, 1.0, 2);
    assert!(interval.starts_with("−3.00 to "), "{interval}");
}
