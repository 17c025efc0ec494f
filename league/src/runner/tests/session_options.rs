//! Leagues that are told to end, and rounds.

use super::voids::void;
use super::*;

#[test]
fn who_wishes_to_finish_gets_the_running_games_and_no_others() {
    let league = League::new(three(30, ProcessLife::Deals(10)));
    let options = SessionOptions::default();
    let finish = options.finish.clone();
    let mut played = 0;
    let (outcome, _) = league.run_with(&Mock::whole(), &options, &mut |_| {
        played += 1;
        if played == 20 {
            finish.cancel();
        }
    });
    assert!(outcome.interrupted && outcome.stopped.is_empty());
    let count = league.keys().len();
    assert!((20..=30).contains(&count), "{count}");
    assert!(
        !league
            .journal()
            .entries
            .iter()
            .any(|e| matches!(e, Entry::Void { .. }))
    );
    assert!(!league.run(&Mock::whole()).0.interrupted);
    assert_eq!(sorted(league.keys()), all(&league.settings));
    // A wish that comes when all is played interrupts nothing.
    assert!(
        !league
            .run_with(&Mock::whole(), &options, &mut |_| {})
            .0
            .interrupted
    );
}

#[test]
fn who_wishes_to_stop_loses_the_running_games_only() {
    let league = League::new(three(30, ProcessLife::Fixture));
    let options = SessionOptions::default();
    let told = options.clone();
    let mut played = 0;
    let mock = Mock::new(|_, number| match number {
        // Tables that are stopped say that they came to nothing.
        20.. => (0, SessionEnd::Void("it was stopped".to_owned())),
        _ => (1, SessionEnd::Whole),
    });
    let (outcome, news) = league.run_with(&mock, &options, &mut |_| {
        played += 1;
        if played == 18 {
            told.finish.cancel();
            told.stop.cancel();
        }
    });
    assert!(outcome.interrupted && outcome.stopped.is_empty());
    assert!(news.iter().all(is_played));
    assert!(league.keys().len() >= 18);
    league.run(&Mock::whole());
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

#[test]
fn rounds_are_paired_by_results_and_the_same_after_a_resume() {
    for format in [Format::Swiss { rounds: 4 }, Format::Ladder] {
        let mut settings = three(2, ProcessLife::Fixture);
        settings.format = format;
        for name in ["di", "ed"] {
            let mut entrant = settings.entrants[0].clone();
            entrant.name = name.to_owned();
            settings.entrants.push(entrant);
        }
        // A round has two matchups, of four fixtures each; one sits out.
        let until = |league: &League, count: usize| {
            let options = SessionOptions::default();
            let finish = options.finish.clone();
            let mut left = count - league.keys().len();
            league.run_with(&Mock::whole(), &options, &mut |_| {
                left = left.saturating_sub(1);
                if left == 0 {
                    finish.cancel();
                }
            })
        };
        let seats = |league: &League| {
            let mut all: Vec<(Key, Vec<usize>)> = league
                .journal()
                .played()
                .map(|played| (played.key, played.seats.clone()))
                .collect();
            all.sort();
            all.truncate(32);
            all
        };
        let straight = League::new(settings.clone());
        let (outcome, _) = until(&straight, 32);
        assert_eq!(outcome.interrupted, format == Format::Ladder);
        let stopped = League::new(settings.clone());
        for count in [3, 8, 13, 20, 32] {
            until(&stopped, count);
        }
        assert_eq!(seats(&stopped), seats(&straight));
        assert_eq!(seats(&straight).len(), 32);
        let matchups: HashSet<u32> = straight.keys().iter().map(|k| k.matchup).collect();
        assert!((0..8).all(|number| matchups.contains(&number)));
        // A matchup that is given up holds its round up, and so the league.
        let broken = League::new(settings);
        let (outcome, _) = broken.run(&Mock::new(|plan, _| match matchup(plan) {
            2 => (0, void()),
            _ => (1, SessionEnd::Whole),
        }));
        assert_eq!(outcome.stopped.len(), 1);
        assert!(broken.keys().iter().all(|key| key.matchup < 4));
        assert_eq!(broken.keys().len(), 12);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_league_ends_at_once_when_nothing_can_be_written() {
    let settings = three(50, ProcessLife::Fixture);
    let league = League::new(settings.clone());
    let results = league.results();
    let mut file = JournalFile::resume(Path::new("/dev/full"), u64::MAX).unwrap();
    let mock = Mock::whole();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime
        .block_on(run(
            &settings,
            results,
            &mut file,
            Arc::clone(&mock),
            &SessionOptions::default(),
            None,
            &mut |_| {},
        ))
        .unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
    assert!(mock.begun.load(Ordering::SeqCst) <= 4);
}

/// Plays one fixture, and then nothing moves it any more.
struct Deaf;

impl Play for Deaf {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        _: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        on_done(FixtureResult {
            number: 0,
            ms: 1,
            games: vec![game(&plan.fixtures[0])],
            record: None,
            host: None,
        });
        std::future::pending().await
    }
}

#[test]
fn a_league_does_not_wait_for_who_does_not_stop() {
    let league = League::new(three(3, ProcessLife::Fixture));
    let options = SessionOptions::default();
    let told = options.clone();
    let (outcome, _) = league.run_with(&Arc::new(Deaf), &options, &mut |_| told.stop.cancel());
    assert!(outcome.stopped.is_empty());
    // Each table that had begun.
    assert_eq!(league.keys().len(), 3);
}

#[test]
fn rounds_that_are_known_need_no_results() {
    for format in [Format::Swiss { rounds: 40 }, Format::Ladder] {
        let mut settings = three(1, ProcessLife::Fixture);
        settings.format = format;
        for name in ["di", "ed"] {
            let mut entrant = settings.entrants[0].clone();
            entrant.name = name.to_owned();
            settings.entrants.push(entrant);
        }
        let league = League::new(settings.clone());
        let options = SessionOptions::default();
        let mut count = 0;
        // 30 rounds of two matchups of two fixtures, and one more fixture.
        league.run_with(&Mock::whole(), &options, &mut |_| {
            count += 1;
            if count == 121 {
                options.finish.cancel();
            }
        });
        let mut all = league.results();
        let mut known = Results::new(all.head.clone());
        known.pairings = std::mem::take(&mut all.pairings);
        known.pairings.retain(|matchup, _| *matchup < 60);
        let (mut paired, mut taken) = (Rounds::new(&settings), Rounds::new(&settings));
        for number in 0..31 {
            let due = paired.next(&all);
            // Without results nothing could be paired.
            let results = if number < 30 { &known } else { &all };
            assert_eq!(taken.next(results), due, "round {number}");
        }
    }
}
