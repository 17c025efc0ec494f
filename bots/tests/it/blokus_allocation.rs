//! Blokus playouts: legal to the end, as long as the known ones, and without a single allocation.

use games::blokus::{Board, Colour, Scoring};
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::blokus::RowPlayout;
use taikyoku_bots::search::Playout as _;

#[test]
fn playouts_are_games_with_the_known_means() {
    const GAMES: u32 = 1000;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut playout = RowPlayout::new(0.05);
    let (mut squares, mut plies) = (0, 0);
    for _ in 0..GAMES {
        let scores = playout.scores(&Board::new(), &mut rng);
        let mut board = Board::new();
        for &(seat, mv) in playout.line() {
            assert_eq!(board.to_move().map(Colour::seat), Some(seat));
            board.play(mv).expect("a legal move");
        }
        assert_eq!(board.to_move(), None);
        assert_eq!(scores, board.scores(Scoring::Advanced));
        plies += u32::from(board.ply());
        let placed = Colour::ALL.map(|colour| u32::from(board.squares(colour)));
        squares += placed.iter().sum::<u32>();
    }
    // Measured over 100,000 games: 69.1 squares a colour, 64.5 plies.
    let squares = f64::from(squares) / f64::from(4 * GAMES);
    let plies = f64::from(plies) / f64::from(GAMES);
    assert!((squares - 69.1).abs() < 0.5, "{squares} squares");
    assert!((plies - 64.5).abs() < 0.5, "{plies} plies");
}

#[test]
fn playouts_allocate_nothing() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut playout = RowPlayout::new(0.05);
    playout.scores(&Board::new(), &mut rng);
    let info = allocation_counter::measure(|| {
        for _ in 0..200 {
            playout.scores(&Board::new(), &mut rng);
        }
    });
    assert_eq!(info.count_total, 0);
}
