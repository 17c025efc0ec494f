//! What games say about strength.
//!
//! Ratings, means with their intervals, and sequential tests, from blocks of games. Nothing here knows a game, reads a file
//! or has a clock; the caller gives the seed of a bootstrap, so that the same blocks give the same figures. Begin reading at
//! [`Block`], then at [`standings()`].
//!
//! The unit of all intervals is the [`Block`]: games that share a deal or an opening are not independent,
//! blocks are. Intervals are for 95 % throughout.
//!
//! | what | how | source |
//! |---|---|---|
//! | ratings of three and more seats | Plackett-Luce: the best of a game is entrant i with probability `w_i / (sum of all w)`, then the same among the others | R. L. Plackett, Applied Statistics 24 (1975) 193-202 |
//! | equal places there | B. Efron's approximation of the sum over their orders | Journal of the American Statistical Association 72 (1977) 557-565 |
//! | ratings of two seats, with draws | win : draw : loss = `w_i : nu sqrt(w_i w_j) : w_j` | R. R. Davidson, Journal of the American Statistical Association 65 (1970) 317-328 |
//! | the maximum of the likelihood | Newton's method, with a weak normal prior that keeps it finite | |
//! | intervals of ratings | bootstrap over blocks: resampled blocks, fitted anew; smoothed by a random game or so between any two that have met | B. Efron, Annals of Statistics 7 (1979) 1-26; D. B. Rubin, Annals of Statistics 9 (1981) 130-134 |
//! | means | ratios, because blocks differ in size, stratified by the entrants that meet | W. G. Cochran, Sampling Techniques (1977), 5.3 and 6.3 |
//! | their intervals | empirical likelihood of blocks | A. B. Owen, Biometrika 75 (1988) 237-249; B. Zhong and J. N. K. Rao, Biometrika 87 (2000) 929-938 |
//! | intervals of chances by independent trials | Wilson's | E. B. Wilson, Journal of the American Statistical Association 22 (1927) 209-212 |
//! | Elo of the mean score in games for two | logistic, and normalized by the deviation of a game, its interval by the delta method | M. Van den Bergh, "Comments on Normalized Elo" (2020) |
//! | sequential test | generalised likelihood ratio of the mean score of a block, pentanomial for pairs of games for two, else normal | A. Wald, Annals of Mathematical Statistics 16 (1945) 117-186; M. Van den Bergh, "A practical introduction to the GSPRT" (2019) |
//!
//! A rating of 400 more means ten times the weight w, as with Elo.

mod booking;
mod duels;
mod likelihood;
mod logit;
mod mean;
mod outcome;
mod ratings;
mod sprt;
mod standings;
mod student;
#[cfg(test)]
mod tests;

pub use duels::{Duels, Elo, duels};
pub use mean::{Mean, Sample, wilson};
pub use outcome::{Block, Outcome};
pub use ratings::{Booked, Plan, Rating, Ratings, Step, ratings};
pub use sprt::{Hypotheses, Sprt, Verdict};
pub use standings::{Cross, Score, Standing, cross_table, standings};
pub use student::{NORMAL, student};

/// Rating points of a factor e of the weight: 400 / ln 10.
pub const POINTS: f64 = 400.0 / std::f64::consts::LN_10;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
