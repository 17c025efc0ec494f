//! What a match between two players came to, with its interval.

use serde::Serialize;

/// What a match came to, for its first player A.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// Games.
    pub games: u64,
    /// Games that A won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Plies of all games.
    pub plies: u64,
    /// Sum over blocks of (score of A in the block)^2, a block being two games with the seats
    /// exchanged.
    #[serde(skip)]
    squares: f64,
    #[serde(skip)]
    blocks: u64,
}

impl Score {
    /// Books a block of games: results of A, 1 for a win, 0.5 for a draw, 0 for a loss.
    pub fn add_block(&mut self, results: &[f64]) {
        for &result in results {
            self.games += 1;
            if result > 0.75 {
                self.wins += 1;
            } else if result < 0.25 {
                self.losses += 1;
            } else {
                self.draws += 1;
            }
        }
        let mean = results.iter().sum::<f64>() / results.len().max(1) as f64;
        self.squares += mean * mean;
        self.blocks += 1;
    }

    /// Adds another match of the same two.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.plies += other.plies;
        self.squares += other.squares;
        self.blocks += other.blocks;
    }

    /// (Wins + draws / 2) / games of A; 0.5 before the first game.
    pub fn score(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games as f64
    }

    /// Half the width of the 95 % interval of the score, over blocks. Two blocks are added in thought, one won
    /// and one lost, so that a few games that all end alike do not pass for certainty.
    pub fn interval(&self) -> f64 {
        let n = self.blocks as f64 + 2.0;
        let mean = (self.score() * self.blocks as f64 + 1.0) / n;
        let variance = ((self.squares + 1.0) / n - mean * mean).max(0.0) * n / (n - 1.0);
        student(n - 1.0) * (variance / n).sqrt()
    }

    /// Wins / (wins + losses); 0.5 without a decided game.
    pub fn win_rate(&self) -> f64 {
        let decided = self.wins + self.losses;
        if decided == 0 {
            0.5
        } else {
            self.wins as f64 / decided as f64
        }
    }

    /// Share of drawn games.
    pub fn draw_rate(&self) -> f64 {
        self.draws as f64 / self.games.max(1) as f64
    }
}

/// The 97.5 % quantile of Student's distribution for one degree of freedom or more: exact for one and two,
/// then by its expansion around the normal one (error below 1 %).
pub fn student(degrees: f64) -> f64 {
    const Q: f64 = 0.975;
    if degrees < 1.5 {
        return (std::f64::consts::PI * (Q - 0.5)).tan();
    }
    if degrees < 2.5 {
        return (2.0 * Q - 1.0) / (2.0 * Q * (1.0 - Q)).sqrt();
    }
    let z: f64 = 1.959_964;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / degrees + second / degrees.powi(2) + third / degrees.powi(3)
}

#[cfg(test)]
mod tests {
    use super::student;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, quantile) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (10.0, 2.228),
            (30.0, 2.042),
        ] {
            let error = student(degrees) / quantile - 1.0;
            let most = if degrees < 3.0 { 1e-4 } else { 0.01 };
            assert!(error.abs() < most, "{degrees} {}", student(degrees));
        }
    }
}
