//! The server's end: composes the tables that the official server would send.

use games::daihinmin::{Cards, SEATS};

use super::card_table::{CardTable, cell};
use super::submission::cards_table;

/// Answer to a move that was accepted, and to a pass on an empty field.
pub const ACK_ACCEPTED: i32 = 9;
/// Answer to a refused move, and to a pass on a field with cards.
pub const ACK_REFUSED: i32 = 8;

/// What rows 5 and 6 of the tables say of a game, by player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The player to move; in a field table, the player that has moved.
    pub turn: u8,
    /// Whether the field is empty.
    pub empty_field: bool,
    /// Whether the ranks are turned over.
    pub revolution: bool,
    /// Whether the trick is locked to its suits.
    pub lock: bool,
    /// Cards of each player.
    pub counts: [u8; SEATS],
    /// Player at each seat.
    pub player_at: [u8; SEATS],
    /// The player of each place; `None` in a game without ranks. The official server keeps one
    /// array for the last game's places and this game's, so it overwrites `ranking[k]` when the
    /// k-th player goes out: see [`ServerEnd`].
    pub ranking: Option<[u8; SEATS]>,
}

/// Composes the tables of one match as the official server does, with two of its
/// habits:
///
/// - One work table takes what players send and is then composed in. What it does not overwrite
///   goes out again: cells `[5][8..15]` of the last table read stand in every field and hand table,
///   and, where a player has no place in [`Standing::ranking`] any more, cells `[6][5..10]` too.
/// - The table of an accepted move becomes the field table as it was sent, row 7 included.
///
/// All cells that honest clients send there are 0. The composer knows no rules: the caller says
/// what was accepted and when the field is cleared.
///
/// # Order of calls
/// [`ServerEnd::read`] for every table from a player, the last profile included. Then for each
/// game [`ServerEnd::deal`], [`ServerEnd::begin`] after the exchange, and for each turn
/// [`ServerEnd::hands`], `read`, perhaps [`ServerEnd::accept`], [`ServerEnd::field`], and
/// [`ServerEnd::clear`] when the trick has ended.
#[derive(Clone, Debug, Default)]
pub struct ServerEnd {
    work: CardTable,
    field: CardTable,
}

impl ServerEnd {
    /// A composer whose tables are all zero.
    pub fn new() -> ServerEnd {
        ServerEnd::default()
    }

    /// Takes the table that a player sent: profile, exchange or submission. A player that has
    /// left sends the empty table.
    pub fn read(&mut self, sent: &CardTable) {
        self.work = *sent;
    }

    /// Composes a deal: `counts` are those before the exchange, `turn` is not looked at. Gives a
    /// maker of each player's table.
    pub fn deal(&mut self, standing: &Standing) -> Composed<'_> {
        self.compose(standing);
        self.work[cell::TURN] = cell::TURN_IN_DEAL;
        self.work[cell::EMPTY_FIELD] = 0;
        Composed { work: &self.work }
    }

    /// The exchange is over: both tables are emptied.
    pub fn begin(&mut self) {
        *self = ServerEnd::default();
    }

    /// Composes the hand tables of a turn. Gives a maker of each player's table.
    pub fn hands(&mut self, standing: &Standing) -> Composed<'_> {
        self.compose(standing);
        Composed { work: &self.work }
    }

    /// The table read last is an accepted move: it is the field from now on.
    pub fn accept(&mut self) {
        self.field = self.work;
    }

    /// Composes the field table: `standing` is that after the move, before the trick is cleared.
    pub fn field(&mut self, standing: &Standing) -> &CardTable {
        self.compose(standing);
        for row in [5, 6] {
            *self.field.row_mut(row) = *self.work.row(row);
        }
        &self.field
    }

    /// The trick has ended: the field is empty.
    pub fn clear(&mut self) {
        self.field = CardTable::default();
    }

    fn compose(&mut self, standing: &Standing) {
        let work = &mut self.work;
        work[cell::DEAL] = 0;
        work[cell::GIVE] = 0;
        work[cell::MY_TURN] = 0;
        work[cell::TURN] = i32::from(standing.turn);
        work[cell::EMPTY_FIELD] = i32::from(standing.empty_field);
        work[cell::ELEVEN_BACK] = 0;
        work[cell::REVOLUTION] = i32::from(standing.revolution);
        work[cell::LOCK] = i32::from(standing.lock);
        for i in 0..SEATS {
            work[cell::count(i)] = i32::from(standing.counts[i]);
            work[cell::seat(i)] = i32::from(standing.player_at[i]);
        }
        match standing.ranking {
            None => (0..SEATS).for_each(|player| work[cell::rank(player)] = 0),
            // A player that stands twice keeps the higher place, one that stands nowhere what
            // was read.
            Some(ranking) => {
                for (place, player) in (0..).zip(ranking) {
                    work[cell::rank(usize::from(player))] = place;
                }
            }
        }
    }
}

/// Rows 5 and 6, ready to be joined with a player's cards.
#[derive(Debug)]
pub struct Composed<'a> {
    work: &'a CardTable,
}

impl Composed<'_> {
    /// A player's deal table. `give` is the cell `[5][1]`: 2, 1, 0, -1, -2 by place in a game with
    /// an exchange, otherwise 0; versions other than 20060 show negative numbers as 0.
    pub fn deal_for(&self, hand: Cards, give: i32) -> CardTable {
        let mut table = self.table(hand);
        table[cell::DEAL] = 1;
        table[cell::GIVE] = give;
        table
    }

    /// A player's hand table.
    pub fn hand_for(&self, hand: Cards, to_move: bool) -> CardTable {
        let mut table = self.table(hand);
        table[cell::MY_TURN] = i32::from(to_move);
        table
    }

    fn table(&self, hand: Cards) -> CardTable {
        let mut table = cards_table(hand);
        for row in [5, 6] {
            *table.row_mut(row) = *self.work.row(row);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDING: Standing = Standing {
        turn: 3,
        empty_field: false,
        revolution: true,
        lock: false,
        counts: [10, 11, 9, 8, 7],
        player_at: [4, 3, 2, 1, 0],
        ranking: Some([0, 1, 2, 3, 4]),
    };

    #[test]
    fn noise_is_echoed_as_the_official_server_does() {
        let mut end = ServerEnd::new();
        let mut sent = CardTable::default();
        sent.set(0, 5, 1);
        for column in 0..15 {
            for row in 5..8 {
                sent.set(row, column, 100);
            }
        }
        end.read(&sent);
        end.accept();
        let field = *end.field(&STANDING);
        assert_eq!(field.get(0, 5), 1);
        assert_eq!(
            field.row(5),
            &[0, 0, 0, 3, 0, 0, 1, 0, 100, 100, 100, 100, 100, 100, 100]
        );
        assert_eq!(
            field.row(6),
            &[10, 11, 9, 8, 7, 0, 1, 2, 3, 4, 4, 3, 2, 1, 0]
        );
        assert_eq!(field.row(7), &[100; 15]);
        let hand = end.hands(&STANDING).hand_for(Cards::SPADE_3, true);
        assert_eq!((hand.get(0, 1), hand[cell::MY_TURN]), (1, 1));
        assert_eq!(hand.row(5)[8..], [100; 7]);
        assert_eq!(hand.row(7), &[0; 15]);
        end.begin();
        assert_eq!(end.field(&STANDING).row(5)[8..], [0; 7]);
    }

    #[test]
    fn the_ranking_is_overwritten_in_place() {
        let mut end = ServerEnd::new();
        let mut sent = CardTable::default();
        sent[cell::rank(0)] = 7;
        end.read(&sent);
        let standing = Standing {
            ranking: Some([3, 1, 2, 3, 4]),
            ..STANDING
        };
        // Player 3 was hinmin and is first now; player 0 was daifugo and is nowhere.
        assert_eq!(end.field(&standing).row(6)[5..10], [7, 1, 2, 3, 4]);
        let reset = Standing {
            ranking: None,
            ..STANDING
        };
        assert_eq!(end.field(&reset).row(6)[5..10], [0; 5]);
    }

    #[test]
    fn a_deal_has_its_marks() {
        let mut end = ServerEnd::new();
        let deal = end.deal(&STANDING).deal_for(Cards::JOKER, -2);
        assert_eq!(deal[cell::JOKER], 2);
        assert_eq!(deal.row(5)[..5], [1, -2, 0, 6, 0]);
    }
}
