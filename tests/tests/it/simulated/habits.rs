//! Clients of GAT with the habits of published ones, at a server and with the settings that it has by itself.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use end_to_end::gat::{Habit, OneReader, Step};
use server::config::Gat;
use server::lobby::{GatSeats, Listener, Lobby};
use server::table::Pipe;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::in_virtual_time;
use super::pipe::{End, Open, Served};

/// How long a client is busy before it reads: as long as programs are on a machine with much to do.
const BUSY: Duration = Duration::from_millis(80);

const GAMES: u32 = 4;

/// Plays all games of a match; gives their results, or why it has ended before.
async fn play(
    habit: Habit,
    is_first: bool,
    door: mpsc::UnboundedSender<Box<dyn Pipe>>,
) -> Result<Vec<String>, String> {
    // The second reads at once.
    let busy = if is_first { BUSY } else { Duration::ZERO };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let (open, mut results, mut kept) = (Open::default(), Vec::new(), None);
    for _ in 0..GAMES {
        let [mut own, other] = End::both();
        let served = Served::new(other, address, &open);
        door.send(Box::new(served)).map_err(|e| e.to_string())?;
        // Only now does it close the one before.
        drop(kept.take());
        let mut client = OneReader::new(habit, is_first);
        let mut next = client.first().map(str::to_owned);
        let result = loop {
            if let Some(line) = next.take() {
                let line = format!("{line}\r\n");
                own.write(line.as_bytes())
                    .await
                    .map_err(|e| e.to_string())?;
            }
            sleep(busy).await;
            let mut space = [0; 4096];
            let n = own.read(&mut space).await.map_err(|e| e.to_string())?;
            match client.read(&space[..n]) {
                Step::Say(line) => next = Some(line),
                Step::Read => {}
                Step::Over(result) => break result,
                Step::Lost(text) => return Err(format!("{results:?}, then {text:?}")),
            }
        };
        results.push(result);
        kept = (habit == Habit::Keeps).then_some(own);
    }
    Ok(results)
}

async fn play_match(settings: Gat, habits: [Habit; 2]) -> [Result<Vec<String>, String>; 2] {
    let (first, first_pipes) = mpsc::unbounded_channel();
    let (second, second_pipes) = mpsc::unbounded_channel();
    let listeners = [first_pipes, second_pipes].map(Listener::of_pipes);
    let (reports, _kept) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let settings = Gat {
        games: GAMES,
        ..settings
    };
    let lobby = Lobby::at(
        listeners.into(),
        GatSeats::new(settings),
        Some(1),
        stop.clone(),
        reports,
    );
    let server = tokio::spawn(lobby.run());
    let whole = async |habit, is_first, door| {
        let played = play(habit, is_first, door).await;
        if played.is_err() {
            // The other must not wait for it.
            stop.cancel();
        }
        played
    };
    let (one, other) = tokio::join!(
        whole(habits[0], true, first),
        whole(habits[1], false, second)
    );
    stop.cancel();
    server.await.expect("a server that ends");
    [one, other]
}

#[test]
fn clients_with_any_habit_play_all_their_games_at_the_defaults() {
    for habit in Habit::ALL {
        for other in Habit::ALL {
            let played = in_virtual_time(play_match(Gat::default(), [habit, other]));
            for results in played {
                let results = results.unwrap_or_else(|why| panic!("{habit:?} {other:?}: {why}"));
                assert_eq!(results.len(), GAMES as usize);
            }
        }
    }
}

#[test]
fn without_the_pause_they_lose_messages() {
    let hurried = Gat {
        wait_ms: [0, 0],
        ..Gat::default()
    };
    let [one, _] = in_virtual_time(play_match(hurried, [Habit::OneRead; 2]));
    assert!(one.is_err(), "{one:?}");
}

#[test]
fn where_the_players_take_turns_the_port_is_not_the_seat() {
    let swapped = Gat {
        swap: true,
        ..Gat::default()
    };
    let played = in_virtual_time(play_match(swapped, [Habit::PortIsSeat; 2]));
    assert!(played.iter().any(Result::is_err), "{played:?}");
}
