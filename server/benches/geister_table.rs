//! Plies per second of Geister: the referee alone, one table through TCP on loopback with a trivial
//! client at each side, and 200 tables at once, none of which may run out of time by mistake.
//!
//! `cargo bench -p taikyoku-server --bench geister_table`

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use games::geister::{MoveList, Rules};
use games::{ByPlayer, Player, Seating};
use protocol::gat::Names;
use record::Clocks;
use taikyoku_server::config::Gat;
use taikyoku_server::lobby::{GatReport, GatSeats, Lobby};
use taikyoku_server::referee::gat::{Entrant, GameSettings, GatReferee};
use taikyoku_server::referee::{Outbox, Referee as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A small generator: the benches need no better one.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % n
    }
}

/// A random legal move from the 48 characters of a board; escapes are taken.
fn random_move(board: &[u8], random: &mut Random) -> [u8; 9] {
    let mut line = *b"MOV:A,N\r\n";
    let own = &board[..24];
    let taken = |x: u8, y: u8| own.chunks_exact(3).any(|g| g[0] == x && g[1] == y);
    let mut seen = 0;
    for (ghost, place) in own.chunks_exact(3).enumerate() {
        let (x, y) = (place[0], place[1]);
        if x > b'5' {
            continue;
        }
        let letter = b'A' + ghost as u8;
        if place[2] == b'B' && y == b'0' && (x == b'0' || x == b'5') {
            (line[4], line[6]) = (letter, b'N');
            return line;
        }
        let steps = [
            (x + 1, y, b'E'),
            (x, y + 1, b'S'),
            (x - 1, y, b'W'),
            (x, y - 1, b'N'),
        ];
        for (x, y, direction) in steps {
            let inside = (b'0'..=b'5').contains(&x) && (b'0'..=b'5').contains(&y);
            if inside && !taken(x, y) {
                seen += 1;
                if random.below(seen) == 0 {
                    (line[4], line[6]) = (letter, direction);
                }
            }
        }
    }
    line
}

/// A trivial client: plays games until the server has no more; gives how many it has ended.
fn client(address: SocketAddr, seed: u64) -> u32 {
    let mut random = Random(seed);
    let mut games = 0;
    while let Ok(stream) = TcpStream::connect(address) {
        if !play(stream, &mut random) {
            break;
        }
        games += 1;
    }
    games
}

/// Plays one game; gives whether there was one.
fn play(mut stream: TcpStream, random: &mut Random) -> bool {
    stream.set_nodelay(true).expect("an option");
    let (mut bytes, mut len) = ([0; 1024], 0);
    loop {
        match stream.read(&mut bytes[len..]) {
            Ok(n) if n > 0 => len += n,
            _ => return false,
        }
        let mut start = 0;
        while let Some(end) = bytes[start..len].windows(2).position(|w| w == b"\r\n") {
            let line = &bytes[start..start + end];
            start += end + 2;
            let sent = match line.get(..4).unwrap_or_default() {
                b"SET?" => stream.write_all(b"SET:ABCD\r\n"),
                b"MOV?" => stream.write_all(&random_move(&line[4..], random)),
                b"WON:" | b"LST:" | b"DRW:" => return true,
                _ => Ok(()),
            };
            if sent.is_err() {
                return false;
            }
        }
        bytes.copy_within(start..len, 0);
        len -= start;
    }
}

/// A match over TCP with `tables` pairs of clients.
fn over_tcp(settings: Gat) -> GatReport {
    let tables = settings.tables;
    let mut builder = match tables {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder.enable_all().build().expect("a runtime");
    let settings = Gat {
        bind: "127.0.0.1".to_owned(),
        ports: [0, 0],
        // Its players take line by line.
        wait_ms: [0, 0],
        ..settings
    };
    let (sender, mut reports) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let lobby = runtime
        .block_on(Lobby::bind(GatSeats::new(settings), Some(1), stop, sender))
        .expect("two ports");
    let addresses = lobby.addresses().expect("addresses");
    let clients: Vec<_> = (0..2 * tables)
        .map(|i| {
            let address = addresses[i % 2];
            thread::spawn(move || client(address, i as u64))
        })
        .collect();
    runtime.block_on(lobby.run());
    drop(runtime);
    for client in clients {
        client.join().expect("a client");
    }
    let report = reports.blocking_recv().expect("a result");
    assert!(
        report.counts.faults.iter().all(BTreeMap::is_empty),
        "{report:?}"
    );
    report
}

/// Games without sockets; gives the time for so many plies.
fn alone(plies: u64) -> Duration {
    let settings = GameSettings {
        game: 1,
        began: Duration::ZERO,
        seating: Seating::identity(2),
        rules: Rules::default(),
        clocks: ByPlayer::of(
            2,
            Clocks {
                game_ms: Some(1000),
                ..Clocks::default()
            },
        ),
        set_up: None,
        wait: [Duration::ZERO; 2],
        ng_terminates: true,
        closes_second: false,
    };
    let (mut out, mut moves, mut random) = (Outbox::at(Duration::ZERO), MoveList::new(), Random(1));
    let mut played = 0;
    let began = Instant::now();
    while played < plies {
        let entrants = [(); 2].map(|()| Entrant::new(Names::Refused));
        let mut referee = GatReferee::new(settings.clone(), entrants);
        referee.start(&mut out);
        referee.receive(
            Player::new(0),
            Bytes::from_static(b"SET:ABCD\r\n"),
            &mut out,
        );
        referee.receive(
            Player::new(1),
            Bytes::from_static(b"SET:ABCD\r\n"),
            &mut out,
        );
        while let Some((seat, position)) = referee.position().and_then(|p| Some((p.to_move()?, p)))
        {
            position.legal_moves(&mut moves);
            let mv = moves[random.below(moves.len())];
            let line = [
                b'M',
                b'O',
                b'V',
                b':',
                mv.ghost.letter() as u8,
                b',',
                mv.direction.letter() as u8,
                b'\r',
                b'\n',
            ];
            referee.receive(Player::new(seat), Bytes::copy_from_slice(&line), &mut out);
            black_box(&mut out).messages.clear();
            out.events.clear();
            played += 1;
        }
    }
    began.elapsed()
}

fn tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("geister table");
    group.throughput(Throughput::Elements(1));
    group.bench_function("referee alone, per ply", |b| b.iter_custom(alone));
    group.sample_size(10);
    group.measurement_time(Duration::from_secs(10));
    group.bench_function("one table through TCP, per ply", |b| {
        b.iter_custom(|plies| {
            let games = (plies / 130).max(1) as u32;
            let report = over_tcp(Gat {
                games,
                ..Gat::default()
            });
            report
                .time
                .mul_f64(plies as f64 / report.counts.plies as f64)
        });
    });
    group.finish();
    // Half a second for each move, and all tables busy all the time.
    let report = over_tcp(Gat {
        games: 2000,
        tables: 200,
        budget_ms: 0,
        move_ms: 500,
        ..Gat::default()
    });
    let seconds = report.time.as_secs_f64();
    println!(
        "200 tables at once: {} games, {} plies in {seconds:.1} s, {:.0} plies/s, no fault",
        report.counts.games,
        report.counts.plies,
        report.counts.plies as f64 / seconds
    );
}

criterion_group!(benches, tables);
criterion_main!(benches);
