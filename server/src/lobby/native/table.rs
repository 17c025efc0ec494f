//! One match over sockets: the shell around the referee.

use std::future::poll_fn;
use std::task::Poll;

use games::Game;
use protocol::native::{ErrorCode, ServerMessage};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::greeting::Guest;
use crate::lobby::link::Trouble;
use crate::referee::native::{GameResult, Outbox, Referee};
use record::Event;

/// Why nobody comes back to a match.
pub(crate) const OVER: &str = "the match is over";

/// A player that comes back.
#[derive(Debug)]
pub(crate) struct Return {
    pub(crate) player: u8,
    pub(crate) guest: Guest,
    /// Number of the last event that it has.
    pub(crate) last: Option<u64>,
    /// What it is told first if its seat is still its own.
    pub(crate) welcome: ServerMessage,
}

/// Who hears of a match: it is called with each event, in order.
pub(crate) type Audience<'a> = Box<dyn FnMut(&Event) + Send + 'a>;

/// What wakes the table.
enum Step {
    Sent(usize, Result<(), Trouble>),
    Back(Box<Return>),
    TimeUp,
    Finished,
    Stopped,
}

/// The table of one match.
pub(crate) struct Table<'a, G: Game> {
    pub(crate) referee: Referee<G>,
    /// By player; `None` while the connection is lost.
    pub(crate) guests: Vec<Option<Guest>>,
    pub(crate) returns: mpsc::Receiver<Return>,
    pub(crate) audience: Audience<'a>,
    /// Where closing connections go on.
    pub(crate) closing: TaskTracker,
    /// Ends the match after the game in play.
    pub(crate) finish: CancellationToken,
    /// Makes the game in play void.
    pub(crate) stop: CancellationToken,
}

/// What a match has come to.
pub(crate) struct Played {
    pub(crate) results: Vec<GameResult>,
    pub(crate) reason: Option<String>,
    /// Players that are gone for good.
    pub(crate) gone: Vec<u8>,
    pub(crate) time: std::time::Duration,
}

impl<G: Game> Table<'_, G> {
    /// Plays the match to its end.
    pub(crate) async fn play(mut self) -> Played {
        let began = Instant::now();
        let mut out = Outbox::new();
        let mut results = Vec::new();
        // The player that is listened to first: the one after the one that spoke last, so that one
        // that never stops talking does not silence the others.
        let mut first = 0;
        let mut finishing = false;
        self.referee.start(began.elapsed(), &mut out);
        self.deliver(&mut out, &mut results);
        // What came behind the hello.
        for player in 0..self.guests.len() {
            self.take(player, began, &mut out, &mut results);
        }
        while !self.referee.is_over() {
            let step = self.next_step(first, began, finishing).await;
            let now = began.elapsed();
            match step {
                Step::Sent(player, Ok(())) => {
                    first = (player + 1) % self.guests.len();
                    self.take(player, began, &mut out, &mut results);
                }
                Step::Sent(player, Err(trouble)) => {
                    log::info!("player {player}: {trouble}");
                    self.guests[player] = None;
                    self.referee.lose(player as u8, now, &mut out);
                }
                Step::Back(back) if self.referee.is_gone(back.player) => {
                    let reason = "the seat was given up: its player left, or was away too long";
                    let refused = back.guest.refuse(ErrorCode::Token, reason);
                    self.closing.spawn(refused);
                }
                Step::Back(mut back) => {
                    let player = back.player;
                    back.guest.send([&back.welcome]);
                    let place = &mut self.guests[usize::from(player)];
                    if let Some(old) = place.replace(back.guest) {
                        let reason = "the seat was taken over with its token";
                        self.closing.spawn(old.refuse(ErrorCode::Replaced, reason));
                    }
                    self.referee.rejoin(player, back.last, now, &mut out);
                    self.deliver(&mut out, &mut results);
                    self.take(usize::from(player), began, &mut out, &mut results);
                }
                Step::TimeUp => self.referee.wake(now, &mut out),
                Step::Finished => {
                    finishing = true;
                    self.referee.end_after_game("no more games are played");
                }
                Step::Stopped => self.referee.stop(now, &mut out),
            }
            self.deliver(&mut out, &mut results);
        }
        self.returns.close();
        while let Ok(back) = self.returns.try_recv() {
            self.closing
                .spawn(back.guest.refuse(ErrorCode::Token, OVER));
        }
        Played {
            results,
            reason: self.referee.reason().map(str::to_owned),
            gone: (0..G::SEATS as u8)
                .filter(|&player| self.referee.is_gone(player))
                .collect(),
            time: began.elapsed(),
        }
    }

    /// Takes the messages of a player that were read.
    fn take(
        &mut self,
        player: usize,
        began: Instant,
        out: &mut Outbox,
        results: &mut Vec<GameResult>,
    ) {
        while let Some(sent) = self.guests[player].as_mut().and_then(Guest::next_message) {
            self.referee
                .receive(player as u8, sent, began.elapsed(), out);
            self.deliver(out, results);
        }
    }

    /// Sends messages, tells of events, closes.
    fn deliver(&mut self, out: &mut Outbox, results: &mut Vec<GameResult>) {
        for (player, guest) in self.guests.iter_mut().enumerate() {
            let Some(guest) = guest else { continue };
            let own = out
                .messages
                .iter()
                .filter(|(to, _)| usize::from(*to) == player);
            let own: Vec<&ServerMessage> = own.map(|(_, message)| message).collect();
            guest.send(own);
        }
        out.messages.clear();
        for player in out.close.drain(..) {
            if let Some(guest) = self.guests[usize::from(player)].take() {
                self.closing.spawn(guest.close());
            }
        }
        for event in out.events.drain(..) {
            (self.audience)(&event);
        }
        results.append(&mut out.results);
    }

    /// Waits for a player's bytes, one that comes back, a time or the stop, and meanwhile goes on
    /// sending. What has come counts before the time that is up.
    async fn next_step(&mut self, first: usize, began: Instant, finishing: bool) -> Step {
        let deadline = self.referee.next_deadline();
        let guests = &mut self.guests;
        let sent = poll_fn(|cx| {
            let count = guests.len();
            for player in (first..count).chain(0..first) {
                if let Some(guest) = &mut guests[player]
                    && let Poll::Ready(read) = guest.poll_read(cx)
                {
                    return Poll::Ready((player, read));
                }
            }
            Poll::Pending
        });
        let at = deadline.and_then(|at| began.checked_add(at));
        let time_up = async {
            match at {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Step::Stopped,
            () = self.finish.cancelled(), if !finishing => Step::Finished,
            Some(back) = self.returns.recv() => Step::Back(Box::new(back)),
            (player, read) = sent => Step::Sent(player, read),
            () = time_up => Step::TimeUp,
        }
    }
}
