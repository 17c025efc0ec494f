//! What a controller talks with.

use protocol::gtp::{Answer, Command};

use super::arguments::Arguments;
use super::commands::find;
use super::position::Position;
use super::search::Search;
use crate::blokus::client::Blokus;
use crate::blokus::{BuildError, EngineOptions};
use crate::client::Supervised;

/// A board and an engine.
///
/// ```
/// use taikyoku_bots::blokus::gtp::Session;
/// use taikyoku_bots::blokus::{EngineName, EngineOptions};
/// use protocol::gtp::Command;
///
/// let mut session = Session::new(EngineOptions::named(EngineName::Greedy), 1)?;
/// let mut ask = |line: &str| {
///     let command = Command::parse(line).unwrap().unwrap();
///     session.answer(&command).to_text()
/// };
/// assert_eq!(ask("play blue A20,a19"), "= \n\n");
/// assert_eq!(ask("7 final_score"), "=7 2 0 0 0\n\n");
/// assert!(ask("play 1 b18").starts_with("= "));
/// assert!(ask("play 1 b18").starts_with("? illegal move"));
/// assert_eq!(ask("boardsize 19"), "? unknown command\n\n");
/// # Ok::<(), taikyoku_bots::blokus::BuildError>(())
/// ```
pub struct Session {
    options: EngineOptions,
    seed: u64,
    pub(super) player: Supervised<Blokus>,
    pub(super) position: Position,
    pub(super) search: Option<Search>,
    pub(super) quit: bool,
}

impl Session {
    /// The empty board.
    ///
    /// # Errors
    /// The engine cannot be made.
    pub fn new(options: EngineOptions, seed: u64) -> Result<Session, BuildError> {
        Ok(Session {
            player: Supervised::new(options.build(seed)?),
            options,
            seed,
            position: Position::default(),
            search: None,
            quit: false,
        })
    }

    /// Carries a command out.
    pub fn answer(&mut self, command: &Command) -> Answer {
        let Some(found) = find(&command.name) else {
            return Answer::failure(command.id, "unknown command");
        };
        let mut words = Arguments::new(&command.arguments, found.usage);
        let result = (found.carry_out)(self, &mut words);
        match result {
            Ok(text) => Answer::success(command.id, text),
            Err(text) => Answer::failure(command.id, text),
        }
    }

    /// Whether `quit` has come.
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// Another position; what the engine kept of the last game is forgotten.
    pub(super) fn begin(&mut self, position: Position) {
        self.position = position;
        self.search = None;
        self.player.new_game();
    }

    /// The options of the engine.
    pub(super) const fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// The engine anew, with other options; if it cannot be made, the old one stays.
    pub(super) fn set_options(&mut self, options: EngineOptions) -> Result<(), BuildError> {
        self.player = Supervised::new(options.build(self.seed)?);
        self.options = options;
        Ok(())
    }

    /// The engine anew, with another seed.
    pub(super) fn set_seed(&mut self, seed: u64) -> Result<(), BuildError> {
        self.player = Supervised::new(self.options.build(seed)?);
        self.seed = seed;
        Ok(())
    }
}
