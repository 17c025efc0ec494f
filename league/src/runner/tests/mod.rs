//! Leagues whose tables are played by a closure.

mod absent;
mod aside;
mod commands;
mod programs;
mod session_options;
mod stages;
mod voids;

use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use tokio::runtime::Builder;

use super::agenda::matchup;
use super::*;
use crate::journal::{Game, Journal, JournalReader, Played};
use crate::schedule::{Fixture, Key};
use crate::sections::Section;
use crate::settings::{Format, ProcessLife, Sprt};
use crate::table_session::{FixtureResult, SessionEnd, SessionPlan};
use crate::testing::{head, settings};
use stats::Hypotheses;

/// What a session does: plays some fixtures, and ends.
type Script = dyn Fn(&SessionPlan, usize) -> (usize, SessionEnd) + Send + Sync;

/// Plays sessions by a script, which gets the session and how many were begun before.
struct Mock {
    script: Box<Script>,
    /// Sittings of even numbers take their time, so that others overtake them.
    shuffled: bool,
    begun: AtomicUsize,
    plans: Mutex<Vec<SessionPlan>>,
}

impl Mock {
    fn new(
        script: impl Fn(&SessionPlan, usize) -> (usize, SessionEnd) + Send + Sync + 'static,
    ) -> Arc<Mock> {
        Arc::new(Mock {
            script: Box::new(script),
            shuffled: false,
            begun: AtomicUsize::new(0),
            plans: Mutex::default(),
        })
    }

    fn whole() -> Arc<Mock> {
        Mock::new(|plan, _| (plan.fixtures.len(), SessionEnd::Whole))
    }
}

/// The one in the first seat wins if a number that follows from the key and the deal is even.
fn game(fixture: &Fixture) -> Game {
    let seats = fixture.seats.len();
    let luck = (fixture.deal.seed() >> 7) as usize + usize::from(fixture.key.rotation);
    let place = |seat: usize| ((seat + luck) % seats) as u8;
    Game {
        places: (0..seats).map(place).collect(),
        points: (0..seats).map(|seat| f64::from(place(seat))).collect(),
        moves: vec![1; seats],
        used: vec![1; seats],
        slowest: vec![1; seats],
        ..Game::default()
    }
}

impl Play for Mock {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let number = self.begun.fetch_add(1, Ordering::SeqCst);
        self.plans.lock().unwrap().push(plan.clone());
        if self.shuffled && number.is_multiple_of(2) {
            for _ in 0..number % 7 * 3 {
                tokio::task::yield_now().await;
            }
        }
        let (plays, mut ended) = (self.script)(&plan, number);
        for (number, fixture) in plan.fixtures.iter().enumerate().take(plays) {
            if options.finish.is_cancelled() {
                ended = SessionEnd::Whole;
                break;
            }
            let games = vec![game(fixture)];
            on_done(FixtureResult {
                number,
                ms: 1,
                games,
                record: None,
                host: None,
            });
            tokio::task::yield_now().await;
        }
        let said = match &ended {
            SessionEnd::Void(_) => "bo has ended".to_owned(),
            _ => String::new(),
        };
        SessionReport {
            said,
            ..ended.into()
        }
    }
}

struct League {
    folder: tempfile::TempDir,
    settings: Settings,
}

impl League {
    fn new(settings: Settings) -> League {
        let folder = tempfile::tempdir().unwrap();
        let league = League { folder, settings };
        JournalFile::create(&league.path(), &head(league.settings.clone())).unwrap();
        league
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("journal.jsonl")
    }

    fn journal(&self) -> Journal {
        Journal::read(&self.path()).unwrap()
    }

    fn results(&self) -> Results {
        Results::open(&self.path()).unwrap().0
    }

    /// Keys in the order of their lines.
    fn keys(&self) -> Vec<Key> {
        self.journal().played().map(|played| played.key).collect()
    }

    fn run<P: Play>(&self, play: &Arc<P>) -> (Outcome, Vec<LeagueEvent>) {
        self.run_with(play, &SessionOptions::default(), &mut |_| {})
    }

    fn run_with<P: Play>(
        &self,
        play: &Arc<P>,
        options: &SessionOptions,
        on_event: &mut (dyn FnMut(&LeagueEvent) + Send),
    ) -> (Outcome, Vec<LeagueEvent>) {
        let mut reader = JournalReader::open(&self.path()).unwrap();
        let mut file = JournalFile::resume(&self.path(), reader.whole).unwrap();
        reader.head.settings = self.settings.clone();
        let (results, _) = Results::read(reader).unwrap();
        let mut news = Vec::new();
        let mut hear = |item: LeagueEvent| {
            // What comes of it is told, too.
            if matches!(
                item,
                LeagueEvent::Table(..) | LeagueEvent::Line(Entry::Round { .. })
            ) {
                return;
            }
            on_event(&item);
            news.push(item);
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let played = run(
            &self.settings,
            results,
            &mut file,
            Arc::clone(play),
            options,
            None,
            &mut hear,
        );
        let outcome = runtime.block_on(played).unwrap();
        (outcome, news)
    }
}

fn is_played(event: &LeagueEvent) -> bool {
    matches!(event, LeagueEvent::Line(entry) if entry.played().is_some())
}

fn three(deals: u32, process: ProcessLife) -> Settings {
    let mut settings = settings();
    settings.deals = deals;
    settings.process = process;
    settings.run.at_once = 3;
    let mut third = settings.entrants[0].clone();
    third.name = "cy".to_owned();
    settings.entrants.push(third);
    settings
}

fn sorted(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort();
    keys
}

fn key(text: &str) -> Key {
    text.parse().unwrap()
}

fn all(settings: &Settings) -> Vec<Key> {
    let matchups = schedule_of(settings);
    let plan = settings.plan();
    sorted(
        plan.fixtures(&matchups)
            .map(|fixture| fixture.key)
            .collect(),
    )
}

fn first_round(settings: &Settings) -> rounds::Round {
    let round = Rounds::new(settings).next(&Results::new(head(settings.clone())));
    round.expect("a league has a round")
}

fn schedule_of(settings: &Settings) -> Vec<Vec<usize>> {
    first_round(settings).matchups
}

#[test]
fn a_league_plays_its_schedule_in_order() {
    let mut settings = three(4, ProcessLife::Fixture);
    settings.run.at_once = 1;
    let league = League::new(settings);
    let mock = Mock::whole();
    let (outcome, news) = league.run(&mock);
    assert_eq!(outcome, Outcome::default());
    let plan = league.settings.plan();
    let matchups = schedule_of(&league.settings);
    let due: Vec<Fixture> = plan.fixtures(&matchups).collect();
    let due_keys: Vec<Key> = due.iter().map(|f| f.key).collect();
    assert_eq!(league.keys(), due_keys);
    assert_eq!(
        news.len() as u64,
        Section::fixtures_of(&league.settings).unwrap()
    );
    let plans = mock.plans.lock().unwrap();
    for (plan, fixture) in plans.iter().zip(&due) {
        assert_eq!(plan.fixtures, std::slice::from_ref(fixture));
        assert_eq!(plan.players, matchups[fixture.key.matchup as usize]);
    }
    drop(plans);
    // There is nothing left.
    let (outcome, news) = league.run(&Mock::whole());
    assert!(outcome == Outcome::default() && news.is_empty());
}

#[test]
fn programs_that_live_on_play_their_deals_in_one_sitting() {
    let league = League::new(three(5, ProcessLife::Deals(2)));
    let mock = Mock::whole();
    league.run(&mock);
    assert_eq!(sorted(league.keys()), all(&league.settings));
    let plans = mock.plans.lock().unwrap();
    let firsts: Vec<(String, usize)> = plans
        .iter()
        .map(|s| (s.fixtures[0].key.to_string(), s.fixtures.len()))
        .collect();
    let due = [
        ("0.0.0", 4),
        ("1.0.0", 4),
        ("2.0.0", 4),
        ("0.2.0", 4),
        ("1.2.0", 4),
        ("2.2.0", 4),
        ("0.4.0", 2),
        ("1.4.0", 2),
        ("2.4.0", 2),
    ];
    assert_eq!(firsts, due.map(|(key, n)| (key.to_owned(), n)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_part_of_a_journal_is_made_whole(
        keep in prop::collection::vec(any::<bool>(), 24),
        order in Just((0..24_usize).collect::<Vec<_>>()).prop_shuffle(),
        torn in 0..200_usize,
        chunk in 1..4_u32,
        single: bool,
    ) {
        let life = if single { ProcessLife::Fixture } else { ProcessLife::Deals(chunk) };
        let league = League::new(three(4, life));
        let head = std::fs::read(league.path()).unwrap();
        league.run(&Mock::whole());
        let whole = league.journal();
        let bytes = std::fs::read(league.path()).unwrap();
        let lines: Vec<&[u8]> = bytes[head.len()..].split_inclusive(|b| *b == b'\n').collect();
        prop_assert_eq!(lines.len(), 24);
        let mut part = head;
        let kept = order.iter().filter(|i| keep[**i]);
        part.extend(kept.flat_map(|&i| lines[i]).copied());
        // The last line was being written.
        let last = order.iter().find(|i| !keep[**i]).map_or(&b""[..], |&i| lines[i]);
        part.extend(&last[..torn.min(last.len().saturating_sub(1))]);
        std::fs::write(league.path(), part).unwrap();
        let (outcome, _) = league.run(&Mock::whole());
        prop_assert_eq!(outcome, Outcome::default());
        let again = league.journal();
        prop_assert_eq!(again.entries.len(), 24);
        let by_key = |journal: &Journal| {
            let mut all: Vec<Played> = journal.played().cloned().collect();
            all.sort_by_key(|played| played.key);
            all
        };
        prop_assert_eq!(by_key(&again), by_key(&whole));
    }
}

#[test]
fn the_verdict_does_not_depend_on_what_is_over_first() {
    let mut settings = three(400, ProcessLife::Fixture);
    settings.sprt = Some(Sprt {
        entrant: 0,
        hypotheses: Hypotheses {
            s0: 0.45,
            s1: 0.55,
            alpha: 0.05,
            beta: 0.05,
        },
    });
    let verdict = |at_once, shuffled| {
        let mut settings = settings.clone();
        settings.run.at_once = at_once;
        let league = League::new(settings);
        let mut mock = Mock::whole();
        Arc::get_mut(&mut mock).unwrap().shuffled = shuffled;
        let (outcome, _) = league.run(&mock);
        assert!(!outcome.interrupted);
        let test = league.results().test.unwrap();
        assert_eq!(test.sprt.verdict(), outcome.verdict.unwrap());
        // Games that had begun are finished, no others begin, and none later.
        let played = league.keys().len() as u64;
        assert!(played < 2400, "{played}");
        assert!(league.run(&Mock::whole()).1.is_empty());
        (outcome.verdict, test.sprt.blocks(), played)
    };
    let (due, blocks, played) = verdict(1, false);
    // Only the third matchup is without the entrant.
    assert!(played <= blocks * 3 + 6, "{played} {blocks}");
    for (at_once, shuffled) in [(2, true), (5, true), (8, false), (40, true)] {
        let (verdict, counted, played) = verdict(at_once, shuffled);
        assert_eq!((verdict, counted), (due, blocks));
        assert!(
            played <= blocks * 3 + 6 + 8 * at_once as u64,
            "{played} {blocks}"
        );
    }
}
