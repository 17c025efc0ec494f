//! A client of `AnimalShogiServer` at a table of the native protocol: its lines become messages for the referee, and what
//! the referee tells becomes lines. `protocol/ANIMAL_SHOGI.md` specifies them.
//!
//! The referee judges all clients alike, so that one of these lines may meet one of any other protocol. An interpreter
//! has no socket and no clock; it follows the position, because the lines may leave a promotion out.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::time::Duration;

use games::dobutsu::{Move, Position, Variant};
use protocol::native::{ClientMessage, ErrorCode, Fault, ServerMessage, name_of};
use protocol::{Line, LineEnd, LineReader};
use record::EndKind;

/// What such a client is called in records.
pub(crate) const CLIENT: &str = "AnimalShogiServer lines";
/// How long its name is waited for: a client names itself at once or not at all.
pub(crate) const NAME_WAIT: Duration = Duration::from_millis(300);
/// After so much silence of the server it is sent [`ALIVE`].
pub(crate) const ALIVE_AFTER: Duration = Duration::from_secs(30);
/// A blank line, which keeps the connection alive.
pub(crate) const ALIVE: &[u8] = b"\n";
/// Longest line of a client in bytes, without its end: what the original server reads at once.
const LINE_LIMIT: usize = 255;

/// A client, and where its game stands.
#[derive(Debug)]
pub(crate) struct AnimalShogi {
    lines: LineReader,
    /// The day on which it came, for the name of its game.
    day: String,
    name: Option<String>,
    number: u64,
    player: u8,
    /// Its seat, once the game is known.
    seat: Option<u8>,
    /// Whether it has agreed to the game, or has moved without.
    has_agreed: bool,
    is_over: bool,
    position: Position,
}

impl AnimalShogi {
    /// A client that came on this day, such as `20180910`, to a table with these rules.
    pub(crate) fn new(day: String, variant: Variant) -> AnimalShogi {
        AnimalShogi {
            lines: LineReader::new(LineEnd::Lf, LINE_LIMIT),
            day,
            name: None,
            number: 0,
            player: 0,
            seat: None,
            has_agreed: false,
            is_over: false,
            position: Position::START.with_variant(variant),
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Takes in bytes of the client, in any cuts.
    pub(crate) fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The client's next message to the referee; `None` until more bytes come. The answers that need no
    /// referee go to `send`, each to be written by itself.
    pub(crate) fn next_message(
        &mut self,
        send: &mut dyn FnMut(&[u8]),
    ) -> Option<Result<ClientMessage, Fault>> {
        loop {
            let plays = self.seat.is_some() && !self.is_over;
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line).trim().to_owned(),
                Line::TooLong if plays => return Some(fault("the line is no move", "")),
                Line::TooLong => continue,
            };
            let name = line.strip_prefix("LOGIN:").map(str::trim);
            if let Some(name) = name.filter(|name| !name.is_empty()) {
                self.name = Some(name_of(name, "")).filter(|name| !name.is_empty());
                send(format!("LOGIN:{name},ok\n").as_bytes());
            } else if line == "AGREE" && !self.has_agreed {
                self.has_agreed = true;
                if plays {
                    send(b"START\n");
                }
            } else if line == "resign" && plays {
                return Some(Ok(ClientMessage::Resign));
            } else if line.starts_with(['+', '-']) && plays {
                return Some(self.moved(&line));
            }
        }
    }

    /// A move of the client for the referee. Where the rules leave no choice, the `+` of a promotion may be left out.
    fn moved(&mut self, line: &str) -> Result<ClientMessage, Fault> {
        let Ok((seat, mv)) = Move::read_animal_shogi(line) else {
            return fault("the line is no move", line);
        };
        self.has_agreed = true;
        if self.seat != Some(seat) {
            return fault("a move for the other side", line);
        }
        if self.position.turn() != seat {
            return fault("it is not this side's turn", line);
        }
        let promoted = mv.from().map(|from| Move::step(from, mv.to(), true));
        let must = !self.position.variant().free_promotion;
        let promoted = promoted.filter(|mv| must && self.position.is_legal(*mv));
        Ok(ClientMessage::Move {
            game: None,
            ply: None,
            mv: promoted.unwrap_or(mv).to_string(),
        })
    }

    /// Tells the client what the referee says, as far as its protocol has words for it.
    pub(crate) fn tell(&mut self, message: &ServerMessage, send: &mut dyn FnMut(&[u8])) {
        match message {
            ServerMessage::Welcome { number, player, .. } => {
                (self.number, self.player) = (*number, *player);
            }
            ServerMessage::Game { players, .. } => {
                let own = players.iter().position(|player| *player == self.player);
                let seat = own.expect("a player has a seat");
                self.seat = Some(seat as u8);
                self.is_over = false;
                self.position = Position::START.with_variant(self.position.variant());
                let (day, number) = (&self.day, self.number);
                let side = if seat == 0 { '+' } else { '-' };
                let start = if self.has_agreed { "START\n" } else { "" };
                let summary = format!(
                    "BEGIN Game_Summary\nGame_ID:{day}-{number:03}\nYour_Turn:{side}\nEND Game_Summary\n{start}"
                );
                send(summary.as_bytes());
            }
            ServerMessage::Moved { seat, mv, .. } => {
                let mv: Move = mv.parse().expect("moves are written as in USI");
                let played = self.position.play(mv);
                played.expect("the referee has allowed the move");
                send(format!("{},OK\n", mv.animal_shogi(*seat)).as_bytes());
            }
            ServerMessage::Result {
                places, end, by, ..
            } => {
                let (Some(seat), [first, second]) = (self.seat, &places[..]) else {
                    // A game that does not count has no end here.
                    return;
                };
                self.is_over = true;
                let faults = [EndKind::Illegal, EndKind::ProtocolError].map(EndKind::as_str);
                let is_own = *by == Some(seat) && faults.contains(&end.as_str());
                let end = if is_own { "#ILLEGAL" } else { "#GAME_OVER" };
                let outcome = match (first.cmp(second), seat) {
                    (Ordering::Equal, _) => "#DRAW",
                    (Ordering::Less, 0) | (Ordering::Greater, 1) => "#WIN",
                    _ => "#LOSE",
                };
                send(format!("{end}\n{outcome}\n").as_bytes());
            }
            _ => {}
        }
    }
}

/// What a client has sent that costs it its game.
fn fault(message: &str, sent: &str) -> Result<ClientMessage, Fault> {
    Err(Fault {
        code: ErrorCode::Malformed,
        message: message.to_owned(),
        sent: sent.to_owned(),
    })
}
