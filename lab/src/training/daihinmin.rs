//! Learning the policy network by self-play for points.
//!
//! The reward of a decision is the value of the place with the ranks to come.

use games::daihinmin::{Cards, Dealer, Position, SEATS, Session, SessionRules, View};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::Mean;

use super::arena::counts_at_gift;
use super::engine::{gift_choices, lowest_meld, weakest};
use super::information_state::InformationState;
use super::inputs::{INPUTS, Networks};
use super::mover::{Choices, Mover};
use super::playout::{GAMES_TO_COME, place_values};
use crate::learning::{Decision, Ppo, Round, Schedule, draw_chance, follow_advantages, likeliest};
use crate::search::{fan_out, split};

/// Games of a session; ranks are carried over within it.
const SESSION: u32 = 10;
/// A kind of player at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Player {
    /// The network that learns.
    Learner,
    /// The network as it was some rounds ago.
    Older,
    /// The rule bot.
    Rule,
}

/// A learner with its networks.
pub struct Learner {
    ppo: Ppo<INPUTS>,
    /// The networks as they were some rounds ago.
    older: Networks,
    rng: Xoshiro256PlusPlus,
    /// Games of self-play so far.
    pub games: u64,
}

impl Learner {
    /// A learner that begins with these networks; with small random numbers without any.
    pub fn new(networks: Option<Networks>, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let networks = networks.unwrap_or_else(|| Networks::random(&mut rng));
        Learner {
            older: networks.clone(),
            ppo: Ppo::new(networks),
            rng,
            games: 0,
        }
    }

    /// The networks as they are.
    pub fn networks(&self) -> &Networks {
        &self.ppo.networks
    }

    /// The older self becomes that of today.
    pub fn renew_older(&mut self) {
        self.older = self.ppo.networks.clone();
    }

    /// Plays so many games, in sessions of ten, and learns from them.
    pub fn round(&mut self, games: usize, schedule: &Schedule, threads: usize) -> Round {
        let mut rngs = split(&mut self.rng, threads);
        let share = games.div_ceil(SESSION as usize * threads);
        let this = &*self;
        let found = fan_out(&mut rngs, |_, rng| {
            let mut sitting = Sitting::new(this, schedule.lambda);
            for _ in 0..share {
                let players = opponents(rng);
                sitting.session(players, SESSION, rng);
            }
            sitting.decisions
        });
        self.games += (share * threads) as u64 * u64::from(SESSION);
        let decisions = found.into_iter().flatten().collect();
        self.ppo.learn(decisions, schedule, threads, &mut self.rng)
    }

    /// Mean points a game of the learner at its likeliest moves against `rivals`, over blocks of one session.
    pub fn measure(&self, rivals: [Player; 4], sessions: u64, threads: usize) -> Mean {
        let mut parts: Vec<u64> = (0..threads as u64).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut means = Vec::new();
            for number in (*part..sessions).step_by(threads) {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x7a69 + number);
                let mut sitting = Sitting::new(self, 1.0);
                sitting.is_greedy = true;
                let mut players = [Player::Learner; SEATS];
                players[1..].copy_from_slice(&rivals);
                players.rotate_right((number % SEATS as u64) as usize);
                sitting.session(players, SESSION, &mut rng);
                means.push(sitting.points / f64::from(SESSION));
            }
            means
        });
        Mean::of(found.into_iter().flatten(), [1.0, SEATS as f64])
    }
}

/// The players of a session: often only the learner, else others beside it.
fn opponents(rng: &mut Xoshiro256PlusPlus) -> [Player; SEATS] {
    let mut players = [Player::Learner; SEATS];
    if rng.random_range(0..10) < 4 {
        return players;
    }
    for player in &mut players {
        *player = match rng.random_range(0..20) {
            0..11 => Player::Learner,
            11..16 => Player::Older,
            _ => Player::Rule,
        };
    }
    players[rng.random_range(0..SEATS)] = Player::Learner;
    players
}

/// Five players of self-play, and what the learners among them decide.
struct Sitting<'a> {
    learner: &'a Learner,
    lambda: f32,
    values: [f64; SEATS],
    is_greedy: bool,
    points: f64,
    decisions: Vec<Decision>,
    mover: Mover<'a>,
    older: Mover<'a>,
}

impl<'a> Sitting<'a> {
    fn new(learner: &'a Learner, lambda: f32) -> Self {
        Sitting {
            learner,
            lambda,
            values: place_values(GAMES_TO_COME),
            is_greedy: false,
            points: 0.0,
            decisions: Vec::new(),
            mover: Mover::new(&learner.ppo.networks, 1.0),
            older: Mover::new(&learner.older, 1.0),
        }
    }

    fn session(&mut self, players: [Player; SEATS], games: u32, rng: &mut Xoshiro256PlusPlus) {
        let rules = SessionRules {
            rank_reset: 0,
            ..SessionRules::default()
        };
        let mut session = Session::new(rules, Dealer::plain(rng.next_u64()));
        for _ in 0..games {
            self.game(&mut session, players, rng);
        }
    }

    fn game(
        &mut self,
        session: &mut Session,
        players: [Player; SEATS],
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let mut deal = session.deal();
        let players = deal.player_at.map(|p| players[usize::from(p)]);
        let ranks = deal
            .ranked
            .then(|| deal.player_at.map(|p| deal.ranks[usize::from(p)]));
        let begin = self.decisions.len();
        // The seat of each decision that is booked.
        let mut seat_of: Vec<u8> = Vec::new();
        if deal.ranked {
            for place in [0, 1] {
                let seat = deal.seat_of_rank(place);
                let owed = deal.owes[usize::from(seat)];
                let hand = deal.hands[usize::from(seat)];
                let poor = deal.seat_of_rank(4 - place);
                let mut view = View::at_start(&Position::new(deal.hands, deal.rules), seat);
                view.counts = counts_at_gift(&deal, [poor, seat]);
                view.ranks = ranks;
                let known = InformationState::at_gift(&view);
                let player = players[usize::from(seat)];
                let gift = match player {
                    Player::Rule => weakest(hand, owed),
                    Player::Learner | Player::Older => {
                        let choices = gift_choices(hand, owed);
                        let mover = self.mover(player);
                        mover.gift_chances(&known, &choices);
                        let chosen = self.decide(player, rng);
                        if self.books(player) {
                            seat_of.push(seat);
                        }
                        choices[chosen]
                    }
                };
                deal.give(seat, gift);
            }
        }
        let mut position = deal.start();
        let mut left = position.hands.iter().fold(Cards::EMPTY, |all, &h| all | h);
        let mut counts = position.counts();
        while !position.table.is_over() {
            if position.table.is_stalled() {
                session.settle_stall(&mut position);
                break;
            }
            let seat = position.table.turn;
            let hand = position.hand();
            let known = InformationState {
                table: position.table,
                hand,
                others: left - hand,
                counts,
                ranks,
            };
            let player = players[usize::from(seat)];
            let meld = if player == Player::Rule {
                lowest_meld(&known.table, hand)
            } else {
                let mover = self.mover(player);
                match mover.consider(&known) {
                    Choices::One(only) => only,
                    Choices::Several => {
                        mover.log_chances(&known);
                        let chosen = self.decide(player, rng);
                        if self.books(player) {
                            seat_of.push(seat);
                        }
                        self.mover(player).moves[chosen]
                    }
                }
            };
            left -= meld.cards();
            counts[usize::from(seat)] -= meld.len();
            position.play_unchecked(meld);
        }
        let places = position.table.places;
        session.finish(places);
        if self.is_greedy {
            for (seat, &player) in players.iter().enumerate() {
                if player == Player::Learner {
                    self.points += 5.0 - f64::from(places[seat]);
                }
            }
            return;
        }
        let results = places.map(|place| self.values[usize::from(place)] as f32);
        follow_advantages(&mut self.decisions[begin..], &seat_of, results, self.lambda);
    }

    fn books(&self, player: Player) -> bool {
        player == Player::Learner && !self.is_greedy
    }

    fn mover(&mut self, player: Player) -> &mut Mover<'a> {
        match player {
            Player::Older => &mut self.older,
            _ => &mut self.mover,
        }
    }

    /// Chooses by the chances that the player's policy has just worked out, and books the decision of a learner.
    fn decide(&mut self, player: Player, rng: &mut Xoshiro256PlusPlus) -> usize {
        let is_greedy = self.is_greedy;
        let networks = &self.learner.ppo.networks;
        let mover = self.mover(player);
        if is_greedy {
            return likeliest(&mover.logits);
        }
        let chosen = draw_chance(&mover.logits, rng);
        if player == Player::Learner {
            let decision = Decision::new(networks, &mover.inputs, &mover.logits, chosen);
            self.decisions.push(decision);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From random numbers to a player that is better than the rule bot, in a thousand games.
    #[test]
    fn a_little_learning_beats_the_rule_bot() {
        let schedule = Schedule {
            batch: 256,
            passes: 2,
            rate: 0.003,
            entropy: 0.01,
            lambda: 0.9,
            clip: 0.2,
        };
        let mut learner = Learner::new(None, 3);
        let rivals = [Player::Rule; 4];
        let before = learner.measure(rivals, 40, 1).mean;
        for _ in 0..10 {
            let round = learner.round(100, &schedule, 1);
            assert!(round.decisions > 1000 && round.entropy > 0.0, "{round:?}");
        }
        assert_eq!(learner.games, 1000);
        let after = learner.measure(rivals, 40, 1).mean;
        assert!(after > before + 0.2 && after > 3.0, "{before} {after}");
    }

    #[test]
    fn two_threads_learn_the_same_twice() {
        let schedule = Schedule {
            batch: 512,
            passes: 1,
            rate: 0.001,
            entropy: 0.01,
            lambda: 0.9,
            clip: 0.2,
        };
        let learned = || {
            let mut learner = Learner::new(Some(Networks::built_in()), 5);
            learner.round(40, &schedule, 2);
            learner.networks().clone()
        };
        assert_eq!(learned(), learned());
    }
}
