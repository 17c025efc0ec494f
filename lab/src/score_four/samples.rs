//! Positions with values, from which the network learns.
//!
//! Games are played by short searches from random openings and end with an exact solution; their positions since the last
//! random move have the value of that end. Late positions a few random moves off the game are solved as well, so that the
//! network learns what the search meets and the game does not.

use bots::engine::OpenPosition as _;
use bots::score_four::best::{
    Board, Moves, NetworkSearch, NodeLimits, ProvenMoves, RootChoice, Solver, ValueNetwork, WON,
};
use games::score_four::{Peg, Position, Symmetry};
use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A position in which neither seat completes a line with its next ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub position: Position,
    /// Its value for seat 0: 1 won, 0 drawn, -1 lost.
    pub value: i8,
}

impl Sample {
    /// Bytes of a sample in a file: the squares of seats 0 and 1 as numbers of 64 bits, the low byte first, and the value.
    pub const BYTES: usize = 17;

    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.position.balls(0).to_le_bytes());
        bytes[8..16].copy_from_slice(&self.position.balls(1).to_le_bytes());
        bytes[16] = self.value.to_le_bytes()[0];
        bytes
    }

    /// Reads a sample; `None` if the position is impossible or over, or the value is not -1, 0 or 1.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (&[first, second], &[value]) = bytes.as_chunks::<8>() else {
            return None;
        };
        let position = Position::from_sides([first, second].map(u64::from_le_bytes)).ok()?;
        let value = value as i8;
        let open = position.to_move().is_some() && (-1..=1).contains(&value);
        open.then_some(Self { position, value })
    }

    /// The sample with its position under a symmetry.
    #[must_use]
    pub fn transformed(self, symmetry: Symmetry) -> Self {
        Self {
            position: self.position.transformed(symmetry),
            ..self
        }
    }
}

/// Empty squares where a game is solved, the last not among them.
const SOLVED_AT: std::ops::Range<u8> = 26..33;
/// Nodes of the solution at the end of a game, and of a position off the game.
const SOLUTION_NODES: [u64; 2] = [120_000, 40_000];
/// Positions off the game that are tried after each game.
const NEIGHBOURS: u32 = 12;
/// Random moves to each of them are fewer than this.
const OFF_GAME: u32 = 10;
/// Empty squares of a position off the game.
const NEIGHBOUR_EMPTY: std::ops::RangeInclusive<u8> = 12..=31;
/// Chances of a random move; each game draws one of them.
const NOISE: [f64; 3] = [0.0, 0.03, 0.1];
const OPENING: u32 = 10;

pub struct SampleGames {
    search: NetworkSearch,
    solver: Solver,
    nodes: u64,
    rng: Xoshiro256PlusPlus,
}

impl SampleGames {
    /// With the network that is built in and at most `nodes` nodes a move.
    pub fn new(nodes: u64, seed: u64) -> Self {
        Self {
            search: NetworkSearch::new(ValueNetwork::built_in(), 15),
            solver: Solver::new(17),
            nodes,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The samples of one game; none of a game whose end is not solved.
    pub fn game(&mut self) -> Vec<Sample> {
        let mut samples = Vec::new();
        let Some((seen, end, value)) = self.play() else {
            return samples;
        };
        let of_game = |position| Sample { position, value };
        samples.extend(seen.iter().copied().map(of_game));
        let mut late: Vec<Position> = seen.into_iter().filter(|p| p.ply() >= 27).collect();
        late.push(end);
        for _ in 0..NEIGHBOURS {
            let near = late[self.rng.random_range(0..late.len())];
            let Some(position) = self.neighbour(near) else {
                continue;
            };
            if let Some(value) = self.solved(&position, SOLUTION_NODES[1]) {
                samples.push(Sample { position, value });
            }
        }
        samples
    }

    fn searched(&mut self, position: &Position) -> Option<RootChoice> {
        self.search.begin(NodeLimits::nodes(self.nodes));
        Some(
            self.search
                .deepen(position, 64, ProvenMoves::default())?
                .best,
        )
    }

    /// The value for seat 0, if it takes at most `nodes` nodes.
    fn solved(&mut self, position: &Position, nodes: u64) -> Option<i8> {
        let limits = NodeLimits::nodes(nodes);
        let value = self.solver.value_within(position, limits)? as i8;
        Some(if position.ply() & 1 == 0 {
            value
        } else {
            -value
        })
    }

    /// A game: its quiet positions since the last random move, the last position, and the value for seat 0.
    fn play(&mut self) -> Option<(Vec<Position>, Position, i8)> {
        let mut position = Position::START;
        for _ in 0..self.rng.random_range(0..=OPENING) {
            // None of a game that is over in its opening.
            position.play_unchecked(position.random_move(&mut self.rng)?);
        }
        let solved_at = self.rng.random_range(SOLVED_AT);
        let noise = NOISE[self.rng.random_range(0..NOISE.len())];
        let mut seen = Vec::new();
        let value = loop {
            if let Some(end) = position.end() {
                break end.winner.map_or(0, |seat| 1 - 2 * seat as i8);
            }
            let sign = 1 - 2 * (position.ply() & 1) as i8;
            let safe = match Board::of(&position).moves() {
                Moves::Win(_) => break sign,
                Moves::Lost => break -sign,
                Moves::Full => break 0,
                Moves::Forced(ball) => {
                    position.play_unchecked(Peg::under(ball.trailing_zeros()));
                    continue;
                }
                Moves::Safe(safe) => safe,
            };
            if 64 - position.ply() <= solved_at {
                break self.solved(&position, SOLUTION_NODES[0])?;
            }
            let found = self.searched(&position)?;
            if found.score.abs() > WON {
                break sign * found.score.signum() as i8;
            }
            let ball = if self.rng.random_bool(noise) {
                seen.clear();
                random_of(safe, &mut self.rng)
            } else {
                seen.push(position);
                found.ball
            };
            position.play_unchecked(Peg::under(ball.trailing_zeros()));
        };
        Some((seen, position, value))
    }

    /// A quiet position a few random moves further.
    fn neighbour(&mut self, mut position: Position) -> Option<Position> {
        for _ in 0..self.rng.random_range(0..OFF_GAME) {
            let ball = match Board::of(&position).moves() {
                Moves::Safe(safe) => random_of(safe, &mut self.rng),
                Moves::Forced(ball) => ball,
                _ => return None,
            };
            position.play_unchecked(Peg::under(ball.trailing_zeros()));
        }
        let quiet = matches!(Board::of(&position).moves(), Moves::Safe(_));
        (quiet && NEIGHBOUR_EMPTY.contains(&(64 - position.ply()))).then_some(position)
    }
}

fn random_of(mut squares: u64, rng: &mut impl Rng) -> u64 {
    for _ in 0..rng.random_range(0..squares.count_ones()) {
        squares &= squares - 1;
    }
    squares & squares.wrapping_neg()
}
