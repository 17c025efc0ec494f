//! Games per second: the referee alone, and a whole server through TCP on loopback with five
//! trivial clients. Beside it, how many of the pieces that a client reads are longer than a TCP
//! segment of an Ethernet, which would cut a message.
//!
//! `cargo bench -p taikyoku-server --bench table`

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::ByPlayer;
use games::daihinmin::{Cards, Chance, DealerKind, Meld, Rules, SessionRules, Table as GameTable};
use games::daihinmin::{legal_moves, strongest};
use protocol::uecda::{
    CardTable, ClientEnd, End, Event, Field, Submission, Version, cards_table, meld_table,
};
use record::Clocks;
use taikyoku_server::config::{Compat, Uecda};
use taikyoku_server::lobby::{Lobby, UecdaSeats};
use taikyoku_server::referee::uecda::{SessionSettings, UecdaMatchSettings, UecdaReferee};
use taikyoku_server::referee::{Outbox, Referee as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const SEED: u64 = 1;

/// The lowest legal meld of the fewest cards, else the pass.
fn lowest(table: &GameTable, hand: Cards, moves: &mut Vec<Meld>) -> Meld {
    legal_moves(table, hand, moves);
    let melds = moves.iter().copied().filter(|m| !m.is_pass());
    melds
        .min_by_key(|m| (m.low(), m.len()))
        .unwrap_or(Meld::PASS)
}

fn public(field: Meld, lock: bool, revolution: bool) -> GameTable {
    let mut table = GameTable::new(0, Rules::default());
    table.field = field;
    table.lock = lock;
    table.revolution = revolution;
    table
}

/// The most bytes that a TCP segment of an Ethernet holds.
const SEGMENT: usize = 1448;

/// What a client has seen of a match.
#[derive(Default)]
struct Seen {
    games: u32,
    pieces: u32,
    long: u32,
}

/// A trivial client that thinks for so long: plays to the end of the match.
fn client(address: SocketAddr, think: Duration) -> Seen {
    let mut stream = TcpStream::connect(address).expect("a server");
    stream.set_nodelay(true).expect("an option");
    let mut end = ClientEnd::new(Version::V20070, "trivial");
    let hello = end.hello().expect("a profile");
    stream.write_all(&hello).expect("a connection");
    let (mut seen, mut field, mut moves) = (Seen::default(), Meld::PASS, Vec::new());
    let mut bytes = vec![0; 1 << 16];
    loop {
        let n = stream.read(&mut bytes).expect("a connection");
        if n == 0 {
            return seen;
        }
        seen.pieces += 1;
        seen.long += u32::from(n > SEGMENT);
        end.receive(&bytes[..n]).expect("messages");
        while let Some(event) = end.next_event().expect("messages") {
            let answer = match event {
                Event::Deal(deal) if deal.give > 0 => end.give(strongest(deal.hand, deal.give)),
                Event::Hand(hand) if hand.my_turn => {
                    let on_field = if hand.status.empty_field {
                        Meld::PASS
                    } else {
                        field
                    };
                    let table = public(on_field, hand.status.lock, hand.status.revolution);
                    end.submit(lowest(&table, hand.hand, &mut moves))
                }
                Event::Field(Field {
                    cards: Submission::Meld(meld),
                    ..
                }) => {
                    field = meld;
                    continue;
                }
                Event::End(End::Game | End::Match) => {
                    seen.games += 1;
                    continue;
                }
                _ => continue,
            };
            let answer = answer.expect("a message that is due");
            if !think.is_zero() {
                thread::sleep(think);
            }
            stream.write_all(&answer).expect("a connection");
        }
    }
}

/// Plays a match over TCP; gives the time from the first deal to the result, and what the clients
/// have seen.
fn over_tcp(games: u32, think: Duration) -> (Duration, Vec<Seen>) {
    // `taikyoku serve uecda --once` has one thread too.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let settings = Uecda {
        bind: "127.0.0.1".to_owned(),
        port: 0,
        games,
        dealer: DealerKind::Modern,
        ..Uecda::default()
    };
    let (sender, mut reports) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let lobby = runtime
        .block_on(Lobby::bind(
            UecdaSeats::new(settings, Some(SEED)),
            Some(1),
            stop,
            sender,
        ))
        .expect("a port");
    let address = lobby.addresses().expect("an address")[0];
    let served = runtime.spawn(lobby.run());
    let clients: Vec<_> = (0..5)
        .map(|_| thread::spawn(move || client(address, think)))
        .collect();
    let clients = clients.into_iter();
    let seen: Vec<Seen> = clients.map(|one| one.join().expect("a client")).collect();
    assert!(seen.iter().all(|seen| seen.games == games));
    let report = reports.blocking_recv().expect("a result");
    runtime.block_on(served).expect("a server");
    assert_eq!(report.result.games, games);
    (report.time, seen)
}

/// Prints how many pieces are longer than a segment, of those that clients read which think for a
/// while: a client that waits reads what it is sent when it comes.
fn print_pieces() {
    let (_, seen) = over_tcp(20, Duration::from_micros(300));
    let pieces: u32 = seen.iter().map(|seen| seen.pieces).sum();
    let long: u32 = seen.iter().map(|seen| seen.long).sum();
    let share = 100.0 * f64::from(long) / f64::from(pieces);
    println!("{long} of {pieces} pieces ({share:.2} %) are longer than {SEGMENT} bytes");
}

/// Plays a match without sockets.
fn alone(games: u32) -> Duration {
    let settings = UecdaMatchSettings {
        sessions: vec![SessionSettings::new(
            games,
            Chance::Seed(DealerKind::Modern, SEED),
        )],
        rules: SessionRules::default(),
        compat: Compat::Safe,
        clocks: ByPlayer::of(5, Clocks::default()),
        timeouts: 0,
    };
    let mut referee = UecdaReferee::new(settings, &CardTable::default());
    let mut out = Outbox::at(Duration::ZERO);
    let mut moves = Vec::new();
    let began = Instant::now();
    referee.start(&mut out);
    while let Some(player) = referee.awaited() {
        let table = answer(&referee, &mut moves);
        referee.receive(player, Ok(table), &mut out);
        out.messages.clear();
        out.events.clear();
    }
    began.elapsed()
}

/// The awaited player's answer, from the referee's own position.
fn answer(referee: &UecdaReferee, moves: &mut Vec<Meld>) -> CardTable {
    if let Some((hand, owed)) = referee.gift_due() {
        return cards_table(strongest(hand, owed));
    }
    let position = referee.position();
    meld_table(lowest(&position.table, position.hand(), moves))
}

fn tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("table");
    group.throughput(Throughput::Elements(1));
    group.bench_function("referee alone, per game", |b| {
        b.iter_custom(|games| alone(games as u32));
    });
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(20));
    group.bench_function("through TCP, per game", |b| {
        b.iter_custom(|games| over_tcp(games as u32, Duration::ZERO).0);
    });
    group.finish();
    print_pieces();
}

criterion_group!(benches, tables);
criterion_main!(benches);
