//! The game in play.

use std::time::Duration;

use games::{BySeat, Game, Player, Seat, Seating};

use record::EndKind;

/// How a game ends for a seat when all others have lost by faults.
const UNOPPOSED: &str = "unopposed";

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

/// The game in play.
#[derive(Clone, Debug)]
pub(super) struct Play<G> {
    pub(super) game: G,
    pub(super) number: u32,
    pub(super) seating: Seating,
    /// What is left of each budget.
    pub(super) left: BySeat<Option<Duration>>,
    /// How the seats have ended that play no more.
    pub(super) ends: BySeat<Option<SeatEnd>>,
    /// When the mover was asked.
    pub(super) asked: Duration,
}

impl<G: Game> Play<G> {
    /// The seat to move.
    pub(super) fn to_move(&self) -> Option<Seat> {
        self.game.to_move()
    }

    /// The player to move.
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
}
