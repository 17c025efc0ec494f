//! The search as an engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Move};
use serde_json::{Value as Json, json};

use super::line::MATE_BITS;
use super::{AlphaZeroOptions, Line};
use crate::dobutsu::alpha_beta::{AlphaBeta, Found};
use crate::dobutsu::engine::{DobutsuEngine, Limits, Report, Score};
use crate::engine::Engine;
use crate::search::network::{Allowed, Guided, Model, ModelError, NetworkEvaluator};
use crate::search::{Budget, Candidate, Game as _, is_stopped};

/// After so many simulations a search without an end tells for the first time what it has found.
const FIRST_STEP: u64 = 256;

/// A tree search guided by a network; the budget's playouts are simulations. A shallow search before it finds the wins
/// of few plies.
pub struct AlphaZeroEngine {
    guided: Guided<NetworkEvaluator<Line>>,
    mates: AlphaBeta,
    plies: u32,
    budget: Budget,
    about: Json,
    last: Option<Json>,
}

impl AlphaZeroEngine {
    /// With a network for each thread. It evaluates a position first, so that a network that cannot play fails here.
    pub fn new(
        model: &Arc<Model<Line>>,
        options: &AlphaZeroOptions,
        budget: Budget,
        threads: usize,
        seed: u64,
    ) -> Result<Self, ModelError> {
        let threads = threads.max(1);
        model.provide(threads)?;
        let evaluator = |_| NetworkEvaluator::new(Arc::clone(model), 0.0);
        let evaluators = (0..threads).map(evaluator).collect();
        let mut about = model.about();
        about["engine"] = "alphazero".into();
        Ok(Self {
            guided: Guided::new(evaluators, options.plan(), options.batch, 0.0, seed)?,
            mates: AlphaBeta::new(MATE_BITS),
            plies: options.mate,
            budget,
            about,
            last: None,
        })
    }

    /// A quick win and its plies, if such are looked for: in a quarter of the time, until it is stopped. It does not
    /// depend on other limits.
    fn win(&mut self, line: &Line, limits: &Limits) -> Option<(u32, Found)> {
        if self.plies == 0 {
            return None;
        }
        let limits = Limits {
            time: limits.time.map(|time| time / 4),
            ..Limits::of_depth(self.plies)
        };
        let win = self.mates.mate(line.position(), line.past(), &limits)?;
        match win.score {
            Score::Win(plies) => Some((plies, win)),
            _ => None,
        }
    }

    /// Searches the tree; gives whether there was time for it, and the simulations. Where nothing but a word ends it, it tells about every second what is
    /// best.
    fn grow(
        &mut self,
        line: &Line,
        allowed: &Allowed,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> (bool, u64) {
        let is_endless = allowed.budget.time.is_none() && allowed.budget.playouts == u64::MAX;
        if !is_endless {
            let searched = self.guided.search(line, allowed);
            return (searched, self.guided.simulations());
        }
        let (mut simulations, mut step) = (0, FIRST_STEP);
        loop {
            let budget = Budget::playouts(step);
            let searched = self.guided.search(line, &Allowed { budget, ..*allowed });
            simulations += self.guided.simulations();
            // It ends early where nothing is left to search, or the network fails.
            let is_early = self.guided.simulations() < step;
            if is_early || is_stopped() {
                return (searched, simulations);
            }
            let seconds = allowed.begin.elapsed().as_secs_f64();
            step = ((simulations as f64 / seconds) as u64).max(FIRST_STEP);
            if let Some((mv, score)) = self.best() {
                tell(&Report {
                    depth: 0,
                    score,
                    nodes: simulations,
                    line: &[mv],
                });
            }
        }
    }

    /// The move that the tree is for, and its score.
    fn best(&self) -> Option<(Move, Score)> {
        let mv = self.guided.decide()?;
        let candidates = self.guided.candidates();
        let tried = candidates.iter().find(|candidate| candidate.mv == mv);
        Some((mv, chicks(tried.map_or(0.5, Candidate::rate))))
    }

    fn search(
        &mut self,
        line: &Line,
        limits: &Limits,
        allowed: &Allowed,
        tell: &mut dyn FnMut(&Report<'_>),
        reasons: &mut Json,
    ) -> Found {
        let mut moves = Vec::new();
        line.moves(&mut moves);
        if let [only] = moves[..] {
            reasons["only"] = json!(true);
            return Found {
                mv: only,
                score: Score::Chicks(0),
                depth: 0,
                nodes: 1,
            };
        }
        if let Some((plies, win)) = self.win(line, limits) {
            reasons["win"] = json!(plies);
            return win;
        }
        let (searched, simulations) = self.grow(line, allowed, tell);
        if !searched {
            reasons["no_time"] = json!(true);
        } else if let Some((mv, score)) = self.best() {
            self.guided.explain(&self.guided.candidates(), mv, reasons);
            reasons["simulations"] = json!(simulations);
            return Found {
                mv,
                score,
                depth: 0,
                nodes: simulations,
            };
        }
        // The network failed, or there was no time for it.
        self.mates
            .look(line.position(), line.past(), &Limits::of_depth(1))
    }
}

/// A share in the win, 0 to 1, as an advantage: each ten times as likely to win than to lose is four chicks.
fn chicks(share: f64) -> Score {
    let share = share.clamp(1e-4, 1.0 - 1e-4);
    Score::Chicks((400.0 * (share / (1.0 - share)).log10()) as i32)
}

impl DobutsuEngine for AlphaZeroEngine {
    fn think(
        &mut self,
        game: &Dobutsu,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Move {
        let begin = Instant::now();
        // Plies say nothing of a search whose depth grows as it likes.
        let limits = match limits {
            Limits {
                nodes: None,
                time: None,
                depth: Some(_),
            } => &Limits::of(self.budget),
            limits => limits,
        };
        let allowed = Allowed {
            begin,
            budget: Budget {
                playouts: limits.nodes.unwrap_or(u64::MAX),
                time: limits.time,
            },
        };
        let mut reasons = self.about.clone();
        let found = self.search(&Line::of(game), limits, &allowed, tell, &mut reasons);
        reasons["move"] = json!(found.mv.to_string());
        self.last = Some(reasons);
        tell(&Report {
            depth: found.depth,
            score: found.score,
            nodes: found.nodes,
            line: &[found.mv],
        });
        found.mv
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}

impl Engine<Dobutsu> for AlphaZeroEngine {
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        self.think_within(game, limit)
    }

    fn new_game(&mut self) {
        self.guided.forget();
        self.mates.forget();
    }

    fn explain(&self) -> Option<Json> {
        self.last.clone()
    }
}
