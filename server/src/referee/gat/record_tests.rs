//! What the referee records plays again.

use std::time::Duration;

use bytes::Bytes;
use games::geister::{MoveList, Rules, SEATS};
use games::{ByPlayer, GameName, Seat, Seating};
use protocol::gat::Names;

use record::{
    Clocks, EndKind, Event, GeisterRules, Header, Player, ReadError, RecordReader, RecordWriter,
    Replayed, What, replay,
};

use super::{Entrant, GameSettings, GatReferee};
use crate::referee::{Outbox, Referee as _};

/// The events of a game of random moves under the referee.
fn game(number: u32, seed: u64) -> Vec<Event> {
    let settings = GameSettings {
        game: number,
        began: Duration::ZERO,
        seating: Seating::rotation(SEATS, usize::from(number.is_multiple_of(2))),
        rules: Rules { ply_limit: 60 },
        clocks: ByPlayer::of(
            2,
            Clocks {
                game_ms: Some(1000),
                ..Clocks::default()
            },
        ),
        set_up: None,
        wait: [Duration::ZERO; SEATS],
        ng_terminates: true,
        closes_second: false,
    };
    let mut referee = GatReferee::new(
        settings,
        [(); SEATS].map(|()| Entrant::new(Names::Optional)),
    );
    let mut out = Outbox::new();
    let now = Duration::from_millis(5);
    referee.start(now, &mut out);
    let [first, second] = [0, 1].map(|seat| referee.player_at(Seat::new(seat)));
    let bytes = Bytes::from_static;
    referee.receive(second, bytes(b"SET:BADC,NAME:foo\r\n"), now, &mut out);
    referee.receive(first, bytes(b"SET:EFGH\r\n"), now, &mut out);
    let (mut moves, mut pick) = (MoveList::new(), seed);
    while referee.result().is_none() {
        pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let random = (pick >> 33) as usize;
        let position = referee.position().expect("a position");
        let seat = position.to_move().expect("a turn");
        let (mover, other) = match seat {
            0 => (first, second),
            _ => (second, first),
        };
        position.legal_moves(&mut moves);
        let line = format!("MOV:{}\r\n", moves[random % moves.len()]);
        match random % 101 {
            0 => referee.lose(mover, EndKind::Disconnect, "gone", now, &mut out),
            1 => referee.receive(mover, bytes(b"MOV:Z,N\r\n"), now, &mut out),
            2 => referee.receive(other, bytes(b"MOV:A,N\r\n"), now, &mut out),
            3 => referee.stop(now, &mut out),
            _ => referee.receive(mover, line.into(), now, &mut out),
        }
    }
    out.events
}

/// A record of a match of many games, some of which end by a fault.
fn record(games: u32) -> String {
    let players = vec![Player::default(); 2];
    let header = Header::new(GameName::Geister, "m", "gat", players, games);
    let mut out = Vec::new();
    let rules = GeisterRules { ply_limit: 60 };
    let mut writer = RecordWriter::new(&mut out, &header.with_rules(&rules)).unwrap();
    let (mut counted, mut points) = (0, vec![0.0; 2]);
    let mut faults = vec![EndKind::Normal; 2];
    for number in 1..=games {
        for event in game(number, u64::from(number) * 7919) {
            writer.event(&event).unwrap();
            if let What::End {
                points: p,
                places,
                kinds,
                ..
            } = event.what
            {
                for (first, kind) in faults.iter_mut().zip(kinds) {
                    if *first == EndKind::Normal && kind != EndKind::Void {
                        *first = kind;
                    }
                }
                counted += u32::from(!places.is_empty());
                points[0] += p[0];
                points[1] += p[1];
            }
        }
    }
    let result = What::Result {
        games: counted,
        points,
        kinds: faults,
        seed: None,
        key: None,
        reason: None,
    };
    writer.event(&result.at(9)).unwrap();
    drop(writer);
    String::from_utf8(out).unwrap()
}

fn replay_text(text: &str) -> Result<Replayed, ReadError> {
    replay(RecordReader::new(text.as_bytes(), "r")?)
}

#[test]
fn what_the_referee_records_plays_again_to_the_same_result() {
    let text = record(200);
    let sum = replay_text(&text).unwrap();
    assert!(sum.closed && !sum.unfinished);
    assert!(sum.games > 100 && sum.void > 5, "{sum:?}");
    let total: f64 = sum.points.iter().sum();
    assert!((total - f64::from(sum.games)).abs() < 1e-9);
    assert!(text.contains("\"kinds\":[\"disconnect\",\"normal\"]"));
    assert!(text.contains("\"name\":\"foo\""));
}

#[test]
fn what_cannot_have_happened_is_noticed() {
    let text = record(20);
    let lines: Vec<&str> = text.lines().collect();
    let mut tried = 0;
    for (i, line) in lines.iter().enumerate() {
        let is = |event: &str| line.contains(&format!("\"event\":\"{event}\""));
        let counts = !line.contains("void");
        let changed = if is("move") {
            // The other player's move, and the same one twice in a row.
            [
                line.replace("\"player\":0", "\"player\":9"),
                format!("{line}\n{line}"),
            ]
        } else if is("end") && counts {
            [
                line.replace("\"places\":[0,1]", "\"places\":[1,0]"),
                String::new(),
            ]
        } else {
            continue;
        };
        for changed in changed.iter().filter(|changed| changed != line) {
            let mut other = lines.clone();
            other[i] = changed;
            let error = replay_text(&other.join("\n")).unwrap_err();
            assert!(error.line as usize > i, "{error}");
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}
