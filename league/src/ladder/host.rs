//! The lobby of a ladder and the programs at its tables.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use record::watch::League;
use tokio_util::task::AbortOnDropHandle;

use super::lobby::{Guest, Lobby};
use crate::remote::{EntrantConnections, RemoteEntrants};
use crate::runner::{Play, Programs, SessionReport};
use crate::settings::{Entrant, Settings};
use crate::table_session::{FixtureResult, SessionOptions, SessionPlan};
use server::table::disk::disk;
use server::watch::Watching;

/// The lobby of a ladder and the players at its tables, or their stand-ins in tests.
pub(crate) trait TableHost: Play<Guests = EntrantConnections> {
    /// Where an entrant connects.
    fn address_of(&self, number: usize) -> Option<SocketAddr>;

    /// Entrants and guests that are free.
    fn free(&self) -> Vec<usize>;

    /// A guest that has not left.
    fn guest(&self, number: usize) -> Option<Guest>;

    /// Tells watchers how the ladder stands.
    fn tell(&self, standings: League);

    /// Leads these players to a table.
    fn take(&self, players: &[usize]) -> EntrantConnections;

    /// Waits until the disk has the records that are written.
    fn synced(&self) -> impl Future<Output = ()> + Send {
        disk().synced()
    }

    /// Lets these entrants come from now on, the first of which has this number.
    fn admit(
        &self,
        first: usize,
        entrants: &[Entrant],
    ) -> impl Future<Output = io::Result<()>> + Send;
}

/// The lobby of a ladder and the programs at its tables.
pub(crate) struct LobbyHost {
    settings: Settings,
    entrants: RwLock<Vec<Entrant>>,
    lobby: Arc<Lobby>,
    watching: Watching,
    stderr: PathBuf,
    serving: OnceLock<AbortOnDropHandle<()>>,
}

impl LobbyHost {
    /// The port of all entrants; `None` where each has one of its own.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.lobby.address()
    }

    pub(crate) async fn open(
        settings: &Settings,
        watching: Watching,
        stderr: &Path,
    ) -> io::Result<LobbyHost> {
        let lobby = Arc::new(Lobby::open(settings).await?);
        Ok(LobbyHost {
            settings: settings.clone(),
            entrants: RwLock::default(),
            watching,
            stderr: stderr.to_owned(),
            serving: OnceLock::new(),
            lobby,
        })
    }

    /// Lets clients log in, once the ladder knows its entrants: to a lobby without them each is a guest.
    pub(crate) fn serve(&self) {
        let lobby = Arc::clone(&self.lobby);
        self.serving
            .get_or_init(|| AbortOnDropHandle::new(tokio::spawn(lobby.serve())));
    }

    /// The settings of a table: its players are its entrants.
    fn at_table(&self, plan: SessionPlan) -> (Settings, SessionPlan) {
        let known = self.entrants.read();
        let known = known.unwrap_or_else(PoisonError::into_inner);
        let entrant = |&number: &usize| {
            let guest = || self.lobby.entrant(number);
            let entrant = known.get(number).cloned().or_else(guest);
            entrant.expect("a player of the ladder is known")
        };
        let settings = Settings {
            entrants: plan.players.iter().map(entrant).collect(),
            ..self.settings.clone()
        };
        let mut plan = plan;
        for fixture in &mut plan.fixtures {
            // Copies of an entrant take its seats in their order.
            let mut free: Vec<Option<usize>> = plan.players.iter().copied().map(Some).collect();
            for seat in &mut fixture.seats {
                let own = free.iter().position(|player| *player == Some(*seat));
                let own = own.expect("the players are those of the fixture");
                free[own] = None;
                *seat = own;
            }
        }
        plan.players = (0..plan.players.len()).collect();
        (settings, plan)
    }
}

impl Play for LobbyHost {
    type Guests = EntrantConnections;

    async fn arrival(&self) {
        self.lobby.arrival().await;
    }

    async fn play(
        &self,
        plan: SessionPlan,
        guests: EntrantConnections,
        options: SessionOptions,
        on_done: &mut (dyn FnMut(FixtureResult) + Send),
    ) -> SessionReport {
        let (settings, plan) = self.at_table(plan);
        let mut programs = Programs::new(settings, &self.stderr);
        programs.watching = self.watching.clone();
        programs.remote = RemoteEntrants::led();
        programs.play(plan, guests, options, on_done).await
    }
}

impl TableHost for LobbyHost {
    fn address_of(&self, number: usize) -> Option<SocketAddr> {
        self.lobby.address_of(number)
    }

    fn free(&self) -> Vec<usize> {
        self.lobby.free()
    }

    fn guest(&self, number: usize) -> Option<Guest> {
        self.lobby.guest(number)
    }

    fn tell(&self, standings: League) {
        self.watching.league(standings);
    }

    fn take(&self, players: &[usize]) -> EntrantConnections {
        players
            .iter()
            .map(|&player| self.lobby.take(player))
            .collect()
    }

    async fn admit(&self, first: usize, entrants: &[Entrant]) -> io::Result<()> {
        for (number, entrant) in (first..).zip(entrants) {
            self.lobby.admit(number, entrant).await?;
        }
        let known = self.entrants.write();
        known
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(entrants);
        Ok(())
    }
}
