//! Watchers over real sockets, and delays in virtual time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use games::{Blokus, ScoreFour};
use socket2::SockRef;
use tokio::time::{Instant, advance, timeout};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::config::{Limits, Watch};
use crate::watch::server::DelayedEvents;
use crate::watch::{Organiser, WatchPort};

/// So many that no system holds what a watcher of all leaves unread.
const MATCHES: u64 = 20;

const PATIENCE: Duration = Duration::from_mins(1);

async fn port() -> (Watching, WatchPort) {
    port_of(None).await
}

async fn port_of(organiser: Option<Organiser>) -> (Watching, WatchPort) {
    port_with(organiser, &Limits::default()).await
}

async fn port_with(organiser: Option<Organiser>, limits: &Limits) -> (Watching, WatchPort) {
    let organiser = organiser.map(Arc::new);
    let watch = Watch {
        watch: Some(0),
        watch_delay: 0,
    };
    let opened = Watching::open(watch, "127.0.0.1", limits, None, organiser).await;
    let (watching, port) = opened.unwrap();
    (watching, port.unwrap())
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr, hello: &str) -> Client {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{hello}\n").as_bytes()).unwrap();
        Client(BufReader::new(stream))
    }

    /// The same where a reset may be the end.
    fn next_or_closed(&mut self) -> Option<WatchMessage> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap_or_default();
        (read > 0).then(|| WatchMessage::parse(line.trim_end().as_bytes()).expect(&line))
    }

    /// The next message; `None` when the server has closed.
    fn next(&mut self) -> Option<WatchMessage> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).unwrap();
        (read > 0).then(|| WatchMessage::parse(line.trim_end().as_bytes()).expect(&line))
    }

    fn say(&mut self, line: &str) {
        self.0
            .get_mut()
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
    }

    /// All up to `tables`.
    fn until_tables(&mut self) -> Vec<WatchMessage> {
        let mut all = Vec::new();
        loop {
            let message = self.next().expect("a server that goes on");
            let is_last = matches!(message, WatchMessage::Tables { .. });
            all.push(message);
            if is_last {
                return all;
            }
        }
    }

    fn rest(mut self) -> Vec<WatchMessage> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

const HELLO: &str = r#"{"type":"hello","versions":[1],"name":"","watch":true}"#;

fn of_match(number: u64) -> String {
    HELLO.replace("true}", &format!("true,\"match\":{number}}}"))
}

fn error_of(message: Option<WatchMessage>) -> String {
    match message {
        Some(WatchMessage::Error { code, .. }) => code.as_str().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn watchers_come_and_look_at_what_they_want() {
    let (watching, port) = port().await;
    let address = port.address;
    let (header, events, ..) = super::tables::open_match::<ScoreFour>(1, 1);
    let half = events.len() / 2;
    let mut early = Client::connect(address, HELLO);
    assert!(matches!(
        early.next(),
        Some(WatchMessage::Watching {
            delay_ms: 0,
            wanted: None,
            ..
        })
    ));
    assert!(matches!(early.next(), Some(WatchMessage::Tables { playing }) if playing.is_empty()));
    let mut public = watching.table(&header);
    let mut second = watching.table(&header);
    for event in &events[..half] {
        public.event(event);
        second.event(event);
    }
    // What it has heard the tables has taken in.
    let is_last = |m: &WatchMessage| matches!(m, WatchMessage::Frame { number: 2, frame } if frame.ply as usize == half - 1);
    while !is_last(&early.next().unwrap()) {}
    let mut late = Client::connect(address, &of_match(2));
    let told = late.until_tables();
    let kinds: Vec<String> = told
        .iter()
        .map(|message| json(message)["type"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["watching", "table", "table", "match", "frame", "tables"]
    );
    assert!(
        matches!(&told[4], WatchMessage::Frame { number: 2, frame } if frame.ply as usize == half - 1)
    );
    let mut lobby = Client::connect(address, &of_match(0));
    assert_eq!(lobby.until_tables().len(), 4);
    for event in &events[half..] {
        public.event(event);
        second.event(event);
    }
    drop((public, second));
    port.close().await;
    let late = late.rest();
    let is_table = |m: &WatchMessage| matches!(m, WatchMessage::Table(_));
    assert!(late.iter().all(|m| m.number() == Some(2) || is_table(m)));
    assert_eq!(
        late.iter()
            .filter(|m| matches!(m, WatchMessage::Over { .. }))
            .count(),
        1
    );
    let lobby = lobby.rest();
    assert!(lobby.len() == 4 && lobby.iter().all(is_table), "{lobby:?}");
    let early = early.rest();
    assert_eq!(
        early
            .iter()
            .filter(|m| matches!(m, WatchMessage::Over { .. }))
            .count(),
        2
    );
}

#[tokio::test]
async fn all_watchers_are_told_how_the_league_stands() {
    let (watching, port) = port().await;
    let address = port.address;
    let league = |fixtures| record::watch::League {
        title: "Spring".to_owned(),
        game: "score-four".to_owned(),
        fixtures,
        scheduled: None,
        entrants: Vec::new(),
        cross: Vec::new(),
        next: Vec::new(),
        paused: None,
        played: Vec::new(),
        groups: Vec::new(),
    };
    let fixtures = |message: Option<WatchMessage>| match message {
        Some(WatchMessage::League(league)) => league.fixtures,
        other => panic!("{other:?}"),
    };
    let mut early = Client::connect(address, HELLO);
    assert_eq!(early.until_tables().len(), 2);
    watching.league(league(1));
    assert_eq!(fixtures(early.next()), 1);
    // One that wants a match alone is told too, and one that comes later before the tables.
    let mut late = Client::connect(address, &of_match(5));
    let told = late.until_tables();
    assert_eq!(told.len(), 3);
    assert_eq!(fixtures(told.into_iter().nth(1)), 1);
    watching.league(league(2));
    assert_eq!(fixtures(early.next()), 2);
    port.close().await;
    assert_eq!(fixtures(late.rest().into_iter().next()), 2);
}

const ORGANISER: &str =
    r#"{"type":"hello","versions":[1],"name":"","watch":true,"token":"sesame-77"}"#;

#[tokio::test]
async fn an_organiser_acts_and_nobody_else_does() {
    let done = Arc::new(Mutex::new(Vec::new()));
    let deeds = Arc::clone(&done);
    let organiser = Organiser::new("sesame-77".to_owned(), move |act| {
        deeds.lock().unwrap().push(act.clone());
        match &act.act[..] {
            "pause" => Ok(format!("paused: {}", act.reason)),
            _ => Err("it is not paused".to_owned()),
        }
    });
    assert_eq!(format!("{organiser:?}"), "Organiser { .. }");
    let (_watching, port) = port_of(Some(organiser)).await;
    let address = port.address;
    let mut watcher = Client::connect(address, HELLO);
    let acts = |message| matches!(message, Some(WatchMessage::Watching { acts: true, .. }));
    assert!(acts(watcher.next()));
    // A watcher does nothing, nor does one with another token.
    let pause = r#"{"type":"act","act":"pause","reason":"lunch"}"#;
    watcher.say(pause);
    assert!(matches!(watcher.next(), Some(WatchMessage::Tables { .. })));
    assert_eq!(error_of(watcher.next()), "unknown-type");
    for wrong in ["sesame-78", "sesame-7", ""] {
        let mut thief = Client::connect(address, &ORGANISER.replace("sesame-77", wrong));
        assert_eq!(error_of(thief.next()), "token");
        assert!(thief.next().is_none());
    }
    assert!(done.lock().unwrap().is_empty());
    let mut organiser = Client::connect(address, ORGANISER);
    assert!(acts(organiser.next()));
    organiser.say(pause);
    let acted = organiser.next();
    assert!(matches!(acted, Some(WatchMessage::Acted { text }) if text == "paused: lunch"));
    organiser.say(r#"{"type":"act","act":"resume"}"#);
    assert_eq!(error_of(organiser.next()), "act");
    organiser.say(r#"{"type":"act","reason":"which?"}"#);
    assert_eq!(error_of(organiser.next()), "malformed");
    organiser.say(r#"{"type":"resign"}"#);
    assert_eq!(error_of(organiser.next()), "unknown-type");
    let deeds: Vec<String> = done.lock().unwrap().iter().map(|a| a.act.clone()).collect();
    assert_eq!(deeds, ["pause", "resume"]);
    port.close().await;
    assert!(organiser.next().is_none());
}

#[tokio::test]
async fn the_organiser_is_let_in_among_wrong_tokens_and_watchers() {
    let organiser = Organiser::new("sesame-77".to_owned(), |_| Ok(String::new()));
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let (_watching, port) = port_with(Some(organiser), &limits).await;
    let mut watcher = Client::connect(port.address, HELLO);
    assert_eq!(watcher.until_tables().len(), 2);
    assert_eq!(
        error_of(Client::connect(port.address, HELLO).next()),
        "rate"
    );
    let most = crate::config::limits::MOST_WRONG_TOKENS;
    let thief = |number| ORGANISER.replace("77", &format!("{number}"));
    let thieves = (0..2 * most).map(|number| Client::connect(port.address, &thief(number)));
    let mut thieves: Vec<Client> = thieves.collect();
    let mut organiser = Client::connect(port.address, ORGANISER);
    let acts = organiser.next();
    assert!(matches!(
        acts,
        Some(WatchMessage::Watching { acts: true, .. })
    ));
    // Wrong tokens are answered a second later, and not all at once.
    let told = thieves.iter_mut().filter_map(Client::next_or_closed);
    let told: Vec<WatchMessage> = told.collect();
    assert!(told.len() >= most);
    for message in told {
        assert_eq!(error_of(Some(message)), "token");
    }
    port.close().await;
}

#[tokio::test]
async fn without_an_organiser_nobody_acts() {
    let (_watching, port) = port().await;
    let mut client = Client::connect(port.address, ORGANISER);
    assert_eq!(error_of(client.next()), "token");
    port.close().await;
}

#[tokio::test]
async fn what_is_no_hello_of_a_watcher_is_refused() {
    let (watching, port) = port().await;
    let address = port.address;
    let player = HELLO.replace(",\"watch\":true", "");
    assert_eq!(error_of(Client::connect(address, &player).next()), "hello");
    assert_eq!(
        error_of(Client::connect(address, "hello?").next()),
        "malformed"
    );
    let version = HELLO.replace("[1]", "[9]");
    assert_eq!(
        error_of(Client::connect(address, &version).next()),
        "version"
    );
    let (header, events, ..) = super::tables::open_match::<ScoreFour>(1, 1);
    let mut watcher = Client::connect(address, HELLO);
    watcher.until_tables();
    let mut public = watching.table(&header);
    for event in &events {
        public.event(event);
    }
    while !matches!(watcher.next(), Some(WatchMessage::Over { .. })) {}
    assert_eq!(
        error_of(Client::connect(address, &of_match(1)).next()),
        "no-game"
    );
    // A match that has not begun is waited for.
    let mut patient = Client::connect(address, &of_match(7));
    assert_eq!(patient.until_tables().len(), 2);
    patient.say(r#"{"type":"move","move":"b3"}"#);
    assert_eq!(error_of(patient.next()), "unknown-type");
    patient.say("{");
    assert_eq!(error_of(patient.next()), "malformed");
    patient.say(r#"{"type":"leave"}"#);
    assert_eq!(patient.next(), None);
    let mut flood = Client::connect(address, HELLO);
    flood.say(&"{}\n".repeat(300));
    let errors = flood.rest();
    assert_eq!(error_of(errors.into_iter().next_back()), "rate");
    port.close().await;
}

#[tokio::test]
async fn a_stuck_watcher_is_cut_off_and_others_see_everything() {
    let (watching, port) = port().await;
    let address = port.address;
    let stuck = TcpStream::connect(address).unwrap();
    SockRef::from(&stuck).set_recv_buffer_size(4096).unwrap();
    stuck.set_read_timeout(Some(PATIENCE)).unwrap();
    (&stuck).write_all(format!("{HELLO}\n").as_bytes()).unwrap();
    // Its first line is there, so it is in.
    let mut first = [0; 11];
    (&stuck).read_exact(&mut first).unwrap();
    let mut good = Client::connect(address, HELLO);
    good.until_tables();
    let good = thread::spawn(|| good.rest());
    let (header, events, ..) = super::tables::open_match::<Blokus>(2, 1);
    for _ in 0..MATCHES {
        let mut public = watching.table(&header);
        for event in &events {
            public.event(event);
        }
    }
    port.close().await;
    let told = good.join().unwrap();
    assert!(matches!(
        told[told.len() - 2],
        WatchMessage::Over {
            number: MATCHES,
            ..
        }
    ));
    // The rest of what the system holds, and then the end or a reset.
    let mut rest = Vec::new();
    let _ = (&stuck).read_to_end(&mut rest);
    let last = format!(r#""type":"over","match":{MATCHES}"#);
    assert!(!String::from_utf8_lossy(&rest).contains(&last));
}

fn delayed(delay: Duration) -> (Watching, DelayedEvents, CancellationToken) {
    let (watching, told) = Watching::of(16);
    let over = CancellationToken::new();
    (
        watching,
        DelayedEvents::new(told, delay, over.clone()),
        over,
    )
}

#[tokio::test(start_paused = true)]
async fn what_is_held_back_comes_when_its_time_is_there_or_all_is_over() {
    let delay = Duration::from_mins(10);
    let (watching, mut tables, over) = delayed(delay);
    let header = header(GameName::ScoreFour, "native", 2, 1);
    let began = Instant::now();
    let public = watching.table(&header);
    advance(Duration::from_mins(4)).await;
    public.presence(Player::new(0), false);
    let early = timeout(Duration::from_secs(359), tables.next()).await;
    assert!(early.is_err());
    assert!(tables.next().await.is_some());
    assert_eq!(began.elapsed(), delay);
    assert!(tables.next().await.is_some());
    assert_eq!(began.elapsed(), Duration::from_mins(14));
    public.presence(Player::new(0), true);
    over.cancel();
    assert!(tables.next().await.is_some());
    assert!(tables.next().await.is_none());
    assert_eq!(began.elapsed(), Duration::from_mins(14));
}
