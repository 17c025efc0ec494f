//! Players that come back to a match, and what they are told.

use games::ScoreFour;
use games::score_four::Rules as ScoreFourRules;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::greeting::greet;
use super::*;
use crate::lobby::Lobby;

/// Returns that the table has not taken yet.
const PLACES: usize = 1;

/// The seats of a lobby with a match whose table takes no returns, and the end of the channel to that table.
async fn seats() -> (
    NativeSeats<ScoreFour>,
    Services<NativeReport>,
    mpsc::Receiver<Return<NativeConnection>>,
) {
    let settings = Native {
        bind: "127.0.0.1".to_owned(),
        port: 0,
        ..Native::default()
    };
    let (reports, _) = mpsc::unbounded_channel();
    let seats = NativeSeats::new(settings, ScoreFourRules::default(), Some(1));
    let lobby = Lobby::bind(seats, None, CancellationToken::new(), reports).await;
    let Lobby {
        policy: mut seats,
        services,
        ..
    } = lobby.unwrap();
    let (returns, back) = mpsc::channel(PLACES);
    seats.running.push(RunningMatch {
        number: 1,
        tokens: ["one", "two"].map(str::to_owned).to_vec(),
        rates: vec![RateLimit::default(); 2],
        returns,
    });
    (seats, services, back)
}

/// A client that has said hello, and its end of the connection.
async fn guest() -> (NativeConnection, TcpStream) {
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(door.local_addr().unwrap())
        .await
        .unwrap();
    let hello = b"{\"type\":\"hello\",\"versions\":[1],\"name\":\"x\"}\n";
    client.write_all(hello).await.unwrap();
    let (stream, _) = door.accept().await.unwrap();
    let greeted = greet(stream, "score-four", Instant::now()).await;
    (greeted.unwrap().0, client)
}

/// The only line that a client gets before the end.
async fn told(client: TcpStream) -> String {
    let mut lines = BufReader::new(client).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    assert_eq!(lines.next_line().await.unwrap(), None, "after {line}");
    line
}

#[tokio::test]
async fn a_table_that_is_behind_refuses_for_now_and_one_that_is_over_for_good() {
    let (mut seats, services, mut back) = seats().await;
    let (first, first_client) = guest().await;
    seats.bring_back(first, "two", Some(3), &services);
    let (second, client) = guest().await;
    seats.bring_back(second, "one", None, &services);
    let line = told(client).await;
    assert!(line.contains(r#""code":"rate""#), "{line}");
    // It is welcomed by the table, which may find that the seat was given up.
    let mut returned = back.try_recv().unwrap();
    assert_eq!(
        (returned.player, returned.last),
        (games::Player::new(1), Some(3))
    );
    returned.connection.tell(&returned.welcome);
    drop((returned, back));
    let line = told(first_client).await;
    assert!(line.contains("welcome") && line.contains("two"), "{line}");
    let (third, client) = guest().await;
    seats.bring_back(third, "one", None, &services);
    let line = told(client).await;
    assert!(line.contains(r#""code":"token""#), "{line}");
}
