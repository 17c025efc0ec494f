//! A whole contest, rehearsed as an organiser holds it: `cargo bench -p end-to-end --bench contest [-- CONTEST...]`. It takes
//! some minutes; with `--profile dev` behind `bench` nothing is built for a release.
//!
//! `uecda`: fifteen entrants that come by themselves, in three groups and a final. `gat`: eight in a Swiss tournament of
//! five rounds. Among them are clients of kinds of their own, one that is killed in a game and comes back, one that never
//! comes, and one that never answers; the organiser's process is killed twice. At the end each game stands in the journal
//! once, all of it verifies, only clients made to misbehave have faults, and the exit status is 0.
//!
//! With `TAIKYOKU_CONTEST_WATCH=PORT` the league is open to watchers at that port (`taikyoku web --watch PORT --acts`), and to an
//! organiser with the token in `organiser.token` in the folder that it names then.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use end_to_end::entrant::Entrant;
use end_to_end::league::{League, Running};
use end_to_end::{gat, programs, uecda};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_mins(10);

/// So long after the beginning of its table an entrant is killed.
const IN_PLAY: Duration = Duration::from_millis(300);

#[derive(Clone, Copy)]
struct Client {
    name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A bot of the project with this engine and these options.
    Bot(&'static str, &'static [&'static str]),
    /// The client in Python of `examples/`.
    Python,
    /// A script that speaks the protocol byte by byte.
    Scripted,
    Silent,
    Absent,
}

const fn client(name: &'static str, kind: Kind) -> Client {
    Client { name, kind }
}

const fn bot(name: &'static str, engine: &'static str, options: &'static [&'static str]) -> Client {
    client(name, Kind::Bot(engine, options))
}

/// Five playouts a decision are quick and weak: beside four of `default` it gets 1.5 points a game, they get 3.4 each
/// (`taikyoku-lab match daihinmin crow:playouts=5 default --session 50 --blocks 1`), with 50 playouts 2.8.
const CROW: &[&str] = &["--playouts", "5"];

const UECDA: [Client; 15] = [
    bot("default-1", "default", &[]),
    bot("default-2", "default", &[]),
    bot("default-3", "default", &[]),
    bot("default-4", "default", &[]),
    bot("default-5", "default", &[]),
    bot("random-1", "random", &[]),
    bot("random-2", "random", &[]),
    bot("random-3", "random", &[]),
    bot("random-4", "random", &[]),
    client("python", Kind::Python),
    bot("crow-1", "crow", CROW),
    bot("crow-2", "crow", CROW),
    client("scripted", Kind::Scripted),
    client("silent", Kind::Silent),
    client("absent", Kind::Absent),
];

/// Its games last for some seconds.
const BEST: &[&str] = &["--move-ms", "100"];

const GAT: [Client; 8] = [
    bot("best-1", "best", BEST),
    bot("paper-1", "paper", &[]),
    bot("paper-2", "paper", &["--temperature", "0.5"]),
    bot("random-1", "random", &[]),
    client("python", Kind::Python),
    client("scripted", Kind::Scripted),
    client("silent", Kind::Silent),
    client("absent", Kind::Absent),
];

struct Rehearsal {
    clients: &'static [Client],
    league: League,
    running: Running,
    /// By entrant; those that never come have none.
    entrants: Vec<Option<Entrant>>,
    began: Instant,
}

impl Rehearsal {
    /// Starts the league and the loops of its entrants. `head` is the file without `[contest]` and entrants.
    fn begin(
        head: &str,
        clients: &'static [Client],
        start: fn(Client, u16) -> Option<Entrant>,
    ) -> Rehearsal {
        let ports = free_ports(clients.len());
        let mut file =
            format!("{head}\n[contest]\nhost = \"127.0.0.1\"\nwait-s = 15\nabsent = \"forfeit\"\n");
        for (client, port) in clients.iter().zip(&ports) {
            let name = client.name;
            writeln!(
                file,
                "[[entrants]]\nname = \"{name}\"\nstart = \"remote\"\nport = {port}"
            )
            .expect("memory");
        }
        let league = League::new(&file);
        let running = open(&league);
        let entrants = clients.iter().zip(ports);
        Rehearsal {
            clients,
            running,
            entrants: entrants
                .map(|(&client, port)| start(client, port))
                .collect(),
            league,
            began: Instant::now(),
        }
    }

    /// Kills the program of the first entrant at a table, again until a game says so: it may have left between two.
    fn kill_entrant(&self) {
        let name = self.clients[0].name;
        let has = |event: &Value, kind: &str| {
            let all = event["entrants"].as_array();
            event["event"] == kind && all.is_some_and(|all| all.iter().any(|e| e == name))
        };
        let is_lost = |event: &Value| {
            let seat = event["entrants"].as_array().into_iter().flatten();
            let seat = seat.into_iter().position(|e| e == name).unwrap_or_default();
            let games = event["games"].as_array().into_iter().flatten();
            let mut ends = games.filter_map(|game| game["ends"][seat].as_str());
            has(event, "game") && ends.any(|end| end != "normal")
        };
        let mut killed = 0;
        loop {
            let mut all = Vec::new();
            self.wait(name, || {
                all = events(&self.league);
                all.iter().any(is_lost) || all.iter().filter(|e| has(e, "table")).count() > killed
            });
            if all.iter().any(is_lost) {
                return;
            }
            killed = all.iter().filter(|event| has(event, "table")).count();
            std::thread::sleep(IN_PLAY);
            self.entrants[0].as_ref().expect("it comes").kill();
        }
    }

    /// Kills the organiser's process when so many fixtures are in the journal, and starts it again.
    fn kill_organiser(&mut self, played: usize) {
        self.wait("fixtures", || self.league.played("out") >= played);
        self.running.child.kill().expect("a child");
        self.running.child.wait().expect("a child");
        println!("killed; it has said:\n{}", self.running.said());
        self.running = open(&self.league);
    }

    fn wait(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        while !is_so() {
            let said = self.running.said();
            assert!(self.began.elapsed() < PATIENCE, "{what}: too late\n{said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the end: each game stands in the journal once, and each fault is that of an entrant that makes such.
    fn end(self, keys: &BTreeSet<String>) {
        let (code, said) = self.running.end();
        assert_eq!(code, Some(0), "{said}");
        println!("at the end it has said:\n{said}");
        let fixtures = self.league.fixtures("out");
        let played: BTreeSet<String> = fixtures.keys().map(ToString::to_string).collect();
        assert_eq!(&played, keys, "each key once");
        // Every game is played again, from the folder and from an archive of it.
        for words in [
            ["verify", "out"],
            ["archive", "out"],
            ["verify", "out.tar.gz"],
        ] {
            let (code, said) = self.league.told(&words);
            assert_eq!(code, Some(0), "{words:?}: {said}");
        }
        // How often games ended in which way, by entrant.
        let mut ends = vec![BTreeMap::new(); self.clients.len()];
        let mut games = 0;
        for fixture in fixtures.values() {
            games += fixture.games.len();
            for (seat, &entrant) in fixture.seats.iter().enumerate() {
                for game in &fixture.games {
                    *ends[entrant].entry(game.kind(seat).as_str()).or_insert(0) += 1;
                }
            }
        }
        let count = |entrant: usize, end| ends[entrant].get(end).copied().unwrap_or(0);
        for (entrant, client) in self.clients.iter().enumerate() {
            let own = &ends[entrant];
            println!("  {}: {own:?}", client.name);
            let normal = count(entrant, "normal");
            match client.kind {
                // This entrant wins where the killed one left before the game began.
                Kind::Absent | Kind::Silent => {
                    assert!(!own.is_empty() && normal <= count(0, "disconnect"));
                }
                _ if entrant == 0 => {
                    let gone = count(0, "disconnect") + count(0, "stall");
                    assert!(gone > 0 && normal > 0, "it was killed, and came back");
                }
                _ => assert!(own.len() == 1 && normal > 0, "it has done nothing wrong"),
            }
        }
        println!(
            "{} entrants, {} fixtures, {games} games, {:.0} s",
            self.clients.len(),
            played.len(),
            self.began.elapsed().as_secs_f64()
        );
    }
}

/// Starts the league of a contest; one that has begun goes on.
fn open(league: &League) -> Running {
    let mut options = vec!["--events", "events.jsonl"];
    let port = std::env::var("TAIKYOKU_CONTEST_WATCH").unwrap_or_default();
    if !port.is_empty() {
        options.extend(["--watch", &port, "--organiser", "organiser.token"]);
        println!("the league is in {}", league.folder.path().display());
    }
    league.run_with("out", &options)
}

/// Ports that are free now, all at the same time.
fn free_ports(count: usize) -> Vec<u16> {
    let open = |_| TcpListener::bind("127.0.0.1:0").expect("a port");
    let all: Vec<TcpListener> = (0..count).map(open).collect();
    let port = |one: &TcpListener| one.local_addr().expect("an address").port();
    all.iter().map(port).collect()
}

/// The events that the league has written for scripts; a kill may have torn a line.
fn events(league: &League) -> Vec<Value> {
    let text = fs::read_to_string(league.out("events.jsonl")).unwrap_or_default();
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn rehearse_uecda() {
    // Points of a game are 5 to 1 by place.
    let head = "title = \"Rehearsal\"\npreset = \"uecda\"\nsession = 50\ngroups = 3\ndeals = 1\nat-once = 3\n\
                records = true\ntie-breaks = [\"points\", \"wins\", \"head-to-head\", \"lot\"]\n\
                [[stages]]\nname = \"final\"\nadvance = 1\nwild-cards = 2\ndeals = 1\n\
                [clocks]\nmove-ms = 2000\nstart-ms = 10000\n";
    let program = programs::daihinmin();
    assert!(program.is_file());
    let mut rehearsal = Rehearsal::begin(head, &UECDA, |client, port| {
        Some(match client.kind {
            Kind::Bot(engine, options) => Entrant::program(port, move |port, number| {
                let mut command = Command::new(programs::daihinmin());
                command
                    .args([
                        "-h",
                        "127.0.0.1",
                        "-p",
                        &port.to_string(),
                        "-n",
                        client.name,
                    ])
                    .args(["--engine", engine, "--seed", &number.to_string()])
                    .args(options);
                command
            }),
            Kind::Python => Entrant::python(port, "uecda_client.py", client.name),
            Kind::Scripted => Entrant::uecda(port, |_| uecda::Player::honest("scripted")),
            Kind::Silent => Entrant::uecda(port, |_| {
                let (phase, fault) = (uecda::Phase::Connected, uecda::Fault::Silence);
                uecda::Player::with("silent", uecda::Script::first(phase, fault))
            }),
            Kind::Absent => return None,
        })
    });
    rehearsal.kill_entrant();
    rehearsal.kill_organiser(4);
    rehearsal.kill_organiser(11);
    let keys = (0..4).flat_map(|m| (0..5).map(move |rotation| format!("{m}.0.{rotation}")));
    rehearsal.end(&keys.collect());
}

fn rehearse_gat() {
    let head = "title = \"Rehearsal\"\npreset = \"gat-main\"\nformat = \"swiss\"\nrounds = 5\nat-once = 4\n\
                records = true\ntie-breaks = [\"points\", \"buchholz\", \"head-to-head\", \"lot\"]\n\
                [clocks]\ngame-ms = 60000\nmove-ms = 5000\nstart-ms = 5000\n";
    assert!(programs::geister().is_file());
    let mut rehearsal = Rehearsal::begin(head, &GAT, |client, port| {
        Some(match client.kind {
            Kind::Bot(engine, options) => Entrant::program(port, move |port, number| {
                let mut command = Command::new(programs::geister());
                command
                    .args(["--host", "127.0.0.1", "--port", &port.to_string()])
                    .args(["--engine", engine, "--seed", &number.to_string()])
                    .args(options);
                command
            }),
            Kind::Scripted => Entrant::gat(port, 100),
            Kind::Silent => Entrant::new(port, |port, _| {
                let (phase, fault) = (gat::Phase::Connected, gat::Fault::Silence);
                let player = gat::Player::with(gat::Script::first(phase, fault));
                let _ = player.play(port, &std::sync::mpsc::channel().0);
            }),
            Kind::Python => Entrant::python(port, "gat_client.py", "1"),
            Kind::Absent => return None,
        })
    });
    rehearsal.kill_entrant();
    rehearsal.kill_organiser(10);
    rehearsal.kill_organiser(25);
    let keys = (0..20).flat_map(|m| (0..2).map(move |rotation| format!("{m}.0.{rotation}")));
    rehearsal.end(&keys.collect());
}

fn main() {
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let contests: [(&str, fn()); 2] = [("uecda", rehearse_uecda), ("gat", rehearse_gat)];
    for (name, rehearse) in contests {
        if asked.is_empty() || asked.iter().any(|one| one == name) {
            println!("{name}:");
            rehearse();
        }
    }
}
