//! Sittings that fail.

use super::*;

pub(super) fn void() -> SessionEnd {
    SessionEnd::Void("bo did not connect within 10 s".to_owned())
}

#[test]
fn a_void_first_fixture_stops_its_matchup_and_no_other() {
    let league = League::new(three(2, ProcessLife::Fixture));
    let mock = Mock::new(|plan, _| match matchup(plan) {
        1 => (0, void()),
        _ => (1, SessionEnd::Whole),
    });
    let (outcome, news) = league.run(&mock);
    assert!(!outcome.interrupted);
    let [stopped] = &outcome.stopped[..] else {
        panic!("{outcome:?}")
    };
    assert_eq!((stopped.matchup, &stopped.entrants[..]), (1, &[0, 2][..]));
    assert_eq!(
        stopped.reason,
        "bo did not connect within 10 s\nbo has ended"
    );
    let is_told = |item: &LeagueEvent| matches!(item, LeagueEvent::Stopped(one) if one == stopped);
    assert!(news.iter().any(is_told));
    let entries = league.journal().entries;
    let is_void = |entry: &&Entry| matches!(entry, Entry::Void { .. });
    // Three at a time: at most the two rotations of its first deal had begun.
    assert!((1..=2).contains(&entries.iter().filter(is_void).count()));
    let others: Vec<Key> = all(&league.settings);
    let others: Vec<Key> = others.into_iter().filter(|k| k.matchup != 1).collect();
    assert_eq!(sorted(league.keys()), others);
    // On resume it is tried again.
    let (outcome, _) = league.run(&Mock::whole());
    assert_eq!(outcome, Outcome::default());
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

#[test]
fn one_void_is_played_again_and_two_in_a_row_are_too_many() {
    let one_by_one = || {
        let mut settings = settings();
        settings.deals = 8;
        settings.run.at_once = 1;
        League::new(settings)
    };
    // Fixtures of the schedule at these attempts come to nothing.
    for (voids, played) in [
        (vec![1, 3, 5], 16),
        (vec![2, 3], 2),
        (vec![0], 0),
        (vec![5, 9, 10], 8),
    ] {
        let league = one_by_one();
        let fail = voids.clone();
        let mock = Mock::new(move |_, number| {
            if fail.contains(&number) {
                (0, void())
            } else {
                (1, SessionEnd::Whole)
            }
        });
        let (outcome, _) = league.run(&mock);
        assert_eq!(league.keys().len(), played, "{voids:?}");
        assert_eq!(outcome.stopped.is_empty(), played == 16, "{voids:?}");
        // Under the same key, and in the order of the schedule.
        let keys = league.keys();
        assert_eq!(keys, sorted(keys.clone()));
        let entries = league.journal().entries;
        let of_void = |entry: &Entry| match entry {
            Entry::Void { key, .. } => Some(*key),
            _ => None,
        };
        let void_keys: Vec<Key> = entries.iter().filter_map(of_void).collect();
        assert_eq!(void_keys.len(), voids.len());
        for key in void_keys {
            assert_eq!(
                keys.contains(&key),
                played == 16 || keys.last() >= Some(&key)
            );
        }
    }
}

#[test]
fn what_is_left_of_a_sitting_goes_on_with_new_programs() {
    let mut settings = settings();
    settings.deals = 3;
    settings.process = ProcessLife::Deals(3);
    let league = League::new(settings);
    let mock = Mock::new(|plan, number| match number {
        0 => (2, SessionEnd::Gone),
        1 => (1, SessionEnd::Void("the machine is tired".to_owned())),
        _ => (plan.fixtures.len(), SessionEnd::Whole),
    });
    let (outcome, news) = league.run(&mock);
    assert_eq!(outcome, Outcome::default());
    assert_eq!(sorted(league.keys()), all(&league.settings));
    let plans = mock.plans.lock().unwrap();
    let sizes: Vec<usize> = plans.iter().map(|s| s.fixtures.len()).collect();
    assert_eq!(sizes, [6, 4, 3]);
    let is_void = |item: &LeagueEvent| match item {
        LeagueEvent::Line(Entry::Void { key, void }) => {
            (key.to_string(), &void[..]) == ("0.1.1".to_owned(), "the machine is tired")
        }
        _ => false,
    };
    assert!(news.iter().any(is_void));
    drop(plans);
    // Somebody who leaves before a game is over, again and again, does not keep the league busy for ever.
    let league = League::new(league.settings.clone());
    for ended in [SessionEnd::Gone, SessionEnd::Whole] {
        let (outcome, _) = league.run(&Mock::new(move |_, _| (0, ended.clone())));
        assert_eq!(outcome.stopped.len(), 1);
    }
    // Nor does a table that panics.
    let (outcome, _) = league.run(&Mock::new(|_, _| panic!("on purpose")));
    assert!(outcome.stopped[0].reason.contains("the table failed"));
}

#[test]
fn a_test_that_waits_for_a_matchup_ends_with_it() {
    let mut settings = three(100, ProcessLife::Fixture);
    settings.sprt = Some(Sprt {
        entrant: 0,
        hypotheses: Hypotheses {
            s0: 0.5,
            s1: 0.501,
            alpha: 0.01,
            beta: 0.01,
        },
    });
    let played = |broken| {
        let league = League::new(settings.clone());
        let (outcome, _) = league.run(&Mock::new(move |plan, _| match matchup(plan) {
            number if number == broken => (0, void()),
            _ => (1, SessionEnd::Whole),
        }));
        assert_eq!((outcome.verdict, outcome.stopped.len()), (None, 1));
        assert!(!outcome.interrupted);
        let before = league.keys().len();
        // On resume it goes on.
        let (outcome, _) = league.run(&Mock::whole());
        assert!(outcome.stopped.is_empty());
        assert_eq!(sorted(league.keys()), all(&settings));
        before
    };
    // Nothing but what had begun.
    assert!(played(0) <= 6);
    // It has no seat in the third.
    assert_eq!(played(2), 400);
}
