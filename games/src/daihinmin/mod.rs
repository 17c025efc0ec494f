//! Daihinmin under the rules of the UECda tournament: five seats, 53 cards.
//!
//! Terms: a *meld* is what is laid down in one move (single, group, sequence or the lone joker),
//! a *trick* runs from a lead until the field is cleared, *suit lock* is 縛り, *revolution* 革命,
//! *eight cut* 8切り, *sequence* 階段. Places count from 0 (daifugo 大富豪) to 4 (daihinmin 大貧民).
//!
//! A [`Position`] is one game in play and is indexed by **seat**: seat `s + 1` moves after seat
//! `s`. A [`Session`] is a match of many games and is indexed by **player**: it seats players,
//! deals, runs the exchange and carries ranks from game to game.
//!
//! ```
//! use taikyoku_games::daihinmin::{Dealer, DealerKind, Meld, Session, SessionRules, View};
//!
//! let dealer = Dealer::new(DealerKind::Official, 1);
//! let mut position = Session::new(SessionRules::default(), dealer).deal().start();
//! let mut moves = Vec::new();
//! position.legal_moves(&mut moves);
//! assert_eq!(moves[0], Meld::PASS);
//! let mut view = View::at_start(&position, 0);
//! position.play(moves[1])?;
//! view.follow(moves[1])?;
//! assert_eq!(view.counts, position.counts());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cards;
mod deal;
mod game;
mod legal;
mod meld;
mod mt19937;
mod notation;
mod position;
mod session;
mod table;
mod view;
mod windows;

pub use cards::{Card, Cards, Suit, Suits};
pub use deal::{Chance, Dealer, DealerKind};
pub use game::{Daihinmin, GameView, IllegalTurn, PublicView, Turn, TurnView};
pub use legal::{column_counts, is_legal, legal_moves, legal_moves_no_waste};
pub use meld::{Meld, MeldKind, NO_JOKER};
pub use mt19937::Mt19937;
pub use notation::ParseError;
pub use position::Position;
pub use session::{
    Deal, Session, SessionRules, forced_tribute, is_valid_gift, strongest, tribute_order,
};
pub use table::{IllegalMove, PASSES_TO_STALL, Rules, Table};
pub use view::{Exchanged, View};
pub use windows::Windows;

/// Seats at a table.
pub const SEATS: usize = 5;
/// Cards in the deck, the joker included.
pub const DECK: usize = 53;
/// Place of a seat that is still playing.
pub const NO_PLACE: u8 = u8::MAX;
