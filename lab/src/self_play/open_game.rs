//! A game that is being played, which stops wherever it wants a position evaluated.

use models::Encoding;
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::game::SelfPlay;
use super::plan::SelfPlan;
use super::teacher::game_seed;
use super::{Ply, Record};
use bots::search::puct::{Puct, Selected};
use bots::search::{Game, MOST_SEATS, Rewards, Shaped};

/// A game that is being played by one search for all seats.
pub(super) struct OpenGame<E: Encoding<Position: SelfPlay>> {
    plan: SelfPlan,
    rng: Xoshiro256PlusPlus,
    position: E::Position,
    search: Puct<Shaped<E::Position>>,
    helper: <E::Position as SelfPlay>::Helper,
    leaf: Option<usize>,
    is_full: bool,
    /// Simulations that the search has yet to make; none before it has begun.
    left: Option<u64>,
    moves: Vec<<E::Position as Game>::Move>,
    record: Record,
}

impl<E> OpenGame<E>
where
    E: Encoding<Position: SelfPlay + Game<Move = E::Move>>,
{
    /// The game of a number. All that happens in it depends on the seed, the number and the evaluations.
    pub(super) fn new(plan: SelfPlan, seed: u64, id: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_seed(seed, id));
        let search = Puct::new(plan.search, rng.random());
        let mut table = Self {
            plan,
            rng,
            position: E::Position::start(),
            helper: E::Position::helper(&plan, game_seed(seed, id)),
            search,
            leaf: None,
            is_full: false,
            left: None,
            moves: Vec::new(),
            record: Record {
                id,
                ..Record::default()
            },
        };
        for _ in 0..table.rng.random_range(0..=plan.random_plies) {
            table.position.moves(&mut table.moves);
            if !table.moves.is_empty() {
                let mv = table.moves[table.rng.random_range(0..table.moves.len())];
                table.play(mv, Ply::default());
            }
        }
        table
    }

    fn play(&mut self, mv: E::Move, ply: Ply) {
        let mv_index = E::Position::index(mv) as u16;
        self.record.plies.push(Ply {
            mv: mv_index,
            ..ply
        });
        self.position.play(mv);
    }

    /// Plays on until [`leaf`](Self::leaf) is to be evaluated, or the game is over; gives whether it is.
    pub(super) fn advance(&mut self) -> bool {
        if self.leaf.is_some() {
            return false;
        }
        loop {
            if self.position.to_move().is_none() {
                return true;
            }
            let left = match self.left {
                Some(left) => left,
                None => match self.begin() {
                    Some(left) => left,
                    None => continue,
                },
            };
            if left == 0 {
                self.decide();
                continue;
            }
            match self.search.select() {
                Selected::Leaf(number) => {
                    // The first evaluation only opens the root.
                    if self.search.depth(number) > 0 {
                        self.left = Some(left - 1);
                    }
                    self.leaf = Some(number);
                    return false;
                }
                Selected::Over | Selected::Waits => self.left = Some(left - 1),
            }
        }
    }

    /// Begins the search of a move, and says how many simulations it is to make; `None` if there was no choice, and the
    /// move is made.
    fn begin(&mut self) -> Option<u64> {
        self.position.moves(&mut self.moves);
        if let [only] = self.moves[..] {
            let ply = Ply {
                is_lesson: true,
                ..Ply::default()
            };
            self.play(only, ply);
            return None;
        }
        let plies = self.plan.mate;
        if plies > 0
            && let Some(mv) = self.position.mate(&mut self.helper, plies)
        {
            let ply = Ply {
                is_lesson: true,
                policy: vec![(E::Position::index(mv) as u16, u16::MAX)],
                ..Ply::default()
            };
            self.play(mv, ply);
            return None;
        }
        self.is_full = self.rng.random_bool(self.plan.full_share.clamp(0.0, 1.0));
        let simulations = if self.is_full {
            self.plan.simulations
        } else {
            self.plan.fast_simulations
        };
        let simulations = simulations.max(1);
        let plan = self.plan;
        self.search
            .set_plan(plan.search_of(self.is_full, self.is_drawn()));
        let root = Shaped {
            position: self.position.clone(),
            score_share: plan.score_share,
        };
        self.search.begin(&root, simulations);
        self.left = Some(simulations);
        self.left
    }

    fn is_drawn(&self) -> bool {
        self.record.plies.len() < self.plan.drawn_plies as usize
    }

    fn decide(&mut self) {
        self.left = None;
        // Of a fast search nothing is told: at a Gumbel root the mean of its few descents is one over the moves that it
        // considers, not over those that it would play.
        let (policy, values) = if self.is_full {
            let policy = self.search.policy().into_iter();
            let policy = policy.map(|(mv, p)| (E::Position::index(mv) as u16, f64::from(p)));
            (Ply::policy_of(policy), self.search.values())
        } else {
            (Vec::new(), None)
        };
        // A Gumbel root draws by itself.
        let drawn = if self.is_drawn() && self.plan.search.gumbel.is_none() {
            self.draw()
        } else {
            None
        };
        let ply = Ply {
            is_lesson: true,
            values: values.map(|v| v.map(|v| v as f32)),
            policy,
            ..Ply::default()
        };
        if let Some(mv) = drawn.or_else(|| self.search.decide()) {
            self.play(mv, ply);
        }
    }

    /// A move by its share of the visits.
    fn draw(&mut self) -> Option<E::Move> {
        let tried = self.search.candidates();
        let total: u64 = tried.iter().map(|candidate| candidate.trials).sum();
        let mut left = self.rng.random_range(0..total.max(1));
        tried.into_iter().find_map(|candidate| {
            let here = left < candidate.trials;
            left = left.saturating_sub(candidate.trials);
            here.then_some(candidate.mv)
        })
    }

    /// The position that waits, and its legal moves.
    pub(super) fn leaf(&self) -> Option<(&E::Position, &[E::Move])> {
        let (shaped, moves) = self.search.leaf(self.leaf?);
        Some((&shaped.position, moves))
    }

    /// Gives the evaluation of the position that waits: the logits of its moves, and values of the seats relative to
    /// the one that moves there.
    pub(super) fn supply(&mut self, logits: &[f32], relative: &[f32]) {
        let Some(leaf) = self.leaf.take() else {
            return;
        };
        let mover = usize::from(self.search.leaf(leaf).0.to_move().unwrap_or(0));
        let value = absolute(mover, relative);
        let position = &self.search.leaf(leaf).0.position;
        let value = position.mix(&mut self.helper, value);
        self.search.supply(leaf, logits, &value);
    }

    pub(super) fn record(&mut self) -> Record {
        let rewards = self.position.rewards().unwrap_or([0.0; MOST_SEATS]);
        self.record.rewards = rewards.map(|reward| reward as f32);
        self.record.scores = self.position.scores();
        std::mem::take(&mut self.record)
    }
}

/// Values by seat number, from those by turn order.
fn absolute(mover: usize, relative: &[f32]) -> Rewards {
    let mut value = [0.0; MOST_SEATS];
    for (seat, &v) in relative.iter().enumerate() {
        value[(mover + seat) % relative.len()] = f64::from(v);
    }
    value
}
