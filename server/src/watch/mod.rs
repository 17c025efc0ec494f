//! Watching: the public events and views of every table, for everybody, at a port of its own. `protocol/NATIVE.md` says
//! what watchers are told.
//!
//! A table tells its record's events to a [`Publisher`], which never waits. A thread of its own follows all games by them,
//! makes what everybody may know, and tells the watchers: no table does work for them.

mod aliases;
mod organiser;
mod publisher;
mod server;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use protocol::tls::ServerConfig;
use record::Header;
use record::watch::League;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::config::limits::MOST_UNTOLD;
use crate::config::{Limits, Watch};
use aliases::Aliases;
pub(crate) use publisher::TableEvent;
use publisher::{TableEventKind, told};
use server::WatchServer;

pub use organiser::Organiser;
pub use publisher::{MoveDelay, Publisher};

/// Where tables are opened to watchers; the default has none.
#[derive(Clone, Debug, Default)]
pub struct Watching {
    sender: Option<Arc<EventSender>>,
    /// Those under which players are shown, where their names are hidden.
    aliases: Option<Arc<Aliases>>,
}

#[derive(Debug)]
struct EventSender {
    out: mpsc::Sender<TableEvent>,
    last: AtomicU64,
}

/// The port of watchers, which is served in a thread of its own.
#[derive(Debug)]
pub struct WatchPort {
    pub address: SocketAddr,
    over: CancellationToken,
    thread: JoinHandle<()>,
}

impl Watching {
    /// Opens the port that the settings ask for, if they ask for one, on this host; an organiser may act there.
    ///
    /// # Errors
    /// When the address cannot be listened on, or the system has no thread.
    pub async fn open(
        settings: Watch,
        host: &str,
        limits: &Limits,
        tls: Option<Arc<ServerConfig>>,
        organiser: Option<Arc<Organiser>>,
    ) -> io::Result<(Watching, Option<WatchPort>)> {
        let Some(port) = settings.watch else {
            return Ok((Watching::default(), None));
        };
        let (watching, told) = Watching::of(MOST_UNTOLD);
        let over = CancellationToken::new();
        let (host, limits, is_over) = (host.to_owned(), limits.clone(), over.clone());
        let delay = Duration::from_millis(settings.watch_delay);
        let (opened, open) = oneshot::channel();
        let serve = async move {
            let server = WatchServer::open((&host, port), delay, &limits, tls, told, is_over).await;
            match server.and_then(|server| Ok((server.address()?, server))) {
                Ok((address, server)) => {
                    let _ = opened.send(Ok(address));
                    server.with(organiser).run().await;
                }
                Err(e) => {
                    let _ = opened.send(Err(e));
                }
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = thread::Builder::new().name("watch".to_owned());
        let thread = thread.spawn(move || runtime.block_on(serve))?;
        let address = open.await.map_err(io::Error::other)??;
        let port = WatchPort {
            address,
            over,
            thread,
        };
        Ok((watching, Some(port)))
    }

    /// Tables that tell what happens to a receiver, of which so much may wait.
    pub(crate) fn of(most: usize) -> (Watching, mpsc::Receiver<TableEvent>) {
        let (out, told) = mpsc::channel(most);
        let sender = EventSender {
            out,
            last: AtomicU64::new(0),
        };
        let watching = Watching {
            sender: Some(Arc::new(sender)),
            aliases: None,
        };
        (watching, told)
    }

    /// The same, where players are shown under aliases, by name.
    #[must_use]
    pub fn under_aliases(mut self, names: BTreeMap<String, String>) -> Watching {
        self.aliases = Some(Arc::new(Aliases::new(names)));
        self
    }

    /// Shows the names of the players from now on: in what is told of the league, and at tables that are opened.
    pub fn reveal(&self) {
        if let Some(aliases) = &self.aliases {
            aliases.reveal();
        }
    }

    fn aliases(&self) -> Option<&Aliases> {
        let aliases = self.aliases.as_deref();
        aliases.filter(|aliases| !aliases.are_revealed())
    }

    /// Opens a match to watchers. Matches are numbered from 1, in the order of these calls.
    pub fn table(&self, header: &Header) -> Publisher {
        let Some(sender) = &self.sender else {
            return Publisher::default();
        };
        let number = sender.last.fetch_add(1, Ordering::Relaxed) + 1;
        match self.aliases() {
            Some(aliases) => {
                Publisher::open(&sender.out, number, &aliases.header(header)).without_names()
            }
            None => Publisher::open(&sender.out, number, header),
        }
    }

    /// Tells watchers how the league stands. Where too much waits to be told it is left out: another comes soon.
    pub fn league(&self, league: League) {
        if let Some(sender) = &self.sender {
            let league = match self.aliases() {
                Some(aliases) => aliases.league(league),
                None => league,
            };
            let said = TableEventKind::League(Box::new(league));
            let _ = sender.out.try_send(told(0, said));
        }
    }

    pub const fn is_open(&self) -> bool {
        self.sender.is_some()
    }
}

impl WatchPort {
    /// Lets watchers have at once what was held back, closes their connections, and waits for that. What tables tell from
    /// now on nobody hears.
    pub async fn close(self) {
        self.over.cancel();
        let joined = tokio::task::spawn_blocking(|| self.thread.join()).await;
        if !matches!(joined, Ok(Ok(()))) {
            log::error!("watching has failed");
        }
    }
}
