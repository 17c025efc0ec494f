//! Entrants that are out of time.

use tokio::sync::Barrier;

use super::*;
use record::EndKind;

/// Entrants that are late in a session of this number.
type Late = dyn Fn(&SessionPlan, usize) -> Vec<usize> + Send + Sync;

/// Plays fixtures that the entrant of the lowest number wins.
struct Clock {
    late: Box<Late>,
    begun: AtomicUsize,
    /// The first so many sessions end together.
    together: (usize, Barrier),
}

impl Clock {
    fn new(
        together: usize,
        late: impl Fn(&SessionPlan, usize) -> Vec<usize> + Send + Sync + 'static,
    ) -> Arc<Clock> {
        Arc::new(Clock {
            late: Box::new(late),
            begun: AtomicUsize::new(0),
            together: (together, Barrier::new(together.max(1))),
        })
    }
}

impl Play for Clock {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        _: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let number = self.begun.fetch_add(1, Ordering::SeqCst);
        let (together, barrier) = &self.together;
        if number < *together {
            barrier.wait().await;
        }
        let late = (self.late)(&plan, number);
        for (number, fixture) in plan.fixtures.iter().enumerate() {
            let lowest = fixture.seats.iter().min();
            let place = |seat: &usize| u8::from(Some(seat) != lowest);
            let kind = |seat: &usize| {
                if late.contains(seat) {
                    EndKind::Timeout
                } else {
                    EndKind::Normal
                }
            };
            let seats = fixture.seats.iter();
            let game = Game {
                places: seats.clone().map(place).collect(),
                points: seats.clone().map(|s| 1.0 - f64::from(place(s))).collect(),
                kinds: seats.map(kind).collect(),
                ..game(fixture)
            };
            on_done(FixtureResult {
                number,
                ms: 1,
                games: vec![game],
                record: None,
                host: None,
            });
        }
        SessionEnd::Whole.into()
    }
}

fn set_aside(news: &[LeagueEvent]) -> usize {
    let is_aside = |item: &&LeagueEvent| matches!(item, LeagueEvent::Line(Entry::Excluded { .. }));
    news.iter().filter(is_aside).count()
}

#[test]
fn a_machine_that_stands_still_sets_nobody_aside() {
    let mut settings = three(4, ProcessLife::Fixture);
    settings.run.timeouts = 2;
    // Everybody is late at the tables that are played meanwhile; two of them are of the same players.
    let stall = |together: usize| {
        Clock::new(together, move |plan, number| match number {
            0..3 => plan.players.clone(),
            _ => Vec::new(),
        })
    };
    let league = League::new(settings.clone());
    let (outcome, news) = league.run(&stall(3));
    assert_eq!((outcome, set_aside(&news)), (Outcome::default(), 0));
    // One after the other they are counted.
    settings.run.at_once = 1;
    let league = League::new(settings);
    assert_eq!(set_aside(&league.run(&stall(0)).1), 2);
}

#[test]
fn a_league_that_goes_on_remembers_that_the_machine_stood_still() {
    let mut settings = three(4, ProcessLife::Fixture);
    settings.run.timeouts = 3;
    let late = |fixtures: usize| {
        move |plan: &SessionPlan, number: usize| match number {
            n if n < fixtures => plan.players.clone(),
            _ => Vec::new(),
        }
    };
    let league = League::new(settings);
    let options = SessionOptions::default();
    let finish = options.finish.clone();
    league.run_with(&Clock::new(3, late(3)), &options, &mut |news| {
        if is_played(news) {
            finish.cancel();
        }
    });
    assert_eq!(league.keys().len(), 3);
    // It was once, and this is the second time.
    let (outcome, news) = league.run(&Clock::new(0, late(1)));
    assert_eq!((outcome, set_aside(&news)), (Outcome::default(), 0));
}

#[test]
fn after_a_verdict_nothing_is_left_for_later() {
    let mut settings = three(400, ProcessLife::Fixture);
    settings.run.at_once = 1;
    settings.run.timeouts = 0;
    settings.sprt = Some(Sprt {
        entrant: 0,
        hypotheses: Hypotheses {
            s0: 0.45,
            s1: 0.55,
            alpha: 0.05,
            beta: 0.05,
        },
    });
    let clock = || Clock::new(0, |_, _| vec![2]);
    let league = League::new(settings.clone());
    let (outcome, _) = league.run(&clock());
    assert!(outcome.verdict.is_some());
    // The last of its fixtures before the verdict is one too many.
    let journal = league.journal();
    let own = journal.played().filter(|played| played.seats.contains(&2));
    settings.run.timeouts = own.count() as u32;
    let (outcome, news) = League::new(settings).run(&clock());
    assert!(outcome.verdict.is_some());
    assert_eq!((outcome.aside, set_aside(&news)), (Vec::new(), 1));
}
