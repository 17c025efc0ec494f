//! Positions as the search sees them.

use games::blokus::{Board, PLACEMENTS, Placement, SEATS, Scene, Scoring};

use crate::blokus::game::{counted, shares_of};
use crate::search::{Game, Rewards};

/// Points of difference by which a seat's share by score changes by a factor of e, as networks learn it.
const SCALE: f64 = 6.0;

/// A position whose end is worth the share in the win, mixed with that by score: what the evaluations in the same tree
/// are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaped {
    pub(super) scene: Scene,
    /// Of the score, 0 to 1.
    pub(super) share: f64,
}

/// Shares by score, 1 in sum: the softmax of the scores over [`SCALE`].
fn by_score(scores: [i16; SEATS]) -> Rewards {
    let best = scores.into_iter().max().unwrap_or_default();
    let weights = scores.map(|score| (f64::from(score - best) / SCALE).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// What an end with these scores is worth to each seat, with the share of the score in it.
pub(super) fn worth(scores: [i16; SEATS], share: f64) -> Rewards {
    let (wins, points) = (shares_of(scores), by_score(scores));
    std::array::from_fn(|seat| wins[seat] + share * (points[seat] - wins[seat]))
}

/// What a board is worth to each seat once the game is over, with the share of the score in it.
pub(crate) fn worth_of(board: &Board, share: f64) -> Option<Rewards> {
    if board.to_move().is_some() {
        return None;
    }
    let scores = counted(board, board.scores(Scoring::Advanced));
    Some(worth(scores, share))
}

impl Game for Shaped {
    type Move = Placement;

    const SEATS: usize = SEATS;

    const MOVES: usize = PLACEMENTS;

    #[inline]
    fn index(mv: Placement) -> usize {
        mv.index()
    }

    #[inline]
    fn to_move(&self) -> Option<u8> {
        Game::to_move(&self.scene)
    }

    #[inline]
    fn moves(&self, out: &mut Vec<Placement>) {
        self.scene.moves(out);
    }

    #[inline]
    fn play(&mut self, mv: Placement) {
        self.scene.play_unchecked(mv);
    }

    fn rewards(&self) -> Option<Rewards> {
        worth_of(self.scene.board(), self.share)
    }

    fn moves_since(&self, earlier: &Self, out: &mut Vec<Placement>) -> bool {
        self.scene.moves_since(&earlier.scene, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blokus::arena::opening;

    #[test]
    fn ends_are_worth_the_win_and_the_score() {
        let end = opening(100, 1);
        assert_eq!(end.to_move(), None);
        let rewards = |share| {
            let scene = Scene::from(end);
            Shaped { scene, share }.rewards().unwrap()
        };
        let (wins, points) = (rewards(0.0), rewards(1.0));
        assert_eq!(Some(wins), end.rewards());
        let scores = end.scores(Scoring::Advanced);
        for seat in 0..SEATS {
            let mixed = 0.75 * wins[seat] + 0.25 * points[seat];
            assert!((rewards(0.25)[seat] - mixed).abs() < 1e-12);
            let ratio = (f64::from(scores[seat] - scores[0]) / 6.0).exp();
            assert!((points[seat] / points[0] / ratio - 1.0).abs() < 1e-9);
        }
        assert!((points.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(
            Shaped {
                scene: Scene::new(),
                share: 0.5
            }
            .rewards(),
            None
        );
    }
}
