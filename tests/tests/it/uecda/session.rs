//! The recorded session of `protocol/UECDA.md`, played byte for byte.

use std::fs;
use std::io::Read as _;
use std::net::TcpStream;

use end_to_end::patience::connect;
use end_to_end::run::Server;
use end_to_end::uecda::{COLUMNS, Table, Wire};

const PLAYERS: [&str; 5] = ["ana", "bo", "cho", "dan", "eve"];

/// The lines of the session, each with the table below it.
fn session() -> Vec<(String, Table)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/UECDA.md");
    let page = fs::read_to_string(path).expect("the page");
    let (_, session) = page.rsplit_once("```text\n").expect("a session");
    let (session, _) = session.split_once("```").expect("its end");
    let mut lines: Vec<(String, Table)> = Vec::new();
    for line in session.lines() {
        let Some(row) = line.strip_prefix("  ") else {
            lines.push((line.to_owned(), Table::EMPTY));
            continue;
        };
        if row == "(0 in every cell)" {
            continue;
        }
        let (number, cells) = row.split_once("] ").expect("a row");
        let number: usize = number[1..].parse().expect("its number");
        let cells: Vec<i32> = cells
            .split(' ')
            .map(|cell| cell.parse().expect(line))
            .collect();
        assert_eq!(cells.len(), COLUMNS, "{line}");
        let (_, table) = lines.last_mut().expect("a message");
        table.0[number].copy_from_slice(&cells);
    }
    lines
}

/// The five clients of the session, as many as have come.
struct Clients(Vec<Wire<TcpStream>>);

impl Clients {
    /// A table that goes to all: each player's.
    fn tables(&mut self) -> Vec<Table> {
        let tables = self.0.iter_mut().map(|wire| wire.table().expect("a table"));
        tables.collect()
    }

    /// An integer that goes to all and is the same for all.
    fn int(&mut self) -> i32 {
        let ints = self.0.iter_mut().map(|wire| wire.int().expect("an int"));
        let ints: Vec<i32> = ints.collect();
        assert!(ints.iter().all(|int| *int == ints[0]), "{ints:?}");
        ints[0]
    }

    /// All pass, until a game or the match is over; gives the integer that says so.
    fn pass(&mut self) -> i32 {
        loop {
            let hands = self.tables();
            let mover = hands.iter().position(|hand| hand.0[5][2] == 1);
            let mover = mover.expect("one is to move");
            self.0[mover].send(&Table::EMPTY).expect("a server");
            self.0[mover].int().expect("an answer");
            self.tables();
            match self.int() {
                0 => {}
                end => return end,
            }
        }
    }

    /// A line of the session with its table: what is sent is sent, what is received must be so.
    fn play(&mut self, line: &str, table: &Table, port: u16) {
        let of = |name: &str| {
            PLAYERS
                .iter()
                .position(|player| *player == name)
                .expect(line)
        };
        if let Some((name, message)) = line.split_once("> ") {
            if message == "profile" {
                assert_eq!(of(name), self.0.len(), "{line}");
                self.0.push(Wire::new(connect(port).expect("a server")));
            }
            self.0[of(name)].send(table).expect("a server");
        } else if let Some((name, message)) = line.split_once("< ") {
            let (message, number) = message.split_once(' ').unwrap_or((message, ""));
            match message {
                "number" | "ack" => {
                    let int = self.0[of(name)].int().expect("an int");
                    assert_eq!(int.to_string(), number, "{line}");
                }
                "end" => assert_eq!(self.int().to_string(), number, "{line}"),
                "deal" | "hand" | "field" => assert_eq!(self.tables()[of(name)], *table, "{line}"),
                _ => panic!("{line}"),
            }
        } else if let Some(end) = line.strip_prefix("all: pass until end ") {
            assert_eq!(self.pass().to_string(), end, "{line}");
        } else {
            assert_eq!(line, "ana: the server closes");
            let read = self.0[0].stream.read(&mut [0]);
            assert_eq!(read.expect("a clean close"), 0);
        }
    }
}

#[test]
fn the_session_of_the_page_is_the_servers() {
    let server = Server::serve("uecda --games 2 --dealer official --seed 12 --once");
    let mut clients = Clients(Vec::new());
    for (line, table) in session() {
        clients.play(&line, &table, server.port);
    }
    assert_eq!(clients.0.len(), PLAYERS.len(), "all have played");
    assert!(server.finish().status.success());
}
