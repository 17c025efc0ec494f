//! What is said, and what must not be said.

use super::*;
use crate::league::settings::Format;

fn all_of(settings: &Settings) -> Vec<Entry> {
    played(settings).into_iter().map(Entry::Played).collect()
}

#[test]
fn a_test_without_a_verdict_says_why() {
    let (mut settings, _) = large(&NAMES);
    if let Some(sprt) = &mut settings.sprt {
        // Too close to each other for a few dozen deals.
        (sprt.hypotheses.s0, sprt.hypotheses.s1) = (0.5, 0.501);
    }
    let mut entries = all_of(&settings);
    let say = |entries: &[Entry]| terminal::text(&report(&settings, entries));
    let whole = say(&entries);
    assert!(
        whole.contains("no verdict: all deals are played; raise `deals` to go on"),
        "{whole}"
    );
    entries.pop();
    let open = say(&entries);
    assert!(
        open.contains("no verdict yet (log likelihood ratio"),
        "{open}"
    );
    entries.truncate(40);
    let few = say(&entries);
    assert!(few.contains("too few deals (16 at least)"), "{few}");
    assert!(!few.contains("log likelihood ratio"), "{few}");
    assert_eq!(report(&settings, &entries).sprt.unwrap().ratio, None);
}

#[test]
fn blocks_of_games_with_a_deal_each_are_not_called_deals() {
    let (mut settings, _) = large(&NAMES);
    settings.duplicate = false;
    let report = report(&settings, &all_of(&settings));
    for text in [terminal::text(&report), html::page(&report)] {
        assert!(
            text.contains("blocks of 5 games, each with its own deal"),
            "{text}"
        );
        assert!(!text.contains("from every seat"), "{text}");
    }
}

#[test]
fn tournaments_that_count_points_rank_by_them() {
    let (mut settings, mut entries) = small();
    // The weakest of all has the most points for its two defeats.
    for entry in &mut entries {
        if let Entry::Played(played) = entry {
            let seat = played.seats.iter().position(|&e| e == 2);
            if let Some(seat) = seat {
                played.games[0].points[seat] = 50.0;
            }
        }
    }
    let order = |settings: &Settings| -> Vec<String> {
        let report = report(settings, &entries);
        report.entrants.into_iter().map(|l| l.name).collect()
    };
    let by_rating = order(&settings);
    assert_ne!(by_rating[0], "c");
    settings.points = Some([3.0, 1.0, 0.0]);
    assert_eq!(order(&settings)[0], "c");
    let text = terminal::text(&report(&settings, &entries));
    assert!(text.contains("ranked by total"), "{text}");
    // In a gauntlet one plays more than the others.
    settings.format = Format::Gauntlet { challenger: 0 };
    assert_eq!(ranked_by(&settings), RankedBy::Rating);
}

#[test]
fn two_deals_that_were_all_won_are_no_certainty() {
    let (mut settings, _) = small();
    settings.entrants.truncate(2);
    settings.margin = 100.0;
    let won = ["0.0.0", "0.0.1", "0.1.0", "0.1.1"].map(|key| {
        let first = usize::from(key.ends_with('1'));
        pair(key, [first, 1 - first], first)
    });
    let report = report(&settings, &won);
    let best = &report.entrants[0];
    assert!(best.rating_half_width > 500.0 || report.entrants[1].rating_half_width > 500.0);
    assert!(best.superior_to_next.unwrap().0 < 0.975, "{best:?}");
    assert!((best.standing.score.half_width - (1.0 - 0.025_f64.sqrt())).abs() < 1e-9);
    assert!(report.needed.unwrap().games > 0);
    for text in [terminal::text(&report), html::page(&report)] {
        for certain in ["reached", "±0 ", "±0<", "±0.0"] {
            assert!(!text.contains(certain), "{certain}: {text}");
        }
        assert!(
            !text.contains("> 99.9") && !text.contains("&gt; 99.9"),
            "{text}"
        );
    }
}
