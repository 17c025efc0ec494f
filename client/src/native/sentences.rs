//! What the server says, for people.

use games::{ByPlayer, BySeat, OfferStep, Player, Seat, count_of_games};
use protocol::native::ServerMessage;

use super::track::Track;
use super::{GameEnd, NativeGame, Outcome};

#[derive(Debug, Default)]
pub(super) struct Sentences {
    names: ByPlayer<String>,
    players: BySeat<Player>,
    games: u32,
    /// Whether a file keeps the token of the seat, so that a person need not.
    has_token_file: bool,
}

impl Sentences {
    pub(super) fn new(has_token_file: bool) -> Sentences {
        Sentences {
            has_token_file,
            ..Sentences::default()
        }
    }

    /// The name of a player that the server speaks of, which may be any number.
    fn name(&self, player: Player) -> String {
        let name = self.names.get(player);
        name.cloned().unwrap_or_else(|| format!("player {player}"))
    }

    /// The name of the player in a seat, or what the seat is called before a game.
    fn name_in<G: NativeGame>(&self, seat: u8) -> String {
        let seat = Seat::new(seat);
        let player = self.players.get(seat);
        player.map_or_else(
            || G::seat_name(seat).to_owned(),
            |player| self.name(*player),
        )
    }

    /// What a message says; `None` if nothing.
    pub(super) fn sentence<G: NativeGame>(
        &mut self,
        message: &ServerMessage,
        track: &Track<G>,
    ) -> Option<String> {
        Some(match message {
            ServerMessage::Welcome { resumed: true, .. } => "You are back.".to_owned(),
            ServerMessage::Welcome { token, .. } => {
                let others = if G::SEATS == 2 {
                    "other player"
                } else {
                    "others"
                };
                let seat = format!("You have a seat. Waiting for the {others}.");
                if self.has_token_file {
                    seat
                } else {
                    format!("{seat}\nIf you are cut off, start again with TAIKYOKU_TOKEN={token}")
                }
            }
            ServerMessage::Match {
                players,
                games,
                clocks,
                ..
            } => {
                self.names = players.clone().into();
                self.games = *games;
                let ms = |ms: Option<u64>| felt(ms).map(|ms| seconds(ms) + " s");
                let clock = match [clocks.budget_ms, clocks.move_ms].map(ms) {
                    [None, None] => "no clock".to_owned(),
                    limits => {
                        let no = || "no".to_owned();
                        let [budget, mv] = limits.map(|limit| limit.unwrap_or_else(no));
                        format!("{budget} budget, {mv} a move")
                    }
                };
                format!(
                    "{}: {}; {clock}. Type help for help.",
                    players.join(" against "),
                    count_of_games(*games),
                )
            }
            ServerMessage::Game { game, players, .. } => {
                self.players = players.iter().copied().map(Player::new).collect();
                let seats: Vec<String> = Seat::all(G::SEATS)
                    .zip(&self.players)
                    .map(|(seat, player)| {
                        format!("{} is {}", self.name(*player), G::seat_name(seat))
                    })
                    .collect();
                format!("\nGame {game} of {}: {}.", self.games, seats.join(", "))
            }
            ServerMessage::Request { left_ms, .. } => {
                let left = felt(*left_ms);
                let left = left.map_or(String::new(), |ms| format!(", {} s left", seconds(ms)));
                format!("Your move ({}{left}):", G::seat_name(track.seat))
            }
            ServerMessage::Moved { mv, seat, .. } if Seat::new(*seat) != track.seat => {
                format!("{} plays {mv}.", self.name_in::<G>(*seat))
            }
            ServerMessage::Presence { player, here, .. } => {
                let what = if *here {
                    "is back"
                } else {
                    "has lost the connection"
                };
                format!("{} {what}.", self.name(Player::new(*player)))
            }
            ServerMessage::Draw { seat, act, .. } if Seat::new(*seat) != track.seat => {
                let what = match act {
                    OfferStep::Offer => "offers a draw",
                    OfferStep::Accept => "accepts the draw",
                    OfferStep::Decline => "declines the draw",
                    OfferStep::Withdraw => "withdraws the offer of a draw",
                };
                format!("{} {what}.", self.name_in::<G>(*seat))
            }
            ServerMessage::Out { seat, end, .. } if Seat::new(*seat) != track.seat => {
                format!("{} is out ({end}).", self.name_in::<G>(*seat))
            }
            ServerMessage::Out { end, .. } => format!("You are out ({end})."),
            ServerMessage::Result {
                places,
                end,
                reason,
                ..
            } => {
                let end_of_game = GameEnd {
                    places,
                    scores: &[],
                    game_points: &[],
                };
                let what = match (end_of_game.outcome(track.seat), G::SEATS) {
                    (None, _) => "The game does not count".to_owned(),
                    (Some(Outcome::Won), _) => "You have won".to_owned(),
                    (Some(Outcome::Shared), 2) => "A draw".to_owned(),
                    (Some(Outcome::Shared), _) => "You share the win".to_owned(),
                    (Some(Outcome::Lost), 2) => "You have lost".to_owned(),
                    // An outcome has a place.
                    (Some(Outcome::Lost), _) => {
                        format!("Your place is {}", places[track.seat.index()])
                    }
                };
                format!("{what} ({end}{}).", after(": ", reason.as_deref(), ""))
            }
            ServerMessage::Over { scores, reason, .. } => {
                let scores: Vec<String> = (0..)
                    .zip(scores)
                    .map(|(player, score)| format!("{} {score}", self.name(Player::new(player))))
                    .collect();
                let reason = after(" (", reason.as_deref(), ")");
                format!("The match is over{reason}: {}.", scores.join(", "))
            }
            ServerMessage::Error { message, code, .. } => {
                format!("The server says: {message} ({}).", code.as_str())
            }
            _ => return None,
        })
    }
}

/// A reason between two texts; nothing without one.
fn after(before: &str, reason: Option<&str>, behind: &str) -> String {
    reason.map_or(String::new(), |reason| format!("{before}{reason}{behind}"))
}

/// A limit that a person may feel: a server without a clock may have one of days.
fn felt(limit_ms: Option<u64>) -> Option<u64> {
    limit_ms.filter(|ms| *ms < 24 * 60 * 60 * 1000)
}

fn seconds(ms: u64) -> String {
    format!("{:.1}", ms as f64 / 1000.0)
}
