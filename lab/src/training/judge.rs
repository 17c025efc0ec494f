//! The judge of Blokus, learned by imitation of searches: cross-entropy between the shares of a search's visits and the softmax
//! of the judge over the legal moves.

use bots::blokus::best::judge::{
    FIRST_PIECE, Judge, Judged, Numbers, Sheet, UNITS, each_features, stage,
};
use bots::learning::{bytes_of, to_log_chances};
use games::blokus::{Board, Placement};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Model;
use crate::self_play::Record;

/// The scale of counts of marks in training, so that all features have about the same size.
const COUNT: f32 = 1.0 / 8.0;

#[derive(Clone, Debug)]
pub struct Searched {
    board: Board,
    /// Moves with their shares of the visits; all other moves have a share of 0.
    shares: Vec<(Placement, f32)>,
}

impl Searched {
    /// A position with the visits of its moves; `None` without visits, or if there is at most one legal move.
    pub fn of(board: &Board, visits: &[(Placement, u64)]) -> Option<Self> {
        let total: u64 = visits.iter().map(|&(_, visits)| visits).sum();
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        let share = |&(mv, visits): &(Placement, u64)| (mv, visits as f32 / total as f32);
        (total > 0 && moves.len() > 1).then(|| Self {
            board: *board,
            shares: visits.iter().map(share).collect(),
        })
    }

    /// Adds to `out` the positions of a game that are lessons, each with its search.
    ///
    /// # Errors
    /// If one of its moves, or of those that were searched, is illegal.
    pub fn of_game(record: &Record, out: &mut Vec<Searched>) -> Result<(), String> {
        let mut board = Board::new();
        for (number, ply) in record.plies.iter().enumerate() {
            let error = || format!("ply {number} of game {} is no move", record.id);
            let legal = |mv| {
                let (mover, mv) = (board.to_move()?, Placement::new(mv)?);
                board.is_legal(mover, mv).then_some(mv)
            };
            let visits: Option<Vec<_>> = (ply.policy.iter())
                .map(|&(mv, visits)| Some((legal(mv)?, u64::from(visits))))
                .collect();
            let mv = legal(ply.mv).ok_or_else(error)?;
            if ply.is_lesson {
                out.extend(Searched::of(&board, &visits.ok_or_else(error)?));
            }
            board.play(mv).map_err(|_| error())?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Guess {
    pub positions: u64,
    /// Mean cross-entropy of the judge, in nats.
    pub loss: f64,
    /// Mean entropy of the shares, in nats: the lowest loss that a judge can have.
    pub entropy: f64,
    /// Share of the positions in which the likeliest move is the most visited one.
    pub hits: f64,
}

impl Guess {
    pub fn of(judge: &Judge, searches: &[Searched]) -> Vec<Guess> {
        let (mut sheet, mut judged) = (Sheet::new(), Vec::new());
        let mut guesses: Vec<Guess> = Vec::new();
        for Searched { board, shares } in searches {
            let stretch = usize::from(board.ply() / 12);
            if guesses.len() <= stretch {
                guesses.resize(stretch + 1, Guess::default());
            }
            judge.judge(board, &mut sheet, &mut judged);
            let mut logs: Vec<f32> = judged.iter().map(|judged| judged.logit).collect();
            to_log_chances(&mut logs);
            let guess = &mut guesses[stretch];
            guess.positions += 1;
            for &(mv, share) in shares.iter().filter(|(_, share)| *share > 0.0) {
                let at = judged.iter().position(|judged| judged.mv == mv);
                let log = at.map_or(f32::MIN_POSITIVE.ln(), |at| logs[at]);
                guess.loss -= f64::from(share * log);
                guess.entropy -= f64::from(share * share.ln());
            }
            let likeliest = |a: &&Judged, b: &&Judged| a.logit.total_cmp(&b.logit);
            let likeliest = judged.iter().max_by(likeliest).map(|judged| judged.mv);
            let most = shares.iter().max_by(|a, b| a.1.total_cmp(&b.1));
            guess.hits += f64::from(u8::from(likeliest == most.map(|most| most.0)));
        }
        for guess in &mut guesses {
            let n = guess.positions.max(1) as f64;
            for sum in [&mut guess.loss, &mut guess.entropy, &mut guess.hits] {
                *sum /= n;
            }
        }
        guesses
    }
}

#[derive(Debug)]
pub struct Imitation {
    numbers: Numbers,
}

impl Imitation {
    pub fn new(seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut numbers = Numbers::zero();
        let hidden = numbers.hidden.as_flattened_mut().iter_mut();
        for weight in hidden.chain(numbers.out.as_flattened_mut()) {
            *weight = rng.random_range(-0.1..0.1);
        }
        numbers.bias.as_flattened_mut().fill(0.1);
        Imitation { numbers }
    }

    /// The judge in its present state, in the form that [`Judge::from_bytes`] reads; numbers beyond ±8 are clamped.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut numbers = self.numbers.clone();
        let hidden = numbers.hidden[..FIRST_PIECE].as_flattened_mut().iter_mut();
        let sums = numbers
            .sum
            .iter_mut()
            .flat_map(|sum| &mut sum[..FIRST_PIECE]);
        hidden.chain(sums).for_each(|weight| *weight *= COUNT);
        bytes_of(&numbers.parts().concat())
    }

    /// Adds to `slopes` the gradient of the logit of a move, times `slope`.
    fn add_logit(&self, stage: usize, features: &[(u16, f32)], slope: f32, slopes: &mut Numbers) {
        let numbers = &self.numbers;
        let mut sums = numbers.bias[stage];
        for &(feature, count) in features {
            for (sum, weight) in sums.iter_mut().zip(&numbers.hidden[usize::from(feature)]) {
                *sum += count * weight;
            }
        }
        let mut back = [0.0; UNITS];
        for unit in 0..UNITS {
            if sums[unit] > 0.0 {
                back[unit] = slope * numbers.out[stage][unit];
                slopes.out[stage][unit] += slope * sums[unit];
                slopes.bias[stage][unit] += back[unit];
            }
        }
        for &(feature, count) in features {
            let feature = usize::from(feature);
            slopes.sum[stage][feature] += slope * count;
            for (slope, back) in slopes.hidden[feature].iter_mut().zip(&back) {
                *slope += count * back;
            }
        }
    }
}

/// The legal moves with their features, whose counts are scaled.
fn moves_of(board: &Board) -> Vec<(Placement, Vec<(u16, f32)>)> {
    let mut moves = Vec::new();
    each_features(board, &mut Sheet::new(), |mv, list| {
        let scaled = |&(feature, count): &(u16, f32)| {
            let is_mark = usize::from(feature) < FIRST_PIECE;
            (feature, if is_mark { count * COUNT } else { count })
        };
        moves.push((mv, list.iter().map(scaled).collect()));
    });
    moves
}

impl Model for Imitation {
    type Lesson = Searched;

    fn zero(&self) -> Self {
        Imitation {
            numbers: Numbers::zero(),
        }
    }

    fn parts(&mut self) -> Vec<&mut [f32]> {
        self.numbers.parts_mut()
    }

    fn add_slopes(&self, search: &Searched, slopes: &mut Self) -> f64 {
        let Some(mover) = search.board.to_move() else {
            return 0.0;
        };
        let stage = stage(&search.board, mover);
        let moves = moves_of(&search.board);
        let logits = moves.iter();
        let logits = logits.map(|(_, features)| self.numbers.logit(stage, features));
        let mut logs: Vec<f32> = logits.collect();
        to_log_chances(&mut logs);
        let mut loss = 0.0;
        for ((mv, features), log) in moves.iter().zip(logs) {
            let share = search.shares.iter().find(|(other, _)| other == mv);
            let share = share.map_or(0.0, |&(_, share)| share);
            loss -= f64::from(share * log);
            self.add_logit(stage, features, share - log.exp(), &mut slopes.numbers);
        }
        loss
    }
}

#[cfg(test)]
mod tests {
    use bots::engine::OpenPosition as _;
    use games::blokus::Colour;

    use super::*;
    use crate::self_play::Ply;
    use crate::training::{Passes, Trainer};

    /// Away from the kinks of the hidden units, and with weights whose slopes are well above the noise of 32 bits.
    #[test]
    fn slopes_are_differences() {
        const CHANGE: f32 = 1e-3;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut model = Imitation::new(1);
        for part in model.parts() {
            part.fill_with(|| rng.random_range(-1.0..1.0));
        }
        let board = Board::random_opening(30, 5);
        let stage = stage(&board, board.to_move().expect("a game that goes on"));
        let is_far = |(_, list): &(_, Vec<(u16, f32)>)| {
            let most = list
                .iter()
                .map(|(_, count)| count.max(1.0))
                .fold(0.0, f32::max);
            (0..UNITS).all(|unit| {
                let sum = |&(feature, count): &(u16, f32)| {
                    count * model.numbers.hidden[usize::from(feature)][unit]
                };
                let sum = model.numbers.bias[stage][unit] + list.iter().map(sum).sum::<f32>();
                sum.abs() > 2.0 * CHANGE * most
            })
        };
        let far = moves_of(&board).into_iter().find(is_far);
        let (_, list) = far.expect("a move away from kinks");
        let mut slopes = model.zero();
        model.add_logit(stage, &list, 1.0, &mut slopes.numbers);
        let due = slopes.numbers.parts().concat();
        assert!(due.iter().filter(|slope| slope.abs() > 0.05).count() > 200);
        let all = model.numbers.parts().concat();
        let changed = |at: usize, change: f32| {
            let mut all = all.clone();
            all[at] += change;
            Numbers::of(&all).logit(stage, &list)
        };
        for (at, due) in due.into_iter().enumerate() {
            let slope = (changed(at, CHANGE) - changed(at, -CHANGE)) / (2.0 * CHANGE);
            assert!((slope - due).abs() < 2e-3, "{at}: {slope} {due}");
        }
    }

    #[test]
    fn a_position_without_a_choice_is_left_out() {
        let board = Board::random_opening(20, 1);
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        assert!(Searched::of(&board, &[(moves[0], 0)]).is_none());
        assert!(Searched::of(&board, &[]).is_none());
        let found = Searched::of(&board, &[(moves[0], 3), (moves[1], 1)]).expect("a choice");
        assert_eq!(found.shares, [(moves[0], 0.75), (moves[1], 0.25)]);
        let mut late =
            (40..80).flat_map(|plies| (0..20).map(move |seed| Board::random_opening(plies, seed)));
        let forced = late.find(|board| {
            board.legal_moves(&mut moves);
            moves.len() == 1
        });
        let forced = forced.expect("a position with one move");
        forced.legal_moves(&mut moves);
        assert!(Searched::of(&forced, &[(moves[0], 9)]).is_none());
    }

    #[test]
    fn a_searched_move_that_is_illegal_is_refused() {
        let mut moves = Vec::new();
        Board::new().legal_moves(&mut moves);
        let [mv, other] = [moves[0], moves[1]].map(|mv| mv.index() as u16);
        let record = |searched: u16, is_lesson| Record {
            id: 3,
            rewards: [0.0; 4],
            scores: [0; 4],
            plies: vec![Ply {
                mv,
                is_lesson,
                values: None,
                policy: vec![(mv, 2), (searched, 1)],
            }],
        };
        let mut out = Vec::new();
        assert_eq!(Searched::of_game(&record(other, true), &mut out), Ok(()));
        assert_eq!(out.len(), 1);
        // The middle of the board, out of reach of the first move, and no placement at all.
        let illegal = Placement::all()
            .find(|&mv| !Board::new().is_legal(Colour::ALL[0], mv))
            .expect("an illegal move");
        for searched in [illegal.index() as u16, u16::MAX] {
            let error = Searched::of_game(&record(searched, true), &mut out);
            assert_eq!(error, Err("ply 0 of game 3 is no move".to_owned()));
            assert_eq!(
                Searched::of_game(&record(searched, false), &mut out),
                Ok(())
            );
        }
        assert_eq!(out.len(), 1);
    }

    #[test]
    fn imitation_learns_which_moves_are_visited() {
        let (mut searches, mut moves) = (Vec::new(), Vec::new());
        for seed in 0..80 {
            let board = Board::random_opening(4 + seed % 20, u64::from(seed));
            board.legal_moves(&mut moves);
            // As if searches always settled on the first move of the largest piece.
            let size = moves.iter().map(|mv| mv.size()).max();
            let settled = moves.iter().find(|mv| Some(mv.size()) == size);
            searches.extend(Searched::of(&board, &[(*settled.expect("a move"), 10)]));
        }
        let held_out = searches.split_off(60);
        let plan = Passes {
            passes: 20,
            batch: 8,
            rate: 0.01,
            seed: 6,
        };
        let mut trainer = Trainer::new(Imitation::new(6));
        let loss = |learner: &Imitation| {
            let judge = Judge::from_bytes(&learner.to_bytes()).expect("a judge");
            let guesses = Guess::of(&judge, &held_out);
            let positions: u64 = guesses.iter().map(|guess| guess.positions).sum();
            assert_eq!(positions, 20);
            assert!(guesses.iter().all(|guess| guess.entropy == 0.0));
            let sum = guesses
                .iter()
                .map(|guess| guess.loss * guess.positions as f64);
            sum.sum::<f64>() / positions as f64
        };
        let before = loss(&trainer.model);
        trainer.train(&mut searches, &plan, |_, _| (), |_, _, _| ());
        let after = loss(&trainer.model);
        assert!(after < 0.8 * before, "{before} before, {after} after");
    }
}
