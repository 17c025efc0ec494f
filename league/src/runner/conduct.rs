//! Which session is played when, and what is done about those that fail.

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};

use super::agenda::{Agenda, Decision, Next, Planned, Retry, matchup, plan_of, plans};
use super::lines::Lines;
use super::play::{Play, SessionReport};
use super::rounds::{Round, Rounds};
use super::sessions::{Session, SessionEvent, Sessions};
use super::voids::VoidMatchups;
use super::{LeagueEvent, Outcome, Stopped};
use crate::blocking;
use crate::journal::{
    CommandAction, CommandFile, Entry, Exclusion, JournalError, JournalReader, PairedRound, Played,
};
use crate::result::Results;
use crate::schedule::{Fixture, Key};
use crate::settings::{Absent, Disqualified, ExclusionRule, Settings};
use crate::table_session::{SessionEnd, SessionOptions, SessionPlan};
use server::config::limits::DISK_WAIT;
use server::number::counted;
use stats::Verdict;

/// The time that tables have to stop after a request.
const STOP: Duration = Duration::from_secs(3);

/// The interval at which lines of the journal that wait for the disk are tried again.
const TICK: Duration = Duration::from_millis(500);

/// The interval at which the runner looks for commands of the organiser.
const LOOK: Duration = Duration::from_secs(1);

pub(super) struct Runner<'a> {
    settings: &'a Settings,
    options: &'a SessionOptions,
    lines: Lines<'a>,
    on_event: &'a mut (dyn FnMut(LeagueEvent) + Send),
    results: Results,
    commands: CommandFile,
    /// Whether an entrant was reinstated whose fixtures may have been left out.
    is_reinstated: bool,
    voids: VoidMatchups,
    /// Entrants without which fixtures of the last round are left.
    absent: BTreeSet<usize>,
}

impl<'a> Runner<'a> {
    pub(super) fn new(
        settings: &'a Settings,
        results: Results,
        lines: Lines<'a>,
        options: &'a SessionOptions,
        on_event: &'a mut (dyn FnMut(LeagueEvent) + Send),
    ) -> Runner<'a> {
        Runner {
            settings,
            options,
            on_event,
            results,
            commands: CommandFile::beside(lines.path()),
            is_reinstated: false,
            lines,
            voids: VoidMatchups::new(settings),
            absent: BTreeSet::new(),
        }
    }

    /// Begins with what was played before, and with the commands that have come since.
    pub(super) async fn begin<P: Play>(&mut self, play: &P) -> io::Result<()> {
        // Perhaps the journal did not have the line that says so yet.
        self.results.timeouts.go_on();
        play.leave_out(&self.left_out());
        self.voids.follow(&self.results);
        if self.is_paused() {
            play.pause(true);
        }
        // The schedule has the games that are played again.
        self.obey(play, None).await?;
        Ok(())
    }

    /// Takes in what a line says.
    fn write(&mut self, entry: Entry) -> io::Result<()> {
        self.results.take(&entry);
        self.send(entry)
    }

    /// Writes a line, and reports it.
    fn send(&mut self, entry: Entry) -> io::Result<()> {
        self.lines.add(entry.clone())?;
        (self.on_event)(LeagueEvent::Line(entry));
        Ok(())
    }

    fn is_paused(&self) -> bool {
        self.results.orders.pause.is_some()
    }

    /// Executes the commands that have come since the last look; gives the sessions that are played again.
    async fn obey<P: Play>(
        &mut self,
        play: &P,
        records: Option<&Path>,
    ) -> io::Result<Vec<SessionPlan>> {
        let mut again = Vec::new();
        let (mut file, next) = (self.commands.clone(), self.results.orders.next);
        let (new, file) = blocking(move || (file.since(next), file)).await;
        self.commands = file;
        for act in new {
            let before = match act.action {
                CommandAction::Replay { key } if self.results.is_played(key) => Some(key),
                _ => None,
            };
            self.is_reinstated |= matches!(act.action, CommandAction::Reinstate { .. });
            let was_paused = self.is_paused();
            self.write(Entry::Command { begun: now(), act })?;
            let is_paused = self.is_paused();
            if was_paused != is_paused {
                play.pause(is_paused);
            }
            play.leave_out(&self.left_out());
            if let Some(key) = before {
                again.extend(self.replay(key, play, records).await?);
            }
        }
        Ok(again)
    }

    /// Strikes the result of a fixture; gives the session in which it is played again.
    async fn replay<P: Play>(
        &mut self,
        key: Key,
        play: &P,
        records: Option<&Path>,
    ) -> io::Result<Option<SessionPlan>> {
        // All that follows from results follows from those that are left.
        self.write_all().await?;
        let path = self.lines.path().to_owned();
        let settings = self.settings.clone();
        let read = move || {
            let mut reader = JournalReader::open(&path)?;
            reader.head.settings = settings;
            let (results, _) = Results::read(reader)?;
            Ok::<Results, JournalError>(results)
        };
        let seated = self.results.seated(key.matchup);
        self.results = match blocking(read).await {
            Ok(results) => results,
            Err(e) => {
                let text = format!("game {key} is played again when the league goes on: {e}");
                (self.on_event)(LeagueEvent::Note(text));
                self.options.finish.cancel();
                return Ok(None);
            }
        };
        play.leave_out(&self.left_out());
        self.voids.follow(&self.results);
        // Its programs may have been mended.
        self.voids.try_again(key.matchup);
        (self.on_event)(LeagueEvent::Struck(Box::new(self.results.clone())));
        let block = self.settings.plan().block(key.matchup, &seated, key.deal);
        let fixture = block.into_iter().filter(|fixture| fixture.key == key);
        let fixture: Vec<Fixture> = fixture.collect();
        Ok(Some(plan_of(&fixture, &seated, records)))
    }

    /// Executes the commands that have come since the last look, between two rounds or at the end; gives whether
    /// fixtures are to be played because of them, perhaps of a round that is over.
    pub(super) async fn begins_anew<P: Play>(&mut self, play: &P) -> io::Result<bool> {
        // The rounds, looked at from the first on, have the games that are played again.
        let again = self.obey(play, None).await?;
        let is_reinstated = std::mem::take(&mut self.is_reinstated);
        Ok((!again.is_empty() || is_reinstated) && self.goes_on())
    }

    fn decision(&self, plan: &SessionPlan) -> Decision {
        let mut later = self.results.timeouts.whose_games_are(ExclusionRule::Later);
        if self.is_left_out(plan) || later.any(|entrant| plan.players.contains(&entrant)) {
            Decision::Left
        } else {
            self.voids.decision(matchup(plan))
        }
    }

    fn left_out(&self) -> BTreeSet<usize> {
        let mut out = self.results.orders.disqualified.clone();
        out.extend(self.results.timeouts.whose_games_are(ExclusionRule::Lost));
        out
    }

    /// Whether a session is not played because one of its entrants is disqualified.
    fn is_left_out(&self, plan: &SessionPlan) -> bool {
        let is_out = |entrant: &usize| self.results.orders.disqualified.contains(entrant);
        self.settings.run.contest.disqualified == Disqualified::NotPlayed
            && plan.players.iter().any(is_out)
    }

    /// Whether the test, if there is one, has no verdict yet.
    pub(super) fn is_open(&self) -> bool {
        self.results.verdict() == Verdict::Open
    }

    fn goes_on(&self) -> bool {
        self.is_open() && !self.options.finish.is_cancelled() && !self.is_stuck()
    }

    /// Whether the test waits for a matchup that was given up: its deals count in the order of the schedule, and no
    /// other game brings it on.
    fn is_stuck(&self) -> bool {
        let test = self.settings.sprt;
        test.is_some_and(|sprt| self.voids.stops(sprt.entrant))
    }

    /// Plays a round; gives whether all of it was played, now or before.
    pub(super) async fn round<P: Play>(
        &mut self,
        round: &Round,
        play: &Arc<P>,
        records: Option<&Path>,
    ) -> io::Result<bool> {
        loop {
            if self.is_whole(round) {
                self.absent.clear();
                return Ok(true);
            }
            // Those that were missing may be back as long as others play.
            let before = self.results.fixtures;
            self.is_reinstated = false;
            self.pass(round, play, records).await?;
            let is_same = self.absent.is_empty() || self.results.fixtures == before;
            if is_same && !self.is_reinstated || !self.goes_on() {
                return Ok(self.is_whole(round));
            }
        }
    }

    /// Plays what is left of a round, but for fixtures whose entrants have been missing for too long.
    async fn pass<P: Play>(
        &mut self,
        round: &Round,
        play: &Arc<P>,
        records: Option<&Path>,
    ) -> io::Result<()> {
        // What is struck meanwhile is played again as a session of its own.
        let of_round = round.first..round.first + round.matchups.len() as u32;
        let whole = self
            .results
            .blocks()
            .filter(|one| of_round.contains(&one.matchup));
        let whole: HashSet<(u32, u32)> = whole.map(|one| (one.matchup, one.deal)).collect();
        let open: HashSet<Key> = self.results.begun().flatten().map(|one| one.key).collect();
        let is_played = |key: Key| whole.contains(&(key.matchup, key.deal)) || open.contains(&key);
        let mut agenda = Agenda::new(plans(self.settings, round, is_played, records));
        let mut sessions = Sessions::new(Arc::clone(play));
        let mut tick = ticks(TICK, Duration::ZERO);
        // The commands until now were looked for when the league began.
        let mut look = ticks(LOOK, LOOK);
        let mut went_on = true;
        // Tables that ignore the stop are abandoned after `STOP`.
        let mut stopped = pin!(after(self.options, STOP));
        loop {
            let goes_on = self.goes_on();
            if went_on && !goes_on {
                // What they would begin is not needed any more.
                sessions.finish(None);
            }
            went_on = goes_on;
            let tables = play.tables().unwrap_or(self.settings.run.at_once).max(1);
            while sessions.len() < tables
                && self.goes_on()
                && !self.is_paused()
                && let Some(next) = agenda.next(play, |plan| self.decision(plan))
            {
                match next {
                    Next::Session(planned, guests) => {
                        if let Some(first) = planned.plan.fixtures.first() {
                            (self.on_event)(LeagueEvent::Table(
                                first.key,
                                planned.plan.players.clone(),
                            ));
                        }
                        let out = self.results.orders.disqualified.clone();
                        let options = self.options.of_session();
                        sessions.begin(planned, guests, options, out, self.results.timeouts.taken);
                    }
                    Next::Lost(plan) => self.lose(&plan)?,
                }
            }
            let is_paused = self.is_paused();
            play.end_look(sessions.len() < tables && self.goes_on() && !is_paused);
            if sessions.len() == 0 && !(self.goes_on() && agenda.waits(is_paused)) {
                break;
            }
            tokio::select! {
                biased;
                event = sessions.event() => {
                    for joined in play.joined() {
                        self.write(Entry::Joined { begun: now(), joined })?;
                    }
                    if let Some(again) = self.take(event, &mut sessions, records)? {
                        agenda.again(again);
                    }
                    self.set_aside(&**play)?;
                }
                () = &mut stopped => break,
                written = self.lines.flow() => written?,
                _ = tick.tick() => self.lines.tick()?,
                _ = look.tick() => {
                    let before = self.results.timeouts.taken;
                    for plan in self.obey(&**play, records).await? {
                        agenda.again(Retry::First(plan.into()));
                    }
                    // Results that are struck no longer count.
                    let struck = before.saturating_sub(self.results.timeouts.taken);
                    for session in sessions.iter_mut() {
                        session.since = session.since.saturating_sub(struck);
                        session.reach(self.is_paused(), &self.results.orders.disqualified);
                    }
                }
                () = play.arrival() => {}
            }
            sessions.reap();
        }
        sessions.abort().await;
        self.absent = agenda.absent();
        self.write_all().await
    }

    /// Writes all lines. Waits for lines that a full disk does not take, but not after a request to stop: their games
    /// are played again.
    async fn write_all(&mut self) -> io::Result<()> {
        let written = tokio::select! {
            written = self.lines.all() => Some(written),
            () = after(self.options, DISK_WAIT) => None,
        };
        written.unwrap_or_else(|| {
            let lines = counted(self.lines.len() as u64, "line");
            let text = format!("not in the journal: {lines}; their games are played again");
            (self.on_event)(LeagueEvent::Note(text));
            Ok(())
        })
    }

    fn is_whole(&self, round: &Round) -> bool {
        let mut left = plans(
            self.settings,
            round,
            |key| self.results.is_played(key),
            None,
        );
        left.all(|plan| self.is_left_out(&plan))
    }

    /// Takes an event of a session; gives what has to be played again.
    fn take<P: Play>(
        &mut self,
        event: SessionEvent,
        sessions: &mut Sessions<P>,
        records: Option<&Path>,
    ) -> io::Result<Option<Retry>> {
        match event {
            SessionEvent::Fixture(number, done) => {
                if let Some(session) = sessions.get_mut(number)
                    && let Some(played) = session.played(done)
                {
                    self.book(played, session.since)?;
                    session.since = self.results.timeouts.taken;
                }
                Ok(None)
            }
            SessionEvent::End(number, end) => match sessions.remove(number) {
                Some(over) => self.end_session(over, &end, sessions, records),
                None => Ok(None),
            },
        }
    }

    fn end_session<P: Play>(
        &mut self,
        over: Session,
        end: &SessionReport,
        sessions: &Sessions<P>,
        records: Option<&Path>,
    ) -> io::Result<Option<Retry>> {
        if end.ended == SessionEnd::Whole && !end.said.is_empty() {
            (self.on_event)(LeagueEvent::Note(end.said.clone()));
        }
        let Some(left) = over.left(records) else {
            return Ok(None);
        };
        let reason = match &end.ended {
            _ if self.options.stop.is_cancelled() => return Ok(None),
            // A command of the organiser's has ended it.
            _ if over.options.stop.is_cancelled() => None,
            SessionEnd::Whole if self.options.finish.is_cancelled() => return Ok(None),
            SessionEnd::Whole if over.options.finish.is_cancelled() => None,
            SessionEnd::Whole => Some("the table ended before its last game"),
            // The result of the last game names the player that left.
            SessionEnd::Gone if over.has_played() => None,
            SessionEnd::Gone => Some("a player left before a game was over"),
            SessionEnd::Absent => {
                return Ok(Some(self.without(end.missed, over.nobody, left)));
            }
            SessionEnd::Void(reason) => Some(&reason[..]),
        };
        if let Some(reason) = reason {
            let key = left.fixtures[0].key;
            self.void(key, reason, end, &over, sessions)?;
        }
        Ok(Some(Retry::First(left.into())))
    }

    /// Decides when a session is played after an entrant did not take its seat in time.
    fn without(
        &self,
        late: Option<usize>,
        mut nobody: BTreeSet<usize>,
        plan: SessionPlan,
    ) -> Retry {
        let may_be_skipped =
            self.settings.run.contest.absent == Absent::Skip && !self.settings.pairs_rounds();
        match late {
            Some(late) if may_be_skipped => Retry::Skipped(late),
            late => {
                nobody.extend(late);
                let planned = Planned { plan, nobody };
                // A test takes the deals in the order of the schedule: it would wait for this one to the end.
                if self.results.test.is_some() {
                    Retry::First(planned)
                } else {
                    Retry::Last(planned)
                }
            }
        }
    }

    /// Records that a fixture is void, and gives its matchup up after repeated voids.
    fn void<P: Play>(
        &mut self,
        key: Key,
        reason: &str,
        end: &SessionReport,
        over: &Session,
        sessions: &Sessions<P>,
    ) -> io::Result<()> {
        self.write(Entry::Void {
            key,
            void: reason.to_owned(),
        })?;
        if !self.voids.void(key.matchup, end.missed, &over.nobody) {
            return Ok(());
        }
        sessions.finish(Some(key.matchup));
        let stopped = Stopped {
            matchup: key.matchup,
            entrants: over.plan.players.clone(),
            reason: match &end.said[..] {
                "" => reason.to_owned(),
                said => format!("{reason}\n{said}"),
            },
        };
        let news = if self.voids.stop(&stopped) {
            LeagueEvent::Stopped(stopped)
        } else {
            let losers = end.missed.map_or("all its players", |entrant| {
                &self.settings.entrants[entrant].name
            });
            LeagueEvent::Note(format!(
                "matchup {} is given up, and lost by {losers}: {}",
                stopped.matchup, stopped.reason
            ))
        };
        (self.on_event)(news);
        Ok(())
    }

    fn lose(&mut self, plan: &SessionPlan) -> io::Result<()> {
        for fixture in &plan.fixtures {
            let text = format!("game {} is lost by all its players", fixture.key);
            (self.on_event)(LeagueEvent::Note(text));
            let lost = Played::lost_by_all(self.settings, fixture);
            self.book(lost, self.results.timeouts.taken)?;
        }
        Ok(())
    }

    /// Excludes entrants that were out of time in too many fixtures in a row.
    fn set_aside<P: Play>(&mut self, play: &P) -> io::Result<()> {
        for entrant in self.results.timeouts.take_due() {
            let is_out = self.results.orders.disqualified.contains(&entrant);
            let rule = self.settings.set_aside();
            if is_out || self.results.timeouts.aside.contains_key(&entrant) {
                continue;
            }
            let games = counted(self.settings.run.timeouts.into(), "fixture");
            let aside = Exclusion {
                entrant: self.settings.entrants[entrant].name.clone(),
                reason: format!("it was out of time in {games} in a row"),
                games: rule,
            };
            self.write(Entry::Excluded {
                begun: now(),
                set_aside: aside,
            })?;
            if rule == ExclusionRule::Lost {
                play.leave_out(&self.left_out());
            }
        }
        Ok(())
    }

    /// Records a result of a fixture that began when `since` results were known.
    fn book(&mut self, played: Played, since: u64) -> io::Result<()> {
        self.results.add(&played, since);
        self.voids.played(played.key.matchup);
        let entry = if self.results.orders.struck.contains(&played.key) {
            Entry::Replayed {
                begun: now(),
                replayed: played,
            }
        } else {
            Entry::Played(played)
        };
        self.send(entry)
    }

    /// The next round, after those before it were played.
    pub(super) fn next_round(&self, rounds: &mut Rounds<'_>) -> Option<Round> {
        rounds.next(&self.results)
    }

    /// Reports a round that is paired by results, and records its pairings unless they are known.
    pub(super) fn begin_round(&mut self, round: &Round) -> io::Result<()> {
        if !self.settings.pairs_rounds() {
            return Ok(());
        }
        let last = round.first + round.matchups.len() as u32;
        let mut numbers = round.first..last;
        let is_known = numbers.all(|number| self.results.pairings.contains_key(&number));
        let entry = Entry::Round {
            begun: now(),
            round: PairedRound {
                section: round.section,
                first: round.first,
                matchups: round.matchups.clone(),
                groups: round.groups.clone(),
            },
        };
        if !is_known {
            return self.write(entry);
        }
        (self.on_event)(LeagueEvent::Line(entry));
        Ok(())
    }

    /// The outcome of the league, once all of it is on the disk.
    pub(super) async fn end(mut self, interrupted: bool) -> io::Result<Outcome> {
        self.write_all().await?;
        let verdict = self.results.verdict();
        let played = self.results.fixtures;
        let is_left = self.results.scheduled().is_none_or(|all| played < all);
        // After a verdict nothing is left to be played.
        let is_open = verdict == Verdict::Open;
        let aside = self.results.timeouts.whose_games_are(ExclusionRule::Later);
        Ok(Outcome {
            interrupted,
            aside: aside.filter(|_| is_left && is_open).collect(),
            absent: self.absent.into_iter().filter(|_| is_open).collect(),
            stopped: self.voids.into_stopped(),
            verdict: (!is_open).then_some(verdict),
        })
    }
}

/// Waits for the request to stop, and then for this time.
async fn after(options: &SessionOptions, time: Duration) {
    options.stop.cancelled().await;
    sleep(time).await;
}

fn ticks(period: Duration, first: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + first, period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn now() -> String {
    Timestamp::now().to_string()
}
