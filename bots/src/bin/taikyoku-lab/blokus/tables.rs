//! What games of simple players are like.

use clap::Args;
use games::blokus::{Board, Colour, SEATS, Scoring};
use serde_json::json;
use taikyoku_bots::blokus::arena::play_game;
use taikyoku_bots::blokus::{Engine, GreedyEngine, win_shares};

#[derive(Args)]
pub(crate) struct Options {
    /// Games of each player.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Seed of the first game of each row.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one line of JSON for each row.
    #[arg(long)]
    json: bool,
}

/// Plies to a group of the last line of a row.
const GROUP: usize = 4;

/// Sums over games.
#[derive(Default)]
struct Row {
    games: f64,
    plies: f64,
    shortest: usize,
    longest: usize,
    moves: f64,
    most_moves: usize,
    squares: f64,
    shares: [f64; SEATS],
    /// Legal moves and positions by group of plies.
    by_ply: Vec<(f64, f64)>,
}

impl Row {
    fn add(&mut self, moves: &[(Colour, games::blokus::Placement)]) {
        let mut board = Board::new();
        let mut legal = Vec::new();
        for (ply, &(_, mv)) in moves.iter().enumerate() {
            board.legal_moves(&mut legal);
            self.moves += legal.len() as f64;
            self.most_moves = self.most_moves.max(legal.len());
            let group = ply / GROUP;
            if self.by_ply.len() <= group {
                self.by_ply.resize(group + 1, (0.0, 0.0));
            }
            self.by_ply[group].0 += legal.len() as f64;
            self.by_ply[group].1 += 1.0;
            board.play_unchecked(mv);
        }
        self.shortest = if self.games > 0.0 {
            self.shortest.min(moves.len())
        } else {
            moves.len()
        };
        self.longest = self.longest.max(moves.len());
        self.games += 1.0;
        self.plies += moves.len() as f64;
        let squares = Colour::ALL.map(|colour| f64::from(board.squares(colour)));
        self.squares += squares.iter().sum::<f64>() / SEATS as f64;
        for (sum, share) in self
            .shares
            .iter_mut()
            .zip(win_shares(&board, Scoring::Advanced))
        {
            *sum += share;
        }
    }
}

pub(crate) fn run(options: &Options) {
    if !options.json {
        println!(
            "player                 plies mean (min-max)  moves mean / max  squares  win share by seat"
        );
    }
    for (name, epsilon) in [
        ("uniform random", 1.0),
        ("greedy, biggest piece", 0.0),
        ("epsilon-greedy .05", 0.05),
    ] {
        let mut row = Row::default();
        for game in 0..options.games {
            let mut engines = std::array::from_fn(|seat| -> Box<dyn Engine> {
                let seed = options
                    .seed
                    .wrapping_add(game)
                    .wrapping_mul(4)
                    .wrapping_add(seat as u64);
                Box::new(GreedyEngine::new(epsilon, seed))
            });
            let game = play_game(&mut engines, Board::new());
            row.add(&game.expect("simple players choose legal moves").moves);
        }
        let n = row.games.max(1.0);
        let shares = row.shares.map(|share| share / n);
        let mean_by_ply = row.by_ply.iter().map(|(moves, count)| moves / count);
        if options.json {
            println!(
                "{}",
                json!({
                    "player": name,
                    "games": row.games,
                    "plies": row.plies / n,
                    "shortest": row.shortest,
                    "longest": row.longest,
                    "moves": row.moves / row.plies.max(1.0),
                    "most_moves": row.most_moves,
                    "squares": row.squares / n,
                    "win_share_by_seat": shares,
                    "moves_by_four_plies": mean_by_ply.collect::<Vec<_>>(),
                })
            );
            continue;
        }
        println!(
            "{name:<22} {:>6.1} ({}-{})        {:>6.0} / {:<6}   {:>5.1}    {}",
            row.plies / n,
            row.shortest,
            row.longest,
            row.moves / row.plies.max(1.0),
            row.most_moves,
            row.squares / n,
            shares.map(|share| format!("{share:.3}")).join(" "),
        );
        let groups: Vec<String> = mean_by_ply.map(|mean| format!("{mean:.0}")).collect();
        println!("  moves by {GROUP} plies: {}", groups.join(" "));
    }
}
