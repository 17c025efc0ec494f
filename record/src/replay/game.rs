//! One game of a record, rebuilt event by event.

use std::fmt::{Debug, Display};

use games::{ByPlayer, BySeat, GameName, OfferStep, Offers, Outcome, Player, Seat, Seating};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::event::{EndKind, What};
use crate::header::Header;

/// Why a record does not play again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The record is of another game.
    #[error("this is a record of {0}, which cannot be played again here")]
    OtherGame(GameName),
    /// The header's rules are no rules of the game.
    #[error("the rules of the header: {0}")]
    Rules(String),
    /// A text is no notation.
    #[error("{0}")]
    Notation(String),
    /// A move that the rules forbid, and why.
    #[error("{0}")]
    Illegal(String),
    /// Events that do not follow from each other.
    #[error("{0}")]
    Contradiction(String),
}

impl ReplayError {
    /// For a text that is no notation.
    pub(super) fn notation(reason: impl Display) -> ReplayError {
        ReplayError::Notation(reason.to_string())
    }
}

pub(super) fn contradiction<T>(what: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError::Contradiction(what.into()))
}

/// The seat of a player of a record.
///
/// # Errors
/// When there is no such player.
pub(super) fn seat_of(seating: &Seating, player: u8) -> Result<Seat, ReplayError> {
    match seating.seats().get(Player::new(player)) {
        Some(&seat) => Ok(seat),
        None => contradiction(format!("there is no player {player}")),
    }
}

/// A game as its record tells it.
pub trait Recorded: Clone + Debug + Send + Sync + 'static {
    /// The rules as the header has them.
    type Rules: DeserializeOwned;
    /// The game.
    const NAME: GameName;
    /// Seats.
    const SEATS: usize;
    /// Whether a forfeit costs the player the game. If not, the referee plays in its stead.
    const FORFEITS: bool = true;
    /// Plies at the beginning that a record tells as [`What::Setup`], in any order.
    const SETUPS: u32 = 0;
    /// Whether [`Recorded::move_seen_by_all`] depends on the position.
    const HIDES_MOVES: bool = false;

    /// Begins a game from a [`What::Begin`].
    ///
    /// # Errors
    /// When the event is no beginning of this game.
    fn deal(begin: &What, seating: &Seating, rules: &Self::Rules) -> Result<Self, ReplayError>;

    /// Applies a gift or a lot.
    ///
    /// # Errors
    /// When the event cannot have happened now.
    fn prepare(&mut self, what: &What, seating: &Seating) -> Result<(), ReplayError> {
        let _ = (what, seating);
        contradiction(format!("there is no such event in {}", Self::NAME))
    }

    /// Plays a move of the seat to move; `spent` is what left its hand, where that is something else
    /// than the move.
    ///
    /// # Errors
    /// Why the text is no move, or the rules forbid it.
    fn follow(&mut self, mv: &str, spent: Option<&str>) -> Result<(), ReplayError>;

    /// Reads a set-up that waits for its turn.
    ///
    /// # Errors
    /// Why the text is no move.
    fn check_setup(setup: &str) -> Result<(), ReplayError> {
        let _ = setup;
        Ok(())
    }

    /// The seat to move; `None` while no move can be played.
    fn turn(&self) -> Option<Seat>;

    /// The seat whose move or gift is due, as everybody may know it.
    fn due(&self) -> Option<Seat> {
        self.turn()
    }

    /// Whether all is dealt, so that the game can be shown.
    fn is_dealt(&self) -> bool {
        true
    }

    /// Moves and gifts so far.
    fn plies(&self) -> u32;

    /// All that a seat may know now, as the game writes it.
    fn seen(&self, seat: Seat) -> Value;

    /// What everybody may know now, as the game writes it.
    fn seen_by_all(&self) -> Value;

    /// A legal move that is about to be played, as everybody may know it.
    fn move_seen_by_all(&self, mv: &str) -> String {
        mv.to_owned()
    }

    /// What each seat has by now, more is better; empty in games without a count.
    fn game_points(&self) -> BySeat<i32> {
        BySeat::default()
    }

    /// What the rules say that the game has come to, once it is over.
    fn result(&self) -> Option<Outcome>;

    /// The rule that has ended the game, also where its record names none.
    fn rule(&self) -> Option<&'static str> {
        self.result()?.rule
    }

    /// The rule that has put a seat out of a game which the others play on.
    fn out(&self, _seat: Seat) -> Option<&'static str> {
        None
    }

    /// Takes a seat that has lost by a fault out of the game, and returns what the game comes to if it
    /// cannot go on without that seat.
    fn lose(&mut self, seat: Seat) -> Option<Outcome>;

    /// What the game comes to when its players agree on a draw; `None` in games without draws.
    fn agreed() -> Option<Outcome> {
        None
    }
}

/// One game of a record, rebuilt event by event.
#[derive(Clone, Debug)]
pub struct Replay<G> {
    /// Number of the game.
    pub number: u32,
    /// The players in their seats.
    pub seating: Seating,
    /// The game so far.
    pub game: G,
    /// The fault by which each player has lost, or that all have agreed on a draw.
    pub kinds: ByPlayer<EndKind>,
    /// What the game has come to by a fault, or by agreement.
    lost: Option<Outcome>,
    offers: Offers,
    /// Set-ups whose turn has not come.
    held: BySeat<Option<String>>,
    /// Whether the record has the end of the game.
    pub ended: bool,
}

impl<G: Recorded> Replay<G> {
    /// The rules in the header of a record.
    ///
    /// # Errors
    /// When the record is of another game or its rules cannot be read.
    pub fn rules(header: &Header) -> Result<G::Rules, ReplayError> {
        if header.game != G::NAME {
            return Err(ReplayError::OtherGame(header.game));
        }
        serde_json::from_value(header.rules.clone()).map_err(|e| ReplayError::Rules(e.to_string()))
    }

    /// Begins a game from a [`What::Begin`]; `None` for other events.
    ///
    /// # Errors
    /// When the event is no beginning of this game.
    pub fn begin(what: &What, rules: &G::Rules) -> Result<Option<Replay<G>>, ReplayError> {
        let What::Begin { game, seats, .. } = what else {
            return Ok(None);
        };
        let players: BySeat<Player> = seats.iter().copied().map(Player::new).collect();
        let seating = match Seating::new(players) {
            Ok(seating) if seating.len() == G::SEATS => seating,
            _ => {
                return contradiction(format!(
                    "seats {seats:?} are not the {} players in some order",
                    G::SEATS
                ));
            }
        };
        Ok(Some(Replay {
            number: *game,
            game: G::deal(what, &seating, rules)?,
            seating,
            kinds: ByPlayer::of(G::SEATS, EndKind::Normal),
            lost: None,
            // The server refuses offers that come too soon; a record may have them at any ply.
            offers: Offers::new(0),
            held: BySeat::of(G::SEATS, None),
            ended: false,
        }))
    }

    /// Applies the next event of the game. Events that change no position are accepted as they are.
    ///
    /// # Errors
    /// When the event cannot have happened now; the replay is then of no further use.
    pub fn apply(&mut self, what: &What) -> Result<(), ReplayError> {
        self.step(what)?;
        while self.set_up()?.is_some() {}
        Ok(())
    }

    /// As [`Replay::apply`], but set-ups wait for [`Replay::set_up`].
    pub(crate) fn step(&mut self, what: &What) -> Result<(), ReplayError> {
        match what {
            What::Setup { player, setup, .. } => self.hold(*player, setup),
            What::Give { .. } | What::Lot { .. } => self.game.prepare(what, &self.seating),
            What::Move {
                player, mv, spent, ..
            } => self.play(*player, mv, spent.as_deref()),
            What::Forfeit { player, kind, .. } if G::FORFEITS => self.forfeit(*player, *kind),
            What::Draw { player, act } => self.draw(*player, *act),
            What::End { .. } => self.end(what),
            What::Begin { game, .. } => contradiction(format!(
                "game {game} begins while game {} is played",
                self.number
            )),
            What::Result { .. } | What::Refused { .. } | What::Forfeit { .. } => Ok(()),
        }
    }

    /// What the events lead to, by seat; `None` while the game is undecided.
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.result().or_else(|| self.lost.clone())
    }

    /// Places by player that the events lead to; `None` while the game is undecided.
    pub fn places(&self) -> Option<ByPlayer<u8>> {
        let outcome = self.outcome()?;
        Some(self.seating.by_player(&outcome.places))
    }

    /// The end of the game as its record tells it, once the events lead to one.
    pub fn ending(&self) -> Option<What> {
        let outcome = self.outcome()?;
        let game_points = match &outcome.game_points {
            none if none.is_empty() => Vec::new(),
            of_seats => self.seating.by_player(of_seats).into_vec(),
        };
        Some(What::End {
            game: self.number,
            places: self.seating.by_player(&outcome.places).into_vec(),
            points: self.seating.by_player(&outcome.points).into_vec(),
            game_points,
            kinds: self.kinds.to_vec(),
            rule: outcome.rule.map(str::to_owned),
        })
    }

    /// Whether a player has lost by a fault.
    pub fn has_forfeited(&self, player: Player) -> bool {
        self.kinds[player] != EndKind::Normal
    }

    /// The player to move or to set up; none once the game is decided.
    pub fn mover(&self) -> Option<Player> {
        let seat = self.game.turn()?;
        let over = self.ended || self.outcome().is_some();
        (!over).then(|| self.seating.player_at(seat))
    }

    fn hold(&mut self, player: u8, setup: &str) -> Result<(), ReplayError> {
        if G::SETUPS == 0 {
            return contradiction(format!("there is no such event in {}", G::NAME));
        }
        let seat = seat_of(&self.seating, player)?;
        if self.held[seat].is_some() || u32::from(seat.number()) < self.game.plies() {
            return contradiction(format!("player {player} sets up twice"));
        }
        G::check_setup(setup)?;
        self.held[seat] = Some(setup.to_owned());
        Ok(())
    }

    /// Plays the set-up that is due, if it was told; gives its seat and text.
    pub(crate) fn set_up(&mut self) -> Result<Option<(Seat, String)>, ReplayError> {
        let is_due = self.game.plies() < G::SETUPS && self.outcome().is_none();
        let Some(seat) = self.game.turn().filter(|_| is_due) else {
            return Ok(None);
        };
        let Some(setup) = self.held[seat].take() else {
            return Ok(None);
        };
        self.game.follow(&setup, None)?;
        Ok(Some((seat, setup)))
    }

    fn play(&mut self, player: u8, mv: &str, spent: Option<&str>) -> Result<(), ReplayError> {
        let seat = seat_of(&self.seating, player)?;
        if self.ended || self.outcome().is_some() {
            return contradiction(format!("player {player} plays {mv} after the end"));
        }
        let is_set_up = self.game.plies() >= G::SETUPS;
        match self.game.turn().filter(|_| is_set_up) {
            Some(turn) if turn == seat => {
                self.offers.end();
                self.game.follow(mv, spent)
            }
            Some(turn) => {
                let turn = self.seating.player_at(turn);
                contradiction(format!(
                    "player {player} plays {mv} out of turn: it is player {turn}'s turn"
                ))
            }
            None => contradiction(format!("player {player} plays {mv}, but no move is due")),
        }
    }

    fn forfeit(&mut self, player: u8, kind: EndKind) -> Result<(), ReplayError> {
        let seat = seat_of(&self.seating, player)?;
        if self.outcome().is_some() {
            return contradiction("a forfeit after the end");
        }
        if matches!(kind, EndKind::Normal | EndKind::Agreed) {
            let kind = kind.as_str();
            return contradiction(format!(
                "player {player} forfeits by {kind}, which is no loss"
            ));
        }
        let player = Player::new(player);
        if self.has_forfeited(player) || self.game.out(seat).is_some() {
            return contradiction(format!("player {player} forfeits, but is out already"));
        }
        self.kinds[player] = kind;
        self.lost = self.game.lose(seat);
        Ok(())
    }

    fn draw(&mut self, player: u8, act: OfferStep) -> Result<(), ReplayError> {
        let seat = seat_of(&self.seating, player)?;
        let Some(agreed) = G::agreed() else {
            return contradiction(format!("there is no such event in {}", G::NAME));
        };
        if self.outcome().is_some() {
            return contradiction(format!("player {player} speaks of a draw after the end"));
        }
        if let Err(reason) = self.offers.take(self.game.plies(), seat, act) {
            let act = act.as_str();
            return contradiction(format!("player {player}, draw, {act}: {reason}"));
        }
        if act == OfferStep::Accept {
            self.kinds = ByPlayer::of(G::SEATS, EndKind::Agreed);
            self.lost = Some(agreed);
        }
        Ok(())
    }

    fn end(&mut self, what: &What) -> Result<(), ReplayError> {
        let What::End {
            game: number,
            places,
            points,
            game_points,
            kinds,
            rule,
        } = what
        else {
            unreachable!("only an end is handed over");
        };
        self.ended = true;
        if *number != self.number {
            return contradiction(format!(
                "game {number} ends while game {} runs",
                self.number
            ));
        }
        if kinds.contains(&EndKind::Void) {
            return if places.is_empty() && points.iter().all(|&p| p == 0.0) {
                Ok(())
            } else {
                contradiction(format!("game {number} is void, but has places or points"))
            };
        }
        let Some(outcome) = self.outcome() else {
            return contradiction(format!("game {number} ends while it is still played"));
        };
        let seating = &self.seating;
        let due = seating.by_player(&outcome.places);
        if **places != *due {
            return contradiction(format!(
                "game {number}: the record says places {places:?}, its moves lead to {:?}",
                &*due
            ));
        }
        let due = seating.by_player(&outcome.points);
        if **points != *due {
            return contradiction(format!(
                "game {number}: the record says points {points:?}, its moves give {:?}",
                &*due
            ));
        }
        let due = match &outcome.game_points {
            none if none.is_empty() => ByPlayer::default(),
            of_seats => seating.by_player(of_seats),
        };
        if **game_points != *due {
            return contradiction(format!(
                "game {number}: the record says {game_points:?} by the game's own count, \
                 its moves give {:?}",
                &*due
            ));
        }
        if rule.as_deref() != outcome.rule {
            return contradiction(format!(
                "game {number}: the record says that it ended by {rule:?}, its moves by {:?}",
                outcome.rule
            ));
        }
        Ok(())
    }
}
