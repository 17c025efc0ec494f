//! One match over sockets: the shell around the referee.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use games::daihinmin::SEATS;
use protocol::uecda::{CardTable, WireError};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Connection;
use crate::lobby::link::Trouble;
use crate::referee::uecda::{MatchResult, Outbox, Referee};
use record::{EndKind, Event};

/// What wakes the table. There is one at a time, on the stack.
#[allow(clippy::large_enum_variant)]
enum Step {
    Sent(u8, Result<Result<CardTable, WireError>, Trouble>),
    TimeUp,
    Finished,
    Stopped,
}

/// Who hears of a match.
pub(crate) trait Audience: Send {
    /// An event, in order.
    fn event(&mut self, event: &Event);

    /// The result so far, at the start and after every game.
    fn result(&mut self, _so_far: MatchResult) {}
}

/// How a match is told to end.
pub(crate) struct Ends<'a> {
    /// After the session in play.
    pub(crate) finish: &'a CancellationToken,
    /// At once: the game in play is void.
    pub(crate) stop: &'a CancellationToken,
}

/// Plays a match to its end. Closing connections go on in `closing`.
pub(crate) async fn play(
    mut referee: Referee,
    connections: [Connection; SEATS],
    audience: &mut dyn Audience,
    ends: &Ends<'_>,
    closing: &TaskTracker,
) -> MatchResult {
    let began = Instant::now();
    let mut finishing = false;
    let mut seats = connections.map(Some);
    let mut out = Outbox::new();
    referee.start(Duration::ZERO, &mut out);
    let mut told = None;
    loop {
        deliver(&mut out, &mut seats, referee.awaited(), audience, closing);
        let games = referee.games_played();
        if told.replace(games) != Some(games) {
            audience.result(referee.result());
        }
        if referee.is_over() {
            return referee.result();
        }
        let step = next_step(&referee, &mut seats, began, ends, finishing).await;
        let now = began.elapsed();
        match step {
            Step::Sent(player, Ok(Ok(table))) => referee.receive(player, &table, now, &mut out),
            Step::Sent(player, Ok(Err(e))) => {
                referee.receive_unreadable(player, &e.to_string(), now, &mut out);
            }
            Step::Sent(player, Err(trouble)) => {
                let reason = trouble.to_string();
                log::info!("player {player} is gone: {reason}");
                referee.lose(player, EndKind::Disconnect, &reason, now, &mut out);
            }
            Step::TimeUp => referee.wake(now, &mut out),
            Step::Finished => {
                finishing = true;
                referee.finish();
            }
            Step::Stopped => referee.stop("the server was stopped", now, &mut out),
        }
    }
}

/// Sends messages, closes, tells of events. The clock of the awaited player runs: its messages leave first, and all
/// of them before anything is written down.
fn deliver(
    out: &mut Outbox,
    seats: &mut [Option<Connection>; SEATS],
    awaited: Option<u8>,
    audience: &mut dyn Audience,
    closing: &TaskTracker,
) {
    let first = awaited.map_or(0, usize::from);
    for player in (first..SEATS).chain(0..first) {
        if let Some(connection) = &mut seats[player] {
            let own = out
                .messages
                .iter()
                .filter(|(to, _)| usize::from(*to) == player);
            connection.send(own.map(|(_, message)| *message));
        }
    }
    out.messages.clear();
    for player in out.close.drain(..) {
        if let Some(connection) = seats[usize::from(player)].take() {
            closing.spawn(connection.close());
        }
    }
    for event in out.events.drain(..) {
        audience.event(&event);
    }
}

/// Waits for the awaited player's table, its time or the stop, and meanwhile goes on sending.
async fn next_step(
    referee: &Referee,
    seats: &mut [Option<Connection>; SEATS],
    began: Instant,
    ends: &Ends<'_>,
    finishing: bool,
) -> Step {
    let awaited = referee.awaited().unwrap_or_default();
    let table = poll_fn(|cx| {
        for connection in seats.iter_mut().flatten() {
            let _ = connection.poll_flush(cx);
        }
        match &mut seats[usize::from(awaited)] {
            Some(connection) => connection.poll_table(cx),
            None => Poll::Ready(Err(Trouble::Closed)),
        }
    });
    let deadline = referee.next_deadline();
    let time_up = async {
        match deadline {
            Some(at) => sleep_until(began + at).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        () = ends.stop.cancelled() => Step::Stopped,
        () = ends.finish.cancelled(), if !finishing => Step::Finished,
        result = table => Step::Sent(awaited, result),
        () = time_up => Step::TimeUp,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use protocol::uecda::Version;
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::referee::uecda::Told;
    use record::What;

    /// Reads what has come to the awaited player when the first event is told.
    struct Late(std::net::TcpStream, Vec<u8>);

    impl Audience for Late {
        fn event(&mut self, _: &Event) {
            let mut space = [0; 64];
            let n = self.0.read(&mut space).unwrap_or_default();
            self.1.extend_from_slice(&space[..n]);
        }
    }

    #[tokio::test]
    async fn the_awaited_player_has_its_bytes_before_anything_is_written_down() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (stream, _) = listener.accept().await.unwrap();
        let client = client.unwrap().into_std().unwrap();
        client.set_nonblocking(false).unwrap();
        let patience = Some(Duration::from_secs(10));
        client.set_read_timeout(patience).unwrap();
        let connection = Connection::new(stream, Version::V20070);
        let mut seats = [None, None, Some(connection), None, None];
        let mut out = Outbox::new();
        out.send(2, Told::Number(9));
        out.event(
            Duration::ZERO,
            What::Setup {
                player: 0,
                setup: String::new(),
                name: None,
            },
        );
        let mut late = Late(client, Vec::new());
        deliver(
            &mut out,
            &mut seats,
            Some(2),
            &mut late,
            &TaskTracker::new(),
        );
        assert_eq!(late.1, [0, 0, 0, 9]);
    }
}
