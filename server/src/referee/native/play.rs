//! The game in play, and the players at its table.

use std::time::Duration;

use games::{BySeat, Game, Offers, Player, Seat, Seating};
use protocol::native::ServerMessage;

use record::EndKind;

/// How a game ends for a seat when all others have lost by faults.
const UNOPPOSED: &str = "unopposed";

#[derive(Clone, Debug)]
pub(super) struct SeatedPlayer {
    pub(super) name: String,
    pub(super) away: Option<Duration>,
    /// How it loses the game if it does not come back.
    pub(super) lost: EndKind,
    /// The last game for which it has said that it is ready, if it says so.
    pub(super) ready: Option<u32>,
    pub(super) points: f64,
    pub(super) kind: EndKind,
    pub(super) refused: u32,
    /// Of them those that would have cost the game.
    pub(super) retried: u32,
    /// Whether it is gone for good, and how it loses further games that the others play.
    pub(super) gone: Option<EndKind>,
}

/// How the game in play has ended for a seat.
#[derive(Clone, Copy, Debug)]
pub(super) enum SeatEnd {
    Rule(&'static str),
    Fault(EndKind),
}

impl SeatEnd {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            SeatEnd::Rule(rule) => rule,
            SeatEnd::Fault(kind) => kind.as_str(),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Play<G> {
    pub(super) game: G,
    pub(super) number: u32,
    pub(super) seating: Seating,
    pub(super) left: BySeat<Option<Duration>>,
    /// How the seats have ended that play no more.
    pub(super) ends: BySeat<Option<SeatEnd>>,
    pub(super) asked: Duration,
    pub(super) offers: Offers,
    /// Time for each move once a budget is used up.
    pub(super) per_move: BySeat<Option<Duration>>,
}

impl<G: Game> Play<G> {
    pub(super) fn to_move(&self) -> Option<Seat> {
        self.game.to_move()
    }

    pub(super) fn mover(&self) -> Option<Player> {
        self.to_move().map(|seat| self.seating.player_at(seat))
    }

    /// By seat, how a game ended that is over by `rule`, or because one seat only was left.
    pub(super) fn seat_ends(&self, rule: Option<&'static str>) -> Vec<String> {
        let ends = self.ends.iter();
        let ends = ends.map(|end| end.map(SeatEnd::as_str).or(rule).unwrap_or(UNOPPOSED));
        ends.map(str::to_owned).collect()
    }

    /// Notes how the game has ended for a seat; gives whether that was not known yet.
    pub(super) fn end_seat(&mut self, seat: Seat, end: SeatEnd) -> bool {
        let known = &mut self.ends[seat];
        let is_new = known.is_none();
        known.get_or_insert(end);
        is_new
    }

    /// The request to the seat to move, with the time that it has left at `now`.
    pub(super) fn request(&self, now: Duration) -> Option<ServerMessage> {
        let seat = self.to_move()?;
        let spent = now.saturating_sub(self.asked);
        let left = self.allowance(seat).map(|time| time.saturating_sub(spent));
        Some(ServerMessage::Request {
            game: self.number,
            ply: self.game.ply(),
            left_ms: left.map(millis),
            budget_ms: self.left[seat].map(|time| millis(time.saturating_sub(spent))),
        })
    }

    /// What a player may know of the game after an event.
    pub(super) fn view(&self, player: Player, event: u64) -> ServerMessage {
        let seat = self.seating.seat_of(player);
        ServerMessage::View {
            event,
            game: self.number,
            seat: seat.number(),
            ply: self.game.ply(),
            to_move: self.game.to_move().map(Seat::number),
            view: serde_json::to_value(self.game.view(seat)).expect("a view is plain data"),
        }
    }

    pub(super) fn legal(&self, player: Player) -> ServerMessage {
        let moves = match self.mover() {
            Some(mover) if mover == player => self.game.legal_texts(),
            _ => Vec::new(),
        };
        ServerMessage::Legal {
            game: self.number,
            ply: self.game.ply(),
            moves,
        }
    }

    /// Time of a seat for one move; `None` is no limit.
    fn allowance(&self, seat: Seat) -> Option<Duration> {
        let budget = self.left[seat];
        match (budget, self.per_move[seat]) {
            (None, None) => None,
            (budget, per_move) => Some(
                // A clock that is left out has no time.
                budget
                    .unwrap_or_default()
                    .saturating_add(per_move.unwrap_or_default()),
            ),
        }
    }

    /// When the time of the mover is up.
    pub(super) fn time_up(&self) -> Option<Duration> {
        let seat = self.to_move()?;
        self.asked.checked_add(self.allowance(seat)?)
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    time.as_millis() as u64
}
