//! Counts, means and ranks.

use super::*;

#[test]
fn figures_are_those_that_a_person_computes() {
    let (settings, entries) = small();
    let report = report(&settings, &entries);
    let line = |name: &str| report.entrants.iter().find(|l| l.name == name).unwrap();
    let at = |name: &str| report.entrants.iter().position(|l| l.name == name).unwrap();

    // Scores by deal: a has 0.75, 0 and 1, b 0.25, 1 and 0.5, c 0 and 0.5. The numbers of deals differ.
    let (a, b, c) = (line("a"), line("b"), line("c"));
    close(a.standing.score.mean, (0.75 + 0.0 + 1.0) / 3.0);
    close(b.standing.score.mean, (0.25 + 1.0 + 0.5) / 3.0);
    close(c.standing.score.mean, 0.25);
    close(a.standing.wins.mean, a.standing.score.mean);
    close(a.standing.place.mean, (1.25 + 2.0 + 1.0) / 3.0);
    close(a.standing.points.mean, (2.0 + 0.0 + 3.0) / 3.0);
    // The deviation of 0.75, 0 and 1. No interval leaves the possible range.
    close(a.standing.score.deviation, 0.520_416);
    let [low, high] = a.standing.score.ends().unwrap();
    assert!(
        0.0 < low && low < 0.2 && 0.9 < high && high < 1.0,
        "{low} {high}"
    );
    // Points per game of 2, 0 and 3, in the range 0 to 3.
    let [low, high] = a.standing.points.ends().unwrap();
    assert!(0.0 < low && high < 3.0, "{low} {high}");
    assert_eq!((a.games, b.games, c.games), (6, 6, 4));
    assert_eq!((a.standing.score.blocks, c.standing.score.blocks), (3, 2));

    let cross = report.cross[at("a")][at("b")].unwrap();
    assert_eq!((cross.ahead, cross.level, cross.behind), (1, 1, 2));
    close(cross.score.mean, 0.375);
    close(report.cross[at("a")][at("c")].unwrap().score.mean, 1.0);
    close(report.cross[at("c")][at("b")].unwrap().score.mean, 0.5);
    assert_eq!(report.cross[at("b")][at("b")], None);

    // Scores of the first seat by deal: 0.75, 0.5, 0.5 and 0.5.
    close(report.seats[0].score.mean, 2.25 / 4.0);
    close(report.seats[1].score.mean, 1.75 / 4.0);
    close(a.by_seat[0].unwrap(), (1.0 + 0.0 + 1.0) / 3.0);
    close(a.by_seat[1].unwrap(), (0.5 + 0.0 + 1.0) / 3.0);

    // Faults count every game, including the game of the half deal.
    assert_eq!(a.faults, [("timeout", 1)].into());
    assert_eq!(report.ends, [("line".to_owned(), 8)].into());
    close(
        a.thinking.move_ms.unwrap(),
        (4.0 * 400.0 + 3.0 * 60.0) / (4.0 * 4.0 + 3.0 * 3.0),
    );
    close(
        a.thinking.game_ms.unwrap(),
        (4.0 * 400.0 + 3.0 * 60.0) / 7.0,
    );
    assert_eq!(
        (a.thinking.slowest_move_ms, a.thinking.longest_game_ms),
        (200, 400)
    );
    close(report.table_hours, 9.0 * 36.0 / 3600.0);
    let due = Totals {
        fixtures: 9,
        scheduled: Some(12),
        games: 9,
        plies: 63,
        blocks: 4,
        incomplete: 1,
        repeats: 0,
    };
    assert_eq!(report.totals, due);
    assert_eq!(report.voids, []);
    let due = Unplayed {
        entrants: vec!["a".to_owned(), "c".to_owned()],
        reason: "c did not connect within 10 s".to_owned(),
        fixtures: 1,
    };
    assert_eq!(report.not_played, [due]);
    for (line, due) in [(a, 10.0), (b, 9.0), (c, 2.0)] {
        close(line.standing.points_total, due);
    }
    assert!(report.draw.is_some());
    let anchor = line(&report.anchor);
    assert_eq!((anchor.rating, anchor.rating_half_width), (Some(0.0), 0.0));
    let needed = report.needed.unwrap();
    // The widest interval rests on two deals: Student's quantile with one degree of freedom.
    let due = 4.0 * (needed.widest * 1.959_964 / 12.706_2 / 20.0).powi(2) - 4.0;
    assert!(
        needed.more.deals.abs_diff((due / 3.0).ceil() as u64) <= 1,
        "{needed:?} {due}"
    );
    assert_eq!(
        (needed.more.blocks, needed.more.games),
        (needed.more.deals * 3, needed.more.deals * 6)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn the_order_of_the_lines_does_not_matter(seed in any::<u64>()) {
        let (settings, mut entries) = large(&NAMES);
        let due = read(&settings, &entries).0;
        let table = tables(&settings, &entries);
        entries.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let got = read(&settings, &entries).0;
        let reports = [Report::of(&due), Report::of(&got)];
        prop_assert_eq!(&reports[0], &reports[1]);
        prop_assert_eq!(table, tables(&settings, &entries));
    }
}

#[test]
fn games_that_nobody_has_begun_count_for_no_mean() {
    let (settings, entries) = small();
    // One more deal of a against b, without and with a walkover.
    let mut more = entries.clone();
    for (key, seats) in [("0.2.0", [0, 1]), ("0.2.1", [1, 0])] {
        more.push(pair(key, seats, 0));
    }
    let settings = Settings {
        deals: 3,
        ..settings
    };
    let without = report(&settings, &more);
    if let Some(Entry::Played(last)) = more.last_mut() {
        let game = &mut last.games[0];
        *game = Game {
            places: vec![0, 0],
            points: vec![-1.0, -1.0],
            rule: Some("walkover".to_owned()),
            moves: vec![0; 2],
            used: vec![0; 2],
            slowest: vec![0; 2],
            ..Game::default()
        };
    }
    let with = report(&settings, &more);
    let a = |report: &Report| {
        report
            .entrants
            .iter()
            .find(|line| line.name == "a")
            .cloned()
            .unwrap()
    };
    let (with, without) = (a(&with), a(&without));
    assert_eq!((with.games, without.games), (7, 8));
    // The walkover costs a one point of its total and is no part of its score.
    close(
        without.standing.points_total - with.standing.points_total,
        1.0,
    );
    close(
        with.standing.score.mean * 7.0 - without.standing.score.mean * 8.0,
        0.0,
    );
    close(with.by_seat[0].unwrap(), (1.0 + 0.0 + 1.0 + 1.0) / 4.0);
    let pairs = with.duels.unwrap().pairs;
    assert_eq!(pairs.iter().sum::<u64>(), 3);
    // Five games of 400 ms in the first seat, and three of 60 ms in the second.
    close(with.thinking.game_ms.unwrap(), 2180.0 / 8.0);
}

#[test]
fn one_with_several_seats_counts_each() {
    let settings = settings(&["a", "b", "c"], 4);
    let entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
    let report = report(&settings, &entries);
    // Five seats for three entrants: every two of them have two seats.
    let seats: u64 = report.entrants.iter().map(|l| l.standing.seats).sum();
    assert_eq!(seats, report.totals.games * 5);
    for line in &report.entrants {
        assert_eq!(line.games, report.totals.games);
        assert_eq!(line.thinking.moves, line.standing.seats * 8);
        // In two of three matchups the entrant has two seats.
        assert_eq!(line.standing.seats, 4 * 5 * (2 + 2 + 1));
    }
}

#[test]
fn one_whose_deals_are_never_over_has_no_rating_but_faults() {
    let (settings, mut entries) = small();
    entries.retain(|entry| match entry {
        Entry::Played(p) => p.key.matchup == 0 || p.key.rotation == 0,
        _ => true,
    });
    let report = report(&settings, &entries);
    let c = report.entrants.last().unwrap();
    assert_eq!(
        (&c.name[..], c.rating, c.superior_to_next, c.games),
        ("c", None, None, 0)
    );
    assert_eq!(report.entrants[1].superior_to_next, None);
    assert_eq!(report.totals.incomplete, 3);
    assert_eq!(report.cross[0][2], None);
    assert!(c.thinking.moves > 0);
    assert!(terminal::text(&report).contains("3 deals begun but not finished"));
}

#[test]
fn tournaments_that_count_points_rank_by_them() {
    let (mut settings, mut entries) = small();
    // The weakest entrant has the most points for its two defeats.
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
    // In a gauntlet the challenger plays more games than the others.
    settings.format = Format::Gauntlet { challenger: 0 };
    assert_eq!(ranked_by(&settings), RankedBy::Rating);
}

#[test]
fn games_for_two_are_counted_by_wins_and_pairs() {
    let (settings, entries) = small();
    let report = report(&settings, &entries);
    let line = |name: &str| report.entrants.iter().find(|l| l.name == name).unwrap();
    let (a, c) = (line("a").duels.unwrap(), line("c").duels.unwrap());
    // Complete deals: a win and a draw, two losses, two wins. The half deal does not count.
    assert_eq!((a.won, a.drawn, a.lost), (3, 1, 2));
    assert_eq!(a.pairs, [1, 0, 0, 1, 1]);
    assert_eq!(
        (c.won, c.drawn, c.lost, c.pairs),
        (0, 2, 2, [1, 0, 1, 0, 0])
    );
    let score = line("a").standing.score.mean;
    close(a.elo.value, 400.0 * (score / (1.0 - score)).log10());
    assert!(a.elo.low < a.elo.value && a.elo.value < a.elo.high);
    assert!(terminal::text(&report).contains("games for two"));
    let json = serde_json::to_value(&report).unwrap();
    let lines = json["entrants"].as_array().unwrap();
    assert!(lines.iter().all(|line| {
        line["duels"]["pairs"]
            .as_array()
            .is_some_and(|p| p.len() == 5)
    }));

    // Games for five have none of these columns.
    let (settings, entries) = large(&NAMES);
    let five = super::report(&settings, &entries);
    assert!(five.entrants.iter().all(|line| line.duels.is_none()));
    assert!(!terminal::text(&five).contains("games for two"));
}

#[test]
fn a_deal_whose_games_are_all_those_of_an_earlier_one_is_no_news() {
    let settings = settings(&["a", "b", "c", "d", "e", "f"], 4);
    let repeats = |all: &[Played]| {
        let entries: Vec<Entry> = all.iter().cloned().map(Entry::Played).collect();
        report(&settings, &entries).totals.repeats
    };
    let rotations = settings.plan().rotations();
    let mut all = played(&settings);
    // Without digests nobody knows.
    assert_eq!(repeats(&all), 0);
    for (number, one) in (0..).zip(&mut all) {
        for game in &mut one.games {
            game.digest = format!("{number:016x}");
        }
    }
    assert_eq!(repeats(&all), 0);
    let of_deal = |deal: u32, rotation: u8| {
        let is_it = move |one: &Played| {
            let key = one.key;
            (key.matchup, key.deal, key.rotation) == (1, deal, rotation)
        };
        all.iter().position(is_it).unwrap()
    };
    let places = (0..rotations).map(|rotation| [of_deal(0, rotation), of_deal(3, rotation)]);
    let places: Vec<[usize; 2]> = places.collect();
    for (rotation, &[first, last]) in (1..).zip(&places) {
        all[last].games = all[first].games.clone();
        all[last].seats = all[first].seats.clone();
        // All games must be the same.
        assert_eq!(repeats(&all), u64::from(rotation == rotations));
    }
    // A part of a deal is none.
    all.remove(places[0][1]);
    assert_eq!(repeats(&all), 0);
}
