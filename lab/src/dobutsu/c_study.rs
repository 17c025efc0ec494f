//! How quickly a search corrects a value head that is badly wrong, by the constant of its formula.
//!
//! The experiment is that of the paper on `AlphaZero` for Dobutsu shogi (figure 7 there).

use bots::dobutsu::{Line, Value};
use games::dobutsu::{Board, Move};
use models::NetworkError;

use bots::search::Rewards;
use bots::search::network::{LeafEvaluator, NetworkEvaluator};
use bots::search::puct::{Puct, PuctPlan, Selected};

/// A position of whose result a network is wrongly sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    pub board: Board,
    pub value: Value,
    /// The share in the win that the network gives the side that wins.
    pub share: f64,
}

/// What the network says of a position: the shares of both seats, and the logits of the moves.
fn ask(
    evaluator: &mut NetworkEvaluator<Line>,
    line: &Line,
    moves: &[Move],
    logits: &mut Vec<f32>,
) -> Result<Rewards, NetworkError> {
    evaluator.clear();
    evaluator.add(line, moves);
    evaluator.evaluate()?;
    Ok(evaluator.answer(0, logits))
}

/// The first of the positions, at most so many, in which the network gives the winner a share of at most `share`.
pub fn mistakes(
    evaluator: &mut NetworkEvaluator<Line>,
    positions: impl Iterator<Item = (Board, Value)>,
    share: f64,
    most: usize,
) -> Result<Vec<Mistake>, NetworkError> {
    let (mut found, mut logits) = (Vec::new(), Vec::new());
    for (board, value) in positions.filter(|(_, value)| *value != Value::Draw) {
        if found.len() == most {
            break;
        }
        let values = ask(evaluator, &Line::from_board(board), &[], &mut logits)?;
        let winner = usize::from(value.sign() < 0);
        if values[winner] <= share {
            found.push(Mistake {
                board,
                value,
                share: values[winner],
            });
        }
    }
    Ok(found)
}

#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// Simulations after which the root's value has the right sign for good; `None` if it is wrong in the end.
    pub after: Option<u64>,
    /// The share that the root's value gives the winner after 0, 1, 2, 4, 8, ... simulations.
    pub shares: Vec<f64>,
}

/// Searches a mistake with so many simulations. The root's value is the mean over its own evaluation and what the
/// simulations came to.
///
/// # Panics
/// When the position is an end.
pub fn correct(
    evaluator: &mut NetworkEvaluator<Line>,
    plan: PuctPlan,
    mistake: &Mistake,
    simulations: u64,
) -> Result<Correction, NetworkError> {
    let line = Line::from_board(mistake.board);
    let winner = usize::from(mistake.value.sign() < 0);
    let mut puct = Puct::new(plan, 1);
    let mut logits = Vec::new();
    let mut correction = Correction {
        after: None,
        shares: Vec::new(),
    };
    puct.begin(&line, simulations);
    // The first descent evaluates the root.
    for done in 0..=simulations {
        if let Selected::Leaf(leaf) = puct.select() {
            let (position, moves) = puct.leaf(leaf);
            let value = ask(evaluator, position, moves, &mut logits)?;
            puct.supply(leaf, &logits, &value);
        }
        let share = puct
            .values()
            .expect("the position is no end, and its evaluation is a descent")[winner];
        if share <= 0.5 {
            correction.after = None;
        } else if correction.after.is_none() {
            correction.after = Some(done);
        }
        if done == 0 || done.is_power_of_two() {
            correction.shares.push(share);
        }
    }
    Ok(correction)
}
