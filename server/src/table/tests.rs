//! A table with clients in its own process.

use std::collections::VecDeque;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::ready;
use std::time::Duration;

use games::ScoreFour;
use games::daihinmin::Chance;
use games::score_four::Rules as ScoreFourRules;
use protocol::native::{ClientMessage, Fault, ServerMessage};
use protocol::uecda::{CardTable, Version};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::link::Writes;
use super::*;
use crate::config::Uecda;
use crate::lobby::uecda::UecdaConnection;
use crate::referee::native::{self, NativeReferee};
use crate::referee::uecda::{UecdaMatchSettings, UecdaMessage, UecdaReferee};
use crate::watch::{MoveDelay, Watching};
use record::{EndKind, What};

/// A client that answers each request with its next move, which is seen when the runtime has turned to its other
/// tasks; one that talks has something else to say at all other times.
struct Scripted {
    moves: VecDeque<String>,
    answer: Option<JoinHandle<()>>,
    talks: bool,
    /// It rests for this long after each thing that it says.
    rest: Option<Pin<Box<Sleep>>>,
    said: Arc<AtomicUsize>,
}

impl Scripted {
    fn new(moves: &[&str], talks: bool) -> Scripted {
        Scripted {
            moves: moves.iter().map(|&mv| mv.to_owned()).collect(),
            answer: None,
            talks,
            rest: None,
            said: Arc::default(),
        }
    }

    /// A client that says something every millisecond or two, and no move.
    fn chatting() -> Scripted {
        Scripted {
            rest: Some(Box::pin(sleep(REST))),
            ..Scripted::new(&[], true)
        }
    }
}

const REST: Duration = Duration::from_millis(1);

impl Connection for Scripted {
    type In = Result<ClientMessage, Fault>;
    type Out = ServerMessage;

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Self::In, ConnectionError>> {
        if let Some(answer) = &mut self.answer
            && Pin::new(answer).poll(cx).is_ready()
        {
            self.answer = None;
            if let Some(mv) = self.moves.pop_front() {
                let (game, ply) = (None, None);
                return Poll::Ready(Ok(Ok(ClientMessage::Move { game, ply, mv })));
            }
        }
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(cx));
            rest.as_mut().reset(Instant::now() + REST);
        }
        if self.talks {
            self.said.fetch_add(1, Ordering::Relaxed);
            Poll::Ready(Ok(Ok(ClientMessage::Legal)))
        } else {
            Poll::Pending
        }
    }

    fn push(&mut self, message: &ServerMessage) {
        if matches!(message, ServerMessage::Request { .. }) {
            self.answer = Some(tokio::spawn(async {}));
        }
    }

    fn send(&mut self) {}

    fn poll_flush(&mut self, _cx: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    async fn close(self, _second: bool) {}
}

/// A match of 3D four-in-a-row in which a move has hardly any time.
fn table(games: u32, clients: [Scripted; 2]) -> Table<NativeReferee<ScoreFour>, Scripted> {
    let settings = native::MatchSettings {
        games,
        swap: false,
        draw: false,
        rules: ScoreFourRules {},
        clocks: ByPlayer::of(
            2,
            record::Clocks {
                move_ms: Some(1),
                ..record::Clocks::default()
            },
        ),
        resume: Duration::ZERO,
        ready: Duration::ZERO,
        retries: 0,
        timeouts: 0,
        goes_on: false,
        draws: false,
        opening: 0,
        position: String::new(),
        seed: 1,
        given: Vec::new(),
    };
    let names = ["ana", "bo"].map(str::to_owned);
    Table {
        referee: NativeReferee::<ScoreFour>::new(settings, &names),
        connections: clients.into_iter().map(Some).collect(),
        returns: None,
        epoch: Instant::now(),
        names: names.to_vec(),
        closing: TaskTracker::new(),
        finish: CancellationToken::new(),
        stop: CancellationToken::new(),
        public: Publisher::default(),
        journal: Journal::default(),
    }
}

async fn play_late(clients: [Scripted; 2]) -> [EndKind; 2] {
    let table = table(1, clients);
    let referee = table
        .play(&mut |_: &NativeReferee<ScoreFour>, _: &Event| {})
        .await;
    let result = referee.results().first().expect("a result");
    [0, 1].map(|player| result.kinds[Player::new(player)])
}

/// The same, which watchers see at this pace, and what keeps it open to them.
fn paced(
    games: u32,
    clients: [Scripted; 2],
    pace: Option<MoveDelay>,
) -> (Table<NativeReferee<ScoreFour>, Scripted>, impl Sized) {
    let mut table = table(games, clients);
    let player = |name: &String| record::Player {
        name: name.clone(),
        client: None,
    };
    let players = table.names.iter().map(player).collect();
    let header = record::Header::new(games::GameName::ScoreFour, "m", "native", players, games);
    let (watching, events) = Watching::of(1000);
    table.public = watching.table(&header).at_pace(pace);
    (table, (watching, events))
}

/// Plays three games at this pace: their events, with the milliseconds at which each was told.
async fn play_paced(pace: Option<MoveDelay>) -> Vec<(Event, u64)> {
    let moves = [["a1", "a2", "a3", "a4"].as_slice(), &["b1", "b2", "b3"]];
    let [one, other] = moves.map(|moves| Scripted::new(&moves.repeat(3), false));
    let (table, _open) = paced(3, [one, other], pace);
    let epoch = table.epoch;
    let mut told = Vec::new();
    let mut audience = |_: &NativeReferee<ScoreFour>, event: &Event| {
        told.push((event.clone(), epoch.elapsed().as_millis() as u64));
    };
    table.play(&mut audience).await;
    told
}

#[tokio::test(start_paused = true)]
async fn games_at_a_pace_take_no_time_of_their_players() {
    let pace = MoveDelay {
        games: [1, 3].into(),
        every: Duration::from_secs(1),
    };
    let plain = play_paced(None).await;
    let paced = play_paced(Some(pace)).await;
    let events = |told: &[(Event, u64)]| -> Vec<Event> {
        told.iter().map(|(event, _)| event.clone()).collect()
    };
    assert_eq!(events(&plain), events(&paced));
    let ends = events(&plain)
        .into_iter()
        .filter_map(|event| match event.what {
            What::End { kinds, .. } => Some(kinds),
            _ => None,
        });
    assert_eq!(ends.collect::<Vec<_>>(), vec![vec![EndKind::Normal; 2]; 3]);
    let shown = paced.iter().filter_map(|(event, at)| match event.what {
        What::Begin { .. } | What::Move { .. } => Some(*at / 1000),
        _ => None,
    });
    // The last position of a game is seen for as long as any other.
    let first = 0..=7;
    let second = std::iter::repeat_n(8, 8);
    let third = 9..=16;
    let due: Vec<u64> = first.chain(second).chain(third).collect();
    assert_eq!(shown.collect::<Vec<_>>(), due);
    assert!(plain.iter().all(|(_, at)| *at < 1000));
}

#[tokio::test(start_paused = true)]
async fn a_match_at_a_pace_stops_at_once() {
    let silent = || Scripted::new(&["a1"], false);
    let pace = MoveDelay {
        games: [1].into(),
        every: Duration::from_secs(100),
    };
    let (table, _open) = paced(1, [silent(), silent()], Some(pace));
    let (stop, began) = (table.stop.clone(), Instant::now());
    tokio::spawn(async move {
        sleep(Duration::from_secs(5)).await;
        stop.cancel();
    });
    let referee = table
        .play(&mut |_: &NativeReferee<ScoreFour>, _: &Event| {})
        .await;
    assert_eq!(referee.reason(), Some(crate::referee::STOPPED));
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_move_that_lies_in_its_socket_counts_though_others_are_read_first() {
    let moves = [["a1", "a2", "a3", "a4"].as_slice(), &["b1", "b2", "b3"]];
    let talker = Scripted::new(moves[0], true);
    let kinds = play_late([talker, Scripted::new(moves[1], false)]).await;
    assert_eq!(kinds, [EndKind::Normal; 2]);
    let talker = Scripted::new(moves[1], true);
    let kinds = play_late([Scripted::new(moves[0], false), talker]).await;
    assert_eq!(kinds, [EndKind::Normal; 2]);
}

#[tokio::test]
async fn one_that_never_stops_sending_stops_no_clock() {
    let talker = || Scripted::new(&[], true);
    let silent = || Scripted::new(&[], false);
    for clients in [
        [talker(), silent()],
        [silent(), talker()],
        [talker(), talker()],
    ] {
        let kinds = play_late(clients).await;
        assert_eq!(kinds, [EndKind::Timeout, EndKind::Normal]);
    }
}

#[tokio::test]
async fn one_that_says_something_again_and_again_wins_no_time() {
    let chatting = Scripted::chatting();
    let said = Arc::clone(&chatting.said);
    let kinds = play_late([chatting, Scripted::new(&[], false)]).await;
    assert_eq!(kinds, [EndKind::Timeout, EndKind::Normal]);
    let said = said.load(Ordering::Relaxed);
    assert!(said < LATE_MESSAGES / 2, "{said} messages in a millisecond");
}

#[tokio::test]
async fn the_awaited_player_has_its_bytes_before_anything_is_written_down() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stream, _) = listener.accept().await.unwrap();
    let mut client = client.unwrap().into_std().unwrap();
    client.set_nonblocking(false).unwrap();
    let patience = Some(Duration::from_secs(10));
    client.set_read_timeout(patience).unwrap();
    let mut referee = UecdaReferee::new(
        UecdaMatchSettings::new(&Uecda::default(), Chance::Plain(1)),
        &CardTable::default(),
    );
    referee.start(&mut Outbox::at(Duration::ZERO));
    let awaited = referee.awaited().unwrap();
    let mut connections = ByPlayer::from_fn(5, |_| None);
    connections[awaited] = Some(UecdaConnection::new(
        stream,
        Writes::OneMessage,
        Version::V20070,
    ));
    let mut table = Table {
        referee,
        connections,
        returns: None,
        epoch: Instant::now(),
        names: Vec::new(),
        closing: TaskTracker::new(),
        finish: CancellationToken::new(),
        stop: CancellationToken::new(),
        public: Publisher::default(),
        journal: Journal::default(),
    };
    let mut out = Outbox::at(Duration::ZERO);
    out.send(awaited, UecdaMessage::Number(9));
    let what = What::Setup {
        player: 0,
        setup: String::new(),
        name: None,
    };
    out.event(what);
    // What has come to the awaited player when the first event is told.
    let mut read = Vec::new();
    table.deliver(&mut out, &mut |_: &UecdaReferee, _: &Event| {
        let mut space = [0; 64];
        let n = client.read(&mut space).unwrap_or_default();
        read.extend_from_slice(&space[..n]);
    });
    assert_eq!(read, [0, 0, 0, 9]);
}

#[test]
fn a_long_wait_is_said_once() {
    let mut awaited = Awaited::new();
    let began = awaited.since;
    let early = began + SAY_AWAITED - Duration::from_secs(1);
    assert!(!awaited.is_long(began) && !awaited.is_long(early));
    let late = began + SAY_AWAITED;
    assert_eq!(awaited.next_look(early), late);
    assert!(awaited.is_long(late) && !awaited.is_long(late));
    assert_eq!(awaited.next_look(late), late + SAY_AWAITED);
}

#[tokio::test]
async fn a_table_that_panics_comes_to_nothing() {
    assert_eq!(guarded(async { 1 }).await, Some(1));
    assert_eq!(guarded(async { panic!("on purpose") }).await, None::<()>);
}
