//! The referee of a match in the native protocol, for any [`Game`].
//!
//! Players are numbered as they were seated and keep their numbers; seats may change with each game.
//!
//! # What a fault costs
//! | what | costs |
//! |---|---|
//! | a move out of turn or for an earlier ply, a message of an unknown type | an error |
//! | an illegal move | the game, [`EndKind::Illegal`] |
//! | a line that is no message | the game, [`EndKind::ProtocolError`] |
//! | more lines than the rate allows | the game and the connection, [`EndKind::ProtocolError`] |
//! | no move in time | the game, [`EndKind::Timeout`] |
//! | a connection that is lost and does not come back in time, leaving | the game, and the match ends after it, [`EndKind::Disconnect`] |
//! | giving up | the game, [`EndKind::Resign`] |
//!
//! [`MatchSettings::retries`] of the second and third cost an error only. The clock of a player whose
//! connection is lost goes on.
//!
//! A game that [can](Game::withdraw) goes on with the other seats; any other is over. A seat that is
//! out by the rules has finished its game, and no fault costs it that game any more.

mod course;
mod ends;
mod history;
mod messages;
mod outbox;
mod presence;
mod seating;
mod settings;
#[cfg(test)]
mod tests;

use std::time::Duration;

use games::Game;
use protocol::native::{ClientMessage, ErrorCode, Fault, ServerMessage};

use history::History;
use record::{EndKind, What};

pub use outbox::Outbox;
pub use settings::{GameResult, Given, MatchSettings};

/// Refused lines of one player in one game that the record keeps.
const MOST_REFUSED: u32 = 100;

/// How a game ends for a seat when all others have lost by faults.
const UNOPPOSED: &str = "unopposed";

/// A player at the table.
#[derive(Clone, Debug)]
struct Player {
    name: String,
    /// Since when its connection is lost.
    away: Option<Duration>,
    /// Points so far.
    points: f64,
    /// Its first fault.
    kind: EndKind,
    /// Lines refused in this game.
    refused: u32,
    /// Of them those that would have cost the game.
    retried: u32,
    /// Whether it has given its seat up.
    gone: bool,
}

/// How the game in play has ended for a seat.
#[derive(Clone, Copy, Debug)]
enum SeatEnd {
    Rule(&'static str),
    Fault(EndKind),
}

impl SeatEnd {
    const fn as_str(self) -> &'static str {
        match self {
            SeatEnd::Rule(rule) => rule,
            SeatEnd::Fault(kind) => kind.as_str(),
        }
    }
}

/// The game in play.
#[derive(Clone, Debug)]
struct Play<G> {
    game: G,
    number: u32,
    /// The player in each seat.
    player_at: Vec<u8>,
    /// Budget left by seat.
    left: Vec<Option<Duration>>,
    /// By seat, who plays no more and why.
    ends: Vec<Option<SeatEnd>>,
    /// When the mover was asked.
    asked: Duration,
}

/// The state machine of one match. See [the module above](crate::referee) for how time and messages
/// go in and out; time is that since the match was set up.
#[derive(Clone, Debug)]
pub struct Referee<G: Game> {
    settings: MatchSettings<G::Rules>,
    players: Vec<Player>,
    play: Option<Play<G>>,
    /// Number of the last game that has begun, and games that counted.
    number: u32,
    counted: u32,
    history: History,
    over: bool,
    /// Why no game follows the one in play.
    ending: Option<String>,
    /// Why the match ended early.
    reason: Option<String>,
}

impl<G: Game> Referee<G> {
    /// A match between players of these names, as many as there are seats.
    pub fn new(settings: MatchSettings<G::Rules>, names: &[String]) -> Referee<G> {
        let player = |i: usize| Player {
            name: names.get(i).cloned().unwrap_or_default(),
            away: None,
            points: 0.0,
            kind: EndKind::Normal,
            refused: 0,
            retried: 0,
            gone: false,
        };
        Referee {
            settings,
            players: (0..G::SEATS).map(player).collect(),
            play: None,
            number: 0,
            counted: 0,
            history: History::default(),
            over: false,
            ending: None,
            reason: None,
        }
    }

    /// Begins the match. Call it once, before anything else.
    pub fn start(&mut self, now: Duration, out: &mut Outbox) {
        for player in 0..self.players.len() as u8 {
            out.send(player, self.match_message());
        }
        self.begin_game(now, out);
    }

    /// Takes what a player has sent.
    pub fn receive(
        &mut self,
        player: u8,
        sent: Result<ClientMessage, Fault>,
        now: Duration,
        out: &mut Outbox,
    ) {
        if self.over || self.players[usize::from(player)].gone {
            return;
        }
        match sent {
            Ok(message) => self.take(player, message, now, out),
            Err(fault) => self.fault(player, fault, now, out),
        }
        // One that never stops sending must not stop the clocks.
        self.wake(now, out);
    }

    fn take(&mut self, player: u8, message: ClientMessage, now: Duration, out: &mut Outbox) {
        match message {
            ClientMessage::Hello(_) => {
                let text = "hello is the first message, and only the first";
                self.refuse(player, ErrorCode::Hello, text, "hello", now, out);
            }
            ClientMessage::Move { game, ply, mv } => {
                self.play_move(player, game, ply, &mv, now, out);
            }
            ClientMessage::Legal => out.send(player, self.legal(player)),
            ClientMessage::View => out.send(player, self.view(player)),
            ClientMessage::Resign if self.is_out(player) => {
                let text = "your game is over, the others play on";
                self.refuse(player, ErrorCode::NoGame, text, "resign", now, out);
            }
            ClientMessage::Resign => {
                self.forfeit(player, EndKind::Resign, "it resigns", now, out);
            }
            ClientMessage::Leave => self.gone(player, "it gave up its seat", now, out),
        }
    }

    fn play_move(
        &mut self,
        player: u8,
        number: Option<u32>,
        ply: Option<u32>,
        mv: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        let Some(play) = &mut self.play else {
            return;
        };
        let current = (play.number, play.game.ply());
        let harmless =
            if number.is_some_and(|n| n != current.0) || ply.is_some_and(|p| p != current.1) {
                let (game, ply) = current;
                let text = format!("ply {ply} of game {game} is to be played now");
                Some((ErrorCode::Stale, text))
            } else if play.mover() != Some(player) {
                Some((ErrorCode::NotYourTurn, "it is not your turn".to_owned()))
            } else {
                None
            };
        if let Some((code, text)) = harmless {
            self.refuse(player, code, &text, mv, now, out);
            return;
        }
        let before = play.game.clone();
        match play.game.play_text(mv) {
            Ok(mv) => self.played(player, &before, mv, now, out),
            Err(reason) => {
                let reason = reason.to_string();
                self.refuse(player, ErrorCode::Illegal, &reason, mv, now, out);
                self.costs(player, EndKind::Illegal, &reason, now, out);
            }
        }
    }

    /// A line that is no message.
    fn fault(&mut self, player: u8, fault: Fault, now: Duration, out: &mut Outbox) {
        let Fault {
            code,
            message,
            sent,
        } = fault;
        self.refuse(player, code, &message, &sent, now, out);
        if code == ErrorCode::Rate {
            self.forfeit(player, EndKind::ProtocolError, &message, now, out);
            out.close.push(player);
            self.lose(player, now, out);
        } else if !code.is_harmless() {
            self.costs(player, EndKind::ProtocolError, &message, now, out);
        }
    }

    /// Answers with an error and notes it.
    fn refuse(
        &mut self,
        player: u8,
        code: ErrorCode,
        message: &str,
        sent: &str,
        now: Duration,
        out: &mut Outbox,
    ) {
        out.send(player, ServerMessage::error(code, message));
        let count = &mut self.players[usize::from(player)].refused;
        *count += 1;
        if *count <= MOST_REFUSED {
            let what = What::Refused {
                player,
                sent: sent.to_owned(),
                reason: message.to_owned(),
            };
            out.event(now, what);
        }
    }

    /// A refused line costs the game, unless some are free.
    fn costs(&mut self, player: u8, kind: EndKind, reason: &str, now: Duration, out: &mut Outbox) {
        let retried = &mut self.players[usize::from(player)].retried;
        *retried += 1;
        if *retried > self.settings.retries {
            self.forfeit(player, kind, reason, now, out);
        }
    }

    /// When [`Referee::wake`] is due.
    pub fn next_deadline(&self) -> Option<Duration> {
        let away = self.players.iter().filter(|p| !p.gone);
        let away = away.filter_map(|p| p.away);
        let away = away.filter_map(|since| since.checked_add(self.settings.resume));
        away.chain(self.time_up()).min().filter(|_| !self.over)
    }

    /// Does what is due at `now`.
    pub fn wake(&mut self, now: Duration, out: &mut Outbox) {
        while !self.over && self.next_deadline().is_some_and(|at| at <= now) {
            let resume = self.settings.resume;
            let late = |p: &Player| !p.gone && p.away.is_some_and(|since| since + resume <= now);
            if let Some(player) = self.players.iter().position(late) {
                self.gone(player as u8, "its connection was lost", now, out);
            } else if let Some(player) = self.play.as_ref().and_then(Play::mover) {
                let (kind, reason) = match self.players[usize::from(player)].away {
                    None => (EndKind::Timeout, "its time is up"),
                    Some(_) => (EndKind::Disconnect, "its time is up, and it is not there"),
                };
                self.forfeit(player, kind, reason, now, out);
            }
        }
    }

    /// Whether a player has no part any more in the game in play.
    fn is_out(&self, player: u8) -> bool {
        let play = self.play.as_ref();
        play.is_some_and(|play| play.ends[usize::from(play.seat_of(player))].is_some())
    }

    /// Whether a player has given its seat up, and may not come back.
    pub fn is_gone(&self, player: u8) -> bool {
        self.players[usize::from(player)].gone
    }

    /// Ends the match after the game in play, for this reason.
    pub fn end_after_game(&mut self, reason: &str) {
        self.ending.get_or_insert_with(|| reason.to_owned());
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Why the match ended before its last game.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The game in play, for those who may see all of it: never for a player.
    pub fn game(&self) -> Option<&G> {
        self.play.as_ref().map(|play| &play.game)
    }
}

impl<G: Game> Play<G> {
    /// The player to move.
    fn mover(&self) -> Option<u8> {
        self.game.to_move().map(|seat| self.player_at[seat.index()])
    }

    /// By seat, how a game ended that is over by `rule`, or because one seat only was left.
    fn seat_ends(&self, rule: Option<&'static str>) -> Vec<String> {
        let ends = self.ends.iter();
        let ends = ends.map(|end| end.map(SeatEnd::as_str).or(rule).unwrap_or(UNOPPOSED));
        ends.map(str::to_owned).collect()
    }

    /// Notes how the game has ended for a seat; gives whether that was not known yet.
    fn end_seat(&mut self, seat: u8, end: SeatEnd) -> bool {
        let known = &mut self.ends[usize::from(seat)];
        let is_new = known.is_none();
        known.get_or_insert(end);
        is_new
    }

    /// The seat of a player.
    fn seat_of(&self, player: u8) -> u8 {
        let seat = self.player_at.iter().position(|&p| p == player);
        seat.unwrap_or_default() as u8
    }
}
