//! Intervals and verdicts from few and from many deals.

use super::*;

#[test]
fn a_test_without_a_verdict_says_why() {
    let (mut settings, _) = large(&NAMES);
    if let Some(sprt) = &mut settings.sprt {
        // A few dozen deals cannot separate these hypotheses.
        (sprt.hypotheses.s0, sprt.hypotheses.s1) = (0.5, 0.501);
    }
    let mut entries = all_of(&settings);
    let say = |entries: &[Entry]| terminal::text(&report(&settings, entries));
    let whole = say(&entries);
    assert!(
        whole.contains("no verdict: all deals are played; raise `deals` to go on"),
        "{whole}"
    );
    // The plot of the ratio begins with the first deal and ends with the last.
    let sprt = report(&settings, &entries).sprt.unwrap();
    assert_eq!(sprt.course[0].0, 16);
    let last = (sprt.blocks, sprt.ratio.unwrap());
    assert_eq!(sprt.course.last(), Some(&last));
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
    let text = terminal::text(&report);
    assert!(
        text.contains("blocks of 5 games, each with its own deal"),
        "{text}"
    );
    assert!(!text.contains("from every seat"), "{text}");
}

#[test]
fn one_deal_has_no_interval_and_says_so() {
    let (mut settings, _) = small();
    settings.entrants.truncate(2);
    settings.deals = 1;
    let won = [pair("0.0.0", [0, 1], 0), pair("0.0.1", [1, 0], 1)];
    let text = terminal::text(&report(&settings, &won));
    for due in ["no interval", "one deal gives no interval: at least two"] {
        assert!(text.contains(due), "{due}: {text}");
    }
}

/// A wide interval after a few games calls for more games, not for other opponents.
#[test]
fn few_deals_are_called_few() {
    let (settings, entries) = small();
    let report = report(&settings, &entries);
    let widest = report.needed.as_ref().unwrap().widest;
    assert!(widest > number::WIDEST, "{widest}");
    let text = terminal::text(&report);
    assert_eq!(
        text.matches("n entrant has only 2 deals: play more")
            .count(),
        2,
        "{text}"
    );
    assert!(!text.contains("nearly"), "{text}");
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
    let score = best.standing.score;
    assert!(score.low < 0.4 && score.high > 1.0 - 1e-9, "{score:?}");
    assert!(report.needed.unwrap().more.games > 0);
    let text = terminal::text(&report);
    for due in [
        "over ±400",
        "Only 2 deals: play more.",
        "\nonly 2 deals: play more",
        "–100.0",
    ] {
        assert!(text.contains(due), "{due}: {text}");
    }
    assert!(
        !text.contains("for intervals of") && !text.contains("nearly"),
        "{text}"
    );
    for certain in ["reached", "±0 ", "±0.0", "> 99.9"] {
        assert!(!text.contains(certain), "{certain}: {text}");
    }
}

#[test]
fn two_sentences_say_which_entrant_is_first_and_which_are_close() {
    let (mut settings, _) = small();
    settings.deals = 20;
    settings.run.has_seed = true;
    // a beats both others in all games, b has 23 of 40 against c.
    let entries = (0..20).flat_map(|number| {
        let close = match number {
            0..3 => 2,
            _ => 1,
        };
        [
            deal(0, number, [0, 1], 2),
            deal(1, number, [0, 2], 2),
            deal(2, number, [1, 2], close),
        ]
    });
    let entries: Vec<Entry> = entries.flatten().collect();
    let found = report(&settings, &entries);
    let names: Vec<&str> = found.entrants.iter().map(|line| &line.name[..]).collect();
    assert_eq!(names, ["a", "b", "c"]);
    let [first, second] = terminal::summary(&found);
    assert!(
        first.starts_with("a is first by rating, and stronger than b, the next, with a chance of "),
        "{first}"
    );
    let more = found.apart.unwrap();
    assert!(more.deals > 0 && more.games == 6 * more.deals, "{more:?}");
    let due = format!(
        "b cannot be told from the one below it yet: that takes about {} more deals of each matchup, {} games.",
        more.deals,
        number::count(more.games)
    );
    assert_eq!(second, due);
    let text = terminal::text(&found);
    assert!(
        text.contains("How to read this: docs/read_report.md"),
        "{text}"
    );
    // The sentences precede the tables.
    assert!(
        text.find(&due).unwrap() < text.find("stronger %").unwrap(),
        "{text}"
    );
    assert_eq!(page(&settings, &entries)["words"]["summary"][1], due);
    // That number of deals tells them apart.
    settings.deals += more.deals as u32;
    let all = (0..settings.deals).flat_map(|number| {
        let close = if number * 3 < settings.deals * 9 / 20 {
            2
        } else {
            1
        };
        [
            deal(0, number, [0, 1], 2),
            deal(1, number, [0, 2], 2),
            deal(2, number, [1, 2], close),
        ]
    });
    let told = report(&settings, &all.flatten().collect::<Vec<_>>());
    assert!(
        told.apart.is_some_and(|more| more.deals <= 3),
        "{:?}",
        told.apart
    );
}

#[test]
fn lopsided_results_of_many_deals_ask_for_other_opponents() {
    let (mut settings, _) = small();
    settings.entrants.truncate(2);
    settings.deals = 10;
    let entries: Vec<Entry> = (0..10)
        .flat_map(|number| deal(0, number, [0, 1], 2))
        .collect();
    let text = terminal::text(&report(&settings, &entries));
    assert!(
        text.contains("an entrant won or lost nearly every game"),
        "{text}"
    );
    assert!(!text.contains("play more"), "{text}");
}
