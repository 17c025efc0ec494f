//! The client's end of one game.

use games::is_printable;

use super::message::{ClientLine, End, Move, Outcome, ServerLine, Side};
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of a server in bytes, without its end.
pub const SERVER_LINE_LIMIT: usize = 1024;

/// Most bytes of a name that a client sends.
pub const NAME_LIMIT: usize = 128;

/// What the server has said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// `LOGIN:name,ok`.
    LoggedIn(String),
    /// The game is known: [`ClientEnd::agree`] is due.
    Summary {
        /// Its name.
        id: String,
        /// The own side.
        side: Side,
    },
    /// The game begins; the first side is to move, or has moved already.
    Started,
    /// A move was played, an own one or one of the opponent.
    Played(Move),
    /// The game is over: close the connection.
    Ended(End, Outcome),
    /// A blank line: the connection is alive.
    Alive,
    /// A line that means nothing, or not here. It is passed over.
    Odd(String),
}

/// The caller sends what is not due.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotDue {
    /// `AGREE` without a game, or twice.
    #[error("there is nothing to agree to")]
    Agree,
    /// A move out of turn, or before the start.
    #[error("it is not this side's turn")]
    Turn,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    Waiting,
    Summary(Option<String>, Option<Side>),
    Summoned,
    Agreed,
    Playing,
    /// How it ended; the outcome is still to come.
    Ending(End),
    Over,
}

/// The client's end of one game. Feed every byte to [`ClientEnd::receive`] and take events with
/// [`ClientEnd::next_event`] until it gives `None`. Lines to send have their LF.
///
/// ```
/// use taikyoku_protocol::animal_shogi::{ClientEnd, Event, Side};
///
/// let mut end = ClientEnd::default();
/// end.receive(b"BEGIN Game_Summary\nGame_ID:20180910-001\nYour_Turn:+\nEND Game_Summary\n");
/// assert!(matches!(end.next_event(), Some(Event::Summary { side: Side::First, .. })));
/// assert_eq!(end.agree().unwrap(), "AGREE\n");
/// end.receive(b"START\n");
/// assert_eq!(end.next_event(), Some(Event::Started));
/// assert_eq!(end.play("+2c2b".parse().unwrap()).unwrap(), "+2c2b\n");
/// ```
#[derive(Clone, Debug)]
pub struct ClientEnd {
    lines: LineReader,
    phase: Phase,
    side: Option<Side>,
    /// The side to move; that of a move that was sent and not answered yet has none.
    turn: Option<Side>,
}

impl Default for ClientEnd {
    fn default() -> ClientEnd {
        ClientEnd {
            lines: LineReader::new(LineEnd::Lf, SERVER_LINE_LIMIT),
            phase: Phase::Waiting,
            side: None,
            turn: None,
        }
    }
}

impl ClientEnd {
    /// Takes in bytes of the server, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// The own side, once the game is known.
    pub const fn side(&self) -> Option<Side> {
        self.side
    }

    /// Whether a move of this client is due.
    pub fn is_to_move(&self) -> bool {
        self.phase == Phase::Playing && self.turn.is_some() && self.turn == self.side
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// What the server has said next; `None` until more bytes come.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong => {
                    let odd = format!("a line of more than {SERVER_LINE_LIMIT} bytes");
                    return Some(Event::Odd(odd));
                }
            };
            match self.read(ServerLine::parse(&line)) {
                Read::Event(event) => return Some(event),
                Read::More => {}
                Read::Odd => return Some(Event::Odd(line)),
            }
        }
    }

    fn read(&mut self, line: ServerLine) -> Read {
        let (event, phase) = match (line, &mut self.phase) {
            (ServerLine::Alive, _) => return Read::Event(Event::Alive),
            (ServerLine::LoggedIn(name), _) => return Read::Event(Event::LoggedIn(name)),
            (ServerLine::SummaryBegin, Phase::Waiting) => {
                self.phase = Phase::Summary(None, None);
                return Read::More;
            }
            (ServerLine::GameId(id), Phase::Summary(known, _)) => {
                *known = Some(id);
                return Read::More;
            }
            (ServerLine::YourTurn(side), Phase::Summary(_, known)) => {
                *known = Some(side);
                return Read::More;
            }
            (ServerLine::SummaryEnd, Phase::Summary(id, Some(side))) => {
                let (id, side) = (id.take().unwrap_or_default(), *side);
                self.side = Some(side);
                (Event::Summary { id, side }, Phase::Summoned)
            }
            (ServerLine::Start, Phase::Agreed) => {
                // The opponent may have moved before this client agreed.
                self.turn = self.turn.or(Some(Side::First));
                (Event::Started, Phase::Playing)
            }
            (ServerLine::Played(mv), Phase::Summoned | Phase::Agreed | Phase::Playing) => {
                self.turn = Some(match mv.side() {
                    Side::First => Side::Second,
                    Side::Second => Side::First,
                });
                return Read::Event(Event::Played(mv));
            }
            (ServerLine::End(end), Phase::Summoned | Phase::Agreed | Phase::Playing) => {
                self.phase = Phase::Ending(end);
                return Read::More;
            }
            (ServerLine::Outcome(outcome), Phase::Ending(end)) => {
                (Event::Ended(*end, outcome), Phase::Over)
            }
            _ => return Read::Odd,
        };
        self.phase = phase;
        Read::Event(event)
    }

    /// `LOGIN:name`, at any time. What a line cannot hold is left out of the name, which is cut to [`NAME_LIMIT`] bytes.
    pub fn login(&self, name: &str) -> String {
        let mut name: String = name.chars().filter(|c| is_printable(*c)).collect();
        name.truncate(name.floor_char_boundary(NAME_LIMIT));
        format!("{}\n", ClientLine::Login(Some(name)))
    }

    /// `AGREE`.
    ///
    /// # Errors
    /// When there is nothing to agree to.
    pub fn agree(&mut self) -> Result<String, NotDue> {
        if self.phase != Phase::Summoned {
            return Err(NotDue::Agree);
        }
        self.phase = Phase::Agreed;
        Ok(format!("{}\n", ClientLine::Agree))
    }

    /// The line of a move.
    ///
    /// # Errors
    /// When it is not this client's turn.
    pub fn play(&mut self, mv: Move) -> Result<String, NotDue> {
        if !self.is_to_move() || Some(mv.side()) != self.side {
            return Err(NotDue::Turn);
        }
        self.turn = None;
        Ok(format!("{}\n", ClientLine::Move(mv)))
    }

    /// `resign`.
    pub fn resign(&self) -> String {
        format!("{}\n", ClientLine::Resign)
    }

    /// A blank line: send one after half a minute of silence.
    pub fn alive(&self) -> String {
        "\n".to_owned()
    }
}

enum Read {
    Event(Event),
    More,
    Odd,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_that_comes_before_the_start_counts() {
        let mut end = ClientEnd::default();
        end.receive(
            b"BEGIN Game_Summary\nGame_ID:1\nYour_Turn:-\nEND Game_Summary\n+2c2b,OK\nSTART\n",
        );
        assert!(matches!(end.next_event(), Some(Event::Summary { .. })));
        assert_eq!(end.agree(), Ok("AGREE\n".to_owned()));
        assert!(matches!(end.next_event(), Some(Event::Played(_))));
        assert_eq!(end.next_event(), Some(Event::Started));
        assert!(end.is_to_move());
        assert_eq!(end.next_event(), None);
    }
}
