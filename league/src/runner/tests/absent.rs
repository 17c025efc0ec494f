//! Leagues whose entrants come themselves, and are missing.

use tokio::sync::Notify;

use super::*;
use crate::remote::Readiness;
use crate::settings::Absent;

/// Plays all, but for sessions of an entrant that is missing.
struct Hall {
    mock: Arc<Mock>,
    missing: Mutex<Option<usize>>,
    skips: bool,
    came: Notify,
}

impl Hall {
    fn without(missing: usize, skips: bool) -> Arc<Hall> {
        Arc::new(Hall {
            mock: Mock::whole(),
            missing: Mutex::new(Some(missing)),
            skips,
            came: Notify::new(),
        })
    }

    fn come(&self) {
        *self.missing.lock().unwrap() = None;
        self.came.notify_one();
    }
}

impl Play for Hall {
    type Guests = ();

    fn call(&self, plan: &SessionPlan, _: &BTreeSet<usize>) -> Readiness<()> {
        match *self.missing.lock().unwrap() {
            Some(missing) if plan.players.contains(&missing) => {
                if self.skips {
                    Readiness::Skip(vec![missing])
                } else {
                    Readiness::Wait
                }
            }
            _ => Readiness::Ready(()),
        }
    }

    fn arrival(&self) -> impl Future<Output = ()> + Send {
        self.came.notified()
    }

    async fn play(
        &self,
        plan: SessionPlan,
        guests: (),
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        self.mock.play(plan, guests, options, on_done).await
    }
}

/// Matchups of three entrants without the first: the last one.
const OTHERS: u32 = 2;

#[test]
fn fixtures_wait_for_one_that_is_missing_and_others_are_played() {
    let league = League::new(three(4, ProcessLife::Fixture));
    let hall = Hall::without(0, false);
    let mut played = 0;
    let (outcome, _) = league.run_with(&hall, &SessionOptions::default(), &mut |news| {
        played += u32::from(is_played(news));
        if played == 8 {
            hall.come();
        }
    });
    assert_eq!(outcome, Outcome::default());
    let keys = league.keys();
    assert!(
        keys[..8].iter().all(|key| key.matchup == OTHERS),
        "{keys:?}"
    );
    assert_eq!(sorted(keys), all(&league.settings));
}

#[test]
fn a_league_that_waits_can_be_ended() {
    let league = League::new(three(4, ProcessLife::Fixture));
    let hall = Hall::without(0, false);
    let options = SessionOptions::default();
    let told = options.clone();
    let mut played = 0;
    let (outcome, _) = league.run_with(&hall, &options, &mut |_| {
        played += 1;
        if played == 8 {
            told.finish.cancel();
        }
    });
    assert!(outcome.interrupted);
    assert_eq!(league.keys().len(), 8);
}

#[test]
fn what_was_left_is_played_when_the_entrant_is_back() {
    let league = League::new(three(4, ProcessLife::Fixture));
    let hall = Hall::without(0, true);
    let (outcome, _) = league.run(&hall);
    assert_eq!(
        (&outcome.absent[..], outcome.interrupted),
        (&[0][..], false)
    );
    assert!(league.keys().iter().all(|key| key.matchup == OTHERS));
    assert_eq!(league.keys().len(), 8);
    hall.come();
    let (outcome, _) = league.run(&hall);
    assert_eq!(outcome, Outcome::default());
    assert_eq!(sorted(league.keys()), all(&league.settings));

    // Also while the others still play.
    let league = League::new(three(4, ProcessLife::Fixture));
    let hall = Hall::without(0, true);
    let mut played = 0;
    let (outcome, _) = league.run_with(&hall, &SessionOptions::default(), &mut |_| {
        played += 1;
        if played == 3 {
            hall.come();
        }
    });
    assert_eq!(outcome, Outcome::default());
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

#[test]
fn a_table_to_which_one_does_not_sit_down_is_played_after_all_others() {
    let mut settings = three(2, ProcessLife::Fixture);
    settings.run.at_once = 1;
    let league = League::new(settings);
    let absent = Mock::new(|_, number| match number {
        0 => (0, SessionEnd::Absent),
        _ => (1, SessionEnd::Whole),
    });
    let (outcome, _) = league.run(&absent);
    assert_eq!(outcome, Outcome::default());
    let plans = absent.plans.lock().unwrap();
    let first = |plan: &SessionPlan| plan.fixtures[0].key;
    let begun: Vec<Key> = plans.iter().map(first).collect();
    assert_eq!(begun.last(), begun.first());
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

/// An entrant that comes to its tables and does not sit down; its time is up.
const SILENT: usize = 2;

/// Plays all but sessions of [`SILENT`] in which somebody else does not take its seats.
struct Late {
    mock: Arc<Mock>,
    tries: AtomicUsize,
}

impl Play for Late {
    type Guests = BTreeSet<usize>;

    fn call(&self, _: &SessionPlan, nobody: &BTreeSet<usize>) -> Readiness<BTreeSet<usize>> {
        Readiness::Ready(nobody.clone())
    }

    async fn play(
        &self,
        plan: SessionPlan,
        nobody: BTreeSet<usize>,
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        if !plan.players.contains(&SILENT) || nobody.contains(&SILENT) {
            return self.mock.play(plan, (), options, on_done).await;
        }
        self.tries.fetch_add(1, Ordering::SeqCst);
        SessionReport {
            missed: Some(SILENT),
            ..SessionEnd::Absent.into()
        }
    }
}

#[test]
fn one_whose_time_is_up_has_one_try_at_each_of_its_fixtures() {
    let play = |settings: Settings| {
        let league = League::new(settings);
        let late = Arc::new(Late {
            mock: Mock::whole(),
            tries: AtomicUsize::new(0),
        });
        let (outcome, _) = league.run(&late);
        (league, outcome, late.tries.load(Ordering::SeqCst))
    };
    let mut settings = three(2, ProcessLife::Fixture);
    for at_once in [1, 4] {
        settings.run.at_once = at_once;
        settings.run.contest.absent = Absent::Forfeit;
        let (league, outcome, tries) = play(settings.clone());
        assert_eq!(outcome, Outcome::default());
        assert_eq!(sorted(league.keys()), all(&league.settings));
        // Two opponents, two deals, two seats.
        assert_eq!(tries, 8);
        settings.run.contest.absent = Absent::Skip;
        let (league, outcome, tries) = play(settings.clone());
        assert_eq!(outcome.absent, [SILENT]);
        assert_eq!(league.keys().len(), 4);
        assert!(tries >= 8, "{tries}");
    }
}
