//! A player that first does again what it did at its seat before the match was interrupted.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::io::Write;

use games::OfferStep;
use log::error;
use serde_json::json;

use super::{
    Action, ClientGame, Decision, MoveRequest, Notification, Player, TableEvent, Thinking,
};

/// Name of the variable that names a file with what a player does first, a line each: a move as records write it, one of
/// [`RESIGN`], [`LEAVE`] and [`LATE`], or what [`draw_line`] gives.
pub const SCRIPT: &str = "TAIKYOKU_SCRIPT";

/// The line of a player that gives its game up.
pub const RESIGN: &str = "resign";
/// The line of a player that leaves the match.
pub const LEAVE: &str = "leave";
/// The line of a player that lets the time of a game run out.
pub const LATE: &str = "late";

/// The line of a player that says this about a draw.
pub fn draw_line(act: OfferStep) -> String {
    format!("draw {}", act.as_str())
}

/// What a line says about a draw, if anything.
fn draw_of(line: &str) -> Option<OfferStep> {
    OfferStep::ALL
        .into_iter()
        .find(|act| draw_line(*act) == line)
}

/// A player with what it does before it chooses by itself.
pub struct Repeated<P> {
    player: P,
    script: VecDeque<String>,
    plays: bool,
}

impl<P> Repeated<P> {
    /// The player, which first does what the lines of a script say.
    pub fn new(player: P, script: impl IntoIterator<Item = String>) -> Repeated<P> {
        Repeated {
            player,
            script: script.into_iter().collect(),
            plays: false,
        }
    }

    /// The player with the script that the environment names, if it does.
    pub fn of_environment(player: P) -> Repeated<P> {
        let script = env::var_os(SCRIPT).map(fs::read_to_string);
        let script = script.unwrap_or(Ok(String::new()));
        let script = script.unwrap_or_else(|e| {
            error!("the file of {SCRIPT} cannot be read: {e}");
            String::new()
        });
        Repeated::new(player, script.lines().map(str::to_owned))
    }
}

impl<G: ClientGame, P: Player<G>> Player<G> for Repeated<P> {
    fn tell(&mut self, news: Notification<'_, G>, out: &mut dyn Write) {
        if let Notification::NewGame = news {
            let is_over = self.plays && self.script.front().is_some_and(|line| line == LATE);
            if is_over {
                self.script.pop_front();
            }
            self.plays = true;
        }
        self.player.tell(news, out);
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<MoveRequest<'_, G>>,
        out: &mut dyn Write,
    ) -> Option<Action<G::Move>> {
        let Some(line) = self.script.front() else {
            return self.player.act(view, asked, out);
        };
        let draw = draw_of(line);
        let action = match (&line[..], view, &asked) {
            (LATE, ..) => return None,
            (RESIGN, ..) if self.plays => Action::Resign,
            (LEAVE, ..) if self.plays => Action::Leave,
            // Without a number of the game the server takes it for the game in play.
            _ if self.plays && draw.is_some() => Action::Draw(None, draw?),
            (text, Some(view), Some(_)) if self.plays => match G::read_move(view, text) {
                Ok(mv) => {
                    let log = json!({});
                    Action::Move(Decision { mv, log })
                }
                Err(reason) => {
                    error!("the move {text} cannot be made again: {reason}");
                    self.script.clear();
                    return self.player.act(Some(view), asked, out);
                }
            },
            _ => return None,
        };
        self.script.pop_front();
        Some(action)
    }

    fn wakes(&self) -> bool {
        self.player.wakes()
    }

    fn shows(&self) -> bool {
        self.player.shows()
    }

    fn show(&mut self, event: TableEvent) {
        self.player.show(event);
    }

    fn thinking(&self) -> Thinking {
        self.player.thinking()
    }
}
