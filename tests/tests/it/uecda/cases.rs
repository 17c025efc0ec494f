//! Matches recorded at the official server, played again: every byte must be the same.
//!
//! Two of them are in `tests/cases`: what five scripted clients sent, and the number and the SHA-256 of
//! the bytes that the official server (revision 33) sent to each. Those of the folder that the environment
//! variable `TAIKYOKU_CASES` names are played as well; it must have one at least.

use std::fs::{self, File};
use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use end_to_end::patience::connect;
use end_to_end::run::Server;
use end_to_end::uecda::{COLUMNS, Table, Wire};
use flate2::read::GzDecoder;
use serde_json::Value;

/// The cases of the repository, and others where there are any.
fn cases() -> Vec<Value> {
    let mut cases = cases_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"));
    if let Some(others) = std::env::var_os("TAIKYOKU_CASES") {
        cases.extend(cases_in(Path::new(&others)));
    }
    cases
}

/// The cases of a folder, at least one.
fn cases_in(folder: &Path) -> Vec<Value> {
    let files = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.to_string_lossy().ends_with(".json.gz"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "no case in {}", folder.display());
    let read = |path: &PathBuf| {
        let mut text = String::new();
        GzDecoder::new(File::open(path).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        serde_json::from_str(&text).unwrap()
    };
    paths.iter().map(read).collect()
}

/// The tables that the clients sent, in order, each with its player.
struct Messages<'a>(std::slice::Iter<'a, Value>);

impl Messages<'_> {
    fn next(&mut self, player: usize) -> Table {
        let message = self.0.next().expect("the case has another message");
        assert_eq!(message[0], player, "another player's turn than in the case");
        let mut table = Table::EMPTY;
        for cell in message[1].as_array().unwrap() {
            let index = cell[0].as_u64().unwrap() as usize;
            table.0[index / COLUMNS][index % COLUMNS] = cell[1].as_i64().unwrap() as i32;
        }
        table
    }
}

fn assert_played_alike(case: &Value, compat: &str) {
    let line = format!(
        "uecda --once --dealer official --compat {compat} --seed {} --games {} --rank-reset {} --seat-change {}",
        case["seed"], case["games"], case["flash_mibun"], case["sekigae_num"],
    );
    let server = Server::serve(&line);
    let mut messages = Messages(case["client_messages"].as_array().unwrap().iter());
    let mut wires: Vec<Wire<TcpStream>> = Vec::new();
    for player in 0..5 {
        let mut wire = Wire::new(connect(server.port).unwrap());
        wire.send(&messages.next(player)).unwrap();
        assert_eq!(wire.int().unwrap(), player as i32);
        wires.push(wire);
    }
    play_games(&mut wires, &mut messages);
    assert_eq!(messages.0.len(), 0, "all messages are used");
    for (player, wire) in wires.iter().enumerate() {
        assert_eq!(case["total_bytes_to_player"][player], wire.received);
        assert_eq!(case["sha256_to_player"][player], wire.digest());
    }
    let finished = server.finish();
    assert!(finished.status.success());
    let end = finished.records[0].events.last().unwrap();
    let end = serde_json::to_value(end).unwrap();
    for player in 0..5 {
        assert_eq!(
            end["points"][player].as_f64(),
            case["points"][player].as_f64()
        );
    }
}

fn play_games(wires: &mut [Wire<TcpStream>], messages: &mut Messages<'_>) {
    loop {
        let deals: Vec<Table> = wires.iter_mut().map(|w| w.table().unwrap()).collect();
        for owed in [2, 1] {
            for player in 0..5 {
                if deals[player].0[5][1] == owed {
                    wires[player].send(&messages.next(player)).unwrap();
                }
            }
        }
        loop {
            let hands: Vec<Table> = wires.iter_mut().map(|w| w.table().unwrap()).collect();
            let mover = hands.iter().position(|hand| hand.0[5][2] == 1).unwrap();
            wires[mover].send(&messages.next(mover)).unwrap();
            wires[mover].int().unwrap();
            for wire in &mut *wires {
                wire.table().unwrap();
            }
            let ends: Vec<i32> = wires.iter_mut().map(|w| w.int().unwrap()).collect();
            match ends[0] {
                0 => {}
                1 => break,
                _ => return,
            }
        }
    }
}

#[test]
fn every_byte_is_the_official_servers() {
    for case in cases() {
        assert_played_alike(&case, "official");
    }
}

/// Clients of the cases named "wild" send malformed tables; those of the others are honest.
#[test]
fn honest_clients_get_the_same_bytes_with_the_holes_closed() {
    let mut cases = cases();
    cases.retain(|case| !case["name"].as_str().unwrap().contains("wild"));
    assert!(!cases.is_empty(), "no honest case");
    for case in cases {
        assert_played_alike(&case, "safe");
    }
}
