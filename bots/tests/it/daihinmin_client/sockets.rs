//! Clients on sockets, against a plain server.

use std::io::{BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use games::daihinmin::{Cards, Meld, Position, Session, is_legal};
use protocol::uecda::{
    CardTable, GiftChoice, Profile, Submission, Version, cards_table, cell, decode_table,
    int_message, meld_table, table_message,
};
use taikyoku_bots::daihinmin::client::{DaihinminOptions, MatchError, run};

use super::{Players, by_player, owed, run_match, shown};

pub(super) struct Sockets {
    streams: Vec<TcpStream>,
    /// Whether the cells of the seats say who sits there.
    sends_seats: bool,
}

impl Sockets {
    pub(super) fn accept(listener: &TcpListener) -> Sockets {
        let mut sockets = Sockets {
            streams: Vec::new(),
            sends_seats: true,
        };
        for number in 0..5 {
            let (stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            sockets.streams.push(stream);
            let profile = Profile::parse(&sockets.read(number));
            assert!(!profile.name.is_empty());
            sockets.int(number, number as i32);
        }
        sockets
    }

    fn seat(&self, player: u8) -> i32 {
        if self.sends_seats {
            i32::from(player)
        } else {
            0
        }
    }

    fn read(&mut self, player: usize) -> CardTable {
        let mut bytes = [0; 480];
        self.streams[player].read_exact(&mut bytes).unwrap();
        decode_table(Version::V20070, &bytes).unwrap()
    }

    fn table(&mut self, player: usize, table: &CardTable) {
        let message = table_message(Version::V20070, table);
        self.streams[player].write_all(&message).unwrap();
    }

    fn int(&mut self, player: usize, value: i32) {
        let message = int_message(Version::V20070, value);
        self.streams[player].write_all(&message).unwrap();
    }

    fn public(&self, mut table: CardTable, position: &Position, player_at: [u8; 5]) -> CardTable {
        let counts = by_player(position.counts(), player_at);
        table[cell::TURN] = i32::from(player_at[usize::from(position.table.turn)]);
        table[cell::REVOLUTION] = i32::from(position.table.revolution);
        table[cell::LOCK] = i32::from(position.table.lock);
        for i in 0..self.streams.len() {
            table[cell::count(i)] = i32::from(counts[i]);
            table[cell::rank(i)] = 4; // Unreliable in the middle of a game.
            table[cell::seat(i)] = self.seat(player_at[i]);
        }
        table
    }
}

impl Players for Sockets {
    fn deal(&mut self, deal: &games::daihinmin::Deal, _: &Session) {
        for player in 0..5 {
            let mut table = cards_table(shown(deal, player));
            table[cell::DEAL] = 1;
            table[cell::GIVE] = owed(deal, player) as i32;
            table[cell::TURN] = cell::TURN_IN_DEAL;
            let counts = by_player(deal.dealt.map(|h| h.len() as u8), deal.player_at);
            for i in 0..5 {
                table[cell::count(i)] = i32::from(counts[i]);
                table[cell::rank(i)] = i32::from(deal.ranks[i]);
                table[cell::seat(i)] = self.seat(deal.player_at[i]);
            }
            self.table(player, &table);
        }
    }

    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards {
        let table = self.read(usize::from(deal.player_at[usize::from(seat)]));
        GiftChoice::parse(&table).cards(owed).unwrap()
    }

    fn hand(&mut self, position: &Position, player_at: [u8; 5]) {
        for player in 0..5 {
            let seat = player_at
                .iter()
                .position(|&p| usize::from(p) == player)
                .unwrap();
            let table = cards_table(position.hands[seat]);
            let mut table = self.public(table, position, player_at);
            table[cell::MY_TURN] = i32::from(position.table.turn == seat as u8);
            table[cell::EMPTY_FIELD] = i32::from(position.table.field.is_pass());
            self.table(player, &table);
        }
    }

    fn play(&mut self, position: &Position, player: u8) -> Meld {
        let player = usize::from(player);
        let meld = match Submission::parse(&self.read(player)) {
            Submission::Pass => Meld::PASS,
            Submission::Meld(meld) => meld,
            Submission::Malformed(reason) => panic!("{reason}"),
        };
        is_legal(&position.table, position.hand(), meld).unwrap();
        let refused = meld.is_pass() && !position.table.field.is_pass();
        self.int(player, if refused { 8 } else { 9 });
        meld
    }

    fn field(&mut self, _: u8, _: Meld, position: &Position, player_at: [u8; 5]) {
        let table = meld_table(position.table.field);
        let table = self.public(table, position, player_at);
        for player in 0..5 {
            self.table(player, &table);
        }
    }

    fn end(&mut self, code: i32, _: &Position, _: [u8; 5]) {
        for player in 0..5 {
            self.int(player, code);
        }
    }
}

#[derive(Parser)]
#[command(disable_help_flag = true)]
struct Arguments {
    #[command(flatten)]
    options: DaihinminOptions,
}

/// The lines of a person that is not there.
pub(super) fn nobody() -> Box<dyn BufRead + Send> {
    Box::new(std::io::empty())
}

pub(super) fn options(arguments: &str) -> DaihinminOptions {
    let words = std::iter::once("test").chain(arguments.split_whitespace());
    Arguments::try_parse_from(words).unwrap().options
}

/// Plays a match of these engines; gives the server's points and the summaries by player.
fn match_over_tcp(
    games: u32,
    arguments: [&str; 5],
) -> (
    [u32; 5],
    Vec<client::Summary<client::uecda::DaihinminCounts>>,
    Vec<u8>,
) {
    match_at(games, arguments, true)
}

/// The same at a server that may send no seats.
fn match_at(
    games: u32,
    arguments: [&str; 5],
    sends_seats: bool,
) -> (
    [u32; 5],
    Vec<client::Summary<client::uecda::DaihinminCounts>>,
    Vec<u8>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let clients: Vec<_> = arguments
        .iter()
        .map(|arguments| {
            let options = options(&format!("-h 127.0.0.1 -p {port} {arguments}"));
            thread::spawn(move || {
                let mut out = Vec::new();
                (run(&options, nobody(), &mut out).unwrap().remove(0), out)
            })
        })
        .collect();
    let mut sockets = Sockets::accept(&listener);
    sockets.sends_seats = sends_seats;
    let points = run_match(games, 5, &mut sockets);
    let mut summaries = Vec::new();
    let mut first_log = Vec::new();
    for (i, client) in clients.into_iter().enumerate() {
        let (summary, log) = client.join().unwrap();
        if i == 0 {
            first_log = log;
        }
        summaries.push(summary);
    }
    summaries.sort_by_key(|summary| summary.counts.player);
    (points, summaries, first_log)
}

#[test]
fn five_clients_play_a_match_without_a_fault() {
    let random = "--engine random --seed 3";
    let (points, summaries, log) = match_over_tcp(
        40,
        [
            "--engine default --json",
            random,
            random,
            "--engine crow --playouts 20 --seed 1",
            random,
        ],
    );
    assert_eq!(points.iter().sum::<u32>(), 15 * 40);
    for (player, summary) in summaries.iter().enumerate() {
        assert_eq!(summary.counts.points(), points[player]);
        assert_eq!((summary.counts.games, summary.disagreements), (40, 0));
        assert_eq!((summary.thinking.corrected, summary.refused), (0, 0));
    }
    let lines: Vec<serde_json::Value> = String::from_utf8(log)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(lines.len() > 40 * 5);
    assert!(lines[0]["move"].is_string() && lines[0]["hand"].is_string());
    assert_eq!(lines.last().unwrap()["summary"]["games"], 40);
}

#[test]
fn a_server_that_sends_no_seats_is_played_at() {
    let random = "--engine random --seed 3";
    let crow = "--engine crow --playouts 20 --seed 1";
    let engines = ["--engine default", crow, random, random, random];
    let (points, summaries, _) = match_at(10, engines, false);
    for (player, summary) in summaries.iter().enumerate() {
        assert_eq!(summary.counts.points(), points[player]);
        assert_eq!((summary.counts.games, summary.refused), (10, 0));
    }
}

#[test]
fn a_spent_budget_is_played_out_by_the_default_engine() {
    let slow = "--engine crow --playouts 100000000 --game-ms 36 --seed 1";
    let random = "--engine random --seed 3";
    let (_, summaries, _) = match_over_tcp(2, [slow, random, random, random, random]);
    let longest = summaries
        .iter()
        .map(|s| s.thinking.longest.as_millis())
        .max()
        .unwrap();
    assert!(longest < 500, "{longest} ms for a share of 2 ms");
}

#[test]
fn faults_of_the_connection_are_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let mut profile = [0; 480];
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut profile).unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut profile).unwrap();
        stream.write_all(&[0, 0, 0, 9]).unwrap();
    });
    let options = options(&format!("-h 127.0.0.1 -p {port} --engine random --wait 0"));
    let closed = run(&options, nobody(), &mut Vec::new()).unwrap_err();
    assert!(matches!(closed, MatchError::Closed { game: 0 }), "{closed}");
    let broken = run(&options, nobody(), &mut Vec::new()).unwrap_err();
    assert!(matches!(broken, MatchError::Protocol { .. }), "{broken}");
    assert_eq!(broken.exit_code(), 3);
    let said = broken.to_string();
    let due = "the server does not speak this protocol: player number 9";
    assert!(said.starts_with(due), "{said}");
    server.join().unwrap();
    let nobody = run(&options, nobody(), &mut Vec::new()).unwrap_err();
    assert!(matches!(nobody, MatchError::Connect { .. }), "{nobody}");
}

/// A machine that does not answer: the queue of its port is full.
#[cfg(target_os = "linux")]
#[test]
fn a_server_that_does_not_answer_is_given_up() {
    use socket2::{Domain, Socket, Type};

    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    socket.bind(&any.into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let waiting =
        [(); 4].map(|()| TcpStream::connect_timeout(&address, Duration::from_millis(100)).ok());
    assert!(waiting.iter().any(Option::is_none));
    let began = Instant::now();
    let options = options(&format!("-h 127.0.0.1 -p {} --wait 1", address.port()));
    let error = run(&options, nobody(), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, MatchError::Connect { .. }), "{error}");
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
}
