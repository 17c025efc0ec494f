//! Players that come back to a match, and what they are told.

use games::ScoreFour;
use games::score_four::Rules as ScoreFourRules;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::greeting::greet;
use super::*;

/// Returns that the table has not taken yet.
const PLACES: usize = 1;

/// A lobby with a match whose table takes no returns, and the end of the channel to that table.
async fn lobby() -> (NativeLobby<ScoreFour>, mpsc::Receiver<Return<Guest>>) {
    let settings = Native {
        bind: "127.0.0.1".to_owned(),
        port: 0,
        ..Native::default()
    };
    let (reports, _) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let rules = ScoreFourRules::default();
    let lobby = NativeLobby::<ScoreFour>::bind(settings, rules, None, Some(1), stop, reports);
    let mut lobby = lobby.await.unwrap();
    let (returns, back) = mpsc::channel(PLACES);
    let running = Running {
        tokens: ["one", "two"].map(str::to_owned).to_vec(),
        rates: vec![RateLimit::default(); 2],
        names: Vec::new(),
        seed: None,
        returns,
    };
    lobby.running.spawn(std::future::pending());
    lobby.tables.insert(1, running);
    (lobby, back)
}

/// A client that has said hello, and its end of the connection.
async fn guest() -> (Guest, TcpStream) {
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
    let (mut lobby, mut back) = lobby().await;
    let (first, first_client) = guest().await;
    lobby.bring_back(first, "two", Some(3));
    let (second, client) = guest().await;
    lobby.bring_back(second, "one", None);
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
    lobby.bring_back(third, "one", None);
    let line = told(client).await;
    assert!(line.contains(r#""code":"token""#), "{line}");
}
