//! A client of the lines of `AnimalShogiServer`.

use std::time::Duration;

use protocol::animal_shogi::{ALIVE_SECONDS, End, Move, Outcome, Request, ServerEnd, Side};
use protocol::native::{ClientMessage, Fault, ServerMessage, name_of};
use record::EndKind;

use super::replica::Replica;
use super::{Interpreter, Say, fault, seat_of};

/// How long its name is waited for: a client names itself at once or not at all.
const NAME_WAIT: Duration = Duration::from_millis(300);

#[derive(Debug)]
pub(crate) struct AnimalShogi {
    end: ServerEnd,
    /// The day on which it came, for the name of its game.
    day: String,
    /// Whether a chick that reaches the far row becomes a hen without a `+`.
    promotes: bool,
    name: Option<String>,
    number: u64,
    player: u8,
    side: Option<Side>,
    replica: Replica,
}

const fn side_of(seat: u8) -> Side {
    match seat {
        0 => Side::First,
        _ => Side::Second,
    }
}

impl AnimalShogi {
    /// A client that came on this day, such as `20180910`. `promotes` says whether the `+` of a promotion may be left
    /// out.
    pub(crate) fn new(day: String, promotes: bool) -> AnimalShogi {
        AnimalShogi {
            end: ServerEnd::default(),
            day,
            promotes,
            name: None,
            number: 0,
            player: 0,
            side: None,
            replica: Replica::start(),
        }
    }

    /// A move of the client for the referee.
    fn moved(&self, mv: Move) -> Result<ClientMessage, Fault> {
        if self.side != Some(mv.side()) {
            return Err(fault("a move for the other side", &mv));
        }
        if side_of(self.replica.turn()) != mv.side() {
            return Err(fault("it is not this side's turn", &mv));
        }
        let text = mv.usi();
        let is_promoted =
            self.promotes && !text.ends_with('+') && self.replica.promotes(&text[..2], &text[2..]);
        let plus = if is_promoted { "+" } else { "" };
        Ok(ClientMessage::Move {
            game: None,
            ply: None,
            mv: text + plus,
        })
    }
}

impl Interpreter for AnimalShogi {
    fn client(&self) -> &'static str {
        "AnimalShogiServer lines"
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.end.receive(bytes);
    }

    fn next_message(&mut self, say: &mut Say<'_>) -> Option<Result<ClientMessage, Fault>> {
        loop {
            match self.end.next_request()? {
                Request::Login(name) => {
                    say(&self.end.logged_in(&name));
                    self.name = Some(name_of(&name, "")).filter(|name| !name.is_empty());
                }
                Request::Agree => say(&self.end.start()),
                Request::Move(mv) => return Some(self.moved(mv)),
                Request::Resign => return Some(Ok(ClientMessage::Resign)),
                Request::Fault(line) => return Some(Err(fault("the line is no move", &line))),
                Request::Ignored(_) => {}
            }
        }
    }

    fn tell(&mut self, message: &ServerMessage, say: &mut Say<'_>) {
        match message {
            ServerMessage::Welcome { number, player, .. } => {
                (self.number, self.player) = (*number, *player);
            }
            ServerMessage::Game { players, .. } => {
                let seat = seat_of(self.player, players).expect("a player has a seat");
                let side = side_of(seat);
                self.side = Some(side);
                self.replica = Replica::start();
                let id = format!("{}-{:03}", self.day, self.number);
                say(&self.end.summary(&id, side));
            }
            ServerMessage::Moved { seat, mv, .. } => {
                self.replica.play(mv);
                let mv = Move::from_usi(side_of(*seat), mv).expect("moves are written as in USI");
                say(&self.end.played(mv));
            }
            ServerMessage::Result {
                places, end, by, ..
            } => {
                let Some(side) = self.side else { return };
                let seat = match side {
                    Side::First => 0,
                    Side::Second => 1,
                };
                let outcome = match (places.get(seat), places.get(1 - seat)) {
                    (Some(own), Some(other)) if own < other => Outcome::Win,
                    (Some(own), Some(other)) if own > other => Outcome::Lose,
                    (Some(_), Some(_)) => Outcome::Draw,
                    // A game that does not count has no end here.
                    _ => return,
                };
                let faults = [EndKind::Illegal, EndKind::ProtocolError].map(EndKind::as_str);
                let is_own = by.is_some_and(|by| usize::from(by) == seat);
                let end = if is_own && faults.contains(&end.as_str()) {
                    End::Illegal
                } else {
                    End::GameOver
                };
                say(&self.end.end(end, outcome));
            }
            _ => {}
        }
    }

    fn name_wait(&self) -> Duration {
        NAME_WAIT
    }

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn alive_after(&self) -> Option<Duration> {
        Some(Duration::from_secs(ALIVE_SECONDS))
    }

    fn say_alive(&mut self, say: &mut Say<'_>) {
        say(&self.end.alive());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client at its table, in this seat.
    fn seated(seat: u8, promotes: bool) -> (AnimalShogi, Vec<String>) {
        let mut client = AnimalShogi::new("20180910".to_owned(), promotes);
        let welcome = ServerMessage::Welcome {
            version: 1,
            server: String::new(),
            game: String::new(),
            number: 7,
            player: 1,
            token: String::new(),
            resumed: false,
        };
        assert_eq!(told(&mut client, &welcome), [""; 0]);
        let players = if seat == 0 { vec![1, 0] } else { vec![0, 1] };
        let game = ServerMessage::Game {
            event: 1,
            game: 1,
            players,
            ply: 0,
        };
        let summary = told(&mut client, &game);
        (client, summary)
    }

    fn told(client: &mut AnimalShogi, message: &ServerMessage) -> Vec<String> {
        let mut said = Vec::new();
        client.tell(message, &mut |bytes| {
            said.extend(String::from_utf8_lossy(bytes).lines().map(str::to_owned));
        });
        said
    }

    /// What a line becomes, and what is answered to it.
    fn sent(client: &mut AnimalShogi, line: &str) -> (Option<Result<String, String>>, String) {
        client.receive(format!("{line}\n").as_bytes());
        let mut said = String::new();
        let message = client.next_message(&mut |bytes| said += &String::from_utf8_lossy(bytes));
        let message = message.map(|message| match message {
            Ok(ClientMessage::Move { mv, .. }) => Ok(mv),
            Ok(other) => Ok(format!("{other:?}")),
            Err(fault) => Err(fault.message),
        });
        (message, said)
    }

    fn moved(seat: u8, mv: &str) -> ServerMessage {
        ServerMessage::Moved {
            event: 2,
            game: 1,
            ply: 0,
            seat,
            mv: mv.to_owned(),
            used_ms: 0,
            budget_ms: None,
        }
    }

    fn result(places: &[u8], end: &str, by: Option<u8>) -> ServerMessage {
        ServerMessage::Result {
            event: 3,
            game: 1,
            places: places.to_vec(),
            scores: Vec::new(),
            end: end.to_owned(),
            by,
            ends: Vec::new(),
            game_points: Vec::new(),
            reason: None,
        }
    }

    #[test]
    fn a_game_goes_both_ways() {
        let (mut client, summary) = seated(0, true);
        assert_eq!(
            summary,
            [
                "BEGIN Game_Summary",
                "Game_ID:20180910-007",
                "Your_Turn:+",
                "END Game_Summary"
            ]
        );
        assert_eq!(
            sent(&mut client, "LOGIN: ana"),
            (None, "LOGIN:ana,ok\n".to_owned())
        );
        assert_eq!(client.name(), Some("ana"));
        assert_eq!(sent(&mut client, "AGREE"), (None, "START\n".to_owned()));
        let (mv, _) = sent(&mut client, "+1d1c");
        assert_eq!(mv, Some(Ok("3d3c".to_owned())));
        assert_eq!(told(&mut client, &moved(0, "3d3c")), ["+1d1c,OK"]);
        assert_eq!(told(&mut client, &moved(1, "1a1b")), ["-3a3b,OK"]);
        let (resigns, _) = sent(&mut client, "resign");
        assert_eq!(resigns, Some(Ok("Resign".to_owned())));
        let over = told(&mut client, &result(&[2, 1], "resign", Some(0)));
        assert_eq!(over, ["#GAME_OVER", "#LOSE"]);
        assert_eq!(sent(&mut client, "+2c2b"), (None, String::new()));
    }

    #[test]
    fn ends_are_told_from_the_clients_side() {
        for (places, end, by, lines) in [
            (vec![1, 2], "try", None, ["#GAME_OVER", "#LOSE"]),
            (vec![2, 1], "illegal", Some(0), ["#GAME_OVER", "#WIN"]),
            (vec![1, 2], "illegal", Some(1), ["#ILLEGAL", "#LOSE"]),
            (vec![1, 2], "protocol-error", Some(1), ["#ILLEGAL", "#LOSE"]),
            (vec![1, 2], "timeout", Some(1), ["#GAME_OVER", "#LOSE"]),
            (vec![1, 1], "repetition", None, ["#GAME_OVER", "#DRAW"]),
        ] {
            let (mut client, _) = seated(1, true);
            assert_eq!(told(&mut client, &result(&places, end, by)), lines, "{end}");
        }
        let (mut client, _) = seated(1, true);
        assert_eq!(told(&mut client, &result(&[], "void", None)), [""; 0]);
    }

    #[test]
    fn moves_of_the_other_side_or_out_of_turn_are_faults() {
        let (mut client, _) = seated(1, true);
        for line in ["+2c2b", "-2b2c", "-9b2c", "-"] {
            let (message, _) = sent(&mut client, line);
            assert!(matches!(message, Some(Err(_))), "{line}");
        }
        told(&mut client, &moved(0, "2c2b"));
        assert!(matches!(sent(&mut client, "-1a2b").0, Some(Ok(_))));
    }

    #[test]
    fn a_promotion_may_be_left_out_unless_it_is_the_players_choice() {
        for (promotes, mv) in [(true, "2b2a+"), (false, "2b2a")] {
            let (mut client, _) = seated(0, promotes);
            told(&mut client, &moved(0, "2c2b"));
            told(&mut client, &moved(1, "3a3b"));
            assert_eq!(sent(&mut client, "+2b2a").0, Some(Ok(mv.to_owned())));
            assert_eq!(sent(&mut client, "+2b2a+").0, Some(Ok("2b2a+".to_owned())));
        }
    }
}
