//! The faults of the players of a record: what its lines tell of them, and what the ends of its games and of its match say.

use games::{ByPlayer, OfferStep, Player};

use super::game::{ReplayError, contradiction};
use crate::event::{EndKind, What};

/// The faults of a player up to an event.
#[derive(Clone, Debug, Default)]
struct PlayerFaults {
    /// The fault by which it is out for the rest of the match, where the referee plays on in its stead.
    gone: Option<EndKind>,
    /// Its first fault in the game in play.
    in_game: EndKind,
    all: Vec<EndKind>,
    /// Whether one of them is in a game that counts.
    has_counted: bool,
    /// Whether the server has refused a message of the player in the game in play.
    was_refused: bool,
}

/// The faults of all players up to an event.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    players: ByPlayer<PlayerFaults>,
    /// Whether a forfeit costs the player a game, and not its seat.
    of_game: bool,
    /// The player whose message was refused by the event before.
    refused: Option<u8>,
    has_void: bool,
}

impl Faults {
    pub(super) fn of(seats: usize, of_game: bool) -> Faults {
        Faults {
            players: ByPlayer::of(seats, PlayerFaults::default()),
            of_game,
            refused: None,
            has_void: false,
        }
    }

    fn player(&mut self, player: u8) -> Result<&mut PlayerFaults, ReplayError> {
        let number = Player::new(player);
        if self.players.get(number).is_none() {
            return contradiction(format!("there is no player {player}"));
        }
        Ok(&mut self.players[number])
    }

    /// Takes the next event.
    ///
    /// # Errors
    /// When it contradicts those before it.
    pub(super) fn take(&mut self, what: &What) -> Result<(), ReplayError> {
        let refused = self.refused.take();
        match what {
            What::Begin { .. } => {
                for told in &mut self.players {
                    told.in_game = told.gone.unwrap_or_default();
                    told.was_refused = false;
                }
            }
            What::Refused { player, .. } => {
                self.player(*player)?.was_refused = true;
                self.refused = Some(*player);
            }
            What::Give {
                from: player,
                fault,
                forced: false,
                ..
            }
            | What::Move { player, fault, .. } => {
                self.played(*player, *fault, refused)?;
            }
            What::Forfeit { player, kind, .. } => {
                let of_game = self.of_game;
                let told = self.player(*player)?;
                if is_of_refusal(*kind) && !told.was_refused {
                    return without_cause(*kind, *player);
                }
                told.book(*kind);
                if !of_game && told.gone.replace(*kind).is_some() {
                    return contradiction(format!("player {player} forfeits, but is out already"));
                }
            }
            What::End {
                game,
                places,
                kinds,
                ..
            } => self.end(*game, places.is_empty(), kinds)?,
            What::Result { kinds, .. } => self.result(kinds)?,
            What::Draw {
                act: OfferStep::Accept,
                ..
            } => {
                for told in &mut self.players {
                    told.book(EndKind::Agreed);
                }
            }
            What::Setup { .. } | What::Give { .. } | What::Lot { .. } | What::Draw { .. } => {}
        }
        Ok(())
    }

    /// A player has moved or given, or the referee in its stead.
    fn played(
        &mut self,
        player: u8,
        fault: Option<EndKind>,
        refused: Option<u8>,
    ) -> Result<(), ReplayError> {
        let told = self.player(player)?;
        if told.gone.is_some() && fault != told.gone {
            return contradiction(format!("player {player} plays, but is out"));
        }
        let Some(kind) = fault else {
            return Ok(());
        };
        // What is refused is no fault of the game or the match: a pass counts in its stead.
        let is_refused = is_of_refusal(kind);
        let has_cause = match kind {
            EndKind::Timeout => true,
            _ if is_refused => refused == Some(player),
            _ => told.gone.is_some(),
        };
        if !has_cause {
            return without_cause(kind, player);
        }
        if !is_refused {
            told.book(kind);
        }
        Ok(())
    }

    fn end(&mut self, game: u32, is_void: bool, kinds: &[EndKind]) -> Result<(), ReplayError> {
        self.has_void |= is_void;
        if is_void {
            return Ok(());
        }
        let due: Vec<EndKind> = self.players.iter().map(|told| told.in_game).collect();
        if *kinds != *due {
            return contradiction(format!(
                "game {game}: the record says that it ended by {}, its lines by {}",
                names(kinds),
                names(&due)
            ));
        }
        for (told, &kind) in self
            .players
            .iter_mut()
            .zip(kinds)
            .filter(|(_, kind)| **kind != EndKind::Normal)
        {
            told.has_counted = true;
            told.add(kind);
        }
        Ok(())
    }

    /// The last line says of each player by which fault it is out, or its first, as its protocol has it.
    fn result(&self, kinds: &[EndKind]) -> Result<(), ReplayError> {
        if kinds.len() != self.players.len() {
            return contradiction("the result has another number of kinds than players");
        }
        for ((player, told), kind) in self.players.pairs().zip(kinds) {
            let fits = match kind {
                EndKind::Normal => !told.has_counted,
                EndKind::Void => self.has_void,
                // A player that leaves between games, or once it is out of the last one, forfeits none.
                EndKind::Disconnect | EndKind::Crash if self.of_game => true,
                kind => told.all.contains(kind),
            };
            if !fits || told.gone.is_some_and(|gone| gone != *kind) {
                return contradiction(format!(
                    "the result says that the match ended by {kind} for player {player}, whose faults are {}",
                    names(&told.all)
                ));
            }
        }
        Ok(())
    }
}

/// Whether a refused message can cause this fault.
const fn is_of_refusal(kind: EndKind) -> bool {
    matches!(kind, EndKind::Illegal | EndKind::ProtocolError)
}

fn without_cause(kind: EndKind, player: u8) -> Result<(), ReplayError> {
    contradiction(format!(
        "no line of the record explains the fault {kind} of player {player}"
    ))
}

impl PlayerFaults {
    fn add(&mut self, kind: EndKind) {
        if !self.all.contains(&kind) {
            self.all.push(kind);
        }
    }

    fn book(&mut self, kind: EndKind) {
        self.add(kind);
        if self.in_game == EndKind::Normal {
            self.in_game = kind;
        }
    }
}

fn names(kinds: &[EndKind]) -> String {
    match kinds {
        [] => "none".to_owned(),
        kinds => kinds
            .iter()
            .map(|kind| kind.as_str())
            .collect::<Vec<_>>()
            .join(", "),
    }
}
