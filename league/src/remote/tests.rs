//! Entrants that come and go.

use std::io::Write as _;
use std::net::TcpStream as Client;
use std::time::Instant;

use tokio::time::timeout;

use super::*;
use crate::settings::{Contest, Format, Rules, Start};
use crate::testing::settings;

/// Two remote entrants of 3D four-in-a-row.
fn two(absent: Absent, wait_s: u64) -> Settings {
    let mut settings = settings();
    settings.run.contest = Contest {
        host: "127.0.0.1".to_owned(),
        port: 0,
        wait_s,
        absent,
        ..Contest::default()
    };
    for entrant in &mut settings.entrants {
        entrant.start = Start::Remote;
    }
    settings
}

async fn remote(settings: &Settings) -> RemoteEntrants {
    RemoteEntrants::open(settings, Arc::new(|_| {}))
        .await
        .unwrap()
}

fn states(remote: &RemoteEntrants) -> Vec<PresenceState> {
    remote.presence().iter().map(|one| one.state).collect()
}

fn login(remote: &RemoteEntrants, entrant: usize, says: &str) -> Client {
    let port = remote.port(entrant).unwrap();
    let mut client = Client::connect(port.address()).unwrap();
    client.write_all(says.as_bytes()).unwrap();
    client
}

/// The same; waits until it is let in.
async fn come(remote: &RemoteEntrants, entrant: usize, says: &str) -> Client {
    let client = login(remote, entrant, says);
    let own = client.local_addr().ok();
    until(|| remote.port(entrant).unwrap().newest() == own).await;
    client
}

fn look(remote: &RemoteEntrants, players: &[usize]) -> Readiness<EntrantConnections> {
    let call = remote.call(players);
    remote.end_look(true);
    call
}

async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.unwrap();
}

const HELLO: &str = "{\"type\":\"hello\",\"versions\":[1],\"name\":\"x\"}\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitting_waits_until_its_entrants_are_there_and_free() {
    let remote = remote(&two(Absent::Wait, 0)).await;
    assert!(matches!(remote.call(&[0, 1]), Readiness::Wait));
    let _ana = come(&remote, 0, HELLO).await;
    assert_eq!(
        states(&remote),
        [PresenceState::Here, PresenceState::Missing]
    );
    assert!(matches!(remote.call(&[0, 1]), Readiness::Wait));
    let _bo = come(&remote, 1, HELLO).await;
    let Readiness::Ready(connections) = remote.call(&[0, 1]) else {
        panic!("both are there");
    };
    assert_eq!(states(&remote), [PresenceState::Playing; 2]);
    // Each has one connection.
    assert!(matches!(remote.call(&[0, 1]), Readiness::Wait));
    let again = come(&remote, 0, HELLO).await;
    assert!(matches!(remote.call(&[0]), Readiness::Ready(_)));
    drop((connections, again));
    until(|| states(&remote) == [PresenceState::Missing; 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_has_left_is_missing_also_behind_what_it_has_said() {
    let remote = remote(&two(Absent::Wait, 0)).await;
    let client = come(&remote, 0, HELLO).await;
    assert_eq!(states(&remote)[0], PresenceState::Here);
    drop(client);
    until(|| states(&remote)[0] == PresenceState::Missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_waits_goes_before_the_next_call() {
    let remote = remote(&two(Absent::Wait, 0)).await;
    let _first = come(&remote, 0, HELLO).await;
    let Readiness::Ready(mut connections) = remote.call(&[0]) else {
        panic!("it is there");
    };
    let connection = connections.remove(0).unwrap();
    connection.next().await;
    // The table waits for its second game.
    let mut next = Box::pin(connection.next());
    assert!(timeout(Duration::ZERO, &mut next).await.is_err());
    assert!(matches!(remote.call(&[0]), Readiness::Wait));
    let second = login(&remote, 0, HELLO);
    let (_, from) = timeout(Duration::from_mins(1), next).await.unwrap();
    assert_eq!(from, second.local_addr().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_becomes_of_a_sitting_without_an_entrant_is_set() {
    for (absent, wait) in [(Absent::Skip, 0), (Absent::Forfeit, 0), (Absent::Skip, 999)] {
        let remote = remote(&two(absent, wait)).await;
        let _ana = come(&remote, 0, HELLO).await;
        match (remote.call(&[0, 1]), absent, wait) {
            (Readiness::Wait, _, 999) => {}
            (Readiness::Skip(missing), Absent::Skip, 0) => assert_eq!(missing, [1]),
            (Readiness::Ready(connections), Absent::Forfeit, 0) => {
                // Somebody greets in its place and is gone.
                let nobody = connections[1].as_ref().unwrap();
                let (mut socket, _) = nobody.next().await;
                let mut said = [0; 200];
                let length = socket.read(&mut said).await.unwrap();
                assert!(said[..length].ends_with(b"\n"));
                assert_eq!(socket.read(&mut said).await.unwrap(), 0);
                assert_eq!(
                    states(&remote),
                    [PresenceState::Playing, PresenceState::Missing]
                );
            }
            (call, ..) => panic!("{absent:?}, {wait}: {call:?}"),
        }
        // Nobody plays nobody.
        let is_skipped = matches!(remote.call(&[1, 1]), Readiness::Skip(_));
        assert_eq!(is_skipped, wait == 0);
    }
    let mut settings = two(Absent::Forfeit, 0);
    settings.format = Format::Swiss { rounds: 2 };
    let remote = remote(&settings).await;
    // A round is played whole, and the next one is paired.
    assert!(matches!(remote.call(&[0, 1]), Readiness::Lost));
    let _ana = come(&remote, 0, HELLO).await;
    assert!(matches!(remote.call(&[0, 1]), Readiness::Ready(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_comes_and_goes_is_missing_at_the_deadline() {
    let remote = remote(&two(Absent::Skip, 1)).await;
    let visits = async {
        while matches!(look(&remote, &[0]), Readiness::Wait) {
            let client = come(&remote, 0, HELLO).await;
            drop(client);
            until(|| states(&remote)[0] == PresenceState::Missing).await;
        }
    };
    timeout(Duration::from_mins(1), visits).await.unwrap();
    assert!(matches!(remote.call(&[0]), Readiness::Skip(_)));
    // With one connection where two are wanted, too.
    let _client = come(&remote, 1, HELLO).await;
    let waiting = async {
        while matches!(look(&remote, &[1, 1]), Readiness::Wait) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.unwrap();
    let session = remote.call(&[1]);
    assert!(matches!(session, Readiness::Ready(_)));
    // Once it has sat it may be missing anew.
    assert!(remote.port(1).unwrap().look().away >= Duration::from_secs(1));
    remote.port(1).unwrap().note_sat();
    assert_eq!(remote.port(1).unwrap().look().away, Duration::ZERO);
    drop(session);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_connects_and_does_not_sit_down_is_late_after_all_its_tables_together() {
    let (began, limit) = (Instant::now(), Duration::from_secs(1));
    let remote = remote(&two(Absent::Forfeit, 1)).await;
    let _ana = come(&remote, 0, HELLO).await;
    // A table has waited for as long as the league lasts, and others did so at the same time.
    let is_late = |entrant| remote.note_failed(entrant, Duration::from_hours(1));
    if is_late(0) || is_late(0) {
        assert!(began.elapsed() >= limit, "no time counts twice");
    }
    // While it is at a table others want it in vain, and the failure of another changes nothing.
    let session = look(&remote, &[0]);
    assert!(matches!(session, Readiness::Ready(_)));
    assert!(matches!(
        look(&remote, &[0, 1]),
        Readiness::Wait | Readiness::Skip(_)
    ));
    is_late(1);
    drop(session);
    until(|| began.elapsed() > 2 * limit).await;
    assert!(is_late(0));
    // It comes to its next table all the same.
    let _ana = come(&remote, 0, HELLO).await;
    assert!(matches!(look(&remote, &[0]), Readiness::Ready(_)));
    let sat = Instant::now();
    remote.port(0).unwrap().note_sat();
    assert!(!is_late(0) || sat.elapsed() >= limit);
    // A league that waits for all its entrants declares none of them late.
    let remote = self::remote(&two(Absent::Wait, 0)).await;
    assert!(!remote.note_failed(0, Duration::from_hours(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_time_counts_while_an_opponent_plays_or_no_table_is_free() {
    let remote = remote(&two(Absent::Forfeit, 999)).await;
    let _bo = come(&remote, 1, HELLO).await;
    let is_awaited = || remote.port(0).unwrap().is_awaited();
    assert!(matches!(look(&remote, &[0, 1]), Readiness::Wait));
    assert!(is_awaited());
    remote.end_look(false);
    assert!(!is_awaited());
    let session = look(&remote, &[1]);
    assert!(matches!(look(&remote, &[0, 1]), Readiness::Wait));
    assert!(!is_awaited());
    // Another table waits for it alone, whatever is looked at after that.
    assert!(matches!(remote.call(&[0]), Readiness::Wait));
    assert!(matches!(look(&remote, &[0, 1]), Readiness::Wait));
    assert!(is_awaited());
    drop(session);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_time_of_an_absence_counts_twice() {
    let began = Instant::now();
    let remote = remote(&two(Absent::Forfeit, 999)).await;
    let away = || remote.port(0).unwrap().look().away;
    remote.call(&[0]);
    remote.end_look(true);
    until(|| away() > Duration::from_millis(50)).await;
    remote.end_look(true);
    until(|| away() > Duration::from_millis(80)).await;
    assert!(away() <= began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_take_turns_to_be_away_are_missing_after_all_the_time_that_they_were() {
    let remote = remote(&two(Absent::Skip, 1)).await;
    let turns = async {
        for turn in 0.. {
            let client = come(&remote, turn % 2, HELLO).await;
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(300) {
                if let Readiness::Skip(missing) = look(&remote, &[0, 1]) {
                    return (turn, missing);
                }
                tokio::task::yield_now().await;
            }
            drop(client);
            until(|| states(&remote) == [PresenceState::Missing; 2]).await;
        }
        unreachable!("the turns have no end");
    };
    let (turn, missing) = timeout(Duration::from_mins(1), turns).await.unwrap();
    assert!(!missing.contains(&(turn % 2)), "{turn}: {missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seat_of_one_that_is_disqualified_is_nobodys() {
    let settings = two(Absent::Wait, 0);
    let remote = remote(&settings).await;
    let _ana = come(&remote, 0, HELLO).await;
    let _bo = come(&remote, 1, HELLO).await;
    let leave_out = |entrants: &[usize]| {
        let login = |&entrant: &usize| {
            let access = &settings.entrants[entrant].access;
            (entrant, Login::new(settings.game(), access))
        };
        remote.leave_out(entrants.iter().map(login).collect());
    };
    leave_out(&[1]);
    let Readiness::Ready(connections) = remote.call(&[0, 1]) else {
        panic!("nobody need be waited for");
    };
    let is_entrant =
        |connection: &Option<EntrantConnection>| connection.as_ref().unwrap().is_entrant();
    let who: Vec<bool> = connections.iter().map(is_entrant).collect();
    assert_eq!(who, [true, false]);
    drop(connections);
    leave_out(&[0, 1]);
    assert!(matches!(remote.call(&[0, 1]), Readiness::Lost));
    // One that is reinstated has its seat again; ana has left with the first table.
    leave_out(&[0]);
    let Readiness::Ready(connections) = remote.call(&[0, 1]) else {
        panic!("bo is there");
    };
    let who: Vec<bool> = connections.iter().map(is_entrant).collect();
    assert_eq!(who, [false, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_right_token_is_let_in_among_wrong_ones_and_connections_that_say_nothing() {
    use server::config::limits::MOST_WRONG_TOKENS;
    let mut settings = two(Absent::Wait, 0);
    settings.entrants[0].access.token = Some("sesame-1".to_owned());
    let remote = remote(&settings).await;
    let say = |token: &str| HELLO.replace("\"x\"", &format!("\"x\",\"token\":\"{token}\""));
    let guesses = 0..2 * MOST_WRONG_TOKENS;
    let guesses = guesses.map(|number| login(&remote, 0, &say(&format!("guess-{number}"))));
    let guesses: Vec<Client> = guesses.collect();
    let _silent: Vec<Client> = (0..32).map(|_| login(&remote, 0, "")).collect();
    let _ana = come(&remote, 0, &say("sesame-1")).await;
    assert!(matches!(remote.call(&[0]), Readiness::Ready(_)));
    // Wrong tokens are answered, as many as may wait at the same time.
    let told = guesses.into_iter().map(|mut client| {
        tokio::task::spawn_blocking(move || {
            let mut told = String::new();
            // What was not read may cut it short.
            let _ = std::io::Read::read_to_string(&mut client, &mut told);
            told
        })
    });
    let mut count = 0;
    for told in told.collect::<Vec<_>>() {
        let told = told.await.unwrap();
        assert!(told.is_empty() || told.contains("\"token\""), "{told}");
        count += usize::from(!told.is_empty());
    }
    assert!(count >= MOST_WRONG_TOKENS, "{count}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_many_connections_wait_and_the_last_one_comes_first() {
    let mut settings = two(Absent::Wait, 0);
    settings.rules = Rules::usual(games::GameName::Geister);
    let remote = remote(&settings).await;
    let mut clients = Vec::new();
    for _ in 0..=crate::settings::MOST_VISITORS {
        clients.push(come(&remote, 0, "").await);
    }
    let Readiness::Ready(connections) = remote.call(&[0]) else {
        panic!("many are there");
    };
    let (_, from) = connections[0].as_ref().unwrap().next().await;
    assert_eq!(from, clients.last().unwrap().local_addr().unwrap());
    let read = std::io::Read::read(&mut clients[0], &mut [0; 1]);
    assert!(!matches!(read, Ok(1)), "the oldest is closed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_makes_nobody_late() {
    let remote = remote(&two(Absent::Forfeit, 0)).await;
    let away = || remote.port(0).unwrap().look().away;
    assert!(matches!(remote.call(&[0]), Readiness::Skip(_)));
    until(|| away() > Duration::from_millis(20)).await;
    let said = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&said);
    let say: Say = Arc::new(move |text| hears.lock().unwrap().push(text));
    let tell = || {
        let port = remote.port(0).unwrap();
        port.tell(
            entrant_port::Announcement::Nothing,
            Duration::ZERO,
            "for 0 s",
            &say,
        )
    };
    remote.pause(true);
    assert_eq!(tell(), entrant_port::Announcement::Nothing);
    let now = Instant::now();
    remote.pause(false);
    assert!(away() <= now.elapsed());
    assert_eq!(tell(), entrant_port::Announcement::Late);
    let names = remote.presence();
    let name = &names[0].name;
    assert_eq!(
        *said.lock().unwrap(),
        [format!("{name} is missing for 0 s")]
    );
}
