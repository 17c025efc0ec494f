//! The sessions in play.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::agenda::{Planned, matchup, plan_of};
use super::play::{Play, SessionReport};
use crate::journal::Played;
use crate::schedule::Fixture;
use crate::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan};

pub(crate) enum SessionEvent {
    Fixture(u64, FixtureResult),
    End(u64, SessionReport),
}

pub(crate) struct Sessions<P> {
    play: Arc<P>,
    running: HashMap<u64, Session>,
    tasks: JoinSet<()>,
    sender: mpsc::UnboundedSender<SessionEvent>,
    events: mpsc::UnboundedReceiver<SessionEvent>,
    last: u64,
}

pub(crate) struct Session {
    pub(crate) plan: SessionPlan,
    is_done: Vec<bool>,
    /// The options of the session; requests to stop come for all sessions, or by the organiser's commands.
    pub(crate) options: SessionOptions,
    /// Entrants that were disqualified when it began, and others whose seats are empty.
    out: BTreeSet<usize>,
    pub(crate) nobody: BTreeSet<usize>,
    /// Results that were known when its fixture in play began.
    pub(crate) since: u64,
}

impl Session {
    /// A result of it as the journal has it, if it is a new one.
    pub(crate) fn played(&mut self, done: FixtureResult) -> Option<Played> {
        let fixture = self.plan.fixtures.get(done.number)?;
        if std::mem::replace(self.is_done.get_mut(done.number)?, true) {
            return None;
        }
        Some(Played {
            key: fixture.key,
            seats: fixture.seats.clone(),
            ms: done.ms,
            games: done.games,
            record: done.record,
            host: done.host,
        })
    }

    pub(crate) fn has_played(&self) -> bool {
        self.is_done.contains(&true)
    }

    /// A session of the fixtures that are left, if there are any.
    pub(crate) fn left(&self, records: Option<&Path>) -> Option<SessionPlan> {
        let all = self.plan.fixtures.iter().zip(&self.is_done);
        let left = all.filter(|(_, done)| !**done);
        let left: Vec<Fixture> = left.map(|(fixture, _)| fixture.clone()).collect();
        (!left.is_empty()).then(|| plan_of(&left, &self.plan.players, records))
    }

    /// Applies the organiser's commands: after a pause it begins no other fixture, and it is broken off when one of its
    /// entrants is disqualified.
    pub(crate) fn reach(&self, is_paused: bool, disqualified: &BTreeSet<usize>) {
        if is_paused {
            self.options.finish.cancel();
        }
        let mut out = disqualified.difference(&self.out);
        if out.any(|entrant| self.plan.players.contains(entrant)) {
            self.options.stop.cancel();
        }
    }
}

impl<P: Play> Sessions<P> {
    pub(crate) fn new(play: Arc<P>) -> Sessions<P> {
        let (sender, events) = mpsc::unbounded_channel();
        Sessions {
            play,
            running: HashMap::new(),
            tasks: JoinSet::new(),
            sender,
            events,
            last: 0,
        }
    }

    /// Begins a session, when these entrants are disqualified and so many results are known. Gives its number.
    pub(crate) fn begin(
        &mut self,
        Planned { plan, nobody }: Planned,
        guests: P::Guests,
        options: SessionOptions,
        out: BTreeSet<usize>,
        since: u64,
    ) -> u64 {
        self.last += 1;
        self.tasks.spawn(play_session(
            self.last,
            Arc::clone(&self.play),
            (plan.clone(), guests),
            options.clone(),
            self.sender.clone(),
        ));
        let session = Session {
            is_done: vec![false; plan.fixtures.len()],
            plan,
            options,
            out,
            nobody,
            since,
        };
        self.running.insert(self.last, session);
        self.last
    }

    pub(crate) async fn event(&mut self) -> SessionEvent {
        let event = self.events.recv().await;
        event.expect("the sender is kept here")
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Session> {
        self.running.get_mut(&number)
    }

    pub(crate) fn remove(&mut self, number: u64) -> Option<Session> {
        self.running.remove(&number)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Session> {
        self.running.values_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.running.len()
    }

    /// No session begins another fixture: of this matchup, or of any.
    pub(crate) fn finish(&self, of: Option<u32>) {
        let all = self.running.values();
        for session in all.filter(|session| of.is_none_or(|of| matchup(&session.plan) == of)) {
            session.options.finish.cancel();
        }
    }

    pub(crate) fn reap(&mut self) {
        while self.tasks.try_join_next().is_some() {}
    }

    pub(crate) async fn abort(mut self) {
        self.tasks.shutdown().await;
    }
}

async fn play_session<P: Play>(
    number: u64,
    play: Arc<P>,
    (plan, guests): (SessionPlan, P::Guests),
    options: SessionOptions,
    events: mpsc::UnboundedSender<SessionEvent>,
) {
    let done = events.clone();
    let table = tokio::spawn(async move {
        let mut on_done = |fixture| {
            // Nobody listens once the league is given up.
            let _ = done.send(SessionEvent::Fixture(number, fixture));
        };
        play.play(plan, guests, options, &mut on_done).await
    });
    let table = AbortOnDropHandle::new(table);
    let end = table
        .await
        .unwrap_or_else(|e| SessionEnd::Void(format!("the table failed: {e}")).into());
    let _ = events.send(SessionEvent::End(number, end));
}
