//! The deal and the exchange.

use std::time::Duration;

use games::daihinmin::SEATS;
use protocol::uecda::Standing;

use super::judge::{Gift, judge_gift};
use super::{Answer, Outbox, Phase, Referee, Told};
use record::What;

impl Referee {
    /// Sends the deal, which is in `self.deal`, and asks for the first gift or move.
    pub(super) fn begin_game(&mut self, now: Duration, out: &mut Outbox) {
        let deal = self.deal;
        out.event(now, What::begin(&deal));
        for what in What::tributes(&deal) {
            out.event(now, what);
        }
        for player in &mut self.players {
            player.begin_game();
        }
        let exchange = deal.owes.iter().any(|&owed| owed > 0);
        let mut counts = [0; SEATS];
        for (seat, cards) in deal.dealt.iter().enumerate() {
            counts[usize::from(deal.player_at[seat])] = cards.len() as u8;
        }
        let composed = self.composer.deal(&Standing {
            turn: 0,
            empty_field: false,
            revolution: false,
            lock: false,
            counts,
            player_at: deal.player_at,
            ranking: deal.ranked.then_some(self.ranking),
        });
        for (seat, &player) in deal.player_at.iter().enumerate() {
            let player = usize::from(player);
            let place = deal.ranks[player];
            // The rich see what they were given, the poor do not see what was taken yet.
            let (hand, give) = match (exchange, place) {
                (false, _) => (deal.hands[seat], 0),
                (true, 0..=2) => (deal.hands[seat], 2 - i32::from(place)),
                (true, _) => (deal.dealt[seat], 2 - i32::from(place)),
            };
            let table = composed.deal_for(hand, give);
            out.send(player as u8, Told::Table(table));
        }
        if exchange {
            self.phase = Phase::Gift(0);
        } else {
            self.begin_play(out);
        }
        self.asked_at = now;
    }

    fn begin_play(&mut self, out: &mut Outbox) {
        self.composer.begin();
        self.position = self.deal.start();
        self.phase = Phase::Move;
        self.send_hands(out);
    }

    pub(super) fn gift(
        &mut self,
        player: u8,
        place: u8,
        answer: Answer,
        now: Duration,
        out: &mut Outbox,
    ) {
        let seat = self.deal.seat_of_rank(place);
        let (hand, owed) = (
            self.deal.hands[usize::from(seat)],
            self.deal.owes[usize::from(seat)],
        );
        let gift = match answer {
            Answer::Sent(sent) => judge_gift(hand, owed, sent, self.settings.compat),
            _ => Gift::default(),
        };
        let kind = self.book(player, answer, gift.fault, now, out);
        let given = self.deal.give(seat, gift.cards);
        self.deal.hands[usize::from(seat)] -= gift.lost;
        let poor = self.deal.seat_of_rank(if place == 0 { 4 } else { 3 });
        let mut what = What::give(player, self.player_in(poor), given);
        if let What::Give {
            fault,
            lost,
            used,
            left,
            ..
        } = &mut what
        {
            *fault = kind;
            *lost = (!gift.lost.is_empty()).then(|| gift.lost.to_string());
            (*used, *left) = self.times(player, now);
        }
        out.event(now, what);
        if place == 0 {
            self.phase = Phase::Gift(1);
        } else {
            self.begin_play(out);
        }
        self.asked_at = now;
    }
}
