//! What an organiser does while a league runs.

use super::*;
use crate::journal::{CommandAction, CommandFile, OrganiserCommand};
use crate::settings::{AbandonmentRule, Disqualified, Start};

fn act(league: &League, action: CommandAction) {
    let at = "2026-11-23T10:00:00Z".to_owned();
    let next = league.results().orders.next;
    let file = CommandFile::beside(&league.path());
    file.add(action, "so it is", next, at).unwrap();
}

fn acts(news: &[LeagueEvent]) -> Vec<OrganiserCommand> {
    let act = |item: &LeagueEvent| match item {
        LeagueEvent::Line(Entry::Command { act, .. }) => Some(act.clone()),
        _ => None,
    };
    news.iter().filter_map(act).collect()
}

fn results(news: &[LeagueEvent]) -> Vec<Key> {
    let key = |item: &LeagueEvent| match item {
        LeagueEvent::Line(entry) => entry.played().map(|played| played.key),
        _ => None,
    };
    news.iter().filter_map(key).collect()
}

#[test]
fn nothing_begins_in_a_league_that_was_paused_before() {
    let league = League::new(three(4, ProcessLife::Fixture));
    act(&league, CommandAction::Pause);
    let options = SessionOptions::default();
    let told = options.clone();
    let hear = &mut |news: &LeagueEvent| {
        if matches!(news, LeagueEvent::Line(Entry::Command { .. })) {
            told.finish.cancel();
        }
    };
    let (outcome, _) = league.run_with(&Mock::whole(), &options, hear);
    assert!(outcome.interrupted && league.keys().is_empty());
    // It is paused at the next start, too, until the organiser lets it go on.
    let folder = league.path();
    let options = SessionOptions::default();
    let resume = std::thread::spawn(move || {
        let at = "2026-11-23T10:00:00Z".to_owned();
        CommandFile::beside(&folder)
            .add(CommandAction::Resume, "", 1, at)
            .unwrap();
    });
    let mut first = None;
    let (outcome, _) = league.run_with(&Mock::whole(), &options, &mut |news| {
        first.get_or_insert(matches!(news, LeagueEvent::Line(Entry::Command { .. })));
    });
    resume.join().unwrap();
    assert_eq!((outcome, first), (Outcome::default(), Some(true)));
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

#[test]
fn a_game_is_played_again_and_its_first_result_is_struck() {
    let league = League::new(three(4, ProcessLife::Fixture));
    league.run(&Mock::whole());
    let again = key("1.2.1");
    act(&league, CommandAction::Replay { key: again });
    let (outcome, news) = league.run(&Mock::whole());
    assert_eq!(outcome, Outcome::default());
    assert_eq!(results(&news), [again]);
    let journal = league.journal();
    assert_eq!(sorted(league.keys()), all(&league.settings));
    assert_eq!(journal.all_played().count(), 25);
}

#[test]
fn a_game_of_a_round_that_is_over_is_played_again_while_the_league_runs() {
    let mut settings = three(2, ProcessLife::Fixture);
    settings.format = Format::Swiss { rounds: 3 };
    settings.run.at_once = 1;
    let league = League::new(settings);
    let options = SessionOptions::default();
    let told = options.clone();
    let mut played = 0;
    league.run_with(&Mock::whole(), &options, &mut |news| {
        played += u32::from(is_played(news));
        if played == 5 {
            told.finish.cancel();
        }
    });
    assert_eq!(league.keys().len(), 5);
    act(&league, CommandAction::Pause);
    let again = key("0.1.0");
    let path = league.path();
    let (outcome, news) =
        league.run_with(&Mock::whole(), &SessionOptions::default(), &mut |news| {
            // It is paused: what comes now comes while it runs.
            if matches!(news, LeagueEvent::Line(Entry::Command { act, .. }) if act.action == CommandAction::Pause) {
                for action in [CommandAction::Replay { key: again }, CommandAction::Resume] {
                    let at = "2026-11-23T10:00:00Z".to_owned();
                    CommandFile::beside(&path).add(action, "", 1, at).unwrap();
                }
            }
        });
    assert_eq!(outcome, Outcome::default());
    assert_eq!(acts(&news).len(), 3);
    let played: Vec<Key> = results(&news);
    assert_eq!((played[0], played.len()), (again, 8));
    let (keys, journal) = (league.keys(), league.journal());
    assert_eq!((keys.len(), journal.all_played().count()), (12, 13));
    assert_eq!(keys[4], again);
    let (outcome, news) = league.run(&Mock::whole());
    assert!(outcome == Outcome::default() && news.is_empty());
}

#[test]
fn what_is_wished_in_the_last_second_is_done_before_the_end() {
    let mut settings = three(2, ProcessLife::Fixture);
    settings.run.at_once = 1;
    let league = League::new(settings);
    let (path, again, mut played) = (league.path(), key("0.0.0"), 0);
    let (outcome, news) =
        league.run_with(&Mock::whole(), &SessionOptions::default(), &mut |news| {
            played += u32::from(is_played(news));
            let is_last = played == 12 && is_played(news);
            let out = CommandAction::Disqualify {
                entrant: "cy".to_owned(),
            };
            let deeds = [CommandAction::Replay { key: again }, out];
            for action in deeds.into_iter().filter(|_| is_last) {
                let at = "2026-11-23T10:00:00Z".to_owned();
                CommandFile::beside(&path).add(action, "", 0, at).unwrap();
            }
        });
    assert_eq!(outcome, Outcome::default());
    assert_eq!((acts(&news).len(), results(&news).len()), (2, 13));
    assert_eq!(results(&news)[12], again);
    assert_eq!(league.results().orders.disqualified, [2].into());
    assert_eq!(sorted(league.keys()), all(&league.settings));
}

#[test]
fn fixtures_of_one_that_is_disqualified_are_not_played_where_the_file_says_so() {
    let mut settings = three(4, ProcessLife::Fixture);
    settings.run.contest.disqualified = Disqualified::NotPlayed;
    let league = League::new(settings);
    let entrant = "cy".to_owned();
    act(&league, CommandAction::Disqualify { entrant });
    let (outcome, _) = league.run(&Mock::whole());
    assert_eq!(outcome, Outcome::default());
    assert!(league.keys().iter().all(|key| key.matchup == 0));
    assert_eq!(league.keys().len(), 8);
}

/// Plays a fixture of the first session, and then waits until it is told to finish or to stop.
struct Patient(Mutex<Vec<SessionPlan>>);

impl Play for Patient {
    type Guests = ();

    async fn play(
        &self,
        plan: SessionPlan,
        (): (),
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let is_first = {
            let mut plans = self.0.lock().unwrap();
            plans.push(plan.clone());
            plans.len() == 1
        };
        let plays = if is_first { 1 } else { plan.fixtures.len() };
        for (number, fixture) in plan.fixtures.iter().enumerate().take(plays) {
            let games = vec![game(fixture)];
            on_done(FixtureResult {
                number,
                ms: 1,
                games,
                record: None,
                host: None,
            });
        }
        let mut ended = SessionEnd::Whole;
        if is_first {
            tokio::select! {
                () = options.finish.cancelled() => {}
                () = options.stop.cancelled() => ended = SessionEnd::Void("it was stopped".to_owned()),
            }
        }
        let said = String::new();
        SessionReport {
            said,
            ..ended.into()
        }
    }
}

/// Plays with a [`Patient`]; each action is done when the one before it holds, the first when something was played.
fn obeys(league: &League, deeds: Vec<CommandAction>) -> Vec<SessionPlan> {
    let folder = league.path();
    let patient = Arc::new(Patient(Mutex::default()));
    let mut deeds = deeds.into_iter();
    let (outcome, news) = league.run_with(&patient, &SessionOptions::default(), &mut |news| {
        if matches!(
            news,
            LeagueEvent::Line(Entry::Played(_) | Entry::Replayed { .. } | Entry::Command { .. })
        ) && let Some(action) = deeds.next()
        {
            let at = "2026-11-23T10:00:00Z".to_owned();
            CommandFile::beside(&folder).add(action, "", 1, at).unwrap();
        }
    });
    assert_eq!(outcome, Outcome::default());
    assert!(
        !news
            .iter()
            .any(|item| matches!(item, LeagueEvent::Line(Entry::Void { .. })))
    );
    assert_eq!(sorted(league.keys()), all(&league.settings));
    let plans = patient.0.lock().unwrap();
    plans.clone()
}

#[test]
fn a_pause_and_a_disqualification_reach_the_sitting_in_play() {
    let out = CommandAction::Disqualify {
        entrant: "ana".to_owned(),
    };
    for deeds in [vec![CommandAction::Pause, CommandAction::Resume], vec![out]] {
        let mut settings = three(4, ProcessLife::Deals(4));
        settings.run.at_once = 1;
        let plans = obeys(&League::new(settings), deeds);
        // What was left of it is played next, by a session of its own.
        let lengths: Vec<usize> = plans.iter().map(|plan| plan.fixtures.len()).collect();
        assert_eq!(lengths, [8, 7, 8, 8]);
        assert_eq!(plans[0].players, plans[1].players);
    }
}

#[test]
fn one_that_is_reinstated_plays_what_was_left_out() {
    let mut settings = three(2, ProcessLife::Deals(2));
    settings.run.contest.disqualified = Disqualified::NotPlayed;
    let league = League::new(settings);
    let entrant = || "cy".to_owned();
    act(&league, CommandAction::Disqualify { entrant: entrant() });
    let back = CommandAction::Reinstate { entrant: entrant() };
    // The fixtures of cy were passed over when it is reinstated; the pause ends the first session.
    let plans = obeys(
        &league,
        vec![back, CommandAction::Pause, CommandAction::Resume],
    );
    assert_eq!(plans.len(), 4);
    assert!(league.results().orders.disqualified.is_empty());
}

#[test]
fn a_matchup_that_is_given_up_is_lost_by_all_and_the_contest_goes_on() {
    let mut settings = three(2, ProcessLife::Fixture);
    settings.format = Format::Swiss { rounds: 3 };
    settings.points = Some([3.0, 1.0, 0.0]);
    settings.run.at_once = 1;
    settings.entrants[2].start = Start::Remote;
    let fails = || {
        Mock::new(|plan, _| match matchup(plan) {
            1 => (0, voids::void()),
            _ => (1, SessionEnd::Whole),
        })
    };
    let league = League::new(settings.clone());
    let (outcome, _) = league.run(&fails());
    assert_eq!(outcome, Outcome::default());
    let journal = league.journal();
    assert_eq!(journal.played().count(), 12);
    for played in journal.played() {
        let is_lost = played.games[0].rule.as_deref() == Some("walkover");
        assert_eq!(is_lost, played.key.matchup == 1, "{}", played.key);
        assert!(!is_lost || played.games[0].points == [0.0, 0.0]);
    }
    settings.run.contest.given_up = AbandonmentRule::Stop;
    let league = League::new(settings);
    let (outcome, _) = league.run(&fails());
    assert_eq!(outcome.stopped.len(), 1);
    assert!(league.keys().iter().all(|key| key.matchup == 0));
}
