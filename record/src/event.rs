//! Every line of a record but the first.

use std::fmt;

use games::daihinmin::{Cards, Deal, SEATS};
use games::{DealKey, OfferStep};
use serde::{Deserialize, Serialize};

/// How a game or match ended for a player, or why the referee played in its stead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EndKind {
    /// By the rules of the game, without a fault.
    #[default]
    Normal,
    /// It sent a move that the rules forbid.
    Illegal,
    /// Its clock ran out.
    Timeout,
    /// It sent nothing at all and was given up.
    Stall,
    /// Its connection was lost.
    Disconnect,
    /// Its program, or the engine behind it, has ended or failed.
    Crash,
    /// It gave the game up.
    Resign,
    /// The players agreed on a draw.
    Agreed,
    /// It sent what is no message of its protocol.
    ProtocolError,
    /// The game does not count: our fault, or all players are gone.
    Void,
}

impl EndKind {
    /// Whether it is a fault: the seat has lost by something that is no play. Resigning and agreeing on a draw are ways
    /// to play, and a void game is the fault of no seat.
    pub const fn is_fault(self) -> bool {
        !matches!(
            self,
            EndKind::Normal | EndKind::Resign | EndKind::Agreed | EndKind::Void
        )
    }

    /// The name as records write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            EndKind::Normal => "normal",
            EndKind::Illegal => "illegal",
            EndKind::Timeout => "timeout",
            EndKind::Stall => "stall",
            EndKind::Disconnect => "disconnect",
            EndKind::Crash => "crash",
            EndKind::Resign => "resign",
            EndKind::Agreed => "agreed",
            EndKind::ProtocolError => "protocol-error",
            EndKind::Void => "void",
        }
    }
}

impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One line: when, and what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Milliseconds since the match started.
    pub ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum What {
    /// A game begins.
    Begin {
        /// Number of the game, from 1.
        game: u32,
        /// The player in each seat, in turn order.
        seats: Vec<u8>,
        /// Places of the players in the last game (0 is best), in games that carry ranks over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ranks: Option<Vec<u8>>,
        /// What was dealt to each player, before any exchange.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hands: Vec<String>,
        /// The first position in the notation of the game, where it is not the usual one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<String>,
    },
    /// A player set up its side (Geister).
    Setup {
        /// The player.
        player: u8,
        /// The set-up in the notation of the game.
        setup: String,
        /// The name that the player gave itself for this game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Cards change hands before the first move.
    Give {
        /// The giver.
        from: u8,
        /// The receiver.
        to: u8,
        /// The cards.
        cards: String,
        /// The rules chose the cards, not the player.
        #[serde(default, skip_serializing_if = "is_false")]
        forced: bool,
        /// Why the referee chose the cards in the player's stead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<EndKind>,
        /// Cards that left the giver's hand and went nowhere (a fault of the official server).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lost: Option<String>,
        /// Milliseconds the player used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<u64>,
        /// Milliseconds left on the player's clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<u64>,
    },
    /// A move was played.
    Move {
        /// The player that moves.
        player: u8,
        /// The move in the notation of the game.
        #[serde(rename = "move")]
        mv: String,
        /// Why the referee played this move in the player's stead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<EndKind>,
        /// Cards that left the hand, where they are not those of the move (a fault of the
        /// official server).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spent: Option<String>,
        /// Milliseconds the player used.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<u64>,
        /// Milliseconds left on the player's clock.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<u64>,
    },
    /// A move or a gift was refused. What was played instead follows with its `fault`.
    Refused {
        /// The player that sent it.
        player: u8,
        /// What was sent, as well as it can be written.
        sent: String,
        /// Why it was refused.
        reason: String,
    },
    /// A player is out of the match (or, in the native protocol and in Geister, has lost the game) by a
    /// fault.
    Forfeit {
        /// The player.
        player: u8,
        /// The fault.
        kind: EndKind,
        /// What exactly happened.
        reason: String,
    },
    /// A player of a game for two says something about a draw. After an acceptance the game ends.
    Draw {
        /// The player.
        player: u8,
        /// What it says.
        act: OfferStep,
    },
    /// Players were ranked by lot (twenty passes in a row), the best first.
    Lot {
        /// The players ranked.
        order: Vec<u8>,
    },
    /// A game ends.
    End {
        /// Number of the game.
        game: u32,
        /// Place of each player, 0 is best; equal places for a draw; empty in a void game.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        places: Vec<u8>,
        /// Points of each player in this game.
        points: Vec<f64>,
        /// What each player has by the game's own count, in games that have one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        game_points: Vec<i32>,
        /// End kind of the game for each player: its first fault, if any. A refused meld or gift in Daihinmin is not a fault.
        kinds: Vec<EndKind>,
        /// The rule that ended the game, in games that end by several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
    },
    /// The match ends. The last line.
    Result {
        /// Games that counted.
        games: u32,
        /// Points of each player over all games.
        points: Vec<f64>,
        /// How the match ended for each player: its fault that cost it its seat, else its first.
        kinds: Vec<EndKind>,
        /// The seed of the deals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seed: Option<u64>,
        /// The key of the deals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<DealKey>,
        /// Why the match ended before its last game.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

// serde's skip_serializing_if hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl What {
    /// The beginning of a game of Daihinmin.
    pub fn begin(deal: &Deal) -> What {
        let mut hands = vec![String::new(); SEATS];
        for (seat, cards) in deal.dealt.iter().enumerate() {
            hands[usize::from(deal.player_at[seat])] = cards.to_string();
        }
        What::Begin {
            game: deal.game,
            seats: deal.player_at.to_vec(),
            ranks: deal.ranked.then(|| deal.ranks.to_vec()),
            hands,
            position: None,
        }
    }

    /// The cards that the poor of a game of Daihinmin gave by the rules, if it has an exchange.
    /// Call it on the deal as the session made it, before the rich have given.
    pub fn tributes(deal: &Deal) -> Vec<What> {
        let pairs = [(4, 0), (3, 1)].into_iter();
        pairs
            .filter(|&(_, rich)| deal.ranked && deal.owes[usize::from(deal.seat_of_rank(rich))] > 0)
            .map(|(poor, rich)| What::Give {
                from: deal.player_at[usize::from(deal.seat_of_rank(poor))],
                to: deal.player_at[usize::from(deal.seat_of_rank(rich))],
                cards: deal.tribute(poor).to_string(),
                forced: true,
                fault: None,
                lost: None,
                used: None,
                left: None,
            })
            .collect()
    }

    /// A gift of a rich player, without fault or times.
    pub fn give(from: u8, to: u8, cards: Cards) -> What {
        What::Give {
            from,
            to,
            cards: cards.to_string(),
            forced: false,
            fault: None,
            lost: None,
            used: None,
            left: None,
        }
    }

    /// A move, without fault or times.
    pub fn play(player: u8, mv: impl fmt::Display) -> What {
        What::Move {
            player,
            mv: mv.to_string(),
            fault: None,
            spent: None,
            used: None,
            left: None,
        }
    }

    /// The player whose meld or gift was refused in Daihinmin, where this is what counts in its stead: a pass, or other
    /// cards.
    pub const fn refused(&self) -> Option<u8> {
        match self {
            What::Move {
                player,
                fault: Some(EndKind::Illegal | EndKind::ProtocolError),
                ..
            } => Some(*player),
            What::Give {
                from,
                fault: Some(EndKind::Illegal | EndKind::ProtocolError),
                ..
            } => Some(*from),
            _ => None,
        }
    }

    /// This event at a time.
    pub const fn at(self, ms: u64) -> Event {
        Event { ms, what: self }
    }
}
