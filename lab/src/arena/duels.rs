//! Matches of the games for two, in which the entrants exchange their seats.

use std::fmt::Display;

use bots::engine::{OpenPosition as _, play_game};
use bots::geister::selfplay::game_seed;
use bots::spec::Specified as _;
use bots::{dobutsu, geister, score_four};
use games::geister::Rules;
use games::score_four::Position;
use games::{Dobutsu, Game as _, GameName};

use super::{Contest, Failure, Played};

pub fn seated<E>([a, b]: [E; 2], is_exchanged: bool) -> ([E; 2], [usize; 2]) {
    if is_exchanged {
        ([b, a], [1, 0])
    } else {
        ([a, b], [0, 1])
    }
}

pub fn illegal((seat, mv): (impl Display, impl Display)) -> Failure {
    format!("seat {seat} chose {mv}, an illegal move").into()
}

/// The seeds of the opening of a block and of the engines in a sitting of it.
const fn seeds(first: u64, block: u64, sitting: u64) -> (u64, [u64; 2]) {
    let opening = first.wrapping_add(block);
    let seed = opening.wrapping_mul(4).wrapping_add(2 * sitting);
    (opening, [seed, seed.wrapping_add(1)])
}

/// A match of Dobutsu shogi from openings of random plies. A block is two games from one opening, the seats exchanged; it is one
/// game where the first entrant is always the second player.
pub fn dobutsu_contest(
    entrants: [dobutsu::EngineOptions; 2],
    random_plies: u32,
    is_second: bool,
    first_seed: u64,
) -> Contest {
    let sittings = if is_second { 1 } else { 2 };
    Contest::new(
        GameName::Dobutsu,
        "game",
        sittings,
        move |block, sitting| {
            let (seed, [a, b]) = seeds(first_seed, block, sitting);
            let engines = [entrants[0].build(a)?, entrants[1].build(b)?];
            let (mut seats, entrants) = seated(engines, sitting == 1 || is_second);
            let start = Dobutsu::random_opening(random_plies, seed);
            let game = play_game(&mut seats, start).map_err(illegal)?;
            let played = Played::of_two(entrants, game.winner(), game.end.ply(), game.usage);
            Ok(vec![played.ending(&game.end.moves())])
        },
    )
}

/// A match of score four from openings of 0 to 6 random plies. A block is two games from one opening, the seats exchanged.
pub fn score_four_contest(
    entrants: [score_four::EngineOptions; 2],
    random_plies: u32,
    first_seed: u64,
) -> Contest {
    Contest::new(GameName::ScoreFour, "game", 2, move |block, sitting| {
        let (seed, [a, b]) = seeds(first_seed, block, sitting);
        let engines = [entrants[0].build(a)?, entrants[1].build(b)?];
        let (mut seats, entrants) = seated(engines, sitting == 1);
        let start = Position::random_opening(random_plies, seed);
        let game = play_game(&mut seats, start).map_err(illegal)?;
        let played = Played::of_two(entrants, game.winner(), game.end.ply().into(), game.usage);
        Ok(vec![played.ending(&game.end)])
    })
}

/// A match of Geister: each engine plays both seats and chooses a placement for each game. A block is a session of pairs of games
/// with the seats exchanged, played by the same two engines one after the other.
pub fn geister_contest(
    entrants: [geister::EngineOptions; 2],
    rules: Rules,
    session: u32,
    seed: u64,
) -> Contest {
    Contest::new(GameName::Geister, "session", 1, move |block, _| {
        let [a, b] = &entrants;
        let mut a = a.build(game_seed(seed, 2 * block))?;
        let mut b = b.build(game_seed(seed, 2 * block + 1))?;
        let mut games = Vec::new();
        for game in 0..2 * u64::from(session) {
            let engines: [&mut dyn geister::Engine; 2] = [&mut *a, &mut *b];
            let (seats, entrants) = seated(engines, game % 2 == 1);
            let game = geister::play_game(seats, rules).map_err(illegal)?;
            let winner = game.end.end().and_then(|end| end.winner);
            let plies = u32::from(game.end.ply());
            games.push(Played::of_two(entrants, winner, plies, game.usage).ending(&game.end));
        }
        Ok(games)
    })
}
