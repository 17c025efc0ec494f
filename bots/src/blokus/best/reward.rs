//! What the end of a game is worth.

use games::blokus::SEATS;

use crate::search::Rewards;

/// Rewards that mix the share in the win with the scores: they tell a narrow loss from a clear one, which
/// the share in the win does not, and so more about a move from few playouts. The part of the scores is
/// their softmax. The sum over the seats is 1.
#[derive(Clone, Debug)]
pub(super) struct Shaping {
    score_share: f64,
    /// exp(-difference / scale), by difference to the best score.
    decay: [f64; 128],
}

impl Shaping {
    pub(super) fn new(score_share: f64, score_scale: f64) -> Self {
        let mut decay = [0.0; 128];
        for (difference, value) in decay.iter_mut().enumerate() {
            *value = (-(difference as f64) / score_scale).exp();
        }
        Self { score_share, decay }
    }

    /// The rewards by seat, from the advanced scores.
    pub(super) fn rewards(&self, scores: [i16; SEATS]) -> Rewards {
        let best = scores.into_iter().max().unwrap_or_default();
        let winners = scores.iter().filter(|&&score| score == best).count();
        let win = (1.0 - self.score_share) / winners as f64;
        let trust =
            scores.map(|score| self.decay[usize::from((best - score).unsigned_abs()) & 127]);
        let scale = self.score_share / trust.iter().sum::<f64>();
        let mut rewards = trust.map(|trust| trust * scale);
        for (reward, score) in rewards.iter_mut().zip(scores) {
            if score == best {
                *reward += win;
            }
        }
        rewards
    }
}
