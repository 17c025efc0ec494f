//! What a match between two players came to, with its interval.

use stats::Mean;

/// What a match came to, for its first player A.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// The score of A in each block, a block being two games with the seats exchanged.
    blocks: Vec<f64>,
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
        self.blocks.push(mean);
    }

    /// Adds another match of the same two.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.plies += other.plies;
        self.blocks.extend(&other.blocks);
    }

    /// (Wins + draws / 2) / games of A; 0.5 before the first game.
    pub fn score(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games as f64
    }

    /// Half the width of the 95 % interval of the score, over blocks; infinite for fewer than two.
    pub fn interval(&self) -> f64 {
        Mean::of(self.blocks.iter().copied())
            .within([0.0, 1.0])
            .half_width
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
