//! The ports of a session: one for each player, who sits down once and stays.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;

use super::SessionOptions;
use super::seat_port::SeatPort;
use server::table::socket::Socket;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SeatFailure {
    /// This player has not come in time.
    Late(usize),
    /// This player has connected, but not greeted in time.
    Silent(usize),
    /// The program of this player has ended before it sat.
    Departed(usize),
    Finish,
    Stop,
}

/// The players that sit down, and those that are turned away because somebody sits there.
#[derive(Debug)]
pub(super) struct Admission<T> {
    ports: JoinSet<()>,
    places: Vec<Arc<SeatPort>>,
    seated: mpsc::Receiver<(usize, T)>,
    came: Arc<[AtomicBool]>,
}

impl<T: Send + 'static> Admission<T> {
    /// Lets clients in. `greet` takes one to the end of its greeting, and gives `None` if it is no player.
    pub(super) fn open<F, R>(
        ports: Vec<Arc<SeatPort>>,
        closing: &TaskTracker,
        greet: F,
    ) -> Admission<T>
    where
        F: Fn(usize, Socket) -> R + Clone + Send + 'static,
        R: Future<Output = Option<T>> + Send,
    {
        let players = ports.len();
        let places = ports.clone();
        let (sender, seated) = mpsc::channel(players.max(1));
        let mut tasks = JoinSet::new();
        let came: Arc<[AtomicBool]> = (0..players).map(|_| AtomicBool::default()).collect();
        for (player, port) in ports.into_iter().enumerate() {
            let (sender, closing, greet) = (sender.clone(), closing.clone(), greet.clone());
            let came = Arc::clone(&came);
            tasks.spawn(async move {
                let client = first(&port, move |stream| {
                    came[player].store(true, Ordering::Relaxed);
                    greet(player, stream)
                });
                let client = client.await;
                log::debug!("player {player} sits");
                // The table may have been given up meanwhile.
                let _ = sender.send((player, client)).await;
                loop {
                    let (stream, from) = port.superfluous().await;
                    log::warn!("{from}: turned away, player {player} sits");
                    port.turn_away(stream, &closing);
                }
            });
        }
        Admission {
            ports: tasks,
            places,
            seated,
            came,
        }
    }

    /// Waits until all sit; `limits` are their times.
    pub(super) async fn all(
        &mut self,
        limits: &[Duration],
        options: &SessionOptions,
    ) -> Result<Vec<T>, (SeatFailure, Vec<T>)> {
        let began = Instant::now();
        let mut clients: Vec<Option<T>> = self.came.iter().map(|_| None).collect();
        let here = |clients: Vec<Option<T>>| clients.into_iter().flatten().collect();
        loop {
            let absent = clients.iter().zip(limits).enumerate();
            let absent = absent.filter(|(_, (client, _))| client.is_none());
            let next = absent.map(|(player, (_, limit))| (*limit, player)).min();
            let Some((limit, player)) = next else {
                // Those that sit at a table which does not begin have not sat: two that fail in turn would never be late.
                self.places.iter().for_each(|port| port.note_sat());
                return Ok(here(clients));
            };
            let at = began.checked_add(limit).unwrap_or(began);
            let missing = tokio::select! {
                biased;
                () = options.stop.cancelled() => SeatFailure::Stop,
                () = options.finish.cancelled() => SeatFailure::Finish,
                came = timeout_at(at, self.seated.recv()) => match came {
                    Ok(Some((player, client))) => {
                        clients[player] = Some(client);
                        continue;
                    }
                    _ if self.came[player].load(Ordering::Relaxed) => SeatFailure::Silent(player),
                    _ => SeatFailure::Late(player),
                },
                player = options.departures.of(&absent_of(&clients)) => SeatFailure::Departed(player),
            };
            return Err((missing, here(clients)));
        }
    }

    pub(super) async fn close(mut self) {
        self.ports.shutdown().await;
    }
}

/// Greets clients until the first is a player. The greetings of the others are broken off.
async fn first<T, R: Future<Output = Option<T>> + Send>(
    port: &SeatPort,
    mut greet: impl FnMut(Socket) -> R,
) -> T {
    let mut greetings: Vec<Pin<Box<R>>> = Vec::new();
    loop {
        let mut accept = pin!(port.accept());
        // In one task, so that no two are told that they sit.
        let stream = poll_fn(|cx| {
            let mut seated = None;
            greetings.retain_mut(|greeting| {
                if seated.is_some() {
                    return true;
                }
                match greeting.as_mut().poll(cx) {
                    Poll::Pending => true,
                    Poll::Ready(client) => {
                        seated = client;
                        false
                    }
                }
            });
            if let Some(client) = seated {
                return Poll::Ready(Err(client));
            }
            if greetings.len() < port.at_once() {
                return accept.as_mut().poll(cx).map(|(stream, _)| Ok(stream));
            }
            Poll::Pending
        });
        match stream.await {
            Ok(stream) => greetings.push(Box::pin(greet(stream))),
            Err(client) => return client,
        }
    }
}

/// The players that are not there.
fn absent_of<T>(clients: &[Option<T>]) -> Vec<usize> {
    let absent = |player: &usize| clients[*player].is_none();
    (0..clients.len()).filter(absent).collect()
}
