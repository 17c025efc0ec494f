//! Entrants that come and go.

use std::io::Write as _;
use std::net::TcpStream as Client;
use std::time::Instant;

use tokio::time::timeout;

use super::*;
use crate::league::settings::{Contest, Format, Rules, Start};
use crate::league::testing::settings;

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

async fn foyer(settings: &Settings) -> Foyer {
    Foyer::open(settings, Arc::new(|_| {})).await.unwrap()
}

fn states(foyer: &Foyer) -> Vec<State> {
    foyer.presence().iter().map(|one| one.state).collect()
}

fn knock(foyer: &Foyer, entrant: usize, says: &str) -> Client {
    let gate = foyer.gate(entrant).unwrap();
    let mut client = Client::connect(gate.address()).unwrap();
    client.write_all(says.as_bytes()).unwrap();
    client
}

/// The same; waits until it is let in.
async fn come(foyer: &Foyer, entrant: usize, says: &str) -> Client {
    let client = knock(foyer, entrant, says);
    let own = client.local_addr().ok();
    until(|| foyer.gate(entrant).unwrap().newest() == own).await;
    client
}

fn look(foyer: &Foyer, players: &[usize]) -> Call<Visitors> {
    let call = foyer.call(players);
    foyer.end_look(true);
    call
}

async fn until(is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), waiting).await.unwrap();
}

const HELLO: &str = "{\"type\":\"hello\",\"versions\":[1],\"name\":\"x\"}\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sitting_waits_until_its_entrants_are_there_and_free() {
    let foyer = foyer(&two(Absent::Wait, 0)).await;
    assert!(matches!(foyer.call(&[0, 1]), Call::Wait));
    let _ana = come(&foyer, 0, HELLO).await;
    assert_eq!(states(&foyer), [State::Here, State::Missing]);
    assert!(matches!(foyer.call(&[0, 1]), Call::Wait));
    let _bo = come(&foyer, 1, HELLO).await;
    let Call::Ready(visitors) = foyer.call(&[0, 1]) else {
        panic!("both are there");
    };
    assert_eq!(states(&foyer), [State::Playing; 2]);
    // Each has one connection.
    assert!(matches!(foyer.call(&[0, 1]), Call::Wait));
    let again = come(&foyer, 0, HELLO).await;
    assert!(matches!(foyer.call(&[0]), Call::Ready(_)));
    drop((visitors, again));
    until(|| states(&foyer) == [State::Missing; 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_has_left_is_missing_also_behind_what_it_has_said() {
    let foyer = foyer(&two(Absent::Wait, 0)).await;
    let client = come(&foyer, 0, HELLO).await;
    assert_eq!(states(&foyer)[0], State::Here);
    drop(client);
    until(|| states(&foyer)[0] == State::Missing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_waits_goes_before_the_next_call() {
    let foyer = foyer(&two(Absent::Wait, 0)).await;
    let _first = come(&foyer, 0, HELLO).await;
    let Call::Ready(mut visitors) = foyer.call(&[0]) else {
        panic!("it is there");
    };
    let visitor = visitors.remove(0).unwrap();
    visitor.next().await;
    // The table waits for its second game.
    let mut next = Box::pin(visitor.next());
    assert!(timeout(Duration::ZERO, &mut next).await.is_err());
    assert!(matches!(foyer.call(&[0]), Call::Wait));
    let second = knock(&foyer, 0, HELLO);
    let (_, from) = timeout(Duration::from_secs(20), next).await.unwrap();
    assert_eq!(from, second.local_addr().unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_becomes_of_a_sitting_without_an_entrant_is_set() {
    for (absent, wait) in [(Absent::Skip, 0), (Absent::Forfeit, 0), (Absent::Skip, 999)] {
        let foyer = foyer(&two(absent, wait)).await;
        let _ana = come(&foyer, 0, HELLO).await;
        match (foyer.call(&[0, 1]), absent, wait) {
            (Call::Wait, _, 999) => {}
            (Call::Skip(missing), Absent::Skip, 0) => assert_eq!(missing, [1]),
            (Call::Ready(visitors), Absent::Forfeit, 0) => {
                // Somebody greets in its place and is gone.
                let nobody = visitors[1].as_ref().unwrap();
                let (mut socket, _) = nobody.next().await;
                let mut said = [0; 200];
                let length = socket.read(&mut said).await.unwrap();
                assert!(said[..length].ends_with(b"\n"));
                assert_eq!(socket.read(&mut said).await.unwrap(), 0);
                assert_eq!(states(&foyer), [State::Playing, State::Missing]);
            }
            (call, ..) => panic!("{absent:?}, {wait}: {call:?}"),
        }
        // Nobody plays nobody.
        let is_skipped = matches!(foyer.call(&[1, 1]), Call::Skip(_));
        assert_eq!(is_skipped, wait == 0);
    }
    let mut settings = two(Absent::Forfeit, 0);
    settings.format = Format::Swiss { rounds: 2 };
    let foyer = foyer(&settings).await;
    // A round is played whole, and the next one is paired.
    assert!(matches!(foyer.call(&[0, 1]), Call::Lost));
    let _ana = come(&foyer, 0, HELLO).await;
    assert!(matches!(foyer.call(&[0, 1]), Call::Ready(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_comes_and_goes_is_missing_at_the_deadline() {
    let foyer = foyer(&two(Absent::Skip, 1)).await;
    let visits = async {
        while matches!(look(&foyer, &[0]), Call::Wait) {
            let client = come(&foyer, 0, HELLO).await;
            drop(client);
            until(|| states(&foyer)[0] == State::Missing).await;
        }
    };
    timeout(Duration::from_mins(1), visits).await.unwrap();
    assert!(matches!(foyer.call(&[0]), Call::Skip(_)));
    // With one connection where two are wanted, too.
    let _client = come(&foyer, 1, HELLO).await;
    let waiting = async {
        while matches!(look(&foyer, &[1, 1]), Call::Wait) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_mins(1), waiting).await.unwrap();
    let sitting = foyer.call(&[1]);
    assert!(matches!(sitting, Call::Ready(_)));
    // Once it has sat it may be missing anew.
    assert!(foyer.gate(1).unwrap().look().away >= Duration::from_secs(1));
    foyer.gate(1).unwrap().note_sat();
    assert_eq!(foyer.gate(1).unwrap().look().away, Duration::ZERO);
    drop(sitting);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_connects_and_does_not_sit_down_is_late_after_all_its_tables_together() {
    let (began, limit) = (Instant::now(), Duration::from_secs(1));
    let foyer = foyer(&two(Absent::Forfeit, 1)).await;
    let _ana = come(&foyer, 0, HELLO).await;
    // A table has waited for as long as the league lasts, and others did so at the same time.
    let is_late = |entrant| foyer.note_failed(entrant, Duration::from_hours(1));
    if is_late(0) || is_late(0) {
        assert!(began.elapsed() >= limit, "no time counts twice");
    }
    // While it is at a table others want it in vain, and the failure of another changes nothing.
    let sitting = look(&foyer, &[0]);
    assert!(matches!(sitting, Call::Ready(_)));
    assert!(matches!(look(&foyer, &[0, 1]), Call::Wait | Call::Skip(_)));
    is_late(1);
    drop(sitting);
    until(|| began.elapsed() > 2 * limit).await;
    assert!(is_late(0));
    // It comes to its next table all the same.
    let _ana = come(&foyer, 0, HELLO).await;
    assert!(matches!(look(&foyer, &[0]), Call::Ready(_)));
    let sat = Instant::now();
    foyer.gate(0).unwrap().note_sat();
    assert!(!is_late(0) || sat.elapsed() >= limit);
    // A league that waits for all its entrants declares none of them late.
    let foyer = self::foyer(&two(Absent::Wait, 0)).await;
    assert!(!foyer.note_failed(0, Duration::from_hours(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_time_counts_while_an_opponent_plays_or_no_table_is_free() {
    let foyer = foyer(&two(Absent::Forfeit, 999)).await;
    let _bo = come(&foyer, 1, HELLO).await;
    let is_awaited = || foyer.gate(0).unwrap().is_awaited();
    assert!(matches!(look(&foyer, &[0, 1]), Call::Wait));
    assert!(is_awaited());
    foyer.end_look(false);
    assert!(!is_awaited());
    let sitting = look(&foyer, &[1]);
    assert!(matches!(look(&foyer, &[0, 1]), Call::Wait));
    assert!(!is_awaited());
    // Another table waits for it alone, whatever is looked at after that.
    assert!(matches!(foyer.call(&[0]), Call::Wait));
    assert!(matches!(look(&foyer, &[0, 1]), Call::Wait));
    assert!(is_awaited());
    drop(sitting);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_time_of_an_absence_counts_twice() {
    let began = Instant::now();
    let foyer = foyer(&two(Absent::Forfeit, 999)).await;
    let away = || foyer.gate(0).unwrap().look().away;
    foyer.call(&[0]);
    foyer.end_look(true);
    until(|| away() > Duration::from_millis(50)).await;
    foyer.end_look(true);
    until(|| away() > Duration::from_millis(80)).await;
    assert!(away() <= began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_that_take_turns_to_be_away_are_missing_after_all_the_time_that_they_were() {
    let foyer = foyer(&two(Absent::Skip, 1)).await;
    let turns = async {
        for turn in 0.. {
            let client = come(&foyer, turn % 2, HELLO).await;
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_millis(300) {
                if let Call::Skip(missing) = look(&foyer, &[0, 1]) {
                    return (turn, missing);
                }
                tokio::task::yield_now().await;
            }
            drop(client);
            until(|| states(&foyer) == [State::Missing; 2]).await;
        }
        unreachable!("the turns have no end");
    };
    let (turn, missing) = timeout(Duration::from_secs(20), turns).await.unwrap();
    assert!(!missing.contains(&(turn % 2)), "{turn}: {missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seat_of_one_that_is_disqualified_is_nobodys() {
    let settings = two(Absent::Wait, 0);
    let foyer = foyer(&settings).await;
    let _ana = come(&foyer, 0, HELLO).await;
    let _bo = come(&foyer, 1, HELLO).await;
    let leave_out = |entrants: &[usize]| {
        let knock = |&entrant: &usize| {
            let access = &settings.entrants[entrant].access;
            (entrant, Knock::new(settings.game(), access))
        };
        foyer.leave_out(entrants.iter().map(knock).collect());
    };
    leave_out(&[1]);
    let Call::Ready(visitors) = foyer.call(&[0, 1]) else {
        panic!("nobody need be waited for");
    };
    let is_entrant = |visitor: &Option<Visitor>| visitor.as_ref().unwrap().is_entrant();
    let who: Vec<bool> = visitors.iter().map(is_entrant).collect();
    assert_eq!(who, [true, false]);
    drop(visitors);
    leave_out(&[0, 1]);
    assert!(matches!(foyer.call(&[0, 1]), Call::Lost));
    // One that is reinstated has its seat again; ana has left with the first table.
    leave_out(&[0]);
    let Call::Ready(visitors) = foyer.call(&[0, 1]) else {
        panic!("bo is there");
    };
    let who: Vec<bool> = visitors.iter().map(is_entrant).collect();
    assert_eq!(who, [false, true]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_right_token_is_let_in_among_wrong_ones_and_connections_that_say_nothing() {
    use crate::config::limits::MOST_WRONG_TOKENS;
    let mut settings = two(Absent::Wait, 0);
    settings.entrants[0].access.token = Some("sesame-1".to_owned());
    let foyer = foyer(&settings).await;
    let say = |token: &str| HELLO.replace("\"x\"", &format!("\"x\",\"token\":\"{token}\""));
    let guesses = 0..2 * MOST_WRONG_TOKENS;
    let guesses = guesses.map(|number| knock(&foyer, 0, &say(&format!("guess-{number}"))));
    let guesses: Vec<Client> = guesses.collect();
    let _silent: Vec<Client> = (0..32).map(|_| knock(&foyer, 0, "")).collect();
    let _ana = come(&foyer, 0, &say("sesame-1")).await;
    assert!(matches!(foyer.call(&[0]), Call::Ready(_)));
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
    let foyer = foyer(&settings).await;
    let mut clients = Vec::new();
    for _ in 0..=crate::config::limits::MOST_VISITORS {
        clients.push(come(&foyer, 0, "").await);
    }
    let Call::Ready(visitors) = foyer.call(&[0]) else {
        panic!("many are there");
    };
    let (_, from) = visitors[0].as_ref().unwrap().next().await;
    assert_eq!(from, clients.last().unwrap().local_addr().unwrap());
    let read = std::io::Read::read(&mut clients[0], &mut [0; 1]);
    assert!(!matches!(read, Ok(1)), "the oldest is closed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_makes_nobody_late() {
    let foyer = foyer(&two(Absent::Forfeit, 0)).await;
    let away = || foyer.gate(0).unwrap().look().away;
    assert!(matches!(foyer.call(&[0]), Call::Skip(_)));
    until(|| away() > Duration::from_millis(20)).await;
    let said = Arc::new(Mutex::new(Vec::new()));
    let hears = Arc::clone(&said);
    let say: Say = Arc::new(move |text| hears.lock().unwrap().push(text));
    let tell = || {
        let gate = foyer.gate(0).unwrap();
        gate.tell(gate::Told::Nothing, Duration::ZERO, "for 0 s", &say)
    };
    foyer.pause(true);
    assert_eq!(tell(), gate::Told::Nothing);
    let now = Instant::now();
    foyer.pause(false);
    assert!(away() <= now.elapsed());
    assert_eq!(tell(), gate::Told::Late);
    let names = foyer.presence();
    let name = &names[0].name;
    assert_eq!(
        *said.lock().unwrap(),
        [format!("{name} is missing for 0 s")]
    );
}
