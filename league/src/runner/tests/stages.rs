//! Leagues with groups and a final.

use super::*;
use crate::settings::{Groups, Stage};
use crate::settings::{Ranking, TieBreak};

/// Seven entrants in two groups, of which the best two and a wild card go on to a final.
fn staged(format: Format, last: Format) -> Settings {
    let mut settings = settings();
    let one = settings.entrants[0].clone();
    settings.entrants = (0..7)
        .map(|number| crate::settings::Entrant {
            name: format!("e{number}"),
            ..one.clone()
        })
        .collect();
    settings.format = format;
    settings.points = Some([3.0, 1.0, 0.0]);
    settings.run.at_once = 3;
    settings.groups = Groups {
        count: 2,
        order: vec![6, 5, 4, 3, 2, 1, 0],
    };
    settings.ranking = Ranking {
        pairing_points: None,
        tie_breaks: vec![TieBreak::Points, TieBreak::HeadToHead, TieBreak::Buchholz],
    };
    settings.stages = vec![Stage {
        name: "final".to_owned(),
        advance: 2,
        wild_cards: 1,
        groups: 1,
        format: last,
        deals: 2,
    }];
    settings
}

/// Plays games in which the other one wins.
struct Other;
impl Play for Other {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        _: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let mut other = game(&plan.fixtures[0]);
        other.places.reverse();
        other.points.reverse();
        on_done(FixtureResult {
            number: 0,
            ms: 1,
            games: vec![other],
            record: None,
            host: None,
        });
        SessionEnd::Whole.into()
    }
}

fn by_key(league: &League) -> Vec<Played> {
    let mut all: Vec<Played> = league.journal().played().cloned().collect();
    all.sort_by_key(|played| played.key);
    all
}

#[test]
fn a_league_with_stages_is_the_same_wherever_it_was_killed() {
    let swiss = |rounds| Format::Swiss { rounds };
    for (format, last) in [
        (Format::RoundRobin, Format::RoundRobin),
        (swiss(2), swiss(3)),
        (swiss(3), Format::RoundRobin),
    ] {
        let settings = staged(format, last);
        let league = League::new(settings.clone());
        let (outcome, _) = league.run(&Mock::whole());
        assert_eq!(outcome, Outcome::default());
        let due = by_key(&league);
        assert_eq!(
            Some(due.len() as u64),
            Section::fixtures_of(&settings),
            "{format:?} {last:?}"
        );
        let report = crate::result::Report::of(&league.results());
        let [first, second] = &report.stages[..] else {
            panic!("two stages");
        };
        assert!(first.is_over && second.is_over);
        let mut finalists: Vec<usize> = Vec::new();
        for group in &first.groups {
            finalists.extend(
                group
                    .iter()
                    .filter(|place| place.goes_on)
                    .map(|place| place.number),
            );
        }
        finalists.sort_unstable();
        let mut seated: Vec<usize> = second.groups[0].iter().map(|place| place.number).collect();
        let ranked: Vec<usize> = report.entrants.iter().map(|line| line.number).collect();
        assert_eq!(ranked[..5], seated);
        seated.sort_unstable();
        assert_eq!((finalists.len(), &finalists), (5, &seated));

        let bytes = std::fs::read(league.path()).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
        for kept in 1..lines.len() {
            let league = League::new(settings.clone());
            std::fs::write(league.path(), lines[..kept].concat()).unwrap();
            let (outcome, _) = league.run(&Mock::whole());
            assert_eq!(outcome, Outcome::default());
            assert_eq!(by_key(&league), due, "{kept} lines");
        }
    }
}

#[test]
fn a_result_of_the_groups_that_is_struck_changes_no_final_that_has_begun() {
    let settings = staged(Format::RoundRobin, Format::RoundRobin);
    let league = League::new(settings);
    league.run(&Mock::whole());
    let seats = |league: &League| -> Vec<(Key, Vec<usize>)> {
        let all = by_key(league).into_iter();
        all.map(|played| (played.key, played.seats)).collect()
    };
    let due = seats(&league);
    for matchup in 0..9 {
        let next = league.results().orders.next;
        let file = crate::journal::CommandFile::beside(&league.path());
        let key = format!("{matchup}.0.0").parse().unwrap();
        let action = crate::journal::CommandAction::Replay { key };
        file.add(action, "", next, String::new()).unwrap();
    }
    // Now the other one wins.
    let (outcome, _) = league.run(&Arc::new(Other));
    assert_eq!(outcome, Outcome::default());
    assert_eq!(seats(&league), due);
    assert_eq!(league.journal().all_played().count(), due.len() + 9);
}
