//! The engine's end: what a controller wants, and what may be answered when.

use super::OutOfOrder;
use super::answer::{Answer, BestMove, CheckMate, Info};
use super::command::{Command, GameEnd, Go, Position};
use super::controller_end::Identity;
use crate::line::{Line, LineEnd, LineReader};

/// Longest line of a controller in bytes, without its end: a game of more than ten thousand plies.
pub const COMMAND_LIMIT: usize = 1 << 16;

/// What a controller wants of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Write [`EngineEnd::identify`].
    Identify,
    /// Load what is to be loaded, then write [`EngineEnd::ready`].
    Prepare,
    /// An option is set.
    SetOption {
        /// Its name.
        name: String,
        /// Nothing for a button.
        value: Option<String>,
    },
    /// Another game begins.
    NewGame,
    /// Search, then give the result to [`EngineEnd::best_move`], of a `go mate` to [`EngineEnd::check_mate`].
    Think {
        /// From here; `None` if the last position could not be read.
        position: Option<Position>,
        /// For so long.
        go: Go,
    },
    /// The search is to end now: its result is due.
    Stop,
    /// The move was played that the search assumes: it goes on on the engine's own time.
    PonderHit,
    /// Write this line: the result of the search, held back until now.
    Write(String),
    /// The game is over.
    GameOver(GameEnd),
    /// The program is to end.
    Quit,
    /// A line that means nothing, or not now. It is passed over.
    Odd(String),
    /// A line above the limit. It is passed over.
    TooLong,
}

#[derive(Clone, Debug)]
struct Search {
    /// Whether it goes on until the controller says otherwise, whatever it has found.
    is_open: bool,
    pondering: bool,
    /// Its result, if that came too early.
    found: Option<BestMove>,
}

/// The engine's end of its controller.
///
/// Feed every byte to [`EngineEnd::receive`] and take all events after each. The end knows whether a search is on,
/// and holds its result back while `go ponder` and `go infinite` forbid it.
///
/// ```
/// use taikyoku_protocol::usi::{BestMove, EngineEnd, Event};
///
/// let mut end = EngineEnd::default();
/// end.receive(b"position startpos moves 2c2b\ngo infinite\n");
/// let Some(Event::Think { position, .. }) = end.next_event() else {
///     panic!();
/// };
/// assert_eq!(position.unwrap().moves, ["2c2b"]);
/// assert_eq!(end.best_move(&BestMove::of("2a2b")), Ok(None));
/// end.receive(b"stop\n");
/// assert_eq!(end.next_event(), Some(Event::Write("bestmove 2a2b\n".to_owned())));
/// ```
#[derive(Clone, Debug)]
pub struct EngineEnd {
    lines: LineReader,
    position: Option<Position>,
    search: Option<Search>,
}

impl Default for EngineEnd {
    fn default() -> EngineEnd {
        EngineEnd {
            lines: LineReader::new(LineEnd::Lf, COMMAND_LIMIT),
            position: Some(Position::default()),
            search: None,
        }
    }
}

impl EngineEnd {
    /// Takes in bytes, in any cuts.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// No more bytes come: a last line without its LF is one, too.
    pub fn finish(&mut self) {
        self.lines.push(b"\n");
    }

    /// Whether a search is on, its result not told.
    pub const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Whether a search is on that goes on until the controller says otherwise.
    pub fn is_endless(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_open)
    }

    /// What the controller wants next; `None` until more bytes come. Empty lines are passed over. Letters that are
    /// no UTF-8 become U+FFFD.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            let line = match self.lines.next_line()? {
                Line::Text(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong => {
                    self.position = None;
                    return Some(Event::TooLong);
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            let event = match Command::parse(&line) {
                Some(Command::Position(position)) => {
                    self.position = Some(position);
                    continue;
                }
                Some(command) => self.take(command),
                None => {
                    // A search of the position before would be one of another position.
                    if line.split_whitespace().next() == Some("position") {
                        self.position = None;
                    }
                    None
                }
            };
            return Some(event.unwrap_or(Event::Odd(line)));
        }
    }

    fn take(&mut self, command: Command) -> Option<Event> {
        Some(match command {
            Command::Usi => Event::Identify,
            Command::IsReady => Event::Prepare,
            Command::SetOption { name, value } => Event::SetOption { name, value },
            Command::NewGame => Event::NewGame,
            Command::GameOver(end) => Event::GameOver(end),
            Command::Quit => Event::Quit,
            Command::Go(go) if self.search.is_none() => {
                self.search = Some(Search {
                    is_open: go.ponder || go.infinite || go.mate == Some(u64::MAX),
                    pondering: go.ponder,
                    found: None,
                });
                let position = self.position.clone();
                Event::Think { position, go }
            }
            Command::Stop => self.close(Event::Stop)?,
            Command::PonderHit if self.search.as_ref()?.pondering => {
                self.close(Event::PonderHit)?
            }
            Command::Position(_) | Command::Go(_) | Command::PonderHit => return None,
        })
    }

    /// The search is to end by itself or now: its result, if there is one, else this event.
    fn close(&mut self, event: Event) -> Option<Event> {
        let search = self.search.as_mut()?;
        search.is_open = false;
        search.pondering = false;
        let Some(best) = search.found.take() else {
            return Some(event);
        };
        self.search = None;
        Some(Event::Write(Answer::BestMove(best).to_line()))
    }

    /// The lines that answer `usi`.
    pub fn identify(&self, engine: &Identity) -> String {
        let mut lines = Answer::Name(engine.name.clone()).to_line();
        lines += &Answer::Author(engine.author.clone()).to_line();
        for option in &engine.options {
            lines += &Answer::Option(option.clone()).to_line();
        }
        lines + &Answer::UsiOk.to_line()
    }

    /// The line that answers `isready`.
    pub fn ready(&self) -> String {
        Answer::ReadyOk.to_line()
    }

    /// The line that tells of a search.
    pub fn info(&self, info: Info) -> String {
        Answer::Info(info).to_line()
    }

    /// The line that ends a search; `None` if it is not to be written yet: [`Event::Write`] has it later.
    ///
    /// # Errors
    /// When no search is on.
    pub fn best_move(&mut self, best: &BestMove) -> Result<Option<String>, OutOfOrder> {
        let search = self.search.as_mut().ok_or(OutOfOrder::NoSearch)?;
        if search.is_open {
            search.found = Some(best.clone());
            return Ok(None);
        }
        self.search = None;
        Ok(Some(Answer::BestMove(best.clone()).to_line()))
    }

    /// The line that ends a search for a mate.
    ///
    /// # Errors
    /// When no search is on.
    pub fn check_mate(&mut self, found: CheckMate) -> Result<String, OutOfOrder> {
        self.search.take().ok_or(OutOfOrder::NoSearch)?;
        Ok(Answer::CheckMate(found).to_line())
    }
}
