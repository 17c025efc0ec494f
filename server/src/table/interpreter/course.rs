//! A client of the course.

use std::collections::VecDeque;
use std::time::Duration;

use protocol::course::{Answer, Command, Place, Player, ServerEnd};
use protocol::native::{ClientMessage, ErrorCode, Fault, ServerMessage};

use super::replica::Replica;
use super::{Interpreter, Say, fault, seat_of};

/// How long a client may look at the last position.
const LINGER: Duration = Duration::from_secs(10);

/// Commands that are kept until the game begins; later ones are dropped.
const MOST_EARLY: usize = 16;

#[derive(Debug)]
pub(crate) struct Course {
    end: ServerEnd,
    player: u8,
    seat: Option<u8>,
    replica: Replica,
    early: VecDeque<Command>,
    /// Whether the game is over, and whether it counts.
    over: bool,
    counts: bool,
}

const fn player_of(seat: u8) -> Player {
    match seat {
        0 => Player::One,
        _ => Player::Two,
    }
}

impl Default for Course {
    fn default() -> Course {
        Course {
            end: ServerEnd::default(),
            player: 0,
            seat: None,
            replica: Replica::start(),
            early: VecDeque::new(),
            over: false,
            counts: false,
        }
    }
}

impl Course {
    /// A move for the referee, or why it is none now.
    fn moved(
        &self,
        from: Place,
        to: Place,
        seat: u8,
    ) -> Result<Result<ClientMessage, Fault>, &'static str> {
        if self.over {
            return Err("the game is over");
        }
        if self.replica.turn() != seat {
            return Err("not your turn");
        }
        let is_other_hand = from.of_hand().is_some_and(|(player, _)| player != seat + 1);
        let mv = self.replica.usi(from, to).filter(|_| !is_other_hand);
        Ok(match mv {
            Some(mv) => Ok(ClientMessage::Move {
                game: None,
                ply: None,
                mv,
            }),
            None => Err(fault(
                format!("no piece of yours can go from {from} to {to}"),
                &Command::Move(from, to),
            )),
        })
    }

    /// The next command, as soon as the game has begun.
    fn next_command(&mut self) -> Option<Command> {
        if self.seat.is_none() {
            while let Some(command) = self.end.next_command() {
                if self.early.len() < MOST_EARLY {
                    self.early.push_back(command);
                }
            }
            return None;
        }
        self.early.pop_front().or_else(|| self.end.next_command())
    }
}

impl Interpreter for Course {
    fn client(&self) -> &'static str {
        "course"
    }

    fn receive(&mut self, bytes: &[u8]) {
        self.end.receive(bytes);
    }

    fn next_message(&mut self, say: &mut Say<'_>) -> Option<Result<ClientMessage, Fault>> {
        loop {
            let command = self.next_command()?;
            let seat = self.seat?;
            let answer = match command {
                Command::Turn => Answer::Turn(player_of(self.replica.turn())),
                Command::Board => Answer::Board(*self.replica.board()),
                Command::BoardJson => Answer::Json(*self.replica.board()),
                Command::InitBoard => Answer::Board(*Replica::start().board()),
                Command::InitBoardJson => Answer::Json(*Replica::start().board()),
                Command::WhoAmI => Answer::YouAre(player_of(seat)),
                Command::Move(from, to) => match self.moved(from, to, seat) {
                    Ok(message) => return Some(message),
                    Err(reason) => Answer::Refused(reason.to_owned()),
                },
                Command::Other(_) | Command::TooLong => {
                    Answer::Refused("unknown command".to_owned())
                }
            };
            say(&self.end.say(&answer));
        }
    }

    fn tell(&mut self, message: &ServerMessage, say: &mut Say<'_>) {
        let answer = match message {
            ServerMessage::Welcome { player, .. } => {
                self.player = *player;
                return;
            }
            ServerMessage::Game { players, .. } => {
                let seat = seat_of(self.player, players).expect("a player has a seat");
                self.seat = Some(seat);
                self.replica = Replica::start();
                Answer::YouAre(player_of(seat))
            }
            ServerMessage::Moved { seat, mv, .. } => {
                self.replica.play(mv);
                if self.seat != Some(*seat) {
                    return;
                }
                Answer::Moved
            }
            ServerMessage::Error { code, message, .. } if self.seat.is_some() => match code {
                ErrorCode::Illegal | ErrorCode::Malformed => {
                    Answer::Refused(format!("illegal: {message}"))
                }
                _ => Answer::Refused(message.clone()),
            },
            ServerMessage::Result { places, .. } => {
                self.over = true;
                self.counts = !places.is_empty();
                return;
            }
            _ => return,
        };
        say(&self.end.say(&answer));
    }

    fn linger(&self) -> Duration {
        if self.over && self.counts {
            LINGER
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(client: &mut Course, message: &ServerMessage) -> String {
        let mut said = String::new();
        client.tell(message, &mut |bytes| {
            said.push_str(&String::from_utf8_lossy(bytes));
        });
        said
    }

    /// What a line becomes, or what is answered to it.
    fn sent(client: &mut Course, line: &str) -> Result<String, String> {
        client.receive(format!("{line}\n").as_bytes());
        let mut said = String::new();
        match client.next_message(&mut |bytes| said.push_str(&String::from_utf8_lossy(bytes))) {
            Some(Ok(ClientMessage::Move { mv, .. })) => Ok(mv),
            Some(other) => Ok(format!("{other:?}")),
            None => Err(said),
        }
    }

    fn game(players: [u8; 2]) -> ServerMessage {
        ServerMessage::Game {
            event: 1,
            game: 1,
            players: players.to_vec(),
            ply: 0,
        }
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

    fn said(line: &str) -> Result<String, String> {
        Err(format!("{line}\n"))
    }

    #[test]
    fn a_client_asks_and_moves() {
        let mut client = Course::default();
        assert_eq!(sent(&mut client, "turn"), Err(String::new()));
        assert_eq!(told(&mut client, &game([0, 1])), "You are Player1\n");
        // What it asked too early is answered now.
        assert_eq!(
            sent(&mut client, "whoami"),
            Err("Player1\nYou are Player1\n".to_owned())
        );
        let board = sent(&mut client, "board").unwrap_err();
        assert!(
            board.starts_with("A1 g2, B1 l2, C1 e2, A2 --, B2 c2, C2 --, "),
            "{board}"
        );
        assert!(board.ends_with("C4 g1, D1 --, D2 --, D3 --, D4 --, D5 --, D6 --, E1 --, E2 --, E3 --, E4 --, E5 --, E6 --, \n"));
        assert_eq!(sent(&mut client, "initboard").unwrap_err(), board);
        assert_eq!(sent(&mut client, "mv B3 B2"), Ok("2c2b".to_owned()));
        assert_eq!(told(&mut client, &moved(0, "2c2b")), "moved.\n");
        assert_eq!(sent(&mut client, "turn"), said("Player2"));
        assert_eq!(sent(&mut client, "mv B2 B1"), said("not your turn"));
        assert_eq!(told(&mut client, &moved(1, "1a2b")), "");
        let json = sent(&mut client, "boardjson").unwrap_err();
        assert!(
            json.contains(r#""D1":"c1""#) && json.contains(r#""B2":"e2""#),
            "{json}"
        );
        assert_eq!(sent(&mut client, "mv D1 A3"), Ok("C*3c".to_owned()));
        assert_eq!(sent(&mut client, "q"), said("unknown command"));
    }

    #[test]
    fn what_cannot_go_is_a_fault_and_is_told() {
        let mut client = Course::default();
        told(&mut client, &game([0, 1]));
        for line in ["mv A3 A2", "mv D1 A3", "mv E1 A3", "mv B3 D1"] {
            assert!(
                sent(&mut client, line).unwrap().contains("Malformed"),
                "{line}"
            );
        }
        let error = ServerMessage::error(ErrorCode::Illegal, "no");
        assert_eq!(told(&mut client, &error), "illegal: no\n");
    }

    #[test]
    fn the_last_position_is_shown_for_a_while() {
        let mut client = Course::default();
        told(&mut client, &game([1, 0]));
        told(&mut client, &moved(0, "2c2b"));
        assert_eq!(client.linger(), Duration::ZERO);
        let mut result = |places| {
            let result = ServerMessage::Result {
                event: 3,
                game: 1,
                places,
                scores: Vec::new(),
                end: "catch".to_owned(),
                by: None,
                ends: Vec::new(),
                game_points: Vec::new(),
                reason: None,
            };
            assert_eq!(told(&mut client, &result), "");
            client.linger()
        };
        assert_eq!(result(Vec::new()), Duration::ZERO);
        assert_eq!(result(vec![1, 2]), LINGER);
        assert_eq!(sent(&mut client, "turn"), said("Player2"));
        assert_eq!(sent(&mut client, "mv B2 B3"), said("the game is over"));
    }
}
