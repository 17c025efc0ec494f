//! `taikyoku ladder`: entrants of each protocol come, play, are killed, and find their ratings again.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use end_to_end::entrant::Entrant;
use end_to_end::native::Client;
use end_to_end::patience::{connect_now, wait_for};
use end_to_end::programs::{self, Ended, ended};
use end_to_end::run::signal;
use end_to_end::uecda;
use serde_json::Value;
use tempfile::TempDir;

/// A ladder in a folder of its own.
struct Ladder {
    folder: TempDir,
}

/// A ladder that runs, and is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Ladder {
    fn new(text: &str) -> Ladder {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("club.toml"), text).expect("a file");
        Ladder { folder }
    }

    fn asked(&self, words: &[&str]) -> Ended {
        let mut command = programs::command(programs::taikyoku());
        ended(
            command
                .arg("ladder")
                .args(words)
                .current_dir(self.folder.path()),
        )
    }

    /// Registers an entrant; gives its token.
    fn add(&self, name: &str) -> &'static str {
        let token = self.asked(&["add", "club.toml", name]).good();
        Box::leak(token.trim().to_owned().into_boxed_str())
    }

    fn start(&self) -> Running {
        self.start_with(&[])
    }

    /// Starts it with more words on its command line.
    fn start_with(&self, words: &[&str]) -> Running {
        let mut command = programs::command(programs::taikyoku());
        let started = command
            .args(["ladder", "club.toml"])
            .args(words)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Running(started.expect("the ladder starts"))
    }

    fn status(&self) -> PathBuf {
        self.folder.path().join("club.ladder/status.json")
    }

    /// The state of a ladder that has just begun, once it is written.
    fn begun(&self) -> Value {
        wait_for("a state", || {
            serde_json::from_slice(&fs::read(self.status()).ok()?).ok()
        })
    }

    /// Waits until these have so many games.
    fn wait_for_games(&self, names: &[&str], games: u64) {
        wait_for("games", || {
            let text = self
                .asked(&["status", "club.toml", "--rate", "--json"])
                .good();
            let status: Value = serde_json::from_str(&text).ok()?;
            let rows = status["rows"].as_array()?;
            let of = |name: &&str| {
                let row = rows.iter().find(|row| row["name"] == **name)?;
                row["games"].as_u64()
            };
            names
                .iter()
                .all(|name| of(name) >= Some(games))
                .then_some(())
        });
    }

    /// The folders of its days.
    fn days(&self) -> Vec<PathBuf> {
        let days = fs::read_dir(self.folder.path().join("club.ladder")).expect("days");
        let days = days.map(|day| day.expect("a day").path());
        days.filter(|day| day.join("journal.jsonl").is_file())
            .collect()
    }

    fn kill(&self, running: Running) {
        drop(running);
        fs::remove_file(self.status()).expect("a state");
    }

    fn port(status: &Value, name: &str) -> u16 {
        let address = status["connects_to"][name].as_str().expect("an address");
        let address: std::net::SocketAddr = address.parse().expect("an address");
        address.port()
    }
}

const RULES: &str = "at-once = 4\n[contest]\nhost = \"127.0.0.1\"\nport = 0\n[ladder]\nhouse-after-s = 1\n\
                     quit-wait-s = 0\nrate-every-s = 1\n[[entrants]]\nengine = \"random\"\n";

#[test]
fn bots_play_each_other_and_the_house_before_and_after_a_kill() {
    let ladder = Ladder::new(&format!("game = \"score-four\"\n{RULES}"));
    let tokens = ["ana", "bo"].map(|name| ladder.add(name));
    let running = ladder.start();
    let port = Ladder::port(&ladder.begun(), "ana");
    let mut impostor = Client::of(connect_now(port).expect("a port"));
    let hello =
        "{\"type\":\"hello\",\"versions\":[1],\"name\":\"ana\",\"token\":\"guessed-token\"}\n";
    impostor.write(hello.as_bytes()).expect("a connection");
    let told = format!("{:?}", impostor.line());
    assert!(
        told.contains("no entrant of this ladder has this token"),
        "{told}"
    );
    let ana = Entrant::bot(port, tokens[0]);
    let visitor = Entrant::random(port, 7);
    ladder.wait_for_games(&["ana", "random"], 2);
    let bo = Entrant::bot(port, tokens[1]);
    ladder.wait_for_games(&["bo"], 2);
    ladder.kill(running);
    // One is registered while the ladder runs.
    let mut running = ladder.start();
    let port = Ladder::port(&ladder.begun(), "bo");
    for one in [&ana, &bo, &visitor] {
        one.moves_to(port);
    }
    let _late = Entrant::bot(port, ladder.add("ana@v2"));
    ladder.wait_for_games(&["ana", "bo", "ana@v2"], 6);
    signal(&running.0, "INT");
    assert!(running.0.wait().expect("a ladder").success());
    let said = ladder.asked(&["verify", "club.toml"]).good();
    assert!(said.ends_with("no game counts twice\n"), "{said}");
    let table = ladder.asked(&["status", "club.toml"]).good();
    let (_, rows) = table.split_once("\n\n").expect("a table");
    let has_guest = rows.contains("guest");
    assert!(rows.contains("ana@v2") && !has_guest, "{table}");
    // Each day is a league.
    let days = ladder.days();
    assert!(!days.is_empty());
    for day in days {
        let mut command = programs::command(programs::taikyoku());
        let report = ended(command.args(["league", "verify"]).arg(&day));
        assert_eq!(report.code, Some(0), "{}", report.err);
    }
}

#[test]
fn records_of_old_days_are_archived_and_count_on() {
    let text = format!("game = \"score-four\"\n{RULES}");
    let ladder = Ladder::new(&text);
    let token = ladder.add("ana");
    let mut running = ladder.start();
    let _ana = Entrant::bot(Ladder::port(&ladder.begun(), "ana"), token);
    ladder.wait_for_games(&["ana"], 4);
    signal(&running.0, "INT");
    assert!(running.0.wait().expect("a ladder").success());
    let said = ladder.asked(&["verify", "club.toml"]).good();
    let games = said.split(", ").nth(1).expect("games").to_owned();
    for (number, day) in ladder.days().iter().enumerate() {
        let old = day.with_file_name(format!("2020-01-0{}", number + 1));
        fs::rename(day, old).expect("a day");
    }
    let text = text.replace("[ladder]", "[ladder]\narchive-after-days = 30");
    fs::write(ladder.folder.path().join("club.toml"), text).expect("a file");
    let _running = ladder.start();
    let folder = ladder.folder.path().join("club.ladder");
    wait_for("an archive", || {
        let day = folder.join("2020-01-01");
        (!day.join("records").exists() && !day.join("guests").exists()).then_some(())
    });
    let archive = folder.join("2020-01-01.tar.gz");
    let mut command = programs::command(programs::taikyoku());
    let verdict = ended(command.args(["league", "verify"]).arg(archive));
    assert_eq!(verdict.code, Some(0), "{}", verdict.err);
    let said = ladder.asked(&["verify", "club.toml"]).good();
    assert!(said.contains(&games), "{said} {games}");
}

#[test]
fn a_guest_meets_the_entrant_that_it_names_and_watchers_see_the_table() {
    let ladder = Ladder::new(&format!("game = \"score-four\"\n{RULES}"));
    let other = format!("game = \"dobutsu\"\n{RULES}");
    fs::write(ladder.folder.path().join("other.toml"), other).expect("a file");
    let token = ladder.add("ana");
    let engine = ladder.asked(&["add", "other.toml", "engine"]).good();
    let engine = engine.trim();
    let _running = ladder.start_with(&["other.toml"]);
    let status = ladder.begun();
    let port = Ladder::port(&status, "ana");
    let _ana = Entrant::bot(port, token);
    let guest = Entrant::bot(port, "@1");
    wait_for("a table of both", || {
        let status: Value = serde_json::from_slice(&fs::read(ladder.status()).ok()?).ok()?;
        let mut tables = status["tables"].as_array()?.iter();
        let has = |table: &Value, start: &str| {
            let mut names = table.as_array()?.iter().filter_map(Value::as_str);
            names.find(|name| name.starts_with(start)).map(drop)
        };
        tables.find_map(|table| has(table, "ana").and_then(|()| has(table, "guest ")))
    });
    wait_for("a game of both", || {
        let guests = ladder.days().pop()?.join("guests");
        let mut records = fs::read_dir(guests).ok()?.map_while(Result::ok);
        records.find_map(|record| {
            let text = fs::read_to_string(record.path()).ok()?;
            let is_over = text.contains("\"ana\"") && text.contains("\"event\":\"end\"");
            is_over.then_some(())
        })
    });
    // The other ladder takes an engine behind the bridge, which does not see the token.
    let other = ladder.folder.path().join("other.ladder/status.json");
    let status: Value = wait_for("the other ladder", || {
        serde_json::from_slice(&fs::read(&other).ok()?).ok()
    });
    let bridge = programs::command(programs::engine_bridge())
        .args([
            "usi",
            "--port",
            &Ladder::port(&status, "engine").to_string(),
            "--",
        ])
        .arg(programs::dobutsu())
        .args(["--usi", "--engine", "random"])
        .env("TAIKYOKU_TOKEN", engine)
        .status();
    assert!(bridge.expect("a bridge").success());
    wait_for("its games", || {
        let table = ladder.asked(&["status", "other.toml", "--rate"]).good();
        let row = table.lines().find(|row| row.contains(" engine "))?;
        row.contains(" 2 ").then_some(())
    });
    drop(guest);
    // Games of guests count for nobody, and the page of an entrant has its opponents alone.
    ladder.wait_for_games(&["ana"], 2);
    let page = ladder.folder.path().join("club.ladder/entrants/1.json");
    wait_for("a page", || {
        let page: Value = serde_json::from_slice(&fs::read(&page).ok()?).ok()?;
        let opponents = page["opponents"].as_array()?;
        (!opponents.is_empty() && opponents.iter().all(|one| one["name"] == "random")).then_some(())
    });
}

#[test]
fn a_newer_connection_takes_the_place_of_the_older_one() {
    let text = format!("game = \"score-four\"\n{RULES}");
    let ladder = Ladder::new(&text.replace("house-after-s = 1", "house-after-s = 3600"));
    let token = ladder.add("ana");
    let _running = ladder.start();
    let port = Ladder::port(&ladder.begun(), "ana");
    let hello =
        format!("{{\"type\":\"hello\",\"versions\":[1],\"name\":\"ana\",\"token\":\"{token}\"}}\n");
    let connect = || {
        let mut client = Client::of(connect_now(port).expect("a port"));
        client.write(hello.as_bytes()).expect("a connection");
        client
    };
    let mut older = connect();
    wait_for("one that waits", || {
        let status: Value = serde_json::from_slice(&fs::read(ladder.status()).ok()?).ok()?;
        (status["waiting"][0]["name"] == "ana").then_some(())
    });
    let _newer = connect();
    // It hears a welcome at most, and then the end.
    let ended = loop {
        if let Err(e) = older.line() {
            break e.kind();
        }
    };
    let is_closed = matches!(ended, ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset);
    assert!(is_closed, "{ended}");
    let status: Value =
        serde_json::from_slice(&fs::read(ladder.status()).expect("a state")).expect("a state");
    assert_eq!(status["waiting"].as_array().expect("a list").len(), 1);
}

#[test]
fn clients_of_the_contests_climb_it_too() {
    let ladder = Ladder::new(&format!("game = \"daihinmin\"\n{RULES}"));
    let token = ladder.add("ana");
    let running = ladder.start();
    let port = Ladder::port(&ladder.begun(), "ana");
    let _ana = Entrant::uecda(port, move |_| uecda::Player::honest(token));
    // One that is not registered plays as well.
    let _visitor = Entrant::uecda(port, |_| uecda::Player::honest("visitor"));
    ladder.wait_for_games(&["ana"], 5);
    ladder.kill(running);

    let ladder = Ladder::new(&format!(
        "game = \"geister\"\n{RULES}[clocks]\nwait-ms = 0\n"
    ));
    for name in ["ana", "bo"] {
        ladder.add(name);
    }
    let running = ladder.start();
    let status = ladder.begun();
    let _entrants =
        [("ana", 3), ("bo", 4)].map(|(name, seed)| Entrant::gat(Ladder::port(&status, name), seed));
    ladder.wait_for_games(&["ana", "bo"], 2);
    ladder.kill(running);
}
