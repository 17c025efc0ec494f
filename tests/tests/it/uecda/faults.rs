//! Players that misbehave: the match ends, results and reasons are right, the next match starts. What each fault costs in
//! each phase is a matter of the referee.

use end_to_end::run::{Server, reasons};
use end_to_end::uecda::{Fault, Malformed, Outcome, Phase, Player, Script};
use record::{EndKind, Record, What};

const GAMES: u32 = 6;
const CULPRIT: usize = 2;

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

/// Asserts what the result of a record must have for all players but the culprit; gives the culprit's end kind.
fn ending(record: &Record) -> EndKind {
    let last = &record.events.last().expect("events").what;
    let What::Result {
        games,
        points,
        kinds,
        ..
    } = last
    else {
        panic!("the last line is {last:?}");
    };
    assert_eq!(*games, GAMES);
    assert!((points.iter().sum::<f64>() - f64::from(15 * games)).abs() < 1e-9);
    for (player, kind) in kinds.iter().enumerate() {
        assert!(player == CULPRIT || *kind == EndKind::Normal, "{kinds:?}");
    }
    kinds[CULPRIT]
}

/// Plays a match with one culprit and then a match of honest players on the same server. Checks
/// what must hold whatever the culprit did, and gives its outcome and the first record.
fn match_with(culprit: Player, options: &str) -> (Vec<Outcome>, Record) {
    // With this seed the culprit is rich before one of the games, so that it has cards to give.
    let line = format!("uecda --games {GAMES} --seed 1 --dealer modern {options}");
    let mut server = Server::serve(&line);
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
    assert_eq!(ending(&records[1]), EndKind::Normal);
    for (player, outcome) in outcomes.iter().enumerate() {
        let is_good = outcome.finished && outcome.games == GAMES && outcome.refused == 0;
        assert!(is_good || player == CULPRIT, "player {player}: {outcome:?}");
    }
    for (player, _, reason) in reasons(&records[0]) {
        assert_eq!(usize::from(player), CULPRIT, "{reason}");
    }
    (outcomes, records.into_iter().next().expect("two records"))
}

#[test]
fn a_player_that_is_gone_costs_its_seat_only() {
    // Long enough for honest players on a machine that does much else.
    let limit = "--move-ms 400";
    for (fault, kind, options) in [
        (Fault::Half, EndKind::Disconnect, ""),
        (Fault::Silence, EndKind::Stall, limit),
    ] {
        let culprit = Player::with("culprit", Script::first(Phase::Turn, fault));
        let (_, record) = match_with(culprit, options);
        assert_eq!(ending(&record), kind, "{fault:?}");
        let reasons = reasons(&record);
        let told = |reason: &(u8, Option<EndKind>, String)| reason.1 == Some(kind);
        assert!(reasons.iter().any(told), "{fault:?}: {reasons:?}");
    }
}

#[test]
fn what_is_no_move_is_a_refused_pass() {
    let not_held = Script::first(Phase::Seated, Fault::Malformed(Malformed::NotHeld));
    let noise = Script::first(Phase::Turn, Fault::Flood(b"\0\0\0\x01"));
    for (script, due) in [
        (not_held, EndKind::Illegal),
        (noise, EndKind::ProtocolError),
    ] {
        let (outcomes, record) = match_with(Player::with("culprit", script), "");
        let refusals = refusals(&record);
        let is_due = !refusals.is_empty() && refusals.iter().all(|kind| *kind == due);
        assert!(is_due, "{script:?}: {refusals:?}, {:?}", reasons(&record));
        if script == not_held {
            let culprit = &outcomes[CULPRIT];
            assert!(culprit.finished && culprit.accepted == 0, "{culprit:?}");
            assert_eq!(ending(&record), EndKind::Normal);
        }
    }
}
