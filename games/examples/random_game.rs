//! Plays a random game and prints its moves and positions.
//!
//! ```text
//! cargo run -p taikyoku-games --example random_game -- blokus 7
//! ```

use std::error::Error;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_games::{Blokus, Daihinmin, Dobutsu, Game, GameName, Geister, ScoreFour};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().ok_or("usage: random_game GAME [SEED]")?;
    let seed = args.next().map_or(Ok(1), |seed| seed.parse())?;
    match name.parse()? {
        GameName::Daihinmin => play::<Daihinmin>(seed, |game| {
            let hands = game.state().hands;
            hands.map(|hand| format!("  {hand}\n")).concat()
        }),
        GameName::Geister => play::<Geister>(seed, |game| {
            game.state().map_or(String::new(), ToString::to_string)
        }),
        GameName::Blokus => play::<Blokus>(seed, |game| format!("{}\n", game.board())),
        GameName::Dobutsu => play::<Dobutsu>(seed, |game| format!("{:#}", game.board())),
        GameName::ScoreFour => play::<ScoreFour>(seed, |game| format!("{:#}", game.board())),
    }
    Ok(())
}

fn play<G: Game>(seed: u64, draw: impl Fn(&G) -> String) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = G::begin(&G::Rules::default(), seed);
    let mut moves = Vec::new();
    print!("{}", draw(&game));
    while let Some(seat) = game.to_move() {
        game.legal_moves(&mut moves);
        let mv = moves[rng.random_range(0..moves.len())];
        println!("{}. seat {seat}: {mv}", game.ply() + 1);
        game.play(mv).expect("a move of the list is legal");
        print!("{}", draw(&game));
    }
    let outcome = game.outcome().expect("the game is over");
    let rule = outcome.rule.unwrap_or("a fault");
    println!(
        "over by {rule}, points by seat {:?}",
        outcome.points.to_vec()
    );
}
