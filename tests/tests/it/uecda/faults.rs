//! Players that misbehave: the match ends, results and reasons are right, the next match starts.

use std::io::{Read, Write};
use std::time::Duration;

use end_to_end::patience::{connect, outcome};
use end_to_end::run::{Server, sit_at};
use end_to_end::uecda::{Fault, Malformed, Outcome, Phase, Player, Script, Wire};
use record::{EndKind, Record, What};

const GAMES: u32 = 6;
const CULPRIT: usize = 2;
/// Long enough for honest players on a machine that does much else.
const MOVE_LIMIT: &[&str] = &["--move-ms", "400"];
/// With this seed the culprit is rich before one of the games, so that it has cards to give.
const SEED: &str = "1";

/// What a record says in its last line.
struct Ending {
    games: u32,
    points: Vec<f64>,
    kinds: Vec<EndKind>,
}

fn ending(record: &Record) -> Ending {
    match &record.events.last().expect("events").what {
        What::Result {
            games,
            points,
            kinds,
            ..
        } => Ending {
            games: *games,
            points: points.clone(),
            kinds: kinds.clone(),
        },
        other => panic!("the last line is {other:?}"),
    }
}

/// Lines of the record that give a reason, with the player and the kind where there is one.
fn reasons(record: &Record) -> Vec<(u8, Option<EndKind>, String)> {
    let events = record.events.iter();
    events
        .filter_map(|event| match &event.what {
            What::Refused { player, reason, .. } => Some((*player, None, reason.clone())),
            What::Forfeit {
                player,
                kind,
                reason,
            } => Some((*player, Some(*kind), reason.clone())),
            _ => None,
        })
        .collect()
}

/// How each table of the culprit that was refused is booked.
fn refusals(record: &Record) -> Vec<EndKind> {
    let events = record.events.iter().map(|event| &event.what);
    let refused = events.filter(|what| what.refused() == Some(CULPRIT as u8));
    refused
        .filter_map(|what| match what {
            What::Move { fault, .. } | What::Give { fault, .. } => *fault,
            _ => None,
        })
        .collect()
}

fn five_honest() -> Vec<Player> {
    (0..5)
        .map(|i| Player::honest(&format!("honest{i}")))
        .collect()
}

/// Plays a match with one culprit and then a match of honest players on the same server. Checks
/// what must hold whatever the culprit did, and gives its outcome and the first record.
fn match_with(culprit: Player, options: &[&str]) -> (Vec<Outcome>, Record) {
    match_of(GAMES, culprit, options)
}

fn match_of(games: u32, culprit: Player, options: &[&str]) -> (Vec<Outcome>, Record) {
    let number = games.to_string();
    let mut all = vec!["--games", &number, "--seed", SEED, "--dealer", "modern"];
    all.extend(options);
    let mut server = Server::start(&all);
    let mut players = five_honest();
    players[CULPRIT] = culprit;
    let outcomes = server.play(&players);
    server.wait_for_results(1);

    let next = server.play(&five_honest());
    server.wait_for_results(2);
    assert!(server.is_running());
    let records = server.records();
    let replays = server.replay_all();
    assert_eq!(records.len(), 2);
    assert!(replays.iter().all(|r| r.closed && !r.unfinished));
    for outcome in &next {
        assert!(outcome.finished && outcome.refused == 0, "{outcome:?}");
    }
    assert_eq!(ending(&records[1]).kinds, [EndKind::Normal; 5]);

    for (player, outcome) in outcomes.iter().enumerate() {
        if player != CULPRIT {
            assert!(outcome.finished, "player {player}: {outcome:?}");
            assert_eq!(outcome.games, games);
            assert_eq!(outcome.refused, 0);
        }
    }
    let end = ending(&records[0]);
    assert_eq!(end.games, games);
    assert!((end.points.iter().sum::<f64>() - f64::from(15 * games)).abs() < 1e-9);
    for (player, kind) in end.kinds.iter().enumerate() {
        if player != CULPRIT {
            assert_eq!(*kind, EndKind::Normal, "player {player}");
        }
    }
    for (player, _, reason) in reasons(&records[0]) {
        assert_eq!(usize::from(player), CULPRIT, "{reason}");
    }
    (outcomes, records.into_iter().next().expect("two records"))
}

/// As [`match_with`]; the culprit must be out of the match by this kind of fault.
fn forfeit_by(script: Script, options: &[&str], kind: EndKind) {
    let (_, record) = match_with(Player::with("culprit", script), options);
    assert_eq!(ending(&record).kinds[CULPRIT], kind, "{script:?}");
    let reasons = reasons(&record);
    assert!(
        reasons.iter().any(|(_, k, _)| *k == Some(kind)),
        "{script:?}: {reasons:?}"
    );
}

#[test]
fn a_player_that_leaves_costs_its_seat_only() {
    for fault in [Fault::Leave, Fault::Half] {
        forfeit_by(
            Script::first(Phase::AtHand, fault),
            &[],
            EndKind::Disconnect,
        );
    }
}

#[test]
fn a_client_that_leaves_before_its_profile_takes_no_seat() {
    let server = Server::start(&["--games", "2", "--seed", "5", "--once"]);
    let script = Script::first(Phase::BeforeProfile, Fault::Half);
    let mut players = five_honest();
    players.insert(CULPRIT, Player::with("culprit", script));
    let outcomes = server.play(&players);
    for (i, outcome) in outcomes.iter().enumerate() {
        assert!(outcome.finished || i == CULPRIT, "{outcome:?}");
    }
    let finished = server.finish();
    assert!(finished.status.success());
    assert_eq!(ending(&finished.records[0]).kinds, [EndKind::Normal; 5]);
}

#[test]
fn a_silent_player_is_given_up() {
    let script = Script::first(Phase::AtHand, Fault::Silence);
    forfeit_by(script, MOVE_LIMIT, EndKind::Stall);
}

#[test]
fn a_player_that_is_late_in_game_after_game_is_set_aside() {
    // It misses what is asked of it first in each game, and answers all else.
    let script = Script::first(Phase::AtDeal, Fault::Late(1_000));
    let options = [MOVE_LIMIT, &["--timeouts", "2"]].concat();
    let (outcomes, record) = match_with(Player::with("culprit", script), &options);
    let culprit = &outcomes[CULPRIT];
    assert!(!culprit.finished && culprit.games == 2, "{culprit:?}");
    assert_eq!(ending(&record).kinds[CULPRIT], EndKind::Timeout);
}

#[test]
fn a_player_that_says_nothing_from_the_start_is_given_up() {
    let script = Script::first(Phase::BeforeProfile, Fault::Silence);
    let games = GAMES.to_string();
    let options = ["--games", &games, "--once", "--seed", "5"];
    let server = Server::start(&[&options, MOVE_LIMIT].concat());
    let mut players = vec![Player::with("silent", script)];
    players.extend(five_honest().into_iter().take(4));
    let outcomes = server.play(&players);
    assert!(outcomes[1..].iter().all(|o| o.finished), "{outcomes:?}");
    let finished = server.finish();
    assert!(finished.status.success());
    let end = ending(&finished.records[0]);
    // Silence takes its time: the others have said who they are before.
    assert_eq!(end.kinds[4], EndKind::Stall);
    assert_eq!(end.kinds[..4], [EndKind::Normal; 4]);
}

#[test]
fn malformed_tables_count_as_passes() {
    for (kind, due) in [
        (Malformed::AllOnes, EndKind::ProtocolError),
        (Malformed::NotHeld, EndKind::Illegal),
    ] {
        let script = Script::first(Phase::AfterNumber, Fault::Malformed(kind));
        let (outcomes, record) = match_with(Player::with("culprit", script), &[]);
        let culprit = &outcomes[CULPRIT];
        assert!(culprit.finished && culprit.accepted == 0, "{culprit:?}");
        let refusals = refusals(&record);
        let is_due = !refusals.is_empty() && refusals.iter().all(|kind| *kind == due);
        assert!(is_due, "{kind:?}: {refusals:?}, {:?}", reasons(&record));
        // A refused table is a pass and no more.
        assert_eq!(ending(&record).kinds[CULPRIT], EndKind::Normal, "{kind:?}");
    }
}

#[test]
fn tables_in_single_bytes_are_tables() {
    let honest = match_with(Player::honest("culprit"), &[]);
    let script = Script::first(Phase::BeforeProfile, Fault::Fragments);
    let fragments = match_with(Player::with("culprit", script), &[]);
    assert_eq!(ending(&fragments.1).kinds, [EndKind::Normal; 5]);
    assert_eq!(fragments.0, honest.0, "all players receive the same bytes");
}

#[test]
fn two_tables_at_once_do_no_harm() {
    let script = Script::first(Phase::AtHand, Fault::Twice);
    let (outcomes, _) = match_with(Player::with("culprit", script), &[]);
    assert!(outcomes[CULPRIT].finished, "{outcomes:?}");
}

#[test]
fn a_flood_hurts_nobody_else() {
    let script = Script::first(Phase::AtHand, Fault::Flood(b"\0\0\0\x01"));
    let (_, record) = match_with(Player::with("culprit", script), &[]);
    let refusals = refusals(&record);
    assert!(!refusals.is_empty(), "{:?}", reasons(&record));
    let is_noise = refusals.iter().all(|kind| *kind == EndKind::ProtocolError);
    assert!(is_noise, "{refusals:?}");
}

#[test]
fn a_player_that_never_reads_is_cut_off() {
    // Tables of zeros: each is a pass.
    let script = Script::first(Phase::AtHand, Fault::Flood(b"\0\0\0\0"));
    let (_, record) = match_of(400, Player::with("culprit", script), &[]);
    let reasons = reasons(&record);
    assert_eq!(
        ending(&record).kinds[CULPRIT],
        EndKind::Disconnect,
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|(_, _, r)| r.contains("unread")),
        "{reasons:?}"
    );
}

#[test]
fn a_sixth_client_is_told_by_a_clean_close() {
    let server = Server::start(&["--games", "30", "--seed", "1", "--once"]);
    let four = sit_at(server.port, &five_honest()[..4]);
    // The match cannot end before the fifth has moved.
    let mut fifth = Wire::new(connect(server.port).expect("a connection"));
    fifth
        .send(&Player::honest("fifth").profile())
        .expect("a server that listens");
    assert_eq!(fifth.int().expect("a number"), 4);
    let mut sixth = connect(server.port).expect("the server still listens");
    // It may have closed before the profile comes.
    let _ = sixth.write_all(&Player::honest("sixth").profile().bytes());
    let mut bytes = Vec::new();
    sixth.read_to_end(&mut bytes).expect("a clean close");
    assert!(bytes.is_empty(), "nothing is sent: {bytes:?}");
    drop(fifth);
    for outcome in four.into_iter().map(outcome) {
        assert!(outcome.finished, "{outcome:?}");
    }
    assert!(server.finish().status.success());
}

/// A client that comes before the players, sends this and waits; gives what it was sent.
fn stranger(port: u16, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(port).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(4)))
        .unwrap();
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn strangers_do_not_keep_players_out() {
    let mut unsupported = Player::honest("future");
    unsupported.version = 20071;
    let mut garbage = vec![0xA5; 480];
    garbage[3] = 0;
    let server = Server::start(&["--games", "2", "--seed", "1", "--once"]);
    for bytes in [
        unsupported.profile().bytes(),
        garbage,
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        vec![0xFF; 100_000],
    ] {
        let answer = stranger(server.port, &bytes);
        assert!(answer.is_empty(), "{answer:?}");
    }
    let outcomes = server.play(&five_honest());
    assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    let finished = server.finish();
    assert!(finished.status.success());
    assert_eq!(ending(&finished.records[0]).kinds, [EndKind::Normal; 5]);
}

#[test]
fn names_of_any_bytes_stay_names() {
    let mut culprit = Player::honest("culprit");
    culprit.name = "\u{1b}[2J\"\\\n".to_owned();
    let (_, record) = match_with(culprit, &[]);
    assert_eq!(ending(&record).kinds, [EndKind::Normal; 5]);
}
