//! From the server's messages to the view of one seat.
//!
//! The wire tells each turn's hand, flags and numbers of cards, and the cards on the field; the
//! [`View`] adds what follows from them: who passed, what each seat has played, what was
//! exchanged. Wherever the server's own tables disagree with the tracked game, the server is
//! right: the difference is logged, counted and taken over.

use games::daihinmin::{Cards, Exchanged, Meld, NO_PLACE, Rules, SEATS, Table, View, strongest};
use log::warn;
use protocol::uecda::{Deal, Field, Hand, Status, Submission};

/// What a client cannot learn from the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions {
    /// Rules of the games.
    pub rules: Rules,
    /// Every n-th game begins without ranks; 0: unknown.
    pub rank_reset: u32,
    /// Games of the match, where known.
    pub games: Option<u32>,
}

impl Default for Assumptions {
    /// Contest rules, ranks reset every 100 games, a match of unknown length.
    fn default() -> Assumptions {
        Assumptions {
            rules: Rules::default(),
            rank_reset: 100,
            games: None,
        }
    }
}

/// Follows a match as one player sees it. Feed it every deal, hand and field table in order.
#[derive(Clone, Debug)]
pub struct HandTracker {
    me: u8,
    assumptions: Assumptions,
    game: u32,
    /// Games since the last one without ranks, that one included.
    since_reset: u32,
    deal: Option<Deal>,
    gift: Cards,
    view: Option<View>,
    last_meld: Meld,
    disagreements: u64,
}

impl HandTracker {
    /// A tracker for player `me` (0..5) before the first game.
    pub fn new(me: u8, assumptions: Assumptions) -> HandTracker {
        HandTracker {
            me,
            assumptions,
            game: 0,
            since_reset: 0,
            deal: None,
            gift: Cards::EMPTY,
            view: None,
            last_meld: Meld::PASS,
            disagreements: 0,
        }
    }

    /// Number of the game in the match, from 1; 0 before the first.
    pub fn game(&self) -> u32 {
        self.game
    }

    /// The view in the current game, once its first hand table has come.
    pub fn view(&self) -> Option<&View> {
        self.view.as_ref()
    }

    /// How often the server disagreed with the tracked game.
    pub fn disagreements(&self) -> u64 {
        self.disagreements
    }

    /// A game begins. Gives the view in which an exchange is chosen: the table in it means nothing
    /// yet.
    pub fn deal(&mut self, deal: &Deal) -> View {
        self.game += 1;
        self.since_reset = if deal.ranks.is_none() {
            1
        } else {
            self.since_reset + 1
        };
        self.deal = Some(*deal);
        self.gift = Cards::EMPTY;
        self.view = None;
        self.last_meld = Meld::PASS;
        let mut view = self.fresh_view(deal, deal.hand, deal.counts, deal.player_at[0]);
        if deal.give > 0 {
            view.exchanged = self.rich_exchange(deal, Cards::EMPTY);
            if let Some(partner) = view.exchanged.partner {
                // The numbers before the exchange, but for the tribute that has moved.
                let total = view.counts[usize::from(view.seat)] + view.counts[usize::from(partner)];
                view.counts[usize::from(view.seat)] = deal.hand.len() as u8;
                view.counts[usize::from(partner)] = total.saturating_sub(deal.hand.len() as u8);
            }
        }
        view
    }

    /// Cards that this client has sent in the exchange.
    pub fn gave(&mut self, gift: Cards) {
        self.gift = gift;
    }

    /// A turn begins. Gives `true` when it is the first of the game: the exchange is then known.
    pub fn hand(&mut self, hand: &Hand) -> bool {
        let began = self.view.is_none();
        if began {
            self.begin(hand);
        }
        self.sync(hand);
        began
    }

    /// A move has been made. Gives the view before it and the move, [`Meld::PASS`] for a pass or a
    /// refused move; `None` before the first hand table of a game.
    pub fn field(&mut self, field: &Field) -> Option<(View, Meld)> {
        let view = self.view.as_mut()?;
        let seat_of = seat_finder(&field.status);
        let mover = seat_of(field.status.turn);
        let count = field.status.counts[usize::from(field.status.turn)];
        let played = view.counts[usize::from(mover)].saturating_sub(count);
        let meld = match field.cards {
            _ if played == 0 => Meld::PASS,
            Submission::Meld(meld) => meld,
            Submission::Pass | Submission::Malformed(_) => {
                warn!(
                    "game {}: player {} laid down {played} cards that are no meld",
                    self.game, field.status.turn
                );
                self.disagreements += 1;
                Meld::PASS
            }
        };
        if view.table.turn != mover {
            warn!(
                "game {}: player {} moved out of turn",
                self.game, field.status.turn
            );
            self.disagreements += 1;
            view.table.turn = mover;
        }
        let before = *view;
        if !meld.is_pass() {
            self.last_meld = meld;
        }
        if let Err(error) = view.follow(meld) {
            warn!(
                "game {}: player {} played {meld}: {error}",
                self.game, field.status.turn
            );
            self.disagreements += 1;
            let seat = usize::from(mover);
            view.played[seat] |= meld.cards();
            view.hand -= meld.cards();
            view.counts[seat] = count;
            view.table.lay(meld, count == 0);
            view.table.advance();
        }
        Some((before, meld))
    }

    /// Own place (0..=4) in the game that has ended; `None` when twenty passes ended it: the next
    /// deal's ranks tell.
    pub fn place(&self) -> Option<u8> {
        let view = self.view.as_ref()?;
        Some(view.table.places[usize::from(view.seat)]).filter(|&place| place != NO_PLACE)
    }

    fn fresh_view(&self, deal: &Deal, hand: Cards, counts: [u8; SEATS], leader: u8) -> View {
        let seat_of = |player: u8| seat_in(deal.player_at, player);
        let by_seat = |values: [u8; SEATS]| deal.player_at.map(|p| values[usize::from(p)]);
        View {
            seat: seat_of(self.me),
            hand,
            table: Table::new(seat_of(leader), self.assumptions.rules),
            counts: by_seat(counts),
            played: [Cards::EMPTY; SEATS],
            exchanged: Exchanged::default(),
            ranks: deal.ranks.map(by_seat),
            games_to_reset: self.games_to_reset(),
        }
    }

    fn games_to_reset(&self) -> Option<u32> {
        let reset = match self.assumptions.rank_reset {
            0 => None,
            n => Some(n.saturating_sub(self.since_reset)),
        };
        let end = self
            .assumptions
            .games
            .map(|games| games.saturating_sub(self.game));
        match (reset, end) {
            (Some(reset), Some(end)) => Some(reset.min(end)),
            (reset, end) => reset.or(end),
        }
    }

    fn begin(&mut self, hand: &Hand) {
        // The client's end sends a deal before every first hand.
        let deal = self.deal.unwrap_or(Deal {
            hand: hand.hand,
            give: 0,
            counts: hand.status.counts,
            ranks: None,
            player_at: hand.status.player_at,
            has_seats: true,
        });
        let mut view = self.fresh_view(&deal, hand.hand, hand.status.counts, hand.status.turn);
        if deal.give > 0 {
            let given = deal.hand - hand.hand;
            if given != self.gift {
                warn!(
                    "game {}: the server gave {given} away, not {}",
                    self.game, self.gift
                );
                self.disagreements += 1;
            }
            view.exchanged = self.rich_exchange(&deal, given);
        } else if hand.hand != deal.hand {
            view.exchanged = self.poor_exchange(&deal, hand.hand);
        }
        self.view = Some(view);
    }

    /// The wire does not tell the rich which of their cards are the tribute. `received` is then a
    /// bound: the tribute were the strongest cards of the poor, so the poor hold nothing stronger
    /// than its weakest card, and that is at most the n-th strongest card of this hand.
    fn rich_exchange(&self, deal: &Deal, given: Cards) -> Exchanged {
        Exchanged {
            partner: self.partner(deal),
            given,
            received: strongest(deal.hand, deal.give),
            rich: true,
        }
    }

    fn poor_exchange(&mut self, deal: &Deal, hand: Cards) -> Exchanged {
        let partner = self.partner(deal);
        let rank = deal.ranks.map_or(0, |ranks| ranks[usize::from(self.me)]);
        let mut given = strongest(deal.hand, if rank == 4 { 2 } else { 1 });
        if partner.is_none() || !given.contains_all(deal.hand - hand) {
            warn!(
                "game {}: the hand changed from {} to {hand}",
                self.game, deal.hand
            );
            self.disagreements += 1;
            given = deal.hand - hand;
        }
        Exchanged {
            partner,
            given,
            received: hand - (deal.hand - given),
            rich: false,
        }
    }

    fn partner(&self, deal: &Deal) -> Option<u8> {
        let ranks = deal.ranks?;
        let mine = ranks[usize::from(self.me)];
        let player = ranks
            .iter()
            .position(|&rank| mine != 2 && rank == 4 - mine)?;
        Some(seat_in(deal.player_at, player as u8))
    }

    /// Takes over what the server says where it disagrees.
    fn sync(&mut self, hand: &Hand) {
        let Some(view) = self.view.as_mut() else {
            return;
        };
        let wrong = take_over(view, hand, self.last_meld);
        if !wrong.is_empty() {
            warn!("game {}: the server has {}", self.game, wrong.join(", "));
            self.disagreements += 1;
        }
    }
}

fn seat_in(player_at: [u8; SEATS], player: u8) -> u8 {
    let seat = player_at.iter().position(|&p| p == player);
    seat.expect("a message is read only if its seats are a permutation of the players") as u8
}

fn seat_finder(status: &Status) -> impl Fn(u8) -> u8 + use<> {
    let player_at = status.player_at;
    move |player| seat_in(player_at, player)
}

/// Makes `view` agree with a hand table and gives the differences in words. `last_meld` goes back
/// on the field when the server has not cleared it.
fn take_over(view: &mut View, hand: &Hand, last_meld: Meld) -> Vec<String> {
    let status = &hand.status;
    let mut wrong = Vec::new();
    if view.hand != hand.hand {
        wrong.push(format!("hand {} for {}", hand.hand, view.hand));
        view.hand = hand.hand;
    }
    let counts = status.player_at.map(|p| status.counts[usize::from(p)]);
    if view.counts != counts {
        wrong.push(format!("counts {counts:?} for {:?}", view.counts));
        view.counts = counts;
    }
    let table = &mut view.table;
    let alive = (0..SEATS).fold(0_u8, |set, s| set | u8::from(counts[s] > 0) << s);
    if table.alive != alive {
        wrong.push(format!("seats {alive:#b} in play for {:#b}", table.alive));
        set_alive(table, alive);
    }
    if table.revolution != status.revolution {
        wrong.push(format!("revolution {}", status.revolution));
        table.revolution = status.revolution;
    }
    if status.empty_field && !table.field.is_pass() {
        wrong.push(format!("an empty field for {}", table.field));
        table.field = Meld::PASS;
        table.passed = 0;
    } else if !status.empty_field && table.field.is_pass() {
        wrong.push(format!("{last_meld} on the field for nothing"));
        table.field = last_meld;
    }
    if table.lock != status.lock {
        wrong.push(format!("lock {}", status.lock));
        table.lock = status.lock;
    }
    let turn = if hand.my_turn {
        view.seat
    } else {
        seat_finder(status)(status.turn)
    };
    if table.turn != turn {
        wrong.push(format!("seat {turn} to move for {}", table.turn));
        table.turn = turn;
    }
    table.passed &= !(1 << turn);
    if table.is_stalled() {
        wrong.push("play goes on after twenty passes".to_owned());
        table.passes_in_row = 0;
    }
    wrong
}

/// Makes the seats in `alive` play and ranks those that are newly out, in seat order.
fn set_alive(table: &mut Table, alive: u8) {
    table.alive = alive;
    for (seat, place) in table.places.iter_mut().enumerate() {
        if alive >> seat & 1 != 0 {
            *place = NO_PLACE;
        }
    }
    table.finished = table
        .places
        .iter()
        .filter(|&&place| place != NO_PLACE)
        .count() as u8;
    for seat in (0..SEATS).filter(|seat| alive >> seat & 1 == 0) {
        if table.places[seat] == NO_PLACE {
            table.places[seat] = table.finished;
            table.finished += 1;
        }
    }
}
