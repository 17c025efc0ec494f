//! A server in virtual time: its lobby, with all of its tables, between clients that come, play, go and come again.

use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use end_to_end::{gat, uecda};
use games::{Game, Player};
use protocol::native::ErrorCode;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::EndKind;
use serde_json::{Value, json};
use server::config::{self, Limits};
use server::lobby::{
    self, GatReport, GatSeats, Listener, NativeReport, NativeSeats, UecdaReport, UecdaSeats,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::visitor::{Gone, Habit, Hall, Shared, Visitor, lock};
use super::{MOST, Played, in_virtual_time};

/// Tables of a server that always has one more.
const TABLES: usize = 64;

/// How long a server takes to end once it is stopped: the patience with clients that are to close first, and some.
const ENDING: Duration = Duration::from_secs(20);

/// Connections that are closed at a door, beside those that are counted.
const CLOSING: usize = 32;

pub(super) struct Seen {
    number: u64,
    /// By player, where each connection has a name.
    names: Vec<String>,
    kinds: Vec<Vec<EndKind>>,
    /// By port, where no connection has a name.
    faults: Vec<usize>,
    began: Instant,
}

pub(super) trait Lobby: 'static {
    const SEATS: usize;
    const PORTS: usize;
    type Report: Send + 'static;

    fn name(&self) -> &'static str;

    /// A server whose settings are drawn, at these doors.
    fn open(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        doors: Vec<Listener>,
        drawn: Drawn,
        reports: mpsc::UnboundedSender<Self::Report>,
    ) -> impl Future<Output = ()> + Send + use<Self> + 'static;

    fn seen(report: &Self::Report) -> Seen;

    /// What a client does from its greeting to its end.
    fn visit(visitor: &mut Visitor) -> impl Future<Output = Result<(), Gone>> + Send;
}

pub(super) struct Drawn {
    tables: usize,
    limits: Limits,
    matches: Option<u64>,
    stop: CancellationToken,
}

/// Runs a server in virtual time.
pub(super) fn play<L: Lobby>(mut rng: Xoshiro256PlusPlus, lobby: &L) -> Played {
    in_virtual_time(async {
        let began = Instant::now();
        let mut played = Played::default();
        played.worlds.insert(lobby.name(), 1);
        let stop = CancellationToken::new();
        let hall: Shared = Arc::new(Mutex::new(Hall {
            stop: stop.clone(),
            ..Hall::default()
        }));
        let mut doors = Vec::new();
        for _ in 0..L::PORTS {
            let (sender, pipes) = mpsc::unbounded_channel();
            lock(&hall).doors.push(sender);
            doors.push(Listener::of_pipes(pipes));
        }
        let is_wide = rng.random_bool(0.7);
        let tables = if is_wide {
            TABLES
        } else {
            rng.random_range(1..4)
        };
        let per_address = rng.random_range(4..12);
        let drawn = Drawn {
            tables,
            limits: Limits {
                connections: 2048,
                per_address: Some(per_address),
            },
            matches: rng.random_bool(0.3).then(|| rng.random_range(1..4)),
            stop: stop.clone(),
        };
        let (sender, mut reports) = mpsc::unbounded_channel();
        let server = tokio::spawn(lobby.open(&mut rng, doors, drawn, sender));

        let visits = TaskTracker::new();
        let mut trouble = rng.random_bool(0.7);
        // Where a server has several ports, those of one may all be honest.
        let mut honest_ports = if rng.random_bool(0.5) {
            0..L::PORTS - 1
        } else {
            0..0
        };
        for number in 0..rng.random_range(L::SEATS as u8..4 * L::SEATS as u8) {
            let address = Ipv4Addr::new(10, 0, 0, number);
            let is_troubled = trouble && !honest_ports.contains(&(usize::from(number) % L::PORTS));
            let bad = is_troubled && rng.random_bool(0.4);
            let times = rng.random_range(1..6);
            visits.spawn(come_again::<L>(
                address.into(),
                times,
                bad,
                rng.clone(),
                hall.clone(),
            ));
            rng.jump();
        }
        let crowd = IpAddr::from(Ipv4Addr::new(10, 9, 9, 9));
        if rng.random_bool(0.2) {
            played.fault("a crowd from one address");
            trouble = true;
            honest_ports = 0..0;
            let at = Duration::from_millis(rng.random_range(0..10_000));
            for number in 0..rng.random_range(4..400) {
                let (rng, hall) = (rng.clone(), hall.clone());
                visits.spawn(async move {
                    sleep(at).await;
                    let who = (crowd, number % L::PORTS);
                    let name = format!("crowd {number}");
                    if let Some(mut one) = Visitor::come(name, Habit::Mute, who, rng, &hall) {
                        let _ = L::visit(&mut one).await;
                    }
                });
            }
        }
        visits.close();
        let lifetime = Duration::from_millis(rng.random_range(3_000..60_000));
        let (own, stopping) = (hall.clone(), stop.clone());
        let look = tokio::spawn(async move {
            let until = Instant::now() + lifetime;
            let mut tick = interval(Duration::from_millis(100));
            let mut looks = 0;
            loop {
                let now = tick.tick().await;
                let hall = lock(&own);
                let is_stopped = hall.stop.is_cancelled();
                // Those that come later wait in vain.
                if is_stopped {
                    return;
                }
                let open = hall.open.from(crowd);
                // Some may have come at this time, and the server has not turned to them.
                looks = if open > per_address + CLOSING {
                    looks + 1
                } else {
                    0
                };
                assert!(looks < 2, "{open} from one address");
                let is_long = |since: &&Instant| now - **since >= Duration::from_millis(200);
                let waiting = hall.waiting.values().filter(is_long).count();
                assert!(
                    waiting < L::SEATS || L::PORTS > 1 || !is_wide,
                    "{waiting} wait for a match: {:?}",
                    hall.waiting
                );
                if now >= until {
                    stopping.cancel();
                }
            }
        });
        // Reports are taken as they come.
        let collector = tokio::spawn(async move {
            let mut seen = Vec::new();
            while let Some(report) = reports.recv().await {
                seen.push(L::seen(&report));
            }
            seen
        });
        let ended = timeout(MOST, async {
            stop.cancelled().await;
            timeout(ENDING, server)
                .await
                .expect("the server ends when it is stopped")
        });
        ended
            .await
            .expect("the server is stopped")
            .expect("no panic of the server");
        look.await.expect("what must hold of a server");
        let mut seen = collector.await.expect("no panic");
        assert_eq!(lock(&hall).open.all(), 0, "connections that the server has");
        timeout(MOST, visits.wait())
            .await
            .expect("no client waits for ever");

        let hall = lock(&hall);
        assert_eq!(hall.broken, None, "what an honest client was told");
        for fault in &hall.faults {
            played.fault(&format!("client: {fault:?}").to_lowercase());
        }
        seen.sort_by_key(|one| one.number);
        check(&seen, &hall, trouble, honest_ports);
        played.events = hall.heard;
        played.time = began.elapsed();
        played
    })
}

/// A client that comes some times, each time anew.
async fn come_again<L: Lobby>(
    address: IpAddr,
    times: u32,
    bad: bool,
    mut rng: Xoshiro256PlusPlus,
    hall: Shared,
) {
    sleep(Duration::from_millis(rng.random_range(0..5_000))).await;
    for time in 0..times {
        let habit = if bad {
            Habit::BAD[rng.random_range(0..Habit::BAD.len())]
        } else {
            Habit::Honest
        };
        let IpAddr::V4(v4) = address else { return };
        let name = format!("v{}.{time}", v4.octets()[3]);
        let own = Xoshiro256PlusPlus::seed_from_u64(rng.random());
        let who = (address, usize::from(v4.octets()[3]) % L::PORTS);
        let Some(mut visitor) = Visitor::come(name, habit, who, own, &hall) else {
            return;
        };
        let _ = L::visit(&mut visitor).await;
        drop(visitor);
        sleep(Duration::from_millis(rng.random_range(0..2_000))).await;
    }
}

/// What must hold of the reports of a server.
fn check(seen: &[Seen], hall: &Hall, trouble: bool, honest_ports: Range<usize>) {
    let numbers: Vec<u64> = seen.iter().map(|one| one.number).collect();
    let due: Vec<u64> = (1..=seen.len() as u64).collect();
    assert_eq!(numbers, due, "each match is reported once");
    let mut told: Vec<&String> = seen.iter().flat_map(|one| &one.names).collect();
    told.retain(|name| hall.honest.contains(*name));
    told.sort();
    let twice = told.windows(2).find(|pair| pair[0] == pair[1]);
    assert_eq!(twice, None, "a connection plays one match");
    if seen.iter().any(|one| !one.names.is_empty()) || hall.doors.len() == 1 {
        let lost = hall.begun.iter().find(|name| !told.contains(name));
        assert_eq!(lost, None, "a match that has begun is reported");
    }
    for one in seen {
        for (port, faults) in one.faults.iter().enumerate() {
            let is_honest = !trouble || honest_ports.contains(&port);
            assert!(!is_honest || *faults == 0, "faults of honest players");
        }
        for (name, kinds) in one.names.iter().zip(&one.kinds) {
            if let Some(at) = hall.left.get(name) {
                let is_late = *at + Duration::from_millis(20) < one.began;
                assert!(!is_late, "match {} began without {name}", one.number);
            }
            let fault = kinds
                .iter()
                .find(|kind| !matches!(kind, EndKind::Normal | EndKind::Void));
            let is_honest = hall.honest.contains(name);
            assert!(!is_honest || fault.is_none(), "honest {name}: {fault:?}");
        }
    }
}

pub(super) struct Uecda;

impl Lobby for Uecda {
    const SEATS: usize = games::daihinmin::SEATS;
    const PORTS: usize = 1;
    type Report = UecdaReport;

    fn name(&self) -> &'static str {
        "uecda server"
    }

    fn open(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        doors: Vec<Listener>,
        drawn: Drawn,
        reports: mpsc::UnboundedSender<UecdaReport>,
    ) -> impl Future<Output = ()> + Send + use<> + 'static {
        let settings = config::Uecda {
            games: rng.random_range(1..3),
            move_ms: Some(rng.random_range(100..1_000)),
            require_profile: rng.random_bool(0.5),
            tables: drawn.tables,
            limits: drawn.limits,
            ..config::Uecda::default()
        };
        let seed = Some(rng.random());
        let seats = UecdaSeats::new(settings, seed);
        lobby::Lobby::at(doors, seats, drawn.matches, drawn.stop, reports).run()
    }

    fn seen(report: &UecdaReport) -> Seen {
        Seen {
            number: report.number,
            names: report.names.clone(),
            kinds: report.result.kinds.iter().map(|&kind| vec![kind]).collect(),
            faults: Vec::new(),
            began: Instant::now() - report.time,
        }
    }

    async fn visit(visitor: &mut Visitor) -> Result<(), Gone> {
        let profile = uecda::Player::honest(&visitor.name).profile();
        visitor.say(&profile.bytes()).await?;
        visitor
            .greeting(async |visitor| visitor.exact(4).await)
            .await?;
        visitor.seated().await?;
        loop {
            let mut field = uecda::Table::EMPTY;
            let deal = table(visitor).await?;
            visitor.begins();
            let owed = deal.0[5][1];
            if (1..100).contains(&owed) {
                let cards = deal.cards();
                let gift = &cards[..cards.len().min(owed as usize)];
                visitor.say(&uecda::Table::of(gift).bytes()).await?;
            }
            loop {
                let hand = table(visitor).await?;
                if hand.0[5][2] == 1 {
                    visitor.say(&uecda::lowest(&hand, &field).bytes()).await?;
                    visitor.exact(4).await?;
                }
                field = table(visitor).await?;
                match visitor.exact(4).await?[..] {
                    [0, 0, 0, 0] => {}
                    [0, 0, 0, 1] => break,
                    _ => return Ok(()),
                }
            }
        }
    }
}

async fn table(visitor: &mut Visitor) -> Result<uecda::Table, Gone> {
    let bytes = visitor.exact(uecda::ROWS * uecda::COLUMNS * 4).await?;
    let bytes = bytes.as_slice().try_into().expect("so many bytes");
    Ok(uecda::Table::from_bytes(bytes))
}

pub(super) struct Gat;

impl Lobby for Gat {
    const SEATS: usize = games::geister::SEATS;
    const PORTS: usize = 2;
    type Report = GatReport;

    fn name(&self) -> &'static str {
        "gat server"
    }

    fn open(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        doors: Vec<Listener>,
        drawn: Drawn,
        reports: mpsc::UnboundedSender<GatReport>,
    ) -> impl Future<Output = ()> + Send + use<> + 'static {
        let settings = config::Gat {
            games: rng.random_range(1..5),
            budget_ms: rng.random_range(0..3_000),
            move_ms: rng.random_range(200..2_000),
            seat_timeout_ms: rng.random_range(500..5_000),
            ply_limit: rng.random_range(2..80),
            strict: rng.random_bool(0.3),
            queue: rng.random_range(1..20),
            tables: drawn.tables,
            limits: drawn.limits,
            ..config::Gat::default()
        };
        let seats = GatSeats::new(settings);
        lobby::Lobby::at(doors, seats, drawn.matches, drawn.stop, reports).run()
    }

    fn seen(report: &GatReport) -> Seen {
        let faults = report.counts.faults.iter();
        let faults = faults.map(|kinds| kinds.values().sum::<u32>() as usize);
        Seen {
            number: report.number,
            names: Vec::new(),
            kinds: Vec::new(),
            faults: faults.collect(),
            began: Instant::now() - report.time,
        }
    }

    async fn visit(visitor: &mut Visitor) -> Result<(), Gone> {
        visitor
            .greeting(async |visitor| visitor.line().await)
            .await?;
        visitor.say(b"SET:ADFG\r\n").await?;
        visitor.seated().await?;
        let mut begun = false;
        loop {
            let line = visitor.line().await;
            if line.is_err() && begun && !visitor.is_stopped() {
                visitor.complain("its game has no end");
            }
            let line = line?;
            if let Some(board) = line.strip_prefix("MOV?") {
                visitor.begins();
                begun = true;
                let moves = gat::moves(board);
                let mv = &moves[visitor.rng.random_range(0..moves.len())];
                visitor.say(format!("MOV:{mv}\r\n").as_bytes()).await?;
            } else if ["WON:", "LST:", "DRW:"]
                .iter()
                .any(|end| line.starts_with(end))
            {
                return Ok(());
            } else if !line.starts_with("OK") {
                visitor.complain(&line);
            }
        }
    }
}

/// A server of a game in the native protocol.
pub(super) struct Native<G>(&'static str, PhantomData<fn() -> G>);

impl<G> Native<G> {
    pub(super) const fn new(name: &'static str) -> Native<G> {
        Native(name, PhantomData)
    }
}

impl<G: Game> Lobby for Native<G> {
    const SEATS: usize = G::SEATS;
    const PORTS: usize = 1;
    type Report = NativeReport;

    fn name(&self) -> &'static str {
        self.0
    }

    fn open(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        doors: Vec<Listener>,
        drawn: Drawn,
        reports: mpsc::UnboundedSender<NativeReport>,
    ) -> impl Future<Output = ()> + Send + use<G> + 'static {
        let settings = config::Native {
            games: rng.random_range(1..4),
            draw_seats: rng.random_bool(0.3),
            random_plies: rng.random_range(0..3),
            budget_ms: rng.random_range(0..3_000),
            move_ms: rng.random_range(500..2_000),
            resume_ms: rng.random_range(500..3_000),
            timeouts: rng.random_range(0..3),
            tables: drawn.tables,
            limits: drawn.limits,
            ..config::Native::default()
        };
        let seed = Some(rng.random());
        let seats = NativeSeats::<G>::new(settings, G::Rules::default(), seed);
        lobby::Lobby::at(doors, seats, drawn.matches, drawn.stop, reports).run()
    }

    fn seen(report: &NativeReport) -> Seen {
        let kinds = |player: usize| {
            let games = report.results.iter();
            games.map(|game| game.kinds[Player::at(player)]).collect()
        };
        Seen {
            number: report.number,
            names: report.names.clone(),
            kinds: (0..report.names.len()).map(kinds).collect(),
            faults: Vec::new(),
            began: Instant::now() - report.time,
        }
    }

    async fn visit(visitor: &mut Visitor) -> Result<(), Gone> {
        let hello = json!({"type": "hello", "versions": [1], "name": visitor.name});
        say(visitor, &hello).await?;
        let told = visitor
            .greeting(async |visitor| message(visitor).await)
            .await;
        if told.is_err() && !visitor.is_stopped() {
            visitor.complain("turned away without a word");
        }
        let told = told?;
        if told["type"] != "welcome" {
            if told["code"] != "full" && told["code"] != "stopped" {
                visitor.complain(&told.to_string());
            }
            return Ok(());
        }
        let token = told["token"].as_str().unwrap_or_default().to_owned();
        visitor.seated().await?;
        let mut last = 0;
        loop {
            let told = message(visitor).await?;
            if let Some(event) = told["event"].as_u64() {
                if told["type"] != "view" && event != last + 1 {
                    visitor.complain(&format!("event {event} after event {last}"));
                }
                last = event;
            }
            match told["type"].as_str().unwrap_or_default() {
                "game" => visitor.begins(),
                "request" if visitor.habit == Habit::Back && visitor.is_due() => {
                    visitor.leave();
                    visitor.note();
                    let away = Duration::from_millis(visitor.rng.random_range(0..100));
                    sleep(away).await;
                    let mut hello = hello.clone();
                    hello["token"] = json!(token);
                    hello["last"] = json!(last);
                    if !visitor.connect() {
                        return Ok(());
                    }
                    say(visitor, &hello).await?;
                    let told = message(visitor).await?;
                    let is_over = told["code"] == "token" || visitor.is_stopped();
                    if told["resumed"] != true && !is_over {
                        visitor.complain(&told.to_string());
                    }
                }
                "request" => say(visitor, &json!({"type": "legal"})).await?,
                "legal" => {
                    let moves = told["moves"].as_array().cloned().unwrap_or_default();
                    if !moves.is_empty() {
                        let mv = &moves[visitor.rng.random_range(0..moves.len())];
                        let (game, ply) = (&told["game"], &told["ply"]);
                        let mv = json!({"type": "move", "game": game, "ply": ply, "move": mv});
                        say(visitor, &mv).await?;
                    }
                }
                "error" => {
                    let code = serde_json::from_value(told["code"].clone());
                    let code = code.unwrap_or(ErrorCode::Other);
                    if !code.is_harmless() && code != ErrorCode::Stopped {
                        visitor.complain(&told.to_string());
                    }
                }
                "over" => return Ok(()),
                _ => {}
            }
        }
    }
}

async fn say(visitor: &mut Visitor, message: &Value) -> Result<(), Gone> {
    visitor.say(format!("{message}\n").as_bytes()).await
}

async fn message(visitor: &mut Visitor) -> Result<Value, Gone> {
    let line = visitor.line().await?;
    let message = serde_json::from_str(&line);
    Ok(message.unwrap_or_else(|e| panic!("{e}: {line}")))
}
