//! The policies of the other players, learned during a match.
//!
//! At the end of a game all hands are known: what a player has laid down is the hand with which it began, and the cards of the
//! last player are the rest. So every decision of the game becomes a lesson, and a copy of the [field's](super::field) policy for
//! each player learns from them what that player does.

use games::daihinmin::{Cards, SEATS, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::belief::HandBelief;
use super::imitation::{Imitator, MoveLesson};
use super::inputs::DaihinminNetworks;
use super::mover::{Mover, Policies};

/// Batches that each policy learns after a game.
const BATCHES: usize = 2;
const BATCH: usize = 32;
const RATE: f32 = 0.0005;
/// What remains of a guess's merit with each decision.
const FADING: f32 = 0.99;
/// Lessons of a player that are kept, the latest ones: those of about a thousand games, a kilobyte each.
const KEPT: usize = 10_000;

/// What one other player may be like, of a kind of the field.
#[derive(Debug)]
struct RivalModel {
    imitator: Imitator,
    /// Sum of the logarithms of the chances that it gave to the player's moves before it learned from them, the later ones with
    /// more weight.
    merit: f32,
}

#[derive(Debug)]
struct Rival {
    guesses: Vec<RivalModel>,
    lessons: Vec<MoveLesson>,
    /// The lesson that the next one replaces, once as many are kept as may be.
    oldest: usize,
}

impl Rival {
    fn new(field: &[DaihinminNetworks]) -> Rival {
        let guess = |networks: &DaihinminNetworks| RivalModel {
            imitator: Imitator::new(networks.clone()),
            merit: 0.0,
        };
        Rival {
            guesses: field.iter().map(guess).collect(),
            lessons: Vec::new(),
            oldest: 0,
        }
    }

    fn networks(&self) -> &DaihinminNetworks {
        let best = self.guesses.iter().reduce(|best, guess| {
            if guess.merit > best.merit {
                guess
            } else {
                best
            }
        });
        &best.expect("a field has a kind").imitator.networks
    }

    fn learn(&mut self, lessons: Vec<MoveLesson>, rng: &mut Xoshiro256PlusPlus) {
        for guess in &mut self.guesses {
            for lesson in &lessons {
                guess.merit = FADING * guess.merit + guess.imitator.foresee(lesson);
            }
        }
        for lesson in lessons {
            if self.lessons.len() < KEPT {
                self.lessons.push(lesson);
            } else {
                self.lessons[self.oldest] = lesson;
                self.oldest = (self.oldest + 1) % KEPT;
            }
        }
        if self.lessons.is_empty() {
            return;
        }
        let lessons = &self.lessons;
        for guess in &mut self.guesses {
            for _ in 0..BATCHES {
                let drawn = (0..BATCH).map(|_| &lessons[rng.random_range(0..lessons.len())]);
                guess.imitator.learn(drawn, RATE);
            }
        }
    }
}

/// The policies of the other players of a match.
#[derive(Debug)]
pub(crate) struct Rivals {
    /// The kinds of players of whom nothing is known.
    field: Vec<DaihinminNetworks>,
    by_player: [Option<Box<Rival>>; SEATS],
    rng: Xoshiro256PlusPlus,
}

impl Rivals {
    /// Of players of whom nothing is known yet.
    pub(crate) fn new(field: Vec<DaihinminNetworks>, seed: u64) -> Rivals {
        assert!(!field.is_empty(), "a field has a kind");
        Rivals {
            field,
            by_player: Default::default(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The policy of the player in each seat of a view: the seat's own for itself.
    pub(crate) fn policies<'a>(
        &'a self,
        own: &'a DaihinminNetworks,
        seat: u8,
        player_at: [u8; SEATS],
    ) -> Policies<'a> {
        std::array::from_fn(|s| {
            if s == usize::from(seat) {
                return own;
            }
            let rival = self.by_player[usize::from(player_at[s])].as_ref();
            rival.map_or(&self.field[0], |rival| rival.networks())
        })
    }

    /// Learns from a game that is over: `view` is that of its end, and `belief` has booked its moves. A game that twenty
    /// passes ended teaches nothing, as hands stay hidden.
    pub(crate) fn learn(&mut self, view: &View, player_at: [u8; SEATS], belief: &HandBelief) {
        let Some(hands) = hands_begun(view) else {
            return;
        };
        let field = &self.field;
        let mut mover = Mover::new(&field[0], 1.0);
        for seat in (0..SEATS).filter(|&seat| seat != usize::from(view.seat)) {
            let player = usize::from(player_at[seat]);
            let rival = self.by_player[player].get_or_insert_with(|| Box::new(Rival::new(field)));
            let decisions = belief.decisions(view, seat, hands[seat]);
            let lessons =
                decisions.filter_map(|(known, meld)| MoveLesson::of(&mut mover, &known, meld));
            rival.learn(lessons.collect(), &mut self.rng);
        }
    }
}

/// The hands with which the seats began the game that a view has seen to its end, the exchange done; `None` if it is not over,
/// or cards are missing: a server may have lost one.
fn hands_begun(view: &View) -> Option<[Cards; SEATS]> {
    if !view.table.is_over() {
        return None;
    }
    let mut hands = view.played;
    let unseen = view.unseen();
    let mut left = unseen.len();
    for (seat, hand) in hands.iter_mut().enumerate() {
        let count = u32::from(view.counts[seat]);
        if seat == usize::from(view.seat) {
            *hand |= view.hand;
        } else if count > 0 {
            *hand |= unseen;
            left = left.checked_sub(count)?;
        }
    }
    (left == 0).then_some(hands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daihinmin::mover::Choices;
    use crate::daihinmin::{DefaultEngine, Engine as _};
    use games::daihinmin::{Dealer, Session, SessionRules};

    /// Plays games of five rule bots and calls `tell` at the end of each with seat 0's view and belief, the hands with which
    /// the seats began, and the players.
    fn games_of_rule_bots(
        games: u32,
        mut tell: impl FnMut(&View, &HandBelief, [Cards; SEATS], [u8; SEATS]),
    ) {
        let mut session = Session::new(SessionRules::default(), Dealer::plain(3));
        let mut belief = HandBelief::default();
        for _ in 0..games {
            let mut deal = session.deal();
            for seat in 0..SEATS as u8 {
                let owed = deal.owes[usize::from(seat)];
                let hand = deal.hands[usize::from(seat)];
                deal.give(seat, super::super::engine::weakest(hand, owed));
            }
            let mut position = deal.start();
            let begun = position.hands;
            let mut view = View::at_start(&position, 0);
            belief.clear();
            while !position.table.is_over() && !position.table.is_stalled() {
                let mover = View::at_start(&position, position.table.turn);
                let meld = DefaultEngine.choose(&mover, None);
                belief.push(&view, meld);
                view.follow(meld).expect("legal");
                position.play_unchecked(meld);
            }
            tell(&view, &belief, begun, deal.player_at);
            session.finish(position.table.places);
        }
    }

    #[test]
    fn hands_are_those_with_which_the_seats_began() {
        let mut games = 0;
        games_of_rule_bots(100, |view, belief, begun, _| {
            assert_eq!(hands_begun(view), Some(begun));
            // What each seat knew has its hand of that moment, from which it played.
            for (seat, &hand) in begun.iter().enumerate().skip(1) {
                let mut played = Cards::EMPTY;
                for (known, meld) in belief.decisions(view, seat, hand) {
                    assert_eq!(known.hand, hand - played);
                    assert_eq!(known.hand.len(), u32::from(known.counts[seat]));
                    assert!(known.hand.contains_all(meld.cards()));
                    assert!((known.others & known.hand).is_empty());
                    played |= meld.cards();
                }
                assert_eq!(played, view.played[seat]);
            }
            games += 1;
        });
        assert_eq!(games, 100);
    }

    #[test]
    fn a_game_that_is_not_over_hides_hands() {
        let mut session = Session::new(SessionRules::default(), Dealer::plain(3));
        let view = View::at_start(&session.deal().start(), 0);
        assert_eq!(hands_begun(&view), None);
    }

    /// Mean nats a decision of the rule bots by game, each before it is learned from.
    fn foresight(field: Vec<DaihinminNetworks>, games: u32) -> Vec<f32> {
        let own = DaihinminNetworks::built_in();
        let mut rivals = Rivals::new(field, 5);
        let mut means = Vec::new();
        games_of_rule_bots(games, |view, belief, begun, player_at| {
            let policies = rivals.policies(&own, view.seat, player_at);
            let (mut nats, mut n) = (0.0, 0.0);
            for (seat, &hand) in begun.iter().enumerate().skip(1) {
                let mut mover = Mover::new(policies[seat], 1.0);
                for (known, meld) in belief.decisions(view, seat, hand) {
                    if mover.consider(&known) == Choices::Several
                        && let Some(i) = mover.moves.iter().position(|&m| m == meld)
                    {
                        nats -= mover.log_chances(&known)[i];
                        n += 1.0;
                    }
                }
            }
            means.push(nats / n);
            rivals.learn(view, player_at, belief);
        });
        means
    }

    fn mean(part: &[f32]) -> f32 {
        part.iter().sum::<f32>() / part.len() as f32
    }

    /// Nats fall by two fifths in a hundred games, and the same seed learns the same.
    #[test]
    fn policies_get_sharper_with_games() {
        // At this temperature it foresees others best.
        let mut vague = DaihinminNetworks::built_in();
        vague.policy.scale(0.25);
        let learned = || foresight(vec![vague.clone()], 120);
        let means = learned();
        let (before, after) = (mean(&means[1..21]), mean(&means[100..]));
        assert!(after < 0.6 * before, "{before} {after}");
        assert_eq!(means, learned());
    }

    /// The first kind knows nothing of the rule bots. After some games the kind that does is believed.
    #[test]
    fn the_kind_that_foresees_a_player_best_counts() {
        let field = DaihinminNetworks::field();
        let best = foresight(field.clone(), 12);
        let own = foresight(vec![DaihinminNetworks::built_in()], 12);
        let both = foresight([vec![DaihinminNetworks::built_in()], field].concat(), 12);
        assert!(mean(&best) < 0.5 * mean(&own), "{best:?} {own:?}");
        assert!(both[0] > 0.9 * own[0], "{both:?} {own:?}");
        assert!(
            mean(&both[6..]) < 1.1 * mean(&best[6..]),
            "{both:?} {best:?}"
        );
    }
}
