//! One conformance suite for every game: random games are played, and checked is what every game must
//! keep: cheaply at each ply, and closely at a sample of plies, which makes room for many games.

use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{Cases, Game, Hidden, Seat};

/// The beginning of a game under its usual rules, with chance drawn from `seed`.
pub fn fresh<G: Game>(seed: u64) -> (G::Rules, G) {
    let rules = G::Rules::default();
    let game = G::begin(&rules, seed);
    (rules, game)
}

/// Plays the random games that `begin` makes from those of `games` seeds that are due, see [`Cases`], with their rules, and
/// checks at each ply that
/// - there is a legal move while the game goes on, and the one that is played is accepted,
/// - the outcome is there exactly when no seat is to move, after at most [`Game::MOST_PLIES`],
///
/// at one ply of eight, drawn, and at the last one that
/// - no move is listed twice, and moves read back,
/// - a refused move changes nothing; one that is not listed is either refused or another spelling of a
///   listed one,
/// - the text of the position reads back, the position that is read has the same key, and every move changes the key,
///
/// at the end that a replay comes to the same position and views, and that openings of up to a quarter of the longest game
/// are drawn unless the rules end each game after a ply, are not over and read back.
///
/// # Panics
/// With the seed and the ply, at the first breach.
pub fn check<G: Game>(games: u64, begin: impl Fn(u64) -> (G::Rules, G)) {
    for seed in Cases::new(games) {
        let (rules, game) = begin(seed);
        play(seed, &rules, game, |_, _, _, _| {});
        // Random play ends most games of a short game early.
        let plies = (seed % OPENING.min(u64::from(G::MOST_PLIES) / 4)) as u32;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let here = format!("seed {seed}, an opening of {plies} plies");
        if G::begin(&rules, 0).to_move().is_none() {
            continue;
        }
        let Some(opening) = G::opening(&rules, plies, &mut rng) else {
            let shortest = G::opening(&rules, 1, &mut rng);
            assert!(shortest.is_none(), "{here}: none is drawn");
            continue;
        };
        assert_eq!((opening.ply(), opening.outcome()), (plies, None), "{here}");
        assert_texts(&here, &rules, &opening, &[]);
    }
}

/// Openings are shorter than this.
const OPENING: u64 = 12;

/// As [`check`], for a game with hidden information. For each seat, at each ply the view that follows
/// what the seat is told is the view of the game, and at the first ply and those that [`check`] looks at
/// closely a game drawn from the view gives the same view, public view and turn, and to the seat to move
/// the same legal moves: so these depend on nothing else than what the seat knows.
///
/// # Panics
/// With the seed and the ply, at the first breach.
pub fn check_hidden<G: Hidden>(games: u64, begin: impl Fn(u64) -> (G::Rules, G)) {
    for seed in Cases::new(games) {
        let (rules, game) = begin(seed);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let mut views: Vec<G::View> = Seat::all(G::SEATS).map(|seat| game.view(seat)).collect();
        for (seat, view) in Seat::all(G::SEATS).zip(&views) {
            assert_drawn(
                &format!("seed {seed}, at first"),
                &game,
                seat,
                view,
                &mut rng,
            );
        }
        play(seed, &rules, game, |before, mv, after, closely| {
            let here = format!("seed {seed}, ply {}", after.ply());
            for (seat, view) in Seat::all(G::SEATS).zip(&mut views) {
                let seen = before.seen(mv, seat);
                assert_eq!(before.shown(mv, seat), seen.to_string(), "{here}");
                if let Err(reason) = G::follow(view, &seen) {
                    panic!("{here}: the view of seat {seat} refuses {seen}: {reason}");
                }
                assert_eq!(
                    *view,
                    after.view(seat),
                    "{here}: seat {seat} follows {seen}"
                );
                if closely {
                    assert_drawn(&here, after, seat, view, &mut rng);
                }
            }
        });
    }
}

fn assert_drawn<G: Hidden>(here: &str, game: &G, seat: Seat, view: &G::View, rng: &mut impl Rng) {
    let drawn = G::determinize(view, rng);
    assert_eq!(drawn.view(seat), *view, "{here}: drawn for seat {seat}");
    assert_eq!(
        drawn.public_view(),
        game.public_view(),
        "{here}: what all know, drawn for seat {seat}"
    );
    assert_eq!(drawn.to_move(), game.to_move(), "{here}: turn");
    if game.to_move() == Some(seat) {
        let moves = |game: &G| {
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            moves
        };
        assert_eq!(moves(&drawn), moves(game), "{here}: moves of seat {seat}");
    }
}

/// Of so many plies one is looked at closely.
const SAMPLE: u32 = 8;

/// Moves of earlier plies that are tried again at a ply that is looked at closely.
const STRAYS: usize = 8;

/// One random game; `played` is called after each move with the game before it, the move, the game and
/// whether it is looked at closely.
fn play<G: Game>(
    seed: u64,
    rules: &G::Rules,
    begun: G,
    mut played: impl FnMut(&G, G::Move, &G, bool),
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut game = begun.clone();
    let (mut moves, mut history, mut strays) = (Vec::new(), Vec::new(), Vec::new());
    let mut closely = true;
    loop {
        let here = format!("seed {seed}, ply {}", game.ply());
        game.legal_moves(&mut moves);
        if closely {
            assert_texts(&here, rules, &game, &moves);
            for _ in 0..STRAYS.min(strays.len()) {
                let stray = strays[rng.random_range(0..strays.len())];
                assert_stray(&here, &game, &moves, stray);
            }
        }
        let Some(seat) = game.to_move() else {
            assert!(moves.is_empty(), "{here}: moves after the end");
            break;
        };
        assert!(seat.index() < G::SEATS, "{here}: seat {seat}");
        assert!(game.ply() < G::MOST_PLIES, "{here}: no end");
        assert_eq!(game.outcome(), None, "{here}: outcome before the end");
        assert!(!moves.is_empty(), "{here}: no legal move");
        let mv = moves[rng.random_range(0..moves.len())];
        let before = game.clone();
        if let Err(reason) = game.play(mv) {
            panic!("{here}: {mv} is refused: {reason}");
        }
        assert_eq!(game.ply(), before.ply() + 1, "{here}: plies");
        closely = game.to_move().is_none() || rng.random_range(0..SAMPLE) == 0;
        played(&before, mv, &game, closely);
        history.push(mv);
        strays.push(moves[rng.random_range(0..moves.len())]);
    }
    let outcome = game.outcome().expect("the game is over");
    let lists = [outcome.places.len(), outcome.points.len()];
    assert_eq!(lists, [G::SEATS; 2], "seed {seed}: outcome");
    let mut again = begun;
    for mv in history {
        assert!(again.play(mv).is_ok(), "seed {seed}: replay refuses {mv}");
    }
    assert_eq!(again, game, "seed {seed}: replay");
    for seat in Seat::all(G::SEATS) {
        assert_eq!(
            again.view(seat),
            game.view(seat),
            "seed {seed}: seat {seat}"
        );
    }
}

/// The position and its moves read back, and no move is listed twice.
fn assert_texts<G: Game>(here: &str, rules: &G::Rules, game: &G, moves: &[G::Move]) {
    let position = game.position();
    assert_eq!(
        G::read(rules, &position).as_ref(),
        Ok(game),
        "{here}: {position} does not read back"
    );
    for &mv in moves.iter().step_by(moves.len().div_ceil(4).max(1)) {
        let mut next = game.clone();
        assert!(next.play(mv).is_ok(), "{here}: {mv} is refused");
        assert_ne!(next.key(), game.key(), "{here}: {mv} keeps the key");
        let read = G::read(rules, &next.position()).map(|read| read.key());
        assert_eq!(read, Ok(next.key()), "{here}: the key after {mv}");
    }
    for (i, &mv) in moves.iter().enumerate() {
        assert!(!moves[..i].contains(&mv), "{here}: {mv} twice");
        let text = mv.to_string();
        let back = text.parse::<G::Move>();
        assert!(
            back.is_ok_and(|back| back == mv),
            "{here}: {text} does not read back"
        );
    }
}

/// A move that may not be legal here is refused without a trace, or does what a legal one does.
fn assert_stray<G: Game>(here: &str, game: &G, moves: &[G::Move], stray: G::Move) {
    if moves.contains(&stray) {
        return;
    }
    let mut tried = game.clone();
    if tried.play(stray).is_err() {
        assert_eq!(
            tried, *game,
            "{here}: {stray} is refused, but leaves traces"
        );
        return;
    }
    let is_listed = moves.iter().any(|&mv| {
        let mut listed = game.clone();
        listed.play(mv).is_ok() && listed == tried
    });
    assert!(is_listed, "{here}: {stray} is accepted, but not listed");
}
