//! A whole contest, rehearsed as an organiser holds it: `cargo bench -p end-to-end --bench contest [-- CONTEST...]`. It takes
//! some minutes; with `--profile dev` behind `bench` nothing is built for a release.
//!
//! `uecda`: fifteen entrants that come by themselves, in three groups and a final. `gat`: eight in a Swiss tournament of
//! five rounds. Among them are clients of kinds of their own, one that is killed in a game and comes back, one that never
//! comes, and one that never answers; the organiser's process is killed twice. At the end each game stands in the journal
//! once, nobody has a fault that is not its own, the standings are those that this program makes of the journal by itself,
//! and the exit status is 0.
//!
//! With `TAIKYOKU_CONTEST_WATCH=PORT` the league is open to watchers at that port (`taikyoku web --watch PORT --acts`), and to an
//! organiser with the token in `organiser.token` in the folder that it names then.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use end_to_end::entrant::Entrant;
use end_to_end::league::{League, Running};
use end_to_end::{gat, programs, uecda};
use record::{RecordReader, Replayed, replay};
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
    /// It connects and never answers.
    Silent,
    /// It never comes.
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

    /// Waits for the end, and looks at what all contests have in common.
    fn end(self, keys: &BTreeSet<String>) -> Contest {
        let (code, said) = self.running.end();
        assert_eq!(code, Some(0), "{said}");
        println!("at the end it has said:\n{said}");
        let contest = Contest::read(self.clients, self.league);
        let played: BTreeSet<String> = contest.played.keys().cloned().collect();
        assert_eq!(&played, keys, "each key once");
        contest.check_records();
        contest.verify();
        contest.check_faults();
        println!(
            "{} entrants, {} fixtures, {} games, {:.0} s",
            self.clients.len(),
            played.len(),
            contest
                .played
                .values()
                .map(|one| one.games.len())
                .sum::<usize>(),
            self.began.elapsed().as_secs_f64()
        );
        contest
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

/// A fixture as its line of the journal has it.
struct Fixture {
    matchup: u32,
    seats: Vec<usize>,
    games: Vec<Value>,
}

/// What a contest has come to, read from the lines of its journal without any code of the league's.
struct Contest {
    clients: &'static [Client],
    league: League,
    played: BTreeMap<String, Fixture>,
    report: Value,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    points: f64,
    wins: u64,
    games: u64,
}

impl Contest {
    fn read(clients: &'static [Client], league: League) -> Contest {
        let path = league.out("out").join("journal.jsonl");
        let text = fs::read_to_string(&path).expect("a journal");
        let mut played = BTreeMap::new();
        for line in text.lines() {
            let mut line: Value = serde_json::from_str(line).expect("a line of JSON");
            let Some(games) = line["games"].as_array_mut() else {
                continue;
            };
            let games = std::mem::take(games);
            let key = line["key"].as_str().expect("a key").to_owned();
            let seats = line["seats"].as_array().expect("seats").iter();
            let seats = seats.map(|seat| seat.as_u64().expect("an entrant") as usize);
            let matchup = key.split('.').next().expect("a matchup");
            let fixture = Fixture {
                matchup: matchup.parse().expect("a number"),
                seats: seats.collect(),
                games,
            };
            let before = played.insert(key.clone(), fixture);
            assert!(before.is_none(), "{key} stands there twice");
        }
        let report = league.ask("report", "out");
        Contest {
            clients,
            league,
            played,
            report,
        }
    }

    /// The number of an entrant of some kind.
    fn find(&self, kind: Kind) -> usize {
        let place = self.clients.iter().position(|client| client.kind == kind);
        place.expect("one of each kind")
    }

    /// How often games ended in which way for an entrant.
    fn ends(&self, entrant: usize) -> BTreeMap<String, usize> {
        let mut ends = BTreeMap::new();
        for fixture in self.played.values() {
            for (seat, _) in fixture
                .seats
                .iter()
                .enumerate()
                .filter(|(_, e)| **e == entrant)
            {
                for game in &fixture.games {
                    let end = game["kinds"][seat].as_str().unwrap_or("normal");
                    *ends.entry(end.to_owned()).or_default() += 1;
                }
            }
        }
        ends
    }

    /// Each fault is that of an entrant that makes such.
    fn check_faults(&self) {
        for (entrant, client) in self.clients.iter().enumerate() {
            let ends = self.ends(entrant);
            println!("  {}: {ends:?}", client.name);
            let has_normal = ends.contains_key("normal");
            match client.kind {
                // This entrant wins where the killed one left before the game began.
                Kind::Absent | Kind::Silent => {
                    let won = ends.get("normal").copied().unwrap_or_default();
                    let lost = self.ends(0).get("disconnect").copied();
                    assert!(
                        !ends.is_empty() && won <= lost.unwrap_or_default(),
                        "{ends:?}"
                    );
                }
                _ if entrant == 0 => {
                    let gone = ends.contains_key("disconnect") || ends.contains_key("stall");
                    assert!(gone && has_normal, "it was killed, and came back");
                }
                _ => assert!(ends.len() == 1 && has_normal, "it has done nothing wrong"),
            }
        }
    }

    /// `taikyoku league verify` plays every game again, from the folder and from an archive of it.
    fn verify(&self) {
        let run = |words: &[&str]| {
            let mut command = Command::new(programs::taikyoku());
            let command = command.arg("league").args(words);
            let output = command.current_dir(self.league.folder.path()).output();
            let output = output.expect("it starts");
            assert!(output.status.success(), "{words:?}: {output:?}");
            print!("{}", String::from_utf8_lossy(&output.stdout));
        };
        run(&["verify", "out"]);
        run(&["archive", "out"]);
        run(&["verify", "out.tar.gz"]);
    }

    /// The record of each fixture that was played leads to the points of its line.
    fn check_records(&self) {
        let files = fs::read_dir(self.league.out("out/records")).expect("records");
        let files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        for (key, fixture) in &self.played {
            let is_walkover = |game: &Value| game["rule"] == "walkover";
            if fixture.games.iter().all(is_walkover) {
                continue;
            }
            // That of a sitting which a kill has cut short stays beside that of the next.
            let own = files.iter().filter(|path| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                stem == *key || stem.starts_with(&format!("{key}-"))
            });
            let replayed = own.map(|path| {
                let replayed = RecordReader::open(path).and_then(replay);
                replayed.unwrap_or_else(|e| panic!("{key}: {e}"))
            });
            let whole: Vec<Replayed> = replayed.filter(|one| one.closed).collect();
            assert_eq!(whole.len(), 1, "{key} has one whole record");
            assert_eq!(whole[0].games as usize, fixture.games.len(), "{key}");
        }
    }

    /// Sums over the fixtures of some matchups, by entrant; `points` gives those of a seat of a game.
    fn sums(
        &self,
        has: impl Fn(u32) -> bool,
        points: impl Fn(&Value, usize) -> f64,
    ) -> BTreeMap<usize, Sums> {
        let mut sums: BTreeMap<usize, Sums> = BTreeMap::new();
        for fixture in self.played.values().filter(|one| has(one.matchup)) {
            for game in &fixture.games {
                for (seat, &entrant) in fixture.seats.iter().enumerate() {
                    let sums = sums.entry(entrant).or_default();
                    sums.games += 1;
                    sums.points += points(game, seat);
                    sums.wins += u64::from(place(game, seat) < best_of_others(game, seat));
                }
            }
        }
        sums
    }

    /// The rows of a group in the report: the entrants from the best to the worst, each with its points, wins and games.
    fn group(&self, stage: usize, group: usize) -> Vec<(usize, Sums)> {
        let rows = self.report["stages"][stage]["groups"][group].as_array();
        let row = |row: &Value| {
            let sums = Sums {
                points: row["points"].as_f64().expect("points"),
                wins: row["wins"].as_u64().expect("wins"),
                games: row["games"].as_u64().expect("games"),
            };
            (row["number"].as_u64().expect("a number") as usize, sums)
        };
        rows.expect("a group").iter().map(row).collect()
    }

    /// The entrants of the report, from the best to the worst.
    fn ranked(&self) -> Vec<usize> {
        let rows = self.report["entrants"].as_array().expect("entrants");
        let number = |row: &Value| row["number"].as_u64().expect("a number") as usize;
        rows.iter().map(number).collect()
    }

    fn print(&self, rows: &[(usize, Sums)]) {
        for (entrant, sums) in rows {
            println!("  {:10} {sums:?}", self.clients[*entrant].name);
        }
    }
}

fn place(game: &Value, seat: usize) -> u64 {
    game["places"][seat].as_u64().expect("a place")
}

fn best_of_others(game: &Value, seat: usize) -> u64 {
    let seats = game["places"].as_array().expect("places").len();
    let others = (0..seats).filter(|&other| other != seat);
    others
        .map(|other| place(game, other))
        .min()
        .expect("others")
}

/// Points and wins, for an order from the best to the worst.
fn by_points(sums: &Sums) -> (Reverse<i64>, Reverse<u64>) {
    (
        Reverse((sums.points * 10.0).round() as i64),
        Reverse(sums.wins),
    )
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
                let (phase, fault) = (uecda::Phase::BeforeProfile, uecda::Fault::Silence);
                uecda::Player::with("silent", uecda::Script::first(phase, fault))
            }),
            Kind::Absent => return None,
        })
    });
    rehearsal.kill_entrant();
    rehearsal.kill_organiser(4);
    rehearsal.kill_organiser(11);
    let keys = (0..4).flat_map(|m| (0..5).map(move |rotation| format!("{m}.0.{rotation}")));
    let contest = rehearsal.end(&keys.collect());

    let points = |game: &Value, seat: usize| 5.0 - place(game, seat) as f64;
    let (mut best, mut others) = (BTreeSet::new(), Vec::new());
    for group in 0..3 {
        let sums = contest.sums(|matchup| matchup == group, points);
        let rows = contest.group(0, group as usize);
        assert_eq!(rows.iter().copied().collect::<BTreeMap<_, _>>(), sums);
        assert!(
            rows.is_sorted_by_key(|(_, sums)| by_points(sums)),
            "{rows:?}"
        );
        best.insert(rows[0].0);
        others.extend(rows[1..].iter().copied());
    }
    others.sort_by_key(|(_, sums)| by_points(sums));
    let last = by_points(&others[1].1);
    let sums = contest.sums(|matchup| matchup == 3, points);
    let finalists: BTreeSet<usize> = sums.keys().copied().collect();
    assert_eq!(finalists.len(), 5);
    assert!(finalists.is_superset(&best), "{finalists:?} {best:?}");
    let wild = others
        .iter()
        .filter(|(entrant, _)| finalists.contains(entrant));
    assert!(wild.clone().count() == 2 && wild.clone().all(|(_, sums)| by_points(sums) <= last));
    let rows = contest.group(1, 0);
    assert_eq!(rows.iter().copied().collect::<BTreeMap<_, _>>(), sums);
    assert!(
        rows.is_sorted_by_key(|(_, sums)| by_points(sums)),
        "{rows:?}"
    );
    let first: Vec<usize> = rows.iter().map(|(entrant, _)| *entrant).collect();
    assert_eq!(contest.ranked()[..5], first);
    // After some silence the table asks it no more.
    let silent = contest.ends(contest.find(Kind::Silent));
    assert!(
        silent
            .keys()
            .all(|end| ["stall", "timeout", "disconnect"].contains(&&end[..]))
    );
    assert!(silent.contains_key("stall"), "{silent:?}");
    println!(
        "the final (crow plays with 5 playouts a decision: about 1.5 points a game beside four of default):"
    );
    contest.print(&rows);
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
    let contest = rehearsal.end(&keys.collect());

    // 3 points, 1, or none.
    let points = |game: &Value, seat: usize| match place(game, seat).cmp(&place(game, 1 - seat)) {
        std::cmp::Ordering::Less => 3.0,
        std::cmp::Ordering::Equal if game["rule"] != "walkover" => 1.0,
        _ => 0.0,
    };
    let (mut met, mut rivals) = (BTreeSet::new(), BTreeMap::<usize, BTreeSet<usize>>::new());
    for round in 0..5 {
        let own = contest
            .played
            .values()
            .filter(|one| one.matchup / 4 == round);
        let pairs: BTreeSet<[usize; 2]> = own
            .map(|one| {
                [
                    one.seats[0].min(one.seats[1]),
                    one.seats[0].max(one.seats[1]),
                ]
            })
            .collect();
        let seated: BTreeSet<usize> = pairs.iter().flatten().copied().collect();
        assert_eq!((pairs.len(), seated.len()), (4, 8), "round {round}");
        for [a, b] in pairs {
            assert!(met.insert([a, b]), "{a} and {b} meet again");
            rivals.entry(a).or_default().insert(b);
            rivals.entry(b).or_default().insert(a);
        }
    }
    let sums = contest.sums(|_| true, points);
    let buchholz =
        |entrant: usize| -> f64 { rivals[&entrant].iter().map(|e| sums[e].points).sum() };
    let rows: Vec<(usize, Sums)> = contest.ranked().iter().map(|&e| (e, sums[&e])).collect();
    let order = |&(entrant, sums): &(usize, Sums)| {
        let whole = |points: f64| Reverse((points * 10.0).round() as i64);
        (whole(sums.points), whole(buchholz(entrant)))
    };
    assert!(rows.is_sorted_by_key(order), "{rows:?}");
    for row in contest.report["entrants"].as_array().expect("entrants") {
        let own = &sums[&(row["number"].as_u64().expect("a number") as usize)];
        assert_eq!(row["points_total"].as_f64(), Some(own.points), "{row}");
    }
    println!("the table:");
    contest.print(&rows);
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
