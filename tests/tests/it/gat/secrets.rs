//! A player is sent nothing of the colours that it has not been shown: with them permuted it
//! receives the same bytes at the same times, whatever either side writes.

use std::time::Duration;

use games::Player;
use games::geister::{Ghost, Move, MoveList, Placement, Position, Rules};
use proptest::prelude::*;
use protocol::gat::Names;
use server::config::Gat;
use server::referee::gat::{Entrant, GameSettings, GatReferee};
use server::referee::{Outbox, Referee};

/// The moves of a game: by the numbers drawn, forward where possible, short of its end.
fn history(start: Position, draws: &[u16]) -> (Vec<Move>, Position) {
    let (mut position, mut history) = (start, Vec::new());
    let mut moves = MoveList::new();
    for &draw in draws {
        position.legal_moves(&mut moves);
        let n = usize::from(draw);
        let ahead: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|mv| mv.direction.letter() == 'N')
            .collect();
        let mv = if n.is_multiple_of(2) && !ahead.is_empty() {
            ahead[n / 2 % ahead.len()]
        } else {
            moves[n / 2 % moves.len()]
        };
        let mut next = position;
        next.play(mv).expect("a legal move");
        if next.end().is_some() {
            break;
        }
        position = next;
        history.push(mv);
    }
    (history, position)
}

type Sent = Vec<(Duration, Vec<u8>)>;

/// Lines that a seat may send when it is not its turn, by number.
const NOISE: [&str; 6] = ["", "MOV:A,N", "SET:ABCD", "SET:AAAA", "MOV:,N", "x"];

/// Plays a game with the referee in virtual time: what each seat is sent. `noise` has lines of
/// [`NOISE`] that the seat that is not to move sends before a move.
fn play(placements: [Placement; 2], rules: Rules, moves: &[Move], noise: &[u8]) -> [Sent; 2] {
    let config = Gat {
        ply_limit: rules.ply_limit,
        wait_ms: [20, 0],
        ..Gat::default()
    };
    let settings = GameSettings::new(&config, 1, Duration::ZERO);
    let entrants = [0; 2].map(|_| Entrant::new(Names::Refused));
    let mut sent = [Sent::new(), Sent::new()];
    let mut referee = GatReferee::new(settings, entrants);
    let mut out = Outbox::at(Duration::ZERO);
    let step = Duration::from_millis(50);
    referee.start(&mut out);
    let mut collect = |out: &mut Outbox<<GatReferee as Referee>::Out>| {
        for (player, bytes) in out.messages.drain(..) {
            // Player 0 sits in seat 0.
            sent[player.index()].push((out.now, bytes.to_vec()));
        }
    };
    for (seat, placement) in (0..).zip(placements) {
        let line = format!("SET:{placement}\r\n");
        referee.receive(Player::new(seat), line.into(), &mut out);
        collect(&mut out);
    }
    for (ply, mv) in moves.iter().enumerate() {
        // The message that waits for its pause.
        out.now += step;
        referee.wake(&mut out);
        collect(&mut out);
        let mover = (ply % 2) as u8;
        if let Some(&line) = noise.get(ply) {
            let line = NOISE[usize::from(line) % NOISE.len()];
            let line = format!("{line}\r\n");
            referee.receive(Player::new(1 - mover), line.into(), &mut out);
            collect(&mut out);
        }
        referee.receive(Player::new(mover), format!("MOV:{mv}\r\n").into(), &mut out);
        collect(&mut out);
    }
    assert!(!referee.is_over(), "the game goes on");
    assert_eq!(
        referee.position().map(Position::ply),
        Some(moves.len() as u16)
    );
    sent
}

/// Every placement of the other side that agrees with all that `seat` was shown.
fn possible(last: &Position, seat: u8) -> Vec<Placement> {
    let other = 1 - seat;
    let shown = |ghost: &Ghost| last.place(other, *ghost).square().is_none();
    let agrees = |p: &Placement| {
        let mut shown = Ghost::ALL.into_iter().filter(shown);
        shown.all(|ghost| p.colour(ghost) == last.colour(other, ghost))
    };
    Placement::ALL.into_iter().filter(agrees).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn permuted_colours_send_the_same_bytes(
        own in 0..70_usize,
        enemy in 0..70_usize,
        seat in 0..2_usize,
        draws in prop::collection::vec(any::<u16>(), 0..300),
        noise in prop::collection::vec(any::<u8>(), 0..300),
        pick: prop::sample::Index,
    ) {
        let rules = Rules { ply_limit: 300 };
        let mut placements = [Placement::ALL[enemy]; 2];
        placements[seat] = Placement::ALL[own];
        let (moves, last) = history(Position::new(placements, rules), &draws);
        let possible = possible(&last, seat as u8);
        let mut permuted = placements;
        permuted[1 - seat] = possible[pick.index(possible.len())];

        let one = play(placements, rules, &moves, &noise);
        let two = play(permuted, rules, &moves, &noise);
        prop_assert!(!one[seat].is_empty());
        prop_assert_eq!(&one[seat], &two[seat]);
        // The other side sees its own colours.
        let first_board = |sent: &Sent| sent.iter().find(|(_, b)| b.starts_with(b"MOV?")).cloned();
        let seen = first_board(&one[1 - seat]).zip(first_board(&two[1 - seat]));
        if let Some((a, b)) = seen {
            prop_assert_eq!(a == b, permuted == placements);
        }
    }
}
