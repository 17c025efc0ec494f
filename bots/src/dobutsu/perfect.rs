//! `perfect`: plays by the table of the solved game.

use std::sync::Arc;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Move, MoveList, Position};
use serde_json::{Value as Json, json};

use super::engine::{DobutsuEngine, Limits, Report, Score, is_draw_after, occurrences};
use super::{AlphaBetaEngine, Table, Value};
use crate::engine::Engine;
use crate::search::{Budget, is_over};

/// What counts for a move, the most important first: larger is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Worth {
    value: Value,
    /// Of moves into a draw: whether the game goes on, and from a position that it has not had.
    goes_on: bool,
    is_new: bool,
}

/// The shortest win, the longest loss; among equal moves the one after which the opponent can go wrong most. A
/// position that the match would make a draw counts as one. Outside of the table, that is under other rules and in
/// positions that no game comes to, `alphabeta` answers.
pub struct PerfectEngine {
    table: Arc<Table>,
    stand_in: AlphaBetaEngine,
    budget: Budget,
    moves: Vec<(Move, Value)>,
    last: Option<Json>,
}

impl PerfectEngine {
    /// With the table, and a budget and megabytes of a transposition table that matter outside of it alone.
    pub fn new(table: Arc<Table>, budget: Budget, hash: u32) -> Self {
        Self {
            table,
            stand_in: AlphaBetaEngine::new(budget, hash),
            budget,
            moves: Vec::new(),
            last: None,
        }
    }

    /// The chance that a seat that moves at random keeps what it has, in millionths, over so many moves of its own; the
    /// other seat plays best, and where several moves are best, the worst for it. Once `until` is over it looks no
    /// further.
    fn keeps(&self, position: &Position, turns: u32, until: Option<Instant>) -> u32 {
        const ALL: u32 = 1_000_000;
        // Each look into the table may unpack a block of it.
        if is_over(until) {
            return ALL;
        }
        let mut replies = Vec::new();
        let known = self.table.moves(position, &mut replies);
        let Some(best) = replies.iter().map(|(_, value)| *value).max() else {
            return ALL;
        };
        if !known {
            return ALL;
        }
        let mut sum = 0_u64;
        for &(reply, value) in &replies {
            // A seat that loses keeps the length of its resistance, another one its win or draw.
            let is_kept = match best {
                Value::Loss(_) => value == best,
                _ => value.sign() == best.sign(),
            };
            if !is_kept {
                continue;
            }
            let mut next = *position;
            next.play_unchecked(reply);
            let mut kept = ALL;
            if turns > 1 && !is_over(until) {
                let mut answers = Vec::new();
                self.table.moves(&next, &mut answers);
                let best = answers.iter().map(|(_, value)| *value).max();
                for &(answer, _) in answers.iter().filter(|(_, value)| Some(*value) == best) {
                    let mut then = next;
                    then.play_unchecked(answer);
                    kept = kept.min(self.keeps(&then, turns - 1, until));
                }
            }
            sum += u64::from(kept);
        }
        (sum / replies.len() as u64) as u32
    }

    /// The best move by the table; `None` outside of it.
    fn look_up(&mut self, game: &Dobutsu, time: Option<Duration>) -> Option<(Move, Value)> {
        let position = *game.board();
        let mut moves = std::mem::take(&mut self.moves);
        let known = self.table.moves(&position, &mut moves);
        let until = time.and_then(|time| Instant::now().checked_add(time / 2));
        let rate = |mv, value| {
            let (value, goes_on) = value_of(game, mv, value);
            let mut next = position;
            next.play_unchecked(mv);
            Worth {
                value,
                goes_on,
                is_new: value != Value::Draw || occurrences(game, &next) == 0,
            }
        };
        let best = moves.iter().map(|&(mv, value)| rate(mv, value)).max();
        let is_best = |&&(mv, value): &&(Move, Value)| Some(rate(mv, value)) == best;
        let mut equal = moves.iter().filter(is_best).map(|&(mv, _)| mv);
        let traps = |mv: Move| {
            let mut next = position;
            next.play_unchecked(mv);
            self.keeps(&next, 2, until)
        };
        let chosen = match (equal.next(), equal.next()) {
            (only, None) => only,
            // Of equal ones the first.
            (first, second) => {
                let equal = first.into_iter().chain(second).chain(equal);
                equal.min_by_key(|&mv| traps(mv))
            }
        };
        let value = best.map(|best| best.value);
        self.moves = moves;
        known.then_some(chosen.zip(value)).flatten()
    }
}

/// The legal moves of a game with the values that they leave the player to move, counting draws by repetition; empty where
/// the table does not know them.
pub fn values_of_moves(table: &Table, game: &Dobutsu) -> Vec<(Move, Value)> {
    let mut moves = Vec::new();
    if !table.moves(game.board(), &mut moves) {
        return Vec::new();
    }
    for (mv, value) in &mut moves {
        *value = value_of(game, *mv, *value).0;
    }
    moves
}

/// The value of a move of the game: that of the table, or a draw where positions would occur too often, and
/// whether the game goes on after it.
fn value_of(game: &Dobutsu, mv: Move, value: Value) -> (Value, bool) {
    if is_draw_after(game, mv) {
        return (Value::Draw, false);
    }
    let mut next = *game.board();
    next.play_unchecked(mv);
    if value.sign() > 0 && game.rules().repetition > 0 && next.end().is_none() {
        // The loser would take a draw by repetition.
        let mut replies = MoveList::new();
        next.legal_moves(&mut replies);
        let draws = replies.iter().any(|&reply| {
            let mut then = next;
            then.play_unchecked(reply);
            then.end().is_none()
                && occurrences(game, &then) + 1 >= usize::from(game.rules().repetition)
        });
        if draws {
            return (Value::Draw, true);
        }
    }
    (value, true)
}

impl DobutsuEngine for PerfectEngine {
    fn think(
        &mut self,
        game: &Dobutsu,
        limits: &Limits,
        tell: &mut dyn FnMut(&Report<'_>),
    ) -> Move {
        let Some((mv, value)) = self.look_up(game, limits.time) else {
            let mv = self.stand_in.think(game, limits, tell);
            self.last = self.stand_in.explain();
            return mv;
        };
        tell(&Report {
            depth: 1,
            score: match value {
                Value::Win(plies) => Score::Win(plies.into()),
                Value::Loss(plies) => Score::Loss(plies.into()),
                Value::Draw => Score::Draw,
            },
            nodes: 1,
            line: &[mv],
        });
        self.last = Some(json!({
            "engine": "perfect",
            "move": mv.to_string(),
            "value": value.word(),
            "distance": value.distance(),
        }));
        mv
    }

    fn budget(&self) -> Budget {
        self.budget
    }
}

impl Engine<Dobutsu> for PerfectEngine {
    fn choose(&mut self, game: &Dobutsu, limit: Option<Duration>) -> Move {
        self.think_within(game, limit)
    }

    fn new_game(&mut self) {
        self.stand_in.new_game();
    }

    fn explain(&self) -> Option<Json> {
        self.last.clone()
    }
}
