//! The policies of the other players, learned during a match.
//!
//! At the end of a game all hands are known: what a player has laid down is the hand with which it began, and the cards of the
//! last player are the rest. So every decision of the game becomes a lesson, and a copy of the seat's own policy for each
//! player learns from them by cross-entropy what that player does.

use games::daihinmin::{Cards, Meld, SEATS, View};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::belief::Belief;
use super::inputs::{INPUTS, Networks};
use super::policy::{Choices, Known, Mover, Policies};
use crate::learning::{Adam, Inputs, Network, to_log_chances};

/// Batches that each policy learns after a game.
const BATCHES: usize = 2;
/// Decisions of a batch.
const BATCH: usize = 32;
/// How far a step of Adam goes.
const RATE: f32 = 0.001;
/// Inverse temperature at which the others' policies begin. The seat's own policy is so sure of itself that it gives moves of
/// others a chance of 1e-2 and less; at this temperature it foresees them best.
const FIRST_SHARPNESS: f32 = 0.25;
/// Lessons of a player that are kept, the latest ones: those of about a thousand games, a kilobyte each.
const KEPT: usize = 10_000;

/// What a player decided, and between what moves.
#[derive(Clone, Debug)]
struct Lesson {
    inputs: Inputs,
    /// Number of the move.
    chosen: usize,
}

impl Lesson {
    /// The lesson of a decision; `None` if there was nothing to decide, or the policy does not list the move.
    fn of(mover: &mut Mover<'_>, known: &Known, meld: Meld) -> Option<Lesson> {
        if mover.consider(known) != Choices::Several {
            return None;
        }
        let chosen = mover.moves.iter().position(|&m| m == meld)?;
        let mut inputs = Inputs::default();
        inputs.set_melds(known, &mover.moves);
        Some(Lesson { inputs, chosen })
    }
}

/// The policy of one other player.
#[derive(Debug)]
struct Rival {
    /// The policy learns; the value is not used.
    networks: Networks,
    gradient: Network<INPUTS>,
    adam: Adam,
    lessons: Vec<Lesson>,
    /// The lesson that the next one replaces, once as many are kept as may be.
    oldest: usize,
    logits: Vec<f32>,
}

impl Rival {
    fn new(networks: &Networks) -> Rival {
        let mut networks = networks.clone();
        networks.policy.scale(FIRST_SHARPNESS);
        Rival {
            gradient: Network::zero(),
            adam: Adam::new(networks.policy.numbers().len(), [0.9, 0.999]),
            networks,
            lessons: Vec::new(),
            oldest: 0,
            logits: Vec::new(),
        }
    }

    fn keep(&mut self, lesson: Lesson) {
        if self.lessons.len() < KEPT {
            self.lessons.push(lesson);
        } else {
            self.lessons[self.oldest] = lesson;
            self.oldest = (self.oldest + 1) % KEPT;
        }
    }

    /// Takes some steps toward what the player chose in lessons drawn at random.
    fn learn(&mut self, rng: &mut Xoshiro256PlusPlus) {
        if self.lessons.is_empty() {
            return;
        }
        for _ in 0..BATCHES {
            self.gradient.numbers_mut().fill(0.0);
            for _ in 0..BATCH {
                let lesson = &self.lessons[rng.random_range(0..self.lessons.len())];
                let policy = &self.networks.policy;
                policy.logits(&lesson.inputs, &mut self.logits);
                to_log_chances(&mut self.logits);
                // The slope of the logarithm of the chosen move's chance.
                self.logits.iter_mut().for_each(|log| *log = -log.exp());
                self.logits[lesson.chosen] += 1.0;
                self.gradient
                    .add_gradient(policy, &lesson.inputs, &self.logits);
            }
            self.adam.step(
                self.networks.policy.numbers_mut(),
                self.gradient.numbers(),
                1.0 / BATCH as f32,
                RATE,
            );
        }
    }
}

/// The policies of the other players of a match.
#[derive(Debug)]
pub(crate) struct Rivals {
    by_player: [Option<Box<Rival>>; SEATS],
    /// Games learned from.
    games: u32,
    /// Games after which the others are known; 0 never learns.
    enough: u32,
    rng: Xoshiro256PlusPlus,
}

impl Rivals {
    /// Of players of whom nothing is known yet. `enough` is the number of games after which their policies are used; with 0 nothing
    /// is learned.
    pub(crate) fn new(enough: u32, seed: u64) -> Rivals {
        Rivals {
            by_player: Default::default(),
            games: 0,
            enough,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Whether the policies of the others have learned from enough games to be of use.
    pub(crate) fn are_known(&self) -> bool {
        self.enough > 0 && self.games >= self.enough
    }

    /// The policy of the player in each seat of a view: the seat's own for itself, and for all before the others are known.
    pub(crate) fn policies<'a>(
        &'a self,
        own: &'a Networks,
        seat: u8,
        player_at: [u8; SEATS],
    ) -> Policies<'a> {
        std::array::from_fn(|s| match &self.by_player[usize::from(player_at[s])] {
            Some(rival) if self.are_known() && s != usize::from(seat) => &rival.networks,
            _ => own,
        })
    }

    /// Learns from a game that is over: `view` is that of its end, and `belief` has booked its moves. A game that twenty
    /// passes ended teaches nothing, as hands stay hidden.
    pub(crate) fn learn(
        &mut self,
        view: &View,
        player_at: [u8; SEATS],
        belief: &Belief,
        own: &Networks,
    ) {
        if self.enough == 0 {
            return;
        }
        let Some(hands) = hands_begun(view) else {
            return;
        };
        let mut mover = Mover::new(own, 1.0);
        for seat in (0..SEATS).filter(|&seat| seat != usize::from(view.seat)) {
            let player = usize::from(player_at[seat]);
            let rival = self.by_player[player].get_or_insert_with(|| Box::new(Rival::new(own)));
            for (known, meld) in belief.decisions(view, seat, hands[seat]) {
                if let Some(lesson) = Lesson::of(&mut mover, &known, meld) {
                    rival.keep(lesson);
                }
            }
            rival.learn(&mut self.rng);
        }
        self.games += 1;
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
    use crate::daihinmin::{DefaultEngine, Engine as _};
    use games::daihinmin::{Dealer, Session, SessionRules};

    /// Plays games of five rule bots and calls `tell` at the end of each with seat 0's view and belief, the hands with which
    /// the seats began, and the players.
    fn games_of_rule_bots(
        games: u32,
        mut tell: impl FnMut(&View, &Belief, [Cards; SEATS], [u8; SEATS]),
    ) {
        let mut session = Session::new(SessionRules::default(), Dealer::plain(3));
        let mut belief = Belief::default();
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
                let meld = DefaultEngine.choose(&mover);
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

    /// Nats a decision of a rule bot fall by more than half in a hundred games, and the same seed learns the same.
    #[test]
    fn policies_get_sharper_with_games() {
        let own = Networks::built_in();
        let learned = || {
            let mut rivals = Rivals::new(1, 5);
            let mut means = Vec::new();
            games_of_rule_bots(120, |view, belief, begun, player_at| {
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
                rivals.learn(view, player_at, belief, &own);
            });
            assert!(rivals.are_known());
            means
        };
        let means = learned();
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        let (before, after) = (mean(&means[1..21]), mean(&means[100..]));
        assert!(after < 0.5 * before, "{before} {after}");
        assert_eq!(means, learned());
    }
}
