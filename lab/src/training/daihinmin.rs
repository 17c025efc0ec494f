//! Games of Daihinmin to learn from, of the networks against themselves for points.
//!
//! The reward of a decision is the value of the place with the ranks to come.

use bots::daihinmin::{
    Choices, GAMES_TO_COME, INPUTS, InformationState, Mover, gift_choices, lowest_meld,
    place_values, weakest,
};
use bots::learning::likeliest;
use bots::search::fan_out;
use games::daihinmin::{Cards, Dealer, Position, SEATS, Session, SessionRules, View};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use stats::Mean;

use super::policy::{Decision, Decisions, Players, SelfPlayGames, draw_chance};
use crate::arena::daihinmin::counts_at_gift;

/// Games of a session; ranks are carried over within it.
const SESSION: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Learner,
    /// The networks as they were some rounds ago.
    Older,
    Rule,
}

/// Sessions of ten games.
#[derive(Clone, Copy, Debug)]
pub struct Daihinmin;

impl Daihinmin {
    /// Mean points a game of the learner at its likeliest moves against four rule bots, over blocks of one session.
    pub fn points(players: Players<'_, INPUTS>, sessions: u64, threads: usize) -> Mean {
        let mut parts: Vec<u64> = (0..threads as u64).collect();
        let found = fan_out(&mut parts, |_, part| {
            let mut means = Vec::new();
            for number in (*part..sessions).step_by(threads) {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(0x7a69 + number);
                let mut table = DaihinminTable::new(players, 1.0);
                table.is_greedy = true;
                let mut players = [Role::Rule; SEATS];
                players[(number % SEATS as u64) as usize] = Role::Learner;
                table.session(players, &mut rng);
                means.push(table.points / f64::from(SESSION));
            }
            means
        });
        Mean::of(found.into_iter().flatten(), [1.0, SEATS as f64])
    }
}

impl SelfPlayGames<INPUTS> for Daihinmin {
    const SESSION: u32 = SESSION;

    fn play(
        &self,
        players: Players<'_, INPUTS>,
        sessions: usize,
        lambda: f32,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Vec<Decision> {
        let mut table = DaihinminTable::new(players, lambda);
        for _ in 0..sessions {
            let players = opponents(rng);
            table.session(players, rng);
        }
        table.decisions.into_list()
    }

    fn measure(&self, players: Players<'_, INPUTS>, threads: usize) -> String {
        let points = Daihinmin::points(players, 400, threads);
        format!(
            "{:.3} \u{b1} {:.3} points a game against four of `default`",
            points.mean,
            points.half_width()
        )
    }
}

/// The players of a session: often only the learner, else others beside it.
fn opponents(rng: &mut Xoshiro256PlusPlus) -> [Role; SEATS] {
    let mut players = [Role::Learner; SEATS];
    if rng.random_range(0..10) < 4 {
        return players;
    }
    for player in &mut players {
        *player = match rng.random_range(0..20) {
            0..11 => Role::Learner,
            11..16 => Role::Older,
            _ => Role::Rule,
        };
    }
    players[rng.random_range(0..SEATS)] = Role::Learner;
    players
}

/// Five players, and what the learners among them decide.
struct DaihinminTable<'a> {
    lambda: f32,
    values: [f64; SEATS],
    is_greedy: bool,
    points: f64,
    decisions: Decisions,
    learner: Mover<'a>,
    older: Mover<'a>,
}

impl<'a> DaihinminTable<'a> {
    fn new(players: Players<'a, INPUTS>, lambda: f32) -> Self {
        DaihinminTable {
            lambda,
            values: place_values(GAMES_TO_COME),
            is_greedy: false,
            points: 0.0,
            decisions: Decisions::default(),
            learner: Mover::new(players.learner, 1.0),
            older: Mover::new(players.older, 1.0),
        }
    }

    fn session(&mut self, players: [Role; SEATS], rng: &mut Xoshiro256PlusPlus) {
        let rules = SessionRules {
            rank_reset: 0,
            ..SessionRules::default()
        };
        let mut session = Session::new(rules, Dealer::plain(rng.next_u64()));
        for _ in 0..SESSION {
            self.game(&mut session, players, rng);
        }
    }

    fn game(
        &mut self,
        session: &mut Session,
        players: [Role; SEATS],
        rng: &mut Xoshiro256PlusPlus,
    ) {
        let mut deal = session.deal();
        let players = deal.player_at.map(|p| players[usize::from(p)]);
        let ranks = deal
            .ranked
            .then(|| deal.player_at.map(|p| deal.ranks[usize::from(p)]));
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
                    Role::Rule => weakest(hand, owed),
                    Role::Learner | Role::Older => {
                        let choices = gift_choices(hand, owed);
                        self.mover(player).gift_chances(&known, &choices);
                        choices[self.decide(player, seat, rng)]
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
            let meld = if player == Role::Rule {
                lowest_meld(&known.table, hand)
            } else {
                let mover = self.mover(player);
                match mover.consider(&known) {
                    Choices::One(only) => only,
                    Choices::Several => {
                        mover.log_chances(&known);
                        let chosen = self.decide(player, seat, rng);
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
        for (seat, &player) in players.iter().enumerate() {
            if player == Role::Learner {
                self.points += 5.0 - f64::from(places[seat]);
            }
        }
        let results = places.map(|place| self.values[usize::from(place)] as f32);
        self.decisions.end_game(results, self.lambda);
    }

    fn mover(&mut self, player: Role) -> &mut Mover<'a> {
        match player {
            Role::Older => &mut self.older,
            _ => &mut self.learner,
        }
    }

    /// Chooses by the chances that the player's policy has just worked out, and books the decision of a learner.
    fn decide(&mut self, player: Role, seat: u8, rng: &mut Xoshiro256PlusPlus) -> usize {
        let is_greedy = self.is_greedy;
        let mover = self.mover(player);
        if is_greedy {
            return likeliest(mover.chances());
        }
        let chosen = draw_chance(mover.chances(), rng);
        if player == Role::Learner {
            let Mover {
                networks, inputs, ..
            } = &self.learner;
            self.decisions
                .book(networks, inputs, self.learner.chances(), chosen, seat);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::{Learner, Rounds};
    use bots::daihinmin::DaihinminNetworks;

    /// From random numbers to a player that is better than the rule bot, in a thousand games.
    #[test]
    fn a_little_learning_beats_the_rule_bot() {
        let rounds = Rounds {
            batch: 256,
            passes: 2,
            rate: 0.003,
            entropy: 0.01,
            lambda: 0.9,
        };
        let mut learner = Learner::new(Daihinmin, None, 3);
        let points =
            |learner: &Learner<_, INPUTS>| Daihinmin::points(learner.players(), 40, 1).mean;
        let before = points(&learner);
        for _ in 0..10 {
            let round = learner.round(100, &rounds, 1);
            assert!(round.decisions > 1000 && round.entropy > 0.0, "{round:?}");
        }
        assert_eq!(learner.games(), 1000);
        let after = points(&learner);
        assert!(after > before + 0.2 && after > 3.0, "{before} {after}");
    }

    #[test]
    fn two_threads_learn_the_same_twice() {
        let rounds = Rounds {
            batch: 512,
            passes: 1,
            rate: 0.001,
            entropy: 0.01,
            lambda: 0.9,
        };
        let learned = || {
            let mut learner = Learner::new(Daihinmin, Some(DaihinminNetworks::built_in()), 5);
            learner.round(40, &rounds, 2);
            learner.networks().clone()
        };
        assert_eq!(learned(), learned());
    }
}
