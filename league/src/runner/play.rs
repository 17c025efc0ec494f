//! What plays the sessions of a league.

use std::collections::BTreeSet;
use std::future::pending;

use crate::journal::Machine;
use crate::remote::Readiness;
use crate::table_session::{FixtureResult, SessionEnd, SessionOptions, SessionPlan};

pub trait Play: Send + Sync + 'static {
    /// The players of a session that come themselves.
    type Guests: Default + Send + 'static;

    /// Calls the players of a session that come themselves. Nobody takes the seats of these entrants.
    fn call(&self, _: &SessionPlan, _nobody: &BTreeSet<usize>) -> Readiness<Self::Guests> {
        Readiness::Ready(Self::Guests::default())
    }

    /// Sittings that are played at the same time, where it is not for the settings to say.
    fn tables(&self) -> Option<usize> {
        None
    }

    /// Machines that have played something for the first time, each told once.
    fn joined(&self) -> Vec<Machine> {
        Vec::new()
    }

    /// Waits until a player that comes itself may have come, or more sessions may be played at the same time.
    fn arrival(&self) -> impl Future<Output = ()> + Send {
        pending()
    }

    /// Takes note that these entrants alone do not play: nobody takes their seats from now on.
    fn leave_out(&self, _: &BTreeSet<usize>) {}

    /// Pauses the league, or ends the pause. No session begins during a pause, and no player that comes itself is late.
    fn pause(&self, _is_paused: bool) {}

    /// Ends a look at the sessions that are left, all of which were called but for those behind a limit. Where no other could
    /// begin in any case, the league waits for no player.
    fn end_look(&self, _can_begin: bool) {}

    /// Plays a session to its end. Every fixture that was played is told to `on_done` at once.
    fn play(
        &self,
        plan: SessionPlan,
        guests: Self::Guests,
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> impl Future<Output = SessionReport> + Send;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionReport {
    pub ended: SessionEnd,
    /// What the programs at fault have said, where it came to nothing; otherwise what people should know, if anything.
    pub said: String,
    /// The entrant that did not sit down, if the session is void because of it, or if it has been absent for longer than the
    /// league waits.
    pub missed: Option<usize>,
}

impl From<SessionEnd> for SessionReport {
    /// A session of which there is nothing more to say.
    fn from(ended: SessionEnd) -> SessionReport {
        SessionReport {
            ended,
            said: String::new(),
            missed: None,
        }
    }
}
