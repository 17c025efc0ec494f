//! What a seat may not know.

use games::Geister;

use super::*;

/// Lines for player 0 in a game in which the other player has this placement.
fn told(placement: &str) -> Vec<String> {
    let mut bench = Bench::<Geister>::new(settings::<Geister>());
    bench.play(0, "ABCD");
    bench.play(1, placement);
    for mv in ["A,N", "A,N", "B,N", "B,N"] {
        let mover = bench.mover().expect("a game that goes on");
        bench.play(mover, mv);
    }
    bench.send(0, ClientMessage::View);
    assert_eq!(bench.referee.game().map(Game::ply), Some(6));
    bench.take(0).iter().map(ServerMessage::to_line).collect()
}

#[test]
fn what_a_seat_may_not_know_changes_no_byte() {
    let lines = told("ABCD");
    assert_eq!(lines, told("EFGH"));
    assert!(lines.iter().any(|line| line.contains(r#""move":"placed""#)));
}
