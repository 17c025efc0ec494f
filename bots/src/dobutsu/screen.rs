//! Dobutsu shogi on the screen of a terminal.

use games::Seat;
use games::dobutsu::{Dobutsu, Kind, Move, MoveList, Square, squares};
use ratatui_core::style::{Color, Style};
use ratatui_core::text::{Line, Span};

use crate::client::native::NativeGame;
use crate::client::screen::{Key, Mark, Picture, Pressed, ScreenGame, Spot, Steps, Table, Way};

const HAND: i8 = 4;
/// The place in the middle of a board of 3 by 3, from which a piece's steps are drawn.
const MIDDLE: usize = 4;

/// Where a square is on the screen of a seat, whose own side is at the bottom.
fn spot(seat: u8, square: Square) -> Spot {
    let square = if seat == 0 { square } else { square.turned() };
    (square.x() as i8, square.y() as i8)
}

/// Where a kind of the own hand is.
fn hand_spot(kind: Kind) -> Spot {
    let at = Kind::HELD.iter().position(|held| *held == kind);
    (HAND, 3 - at.expect("a hand has this kind") as i8)
}

fn way(seat: u8, mv: Move) -> Way<Move> {
    let from = match (mv.from(), mv.dropped()) {
        (Some(from), _) => spot(seat, from),
        (None, kind) => hand_spot(kind.expect("a move is a step or a drop")),
    };
    Way {
        from: Some(from),
        to: spot(seat, mv.to()),
        mv,
    }
}

/// The ways of the seat to move; promotions first.
fn ways(game: &Dobutsu) -> Vec<Way<Move>> {
    let mut moves = MoveList::new();
    if games::Game::to_move(game).is_some() {
        game.board().legal_moves(&mut moves);
    }
    let seat = game.board().turn();
    let mut ways: Vec<Way<Move>> = moves.iter().map(|mv| way(seat, *mv)).collect();
    ways.sort_by_key(|way| !way.mv.promotes());
    ways
}

fn letter(kind: Kind, seat: u8) -> char {
    let letter = if kind == Kind::Hen {
        'H'
    } else {
        kind.letter()
    };
    if seat == 0 {
        letter
    } else {
        letter.to_ascii_lowercase()
    }
}

impl ScreenGame for Dobutsu {
    type Pick = Steps;

    const TITLE: &'static str = "Dobutsu shogi";

    fn keys(_: &Dobutsu) -> &'static str {
        "Arrows, Enter chooses a piece and where it goes"
    }

    fn start(_: &Dobutsu) -> Steps {
        Steps::at((1, 2))
    }

    fn aim(game: &Dobutsu, mv: Move) -> Steps {
        Steps::aimed(&ways(game), &mv)
    }

    fn press(game: &Dobutsu, steps: &mut Steps, key: Key) -> Pressed<Move> {
        let board = Square::ALL.map(|square| spot(0, square));
        let spots = [&board[..], &Kind::HELD.map(hand_spot)].concat();
        steps.press(key, &spots, &ways(game))
    }

    /// The own side at the bottom; the dots around a piece are its steps.
    fn paint(game: &Dobutsu, steps: Option<&Steps>, table: &Table) -> Picture {
        let own = table.seat.map_or(game.board().turn(), |seat| seat as u8);
        let ways = ways(game);
        let last = table.last.as_ref().and_then(|(_, mv)| mv.parse().ok());
        let last = last.map_or([None; 2], |mv: Move| [mv.from(), Some(mv.to())]);
        let last = last.map(|square| square.map(|square| spot(own, square)));
        let last: Vec<Spot> = last.into_iter().flatten().collect();
        let style_of = |seat| {
            let is_own = seat == own;
            Style::new().fg(if is_own {
                Color::LightGreen
            } else {
                Color::LightMagenta
            })
        };
        let files = if own == 0 { "3 2 1" } else { "1 2 3" };
        let files: Vec<&str> = files.split(' ').collect();
        let rule = |left: &str, middle: &str, right: &str| {
            Line::raw(format!("{left}{}{right}", ["───────"; 3].join(middle)))
        };
        let mut board = vec![
            Line::raw(format!("    {}", files.join("       "))),
            rule("┌", "┬", "┐"),
        ];
        for y in 0..4_i8 {
            let cells: Vec<[Span<'static>; 3]> = (0..3_i8)
                .map(|x| {
                    let mark = Steps::mark(steps, (x, y), &ways, &last);
                    let here = Square::ALL.into_iter().find(|s| spot(own, *s) == (x, y));
                    let piece = here.and_then(|square| game.board().piece(square));
                    cell(
                        piece,
                        own,
                        mark,
                        piece.map_or(Style::new(), |p| style_of(p.1)),
                    )
                })
                .collect();
            for row in 0..3 {
                let mut line = vec![Span::raw("│")];
                for cell in &cells {
                    line.extend([cell[row].clone(), Span::raw("│")]);
                }
                if row == 1 {
                    let rank = if own == 0 { y } else { 3 - y } as u8;
                    line.push(Span::raw(format!(" {} ", char::from(b'a' + rank))));
                    let held = Kind::HELD.into_iter().find(|k| hand_spot(*k) == (HAND, y));
                    line.extend(held.map(|kind| {
                        let count = game.board().hand(own, kind);
                        let text = if count > 0 {
                            format!("{} x{count}", letter(kind, own))
                        } else {
                            "  - ".to_owned()
                        };
                        let mark = Steps::mark(steps, (HAND, y), &ways, &last);
                        mark.span(&text, style_of(own))
                    }));
                    if y == 0 {
                        line.push(Span::raw("hand: "));
                    }
                }
                board.push(Line::from(line));
            }
            board.push(match y {
                3 => rule("└", "┴", "┘"),
                _ => rule("├", "┼", "┤"),
            });
        }
        let player = |seat: u8| {
            let mut hand = String::new();
            for kind in Kind::HELD {
                for _ in 0..game.board().hand(seat, kind) {
                    hand.push(letter(kind, seat));
                }
            }
            let side = Self::seat_name(Seat::new(seat));
            let about = format!("{side}, hand {}", if hand.is_empty() { "-" } else { &hand });
            table.line(usize::from(seat), [Span::styled(about, style_of(seat))])
        };
        let mut beside = vec![player(1 - own), player(own)];
        let times = game.occurrences();
        if times > 1 {
            beside.push(Line::raw(format!("  the position occurs {times} times")));
        }
        Picture { board, beside }
    }
}

/// Three lines of a square: the piece with its steps.
fn cell(piece: Option<(Kind, u8)>, own: u8, mark: Mark, style: Style) -> [Span<'static>; 3] {
    let mut dots = [' '; 9];
    let mut middle = "     ".to_owned();
    if let Some((kind, seat)) = piece {
        for to in squares(kind.steps(MIDDLE)) {
            let at = to.index();
            if at < dots.len() {
                dots[if seat == own { at } else { 8 - at }] = '·';
            }
        }
        middle = format!("{} {} {}", dots[3], letter(kind, seat), dots[5]);
    }
    let row = |at: usize| format!(" {} {} {} ", dots[at], dots[at + 1], dots[at + 2]);
    let around = mark.style(style);
    [
        Span::styled(row(0), around),
        mark.span(&middle, style),
        Span::styled(row(6), around),
    ]
}

#[cfg(test)]
mod tests {
    use games::Game as _;
    use games::dobutsu::Rules;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::client::Act;
    use crate::client::ClientGame;
    use crate::client::screen::testing::{Sitting, assert_reached, assert_screen};

    fn game(text: &str) -> Dobutsu {
        let position = text.parse().expect("a position");
        Dobutsu::from_position(&Rules::default(), position)
    }

    #[test]
    fn the_own_side_is_at_the_bottom() {
        let mut sitting = Sitting::<Dobutsu>::new(&["ana", "bo"], 1);
        let game = game("gl1/1C1/1+c1/1LG w Ee 1");
        sitting.moved(0, "2c2b");
        sitting.said("ana plays 2c2b.");
        // The hen stands at 2c, which is one row above the middle for the second player.
        let keys = [Key::Up, Key::Enter, Key::Left];
        assert!(sitting.press(&game, true, &keys).is_none());
        assert_screen(&sitting.text(), "dobutsu");
        let made = sitting.press(&game, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "2c1c"));
    }

    #[test]
    fn every_move_is_reached_and_a_promotion_may_be_left() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(18);
        for rules in [Rules::default(), Rules::ANIMAL_SHOGI_SERVER] {
            let mut promotions = 0;
            for _ in 0..20 {
                let mut game = <Dobutsu as games::Game>::begin(&rules, 0);
                while game.to_move().is_some() && game.ply() < 60 {
                    assert_reached::<Dobutsu>(&game);
                    let moves = <Dobutsu as ClientGame>::legal_moves(&game);
                    promotions += moves.iter().filter(|mv| mv.promotes()).count();
                    let mv = moves[rng.random_range(0..moves.len())];
                    game.play_text(&mv.to_string()).expect("a legal move");
                }
            }
            assert!(promotions > 0);
        }
    }
}
