//! The referee at byte level, in virtual time.

mod faults;
mod pauses;
mod secrets;

use std::time::Duration;

use games::geister::Rules;
use protocol::gat::Names;

use super::*;
use record::Event;

const MS: Duration = Duration::from_millis(1);

fn settings() -> GameSettings {
    GameSettings {
        game: 1,
        began: Duration::ZERO,
        seating: Seating::identity(SEATS),
        rules: Rules { ply_limit: 200 },
        clocks: ByPlayer::of(
            SEATS,
            Clocks {
                move_ms: Some(500),
                game_ms: Some(3000),
                increment_ms: None,
            },
        ),
        set_up: Some(1000 * MS),
        wait: [Duration::ZERO; SEATS],
        ng_terminates: true,
        closes_second: false,
    }
}

/// A referee, a clock that is moved by hand, and all that was sent.
struct Bench {
    referee: GatReferee,
    out: Outbox<Bytes>,
    now: Duration,
}

impl Bench {
    fn new(settings: GameSettings) -> Bench {
        let mut bench = Bench {
            referee: GatReferee::new(settings, [(); SEATS].map(|()| Entrant::new(Names::Refused))),
            out: Outbox::new(),
            now: Duration::ZERO,
        };
        bench.referee.start(bench.now, &mut bench.out);
        bench
    }

    /// A game with both placements set, the clock at zero.
    fn begun(settings: GameSettings) -> Bench {
        let mut bench = Bench::new(settings);
        assert_eq!(bench.says(0, "SET:ABCD\r\n"), ["0 OK "]);
        assert_eq!(bench.says(1, "SET:ABCD\r\n"), ["1 OK ", START]);
        bench
    }

    /// What the referee sends when a seat sends this: seat and line.
    fn says(&mut self, seat: u8, text: &str) -> Vec<String> {
        let player = self.referee.player_at(Seat::new(seat));
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        self.referee.receive(player, bytes, self.now, &mut self.out);
        self.sent()
    }

    fn leaves(&mut self, seat: u8) -> Vec<String> {
        let player = self.referee.player_at(Seat::new(seat));
        self.referee
            .lose(player, EndKind::Disconnect, "gone", self.now, &mut self.out);
        self.sent()
    }

    fn pass(&mut self, time: Duration) -> Vec<String> {
        let until = self.now + time;
        while let Some(at) = self.referee.next_deadline().filter(|&at| at <= until) {
            assert!(at >= self.now);
            self.now = at;
            self.referee.wake(at, &mut self.out);
        }
        self.now = until;
        self.sent()
    }

    fn sent(&mut self) -> Vec<String> {
        let seating = &self.referee.settings.seating;
        let lines = self.out.messages.drain(..).map(|(player, message)| {
            let seat = seating.seat_of(player);
            let text = std::str::from_utf8(&message).expect("ASCII");
            let line = text.strip_suffix("\r\n").expect("a whole line");
            assert!(!line.contains(['\r', '\n']), "one message at a time");
            format!("{seat} {line}")
        });
        lines.collect()
    }

    /// The players whose connections are to be closed.
    fn closed(&self) -> Vec<u8> {
        let mut closed: Vec<u8> = self
            .out
            .close
            .iter()
            .map(|player| player.number())
            .collect();
        closed.sort_unstable();
        closed.dedup();
        closed
    }

    fn events(&self) -> Vec<&What> {
        self.out
            .events
            .iter()
            .map(|Event { what, .. }| what)
            .collect()
    }

    fn result(&self) -> GameResult {
        self.referee.result().expect("the game is over").clone()
    }

    /// The last event, which ends the game.
    fn end(&self) -> (Vec<u8>, Vec<EndKind>, Option<String>) {
        match self.events()[..] {
            [
                ..,
                What::End {
                    places,
                    kinds,
                    rule,
                    ..
                },
            ] => (places.clone(), kinds.clone(), rule.clone()),
            ref other => panic!("no end: {other:?}"),
        }
    }
}

const START: &str = "0 MOV?14R24R34R44R15B25B35B45B41u31u21u11u40u30u20u10u";

fn starts(lines: &[String], heads: &[&str]) {
    assert_eq!(lines.len(), heads.len(), "{lines:?}");
    for (line, head) in lines.iter().zip(heads) {
        assert!(line.starts_with(head), "{lines:?} but not {heads:?}");
    }
}

/// Moves with which seat 0 escapes: its blue E walks up the left side.
const ESCAPE: [&str; 6] = ["E,W", "E,N", "E,N", "E,N", "E,N", "E,N"];

#[test]
fn placements_come_in_either_order_and_the_first_seat_is_asked() {
    let mut bench = Bench::new(settings());
    assert_eq!(bench.says(1, "SET:dcba\r\n"), ["1 OK "]);
    assert_eq!(bench.says(1, "SET:ABCD\r\n"), ["1 NG "]);
    assert_eq!(
        bench.says(0, "SET:AAAA\r\nSET:ABCZ\r\n\r\nMOV:A,N\r\n"),
        ["0 NG "; 4]
    );
    assert_eq!(bench.says(0, "SET:ABCD,NAME:foo\r\n"), ["0 NG "]);
    let sent = bench.says(0, "SET:ABCD\r\n");
    assert_eq!(sent, ["0 OK ", START]);
}

#[test]
fn two_commands_in_one_packet_are_both_taken() {
    let mut bench = Bench::new(settings());
    bench.says(1, "SET:ABCD\r\n");
    let sent = bench.says(0, "SET:ABCD\r\nMOV:A,N\r\n");
    starts(&sent, &["0 OK ", "0 MOV?", "0 OK ", "1 MOV?"]);
}

#[test]
fn an_escape_wins_with_the_answer_first_and_the_winner_before_the_loser() {
    let mut bench = Bench::begun(settings());
    for (n, mv) in ESCAPE.iter().enumerate() {
        starts(
            &bench.says(0, &format!("MOV:{mv}\r\n")),
            &["0 OK ", "1 MOV?"],
        );
        let answer = if n % 2 == 0 {
            "MOV:D,N\r\n"
        } else {
            "MOV:D,S\r\n"
        };
        starts(&bench.says(1, answer), &["1 OK ", "0 MOV?"]);
    }
    let sent = bench.says(0, "MOV:E,N\r\n");
    let won = "0 WON:14R24R34R44R88b25B35B45B41r31r21r11r40b30b20b10b";
    starts(&sent, &["0 OK ", won, "1 LST:"]);
    assert_eq!(sent[0], "0 OK ");
    assert_eq!(bench.closed(), [0, 1]);
    assert!(bench.referee.is_over());
    let normal = vec![EndKind::Normal; 2];
    assert_eq!(bench.end(), (vec![0, 1], normal, Some("escape".to_owned())));
    assert_eq!(bench.says(0, "MOV:E,N\r\n"), [""; 0]);
}

#[test]
fn the_ply_limit_is_a_draw_told_to_seat_0_first() {
    let mut bench = Bench::begun(GameSettings {
        rules: Rules { ply_limit: 2 },
        seating: Seating::rotation(SEATS, 1),
        ..settings()
    });
    bench.says(0, "MOV:A,N\r\n");
    let sent = bench.says(1, "MOV:A,NORTH\r\n");
    starts(&sent, &["1 OK ", "0 DRW:", "1 DRW:"]);
    let normal = vec![EndKind::Normal; 2];
    assert_eq!(
        bench.end(),
        (vec![0, 0], normal, Some("ply-limit".to_owned()))
    );
    assert_eq!(bench.result().winner, None);
}

#[test]
fn players_and_seats_are_kept_apart() {
    let mut bench = Bench::begun(GameSettings {
        seating: Seating::rotation(SEATS, 1),
        ..settings()
    });
    bench.says(0, "MOV:A,N\r\n");
    bench.leaves(1);
    let result = bench.result();
    assert_eq!(result.winner, Some(Player::new(1)));
    assert_eq!(result.kinds, [EndKind::Disconnect, EndKind::Normal]);
    let movers: Vec<u8> = bench
        .events()
        .iter()
        .filter_map(|what| match what {
            What::Move { player, .. } => Some(*player),
            _ => None,
        })
        .collect();
    assert_eq!(movers, [1]);
}

#[test]
fn one_that_is_missing_is_told_from_one_that_never_sets_up() {
    for (is_missing, kind) in [(false, EndKind::Stall), (true, EndKind::Disconnect)] {
        let mut players = [(); SEATS].map(|()| Entrant::new(Names::Refused));
        if is_missing {
            players[1] = players[1].clone().missing();
        }
        let mut settings = settings();
        settings.set_up = Some(Duration::from_secs(5));
        let mut bench = Bench {
            referee: GatReferee::new(settings, players),
            out: Outbox::new(),
            now: Duration::ZERO,
        };
        bench.referee.start(bench.now, &mut bench.out);
        assert_eq!(bench.says(0, "SET:ABCD\r\n"), ["0 OK "]);
        let late = Duration::from_secs(5);
        bench.referee.wake(late, &mut bench.out);
        let result = bench.referee.result().expect("a result");
        assert_eq!(result.kinds, [EndKind::Normal, kind]);
        assert_eq!(result.winner, Some(Player::new(0)));
    }
}
