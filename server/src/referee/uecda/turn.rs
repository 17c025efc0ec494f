//! Turns: the hands go out, a move comes in, the field goes out.

use std::time::Duration;

use games::daihinmin::{Cards, Meld, SEATS};
use protocol::uecda::{ACK_ACCEPTED, ACK_REFUSED, Standing};

use super::judge::{Verdict, judge};
use super::{Answer, Outbox, Referee, Told};
use record::What;

/// End message of a turn after which the game goes on.
const GOES_ON: i32 = 0;

impl Referee {
    pub(super) fn turn(&mut self, player: u8, answer: Answer, now: Duration, out: &mut Outbox) {
        let empty_field = self.position.table.field.is_pass();
        let verdict = match answer {
            Answer::Sent(sent) => judge(&self.position, sent, self.settings.compat),
            _ => Verdict::Pass(None),
        };
        let (meld, spent, fault, refused) = match verdict {
            Verdict::Pass(fault) => (Meld::PASS, Cards::EMPTY, fault, false),
            Verdict::Play { meld, spent } => (meld, spent, None, false),
            Verdict::Refuse(fault) => (Meld::PASS, Cards::EMPTY, Some(fault), true),
        };
        let refused = refused || matches!(answer, Answer::Unreadable(_));
        let kind = self.book(player, answer, fault, now, out);
        let mut what = What::play(player, meld);
        if let What::Move {
            fault,
            spent: other,
            used,
            left,
            ..
        } = &mut what
        {
            *fault = kind;
            *other = (spent != meld.cards()).then(|| spent.to_string());
            (*used, *left) = self.times(player, now);
        }
        out.event(now, what);

        // A pass fails the comparison with the cards on the field, so it is answered as refused.
        let ack = if refused || (meld.is_pass() && !empty_field) {
            ACK_REFUSED
        } else {
            ACK_ACCEPTED
        };
        out.send(player, Told::Number(ack));
        self.position.lay(meld, spent);
        if !meld.is_pass() {
            self.composer.accept();
            let place = usize::from(self.position.table.places[usize::from(self.seat_of(player))]);
            if let Some(ranked) = self.ranking.get_mut(place) {
                *ranked = player;
            }
        }
        let standing = self.standing();
        let table = *self.composer.field(&standing);
        for player in 0..SEATS as u8 {
            out.send(player, Told::Table(table));
        }
        self.after_move(now, out);
    }

    /// The second half of a move: the trick's end, the game's end, the next turn.
    fn after_move(&mut self, now: Duration, out: &mut Outbox) {
        if self.position.table.is_stalled() {
            let alive = self.position.table.alive;
            self.session.settle_stall(&mut self.position);
            let places = self.position.table.places;
            let mut drawn: Vec<usize> = (0..SEATS).filter(|&s| alive >> s & 1 != 0).collect();
            drawn.sort_by_key(|&seat| places[seat]);
            let order = drawn.iter().map(|&s| self.deal.player_at[s]).collect();
            out.event(now, What::Lot { order });
        } else if !self.position.table.is_over() {
            self.position.table.advance();
            if self.position.table.field.is_pass() {
                self.composer.clear();
            }
            self.send_ints(GOES_ON, out);
            self.send_hands(out);
            self.asked_at = now;
            return;
        }
        self.end_game(now, out);
    }

    fn standing(&self) -> Standing {
        let (table, player_at) = (&self.position.table, self.deal.player_at);
        let mut counts = [0; SEATS];
        for (seat, hand) in self.position.hands.iter().enumerate() {
            counts[usize::from(player_at[seat])] = hand.len() as u8;
        }
        Standing {
            turn: self.player_in(table.turn),
            empty_field: table.field.is_pass(),
            revolution: table.revolution,
            lock: table.lock,
            counts,
            player_at,
            ranking: self.deal.ranked.then_some(self.ranking),
        }
    }

    pub(super) fn send_hands(&mut self, out: &mut Outbox) {
        let standing = self.standing();
        let composed = self.composer.hands(&standing);
        for (seat, &player) in self.deal.player_at.iter().enumerate() {
            let hand = self.position.hands[seat];
            let table = composed.hand_for(hand, player == standing.turn);
            out.send(player, Told::Table(table));
        }
    }
}
