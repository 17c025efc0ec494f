//! The tracker beside the true views.

use client::uecda::{Assumptions, HandTracker};
use games::daihinmin::{Cards, Exchanged, Meld, Position, Session, View, strongest};
use protocol::uecda::{Deal, Field, Hand, Status, Submission, meld_table};

use super::{Players, by_player, owed, run_match, shown};

struct Beside {
    trackers: Vec<HandTracker>,
    truth: Vec<View>,
    exchanged: [Exchanged; 5],
    turns: u32,
    checked: u64,
}

fn status(position: &Position, player_at: [u8; 5]) -> Status {
    Status {
        turn: player_at[usize::from(position.table.turn)],
        empty_field: position.table.field.is_pass(),
        revolution: position.table.revolution,
        lock: position.table.lock,
        counts: by_player(position.counts(), player_at),
        player_at,
    }
}

impl Players for Beside {
    fn deal(&mut self, deal: &games::daihinmin::Deal, _: &Session) {
        self.truth.clear();
        self.exchanged = [Exchanged::default(); 5];
        for (player, tracker) in self.trackers.iter_mut().enumerate() {
            let view = tracker.deal(&Deal {
                hand: shown(deal, player),
                give: owed(deal, player),
                counts: by_player(deal.dealt.map(|h| h.len() as u8), deal.player_at),
                ranks: deal.ranked.then_some(deal.ranks),
                player_at: deal.player_at,
                has_seats: true,
            });
            assert_eq!(view.seat, deal.seat_of(player as u8));
            let reset = 7 - 1 - (deal.game - 1) % 7;
            assert_eq!(view.games_to_reset, Some(reset.min(30 - deal.game)));
            if deal.owes[usize::from(view.seat)] > 0 {
                assert_eq!(view.counts.map(u32::from).iter().sum::<u32>(), 53);
                assert_eq!(view.hand, deal.hands[usize::from(view.seat)]);
            }
        }
        for (poor, rich) in [(4, 0), (3, 1)] {
            if deal.ranked {
                let (p, r) = (deal.seat_of_rank(poor), deal.seat_of_rank(rich));
                let [ep, er] = [usize::from(p), usize::from(r)];
                let tribute = deal.tribute(poor);
                self.exchanged[ep].partner = Some(r);
                self.exchanged[ep].given = tribute;
                let received = strongest(deal.hands[er], tribute.len());
                let partner = Some(p);
                self.exchanged[er] = Exchanged {
                    partner,
                    received,
                    rich: true,
                    ..Exchanged::default()
                };
            }
        }
    }

    fn gift(&mut self, deal: &games::daihinmin::Deal, seat: u8, owed: u32) -> Cards {
        let hand = deal.hands[usize::from(seat)];
        let gift: Cards = hand.iter().take(owed as usize).collect();
        let partner = deal.seat_of_rank(if owed == 2 { 4 } else { 3 });
        self.exchanged[usize::from(seat)].given = gift;
        self.exchanged[usize::from(partner)].received = gift;
        self.trackers[usize::from(deal.player_at[usize::from(seat)])].gave(gift);
        gift
    }

    fn hand(&mut self, position: &Position, player_at: [u8; 5]) {
        if self.truth.is_empty() {
            for (seat, &exchanged) in self.exchanged.iter().enumerate() {
                let mut view = View::at_start(position, seat as u8);
                view.exchanged = exchanged;
                self.truth.push(view);
            }
        }
        for (seat, &player) in player_at.iter().enumerate() {
            let tracker = &mut self.trackers[usize::from(player)];
            tracker.hand(&Hand {
                hand: position.hands[seat],
                my_turn: position.table.turn == seat as u8,
                status: status(position, player_at),
            });
            let mut view = *tracker.view().unwrap();
            (view.ranks, view.games_to_reset) = (None, None);
            assert_eq!(view, self.truth[seat]);
            self.checked += 1;
        }
    }

    fn play(&mut self, position: &Position, _: u8) -> Meld {
        let mut moves = Vec::new();
        position.legal_moves(&mut moves);
        self.turns += 1;
        let lowest = usize::from(position.table.field.is_pass() && !self.turns.is_multiple_of(50));
        moves[lowest + (self.turns as usize * 7) % (moves.len() - lowest)]
    }

    fn field(&mut self, mover: u8, meld: Meld, position: &Position, player_at: [u8; 5]) {
        let mut status = status(position, player_at);
        status.empty_field = position.table.field.is_pass();
        status.turn = mover;
        let cards = Submission::parse(&meld_table(position.table.field));
        for (seat, &player) in player_at.iter().enumerate() {
            let seen = self.trackers[usize::from(player)].field(&Field { cards, status });
            assert_eq!(seen.map(|(_, meld)| meld), Some(meld));
            self.truth[seat].follow(meld).unwrap();
        }
    }

    fn end(&mut self, code: i32, position: &Position, player_at: [u8; 5]) {
        for (seat, &player) in player_at.iter().enumerate().filter(|_| code > 0) {
            let place = position.table.places[seat];
            assert_eq!(self.trackers[usize::from(player)].place(), Some(place));
        }
    }
}

#[test]
fn the_tracked_view_is_what_the_seat_may_know() {
    let assumptions = Assumptions {
        rank_reset: 7,
        games: Some(30),
        ..Assumptions::default()
    };
    let mut players = Beside {
        trackers: (0..5)
            .map(|player| HandTracker::new(player, assumptions))
            .collect(),
        truth: Vec::new(),
        exchanged: [Exchanged::default(); 5],
        turns: 0,
        checked: 0,
    };
    run_match(30, 11, &mut players);
    assert!(players.checked > 5000, "{}", players.checked);
    assert!(
        players
            .trackers
            .iter()
            .all(|tracker| tracker.disagreements() == 0)
    );
}
