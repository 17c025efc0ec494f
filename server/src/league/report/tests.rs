use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use unicode_width::UnicodeWidthStr as _;

use super::charts::escape;
use super::*;
use crate::league::journal::testing::{played, settings, text};
use crate::league::journal::{Game, InRecord};
use crate::league::schedule::LeagueSeed;
use crate::league::settings::{Format, Rules, Sprt, Start};
use games::score_four::Rules as ScoreFourRules;
use record::EndKind;
use stats::Hypotheses;

pub(super) fn journal(settings: &Settings, entries: &[Entry]) -> Journal {
    Journal::parse(Path::new("j"), text(settings, entries).as_bytes()).unwrap()
}

fn report(settings: &Settings, entries: &[Entry]) -> Report {
    Report::of(&journal(settings, entries))
}

/// The page of a league with these lines.
fn page(settings: &Settings, entries: &[Entry]) -> String {
    let journal = journal(settings, entries);
    html::page(
        &Report::of(&journal),
        &journal,
        &Records::beside(Path::new("nowhere")),
    )
}

/// A game of two seats; `wins` is the seat that wins, 2 for a draw.
fn pair(key: &str, seats: [usize; 2], wins: usize) -> Entry {
    let (places, points) = match wins {
        0 => (vec![0, 1], vec![3.0, 0.0]),
        1 => (vec![1, 0], vec![0.0, 3.0]),
        _ => (vec![0, 0], vec![1.0, 1.0]),
    };
    Entry::Played(Played {
        key: key.parse().unwrap(),
        seats: seats.to_vec(),
        ms: 36_000,
        games: vec![Game {
            places,
            points,
            plies: 7,
            moves: vec![4, 3],
            used: vec![400, 60],
            slowest: vec![200, 30],
            rule: Some("line".to_owned()),
            ..Game::default()
        }],
        record: None,
        host: None,
    })
}

/// Three entrants of 3D four-in-a-row: a against b two deals, a against c and b against c one, and half a deal.
fn small() -> (Settings, Vec<Entry>) {
    let mut settings = settings(&["a", "b", "c"], 2);
    settings.rules = Rules::ScoreFour(ScoreFourRules::default());
    let mut entries = vec![
        pair("0.0.0", [0, 1], 0),
        pair("0.0.1", [1, 0], 2),
        pair("0.1.0", [0, 1], 1),
        pair("0.1.1", [1, 0], 0),
        pair("1.0.0", [0, 2], 0),
        pair("1.0.1", [2, 0], 1),
        pair("2.0.0", [1, 2], 2),
        pair("2.0.1", [2, 1], 2),
        pair("1.1.0", [0, 2], 1),
    ];
    if let Some(Entry::Played(last)) = entries.last_mut() {
        last.games[0].kinds = vec![EndKind::Timeout, EndKind::Normal];
        last.games[0].rule = None;
    }
    entries.push(Entry::Void {
        key: "1.1.1".parse().unwrap(),
        void: "c did not connect within 10 s".to_owned(),
    });
    (settings, entries)
}

fn close(got: f64, due: f64) {
    assert!((got - due).abs() < 1e-3, "{got}, not {due}");
}

#[test]
fn figures_are_those_that_a_person_computes() {
    let (settings, entries) = small();
    let report = report(&settings, &entries);
    let line = |name: &str| report.entrants.iter().find(|l| l.name == name).unwrap();
    let at = |name: &str| report.entrants.iter().position(|l| l.name == name).unwrap();

    // By deal a scores 0.75, 0 and 1, b 0.25, 1 and 0.5, c 0 and 0.5: unequal numbers of deals.
    let (a, b, c) = (line("a"), line("b"), line("c"));
    close(a.standing.score.mean, (0.75 + 0.0 + 1.0) / 3.0);
    close(b.standing.score.mean, (0.25 + 1.0 + 0.5) / 3.0);
    close(c.standing.score.mean, 0.25);
    close(a.standing.wins.mean, a.standing.score.mean);
    close(a.standing.place.mean, (1.25 + 2.0 + 1.0) / 3.0);
    close(a.standing.points.mean, (2.0 + 0.0 + 3.0) / 3.0);
    // The deviation of 0.75, 0 and 1. No interval goes beyond what is possible.
    close(a.standing.score.deviation, 0.520_416);
    let [low, high] = a.standing.score.ends().unwrap();
    assert!(
        0.0 < low && low < 0.2 && 0.9 < high && high < 1.0,
        "{low} {high}"
    );
    // Points of 2, 0 and 3 a game, of 0 to 3.
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

    // The first seat by deal: 0.75, 0.5, 0.5 and 0.5.
    close(report.seats[0].score.mean, 2.25 / 4.0);
    close(report.seats[1].score.mean, 1.75 / 4.0);
    close(a.by_seat[0].unwrap(), (1.0 + 0.0 + 1.0) / 3.0);
    close(a.by_seat[1].unwrap(), (0.5 + 0.0 + 1.0) / 3.0);

    // Every game counts here, that of the half deal too.
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
    // The widest rests on two deals: Student's quantile of one degree of freedom.
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

/// A league of Daihinmin with everything in it.
pub(super) fn large(names: &[&str]) -> (Settings, Vec<Entry>) {
    let mut settings = settings(names, 6);
    settings.sprt = Some(Sprt {
        entrant: 1,
        hypotheses: Hypotheses {
            s0: 0.5,
            s1: 0.6,
            alpha: 0.05,
            beta: 0.05,
        },
    });
    let mut entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
    for (i, entry) in entries.iter_mut().enumerate() {
        if let Entry::Played(played) = entry {
            let game = &mut played.games[0];
            game.at = vec![4, 3, 2, 1, 0];
            game.used = (0..5).map(|seat| 10 * (i as u64 + seat)).collect();
            if i % 7 == 0 {
                game.kinds = vec![EndKind::Normal; 5];
                game.kinds[i % 5] = EndKind::Illegal;
            }
        }
    }
    entries.truncate(entries.len() - 2);
    for (key, void) in [("0.0.0", "x"), ("0.0.1", "<b>y</b>"), ("0.0.2", "x")] {
        entries.push(Entry::Void {
            key: key.parse().unwrap(),
            void: void.to_owned(),
        });
    }
    for begun in ["2026-11-21T12:00:00Z", "2026-11-21T11:00:00Z"] {
        entries.push(Entry::Begun {
            begun: begun.to_owned(),
            changed: None,
            by: None,
        });
    }
    (settings, entries)
}

pub(super) const NAMES: [&str; 6] = [
    "<script>alert(1)</script>",
    "強い大貧民ボット",
    "a \"quoted\", name",
    "d&d",
    "=e",
    "a name that is far too long for any column of a table",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn the_order_of_the_lines_does_not_matter(seed in any::<u64>()) {
        let (settings, mut entries) = large(&NAMES);
        let due = journal(&settings, &entries);
        entries.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
        let got = journal(&settings, &entries);
        let reports = [Report::of(&due), Report::of(&got)];
        prop_assert_eq!(&reports[0], &reports[1]);
        let mut tables = [Vec::new(), Vec::new()];
        csv::games(&mut tables[0], &due).unwrap();
        csv::games(&mut tables[1], &got).unwrap();
        prop_assert_eq!(&tables[0], &tables[1]);
    }
}

/// Checks that every element is closed in order and every attribute in quotes.
fn well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").unwrap();
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>') || open.contains(&"style"),
            "{}",
            &rest[..start]
        );
        let end = start + rest[start..].find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if name != "meta" && !tag.ends_with('/') {
            open.push(name);
        }
        // Outside of quotes there is no further `=`.
        let outside: String = tag.split('"').step_by(2).collect();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(
            outside
                .split('=')
                .skip(1)
                .all(|part| part.is_empty() || part.starts_with([' ', '/'])),
            "{tag}"
        );
    }
    assert_eq!(open, [""; 0]);
    for elsewhere in [
        "<script", "://", "src=", "url(", "<link", "@import", "NaN", "inf",
    ] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
}

#[test]
fn games_that_nobody_has_begun_count_for_no_mean() {
    let (settings, entries) = small();
    // In a deal more of each matchup nobody plays one of the games.
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
    // Of the deal the game that a has won is left, and the point that both lose.
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
    well_formed(&shown);
    let text = terminal::text(&report);
    assert!(text.contains("0 of 180 fixtures"), "{text}");
    for said in [&text, &shown] {
        assert!(said.contains("No game has been played yet."), "{said}");
        assert!(!said.contains("wins %"), "{said}");
    }
    let json = serde_json::to_string(&report).unwrap();
    assert!(json.contains("\"rating\":null"), "{json}");
}

#[test]
fn one_with_several_seats_counts_each() {
    let settings = settings(&["a", "b", "c"], 4);
    let entries: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
    let report = report(&settings, &entries);
    // Five seats of three entrants: every choice of two sits twice.
    let seats: u64 = report.entrants.iter().map(|l| l.standing.seats).sum();
    assert_eq!(seats, report.totals.games * 5);
    for line in &report.entrants {
        assert_eq!(line.games, report.totals.games);
        assert_eq!(line.thinking.moves, line.standing.seats * 8);
        // Two of three matchups give it two seats.
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
    well_formed(&page(&settings, &entries));
    assert!(terminal::text(&report).contains("3 deals begun but not finished"));
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
    // The plot of the ratio begins with the first and ends with the present one.
    let sprt = report(&settings, &entries).sprt.unwrap();
    assert_eq!(sprt.course[0].0, 16);
    let last = (sprt.blocks, sprt.ratio.unwrap());
    assert_eq!(sprt.course.last(), Some(&last));
    let shown = page(&settings, &entries);
    assert!(shown.contains("aria-label=\"Log likelihood ratio by the number of deals\""));
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
    for text in [terminal::text(&report), page(&settings, &all_of(&settings))] {
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

/// A wide interval of a few games is no reason to look for other opponents.
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
    for text in [terminal::text(&report), page(&settings, &won)] {
        for certain in ["reached", "±0 ", "±0<", "±0.0"] {
            assert!(!text.contains(certain), "{certain}: {text}");
        }
        assert!(
            !text.contains("> 99.9") && !text.contains("&gt; 99.9"),
            "{text}"
        );
    }
}

/// A deal of two entrants of 3D four-in-a-row, of which the first wins so many games.
fn deal(matchup: u32, number: u32, [a, b]: [usize; 2], won: u32) -> [Entry; 2] {
    let game = |rotation: u32, seats: [usize; 2]| {
        let first_wins = (rotation < won) == (rotation == 0);
        pair(
            &format!("{matchup}.{number}.{rotation}"),
            seats,
            usize::from(!first_wins),
        )
    };
    [game(0, [a, b]), game(1, [b, a])]
}

#[test]
fn two_sentences_say_which_entrant_is_first_and_which_are_close() {
    let (mut settings, _) = small();
    settings.deals = 20;
    settings.has_seed = true;
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
    let [text, page] = [terminal::text(&found), page(&settings, &entries)];
    for shown in [&text, &page] {
        assert!(
            shown.contains("How to read this") && shown.contains("docs/read_report.md"),
            "{shown}"
        );
    }
    assert!(
        text.contains(&due) && page.contains(&escape(&due)),
        "{text}"
    );
    assert!(page.contains("<a href=\"#reading\">") && page.contains("id=\"reading\""));
    // The sentences stand above the tables.
    assert!(text.find(&due) < text.find("stronger %") && page.find(&due) < page.find("stronger %"));
    // So many deals do tell them apart.
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

/// An interval with two sides of unlike length is shown by its ends.
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

/// A page that is published together with the records leads to them wherever both are.
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
        // b has the first seat; the game is a draw.
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
        // The dealer has turned the table round.
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
fn games_for_two_are_counted_by_wins_and_pairs() {
    let (settings, entries) = small();
    let report = report(&settings, &entries);
    let line = |name: &str| report.entrants.iter().find(|l| l.name == name).unwrap();
    let (a, c) = (line("a").duels.unwrap(), line("c").duels.unwrap());
    // Whole deals: a win and a draw, two losses, two wins. The half one does not count.
    assert_eq!((a.won, a.drawn, a.lost), (3, 1, 2));
    assert_eq!(a.pairs, [1, 0, 0, 1, 1]);
    assert_eq!(
        (c.won, c.drawn, c.lost, c.pairs),
        (0, 2, 2, [1, 0, 1, 0, 0])
    );
    let score = line("a").standing.score.mean;
    close(a.elo.value, 400.0 * (score / (1.0 - score)).log10());
    assert!(a.elo.low < a.elo.value && a.elo.value < a.elo.high);
    let shown = page(&settings, &entries);
    assert!(
        shown.contains("<td>3 – 1 – 2</td><td>1</td><td>0</td><td>0</td><td>1</td><td>1</td>"),
        "{shown}"
    );
    assert!(terminal::text(&report).contains("games for two"));
    let json = serde_json::to_value(&report).unwrap();
    let lines = json["entrants"].as_array().unwrap();
    assert!(lines.iter().all(|line| {
        line["duels"]["pairs"]
            .as_array()
            .is_some_and(|p| p.len() == 5)
    }));

    // Nothing of all that for five.
    let (settings, entries) = large(&NAMES);
    let five = Report::of(&journal(&settings, &entries));
    assert!(five.entrants.iter().all(|line| line.duels.is_none()));
    assert!(!page(&settings, &entries).contains("Wins, draws"));
    assert!(!terminal::text(&five).contains("games for two"));
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
