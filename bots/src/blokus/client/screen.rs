//! Blokus on the screen of a terminal.

use games::Blokus;
use games::blokus::{Board, Cell, Colour, Orientation, Piece, Placement, SIDE};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::client::ClientGame;
use crate::client::screen::{Key, Picture, Pressed, ScreenGame, Table};

/// Columns of the pieces that are left, drawn beside the board.
const TRAY: usize = 34;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pick {
    orientation: Orientation,
    /// Column and row of the bottom left of its bounding box.
    at: (u8, u8),
}

impl Pick {
    /// The placement; the piece always lies on the board.
    fn placement(self) -> Placement {
        Placement::at(self.orientation, self.at.0, self.at.1)
    }

    /// Another orientation with its middle at the same place, as far as the board goes.
    fn turned_to(self, orientation: Orientation) -> Pick {
        let old = self.orientation;
        let shift = |at: u8, old: u8, new: u8| {
            let middle = i16::from(at) + (i16::from(old) - i16::from(new)) / 2;
            middle.clamp(0, SIDE as i16 - i16::from(new)) as u8
        };
        Pick {
            orientation,
            at: (
                shift(self.at.0, old.width(), orientation.width()),
                shift(self.at.1, old.height(), orientation.height()),
            ),
        }
    }

    fn moved(&mut self, dx: i8, dy: i8) {
        let (width, height) = (self.orientation.width(), self.orientation.height());
        let shift =
            |at: u8, by: i8, extent: u8| at.saturating_add_signed(by).min(SIDE as u8 - extent);
        self.at = (shift(self.at.0, dx, width), shift(self.at.1, dy, height));
    }
}

/// An orientation whose squares are moved to others.
fn changed(orientation: Orientation, to: impl Fn((u8, u8)) -> (u8, u8)) -> Orientation {
    let sorted = |cells: &mut dyn Iterator<Item = (u8, u8)>| {
        let mut cells: Vec<(u8, u8)> = cells.collect();
        cells.sort_unstable();
        cells
    };
    let cells = sorted(&mut orientation.cells().iter().copied().map(to));
    let mut all = orientation.piece().orientations();
    let found = all.find(|other| sorted(&mut other.cells().iter().copied()) == cells);
    found.expect("a turned piece is one of its orientations")
}

fn rotated(orientation: Orientation) -> Orientation {
    changed(orientation, |(x, y)| (y, orientation.width() - 1 - x))
}

fn flipped(orientation: Orientation) -> Orientation {
    changed(orientation, |(x, y)| (orientation.width() - 1 - x, y))
}

const fn ink(colour: Colour) -> Color {
    [
        Color::LightBlue,
        Color::LightYellow,
        Color::LightRed,
        Color::LightGreen,
    ][colour.index()]
}

const LETTERS: [char; 4] = ['B', 'Y', 'R', 'G'];

/// The pieces that a colour has left, the largest first.
fn pieces(board: &Board, colour: Colour) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = board.pieces_left(colour).iter().collect();
    pieces.reverse();
    pieces
}

impl ScreenGame for Blokus {
    type Pick = Pick;

    const TITLE: &'static str = "Blokus";

    fn keys(_: &Board) -> &'static str {
        "Arrows, [ ] piece, Space turns, / flips, Enter lays it"
    }

    fn start(board: &Board) -> Pick {
        let moves = <Blokus as ClientGame>::legal_moves(board);
        let largest = moves.iter().max_by_key(|placement| placement.size());
        let placement = largest.copied().unwrap_or_else(|| {
            let first = Orientation::all().next().expect("there are pieces");
            Placement::at(first, 0, 0)
        });
        Self::aim(board, placement)
    }

    fn aim(_: &Board, placement: Placement) -> Pick {
        Pick {
            orientation: placement.orientation(),
            at: placement.anchor(),
        }
    }

    fn near(board: &Board, pick: &Pick) -> Vec<Placement> {
        let mut moves = <Blokus as ClientGame>::legal_moves(board);
        moves.retain(|placement| placement.piece() == pick.orientation.piece());
        moves
    }

    fn press(board: &Board, pick: &mut Pick, key: Key) -> Pressed<Placement> {
        let Some(colour) = board.to_move() else {
            return Pressed::Nothing;
        };
        match key {
            Key::Up => pick.moved(0, 1),
            Key::Down => pick.moved(0, -1),
            Key::Left => pick.moved(-1, 0),
            Key::Right => pick.moved(1, 0),
            Key::Char(' ') => *pick = pick.turned_to(rotated(pick.orientation)),
            Key::Char('/') => *pick = pick.turned_to(flipped(pick.orientation)),
            Key::Char('[' | ']') => {
                let left = pieces(board, colour);
                let at = left.iter().position(|p| *p == pick.orientation.piece());
                let step = if key == Key::Char(']') {
                    1
                } else {
                    left.len() - 1
                };
                let piece = left[at.map_or(0, |at| (at + step) % left.len())];
                let first = piece.orientations().next();
                *pick = pick.turned_to(first.expect("a piece has orientations"));
            }
            Key::Enter => {
                let placement = pick.placement();
                return match board.check(colour, placement) {
                    Ok(()) => Pressed::Move(placement),
                    Err(reason) => Pressed::Say(format!("{placement}: {reason}.")),
                };
            }
            _ => return Pressed::Nothing,
        }
        Pressed::Picked
    }

    /// The board, with the piece as `##` where it fits and as `xx` where it does not; `+` marks the squares that touch own
    /// pieces at a corner. Beside it the players and the pieces left.
    fn paint(board: &Board, pick: Option<&Pick>, table: &Table) -> Picture {
        let last = table.last.as_ref();
        let last = last.and_then(|(_, mv)| mv.parse::<Placement>().ok());
        let placement = pick.map(|pick| pick.placement());
        let mover = board.to_move();
        let fits = match (mover, placement) {
            (Some(colour), Some(placement)) => board.is_legal(colour, placement),
            _ => false,
        };
        let corner = |cell: Cell| {
            let own = mover.filter(|_| pick.is_some());
            own.is_some_and(|colour| {
                let (x, y) = (cell.x(), usize::from(cell.y()));
                let rows = board.corner_rows(colour)[y] & board.free_rows(colour)[y];
                rows >> x & 1 == 1
            })
        };
        let square = |cell: Cell| {
            let is_in = |placement: Option<Placement>| {
                placement.is_some_and(|placement| placement.cells().contains(&cell))
            };
            let owner = board.owner(cell);
            if is_in(placement) {
                let colour = mover.map_or(Color::White, ink);
                let style = Style::new().add_modifier(Modifier::BOLD);
                return if fits {
                    Span::styled("##", style.fg(Color::Black).bg(colour))
                } else {
                    Span::styled("xx", style.fg(colour))
                };
            }
            if let Some(colour) = owner {
                let letter = LETTERS[colour.index()];
                let sign = if is_in(last) { '*' } else { letter };
                let style = Style::new().fg(Color::Black).bg(ink(colour));
                return Span::styled(format!("{letter}{sign}"), style);
            }
            let start = Colour::ALL
                .into_iter()
                .find(|colour| colour.start() == cell);
            match start {
                _ if corner(cell) => Span::styled("+ ", mover.map_or(Color::White, ink)),
                Some(colour) => Span::styled("o ", ink(colour)),
                None => Span::styled(". ", Color::DarkGray),
            }
        };
        let all: Vec<Cell> = Cell::all().collect();
        let rows = all.chunks(SIDE).rev();
        let mut lines: Vec<Line<'static>> = rows
            .map(|row| {
                let mut line = vec![Span::raw(format!("{:>2} ", row[0].y() + 1))];
                line.extend(row.iter().map(|cell| square(*cell)));
                Line::from(line)
            })
            .collect();
        let letters = (b'a'..)
            .take(SIDE)
            .flat_map(|letter| [char::from(letter), ' ']);
        let letters: String = letters.collect();
        lines.push(Line::raw(format!("   {letters}")));
        let mut beside: Vec<Line<'static>> = Colour::ALL
            .into_iter()
            .map(|colour| {
                let state = if board.is_out(colour) { " out" } else { "" };
                let about = format!("{colour:<6} {:>3}{state}", board.gtp_score(colour));
                table.line(colour.index(), [Span::styled(about, ink(colour))])
            })
            .collect();
        let own = table
            .seat
            .and_then(|seat| Colour::new(seat as u8))
            .or(mover);
        if let Some(colour) = own {
            beside.push(Line::raw(""));
            beside.extend(tray(
                board,
                colour,
                pick.map(|pick| pick.orientation.piece()),
            ));
        }
        Picture {
            board: lines,
            beside,
        }
    }
}

/// The pieces that a colour has left as shapes, two rows of squares in a line of text, with their names below; the
/// chosen one in brackets.
fn tray(board: &Board, colour: Colour, chosen: Option<Piece>) -> Vec<Line<'static>> {
    let style = Style::new().fg(ink(colour));
    let mut blocks: Vec<[Vec<Span<'static>>; 3]> = Vec::new();
    let mut room = 0;
    for piece in pieces(board, colour) {
        let lying = piece.orientations().min_by_key(|o| o.height());
        let lying = lying.expect("a piece has orientations");
        let is_chosen = chosen == Some(piece);
        let name = if is_chosen {
            format!("[{piece}]")
        } else {
            format!(" {piece} ")
        };
        let width = usize::from(lying.width()).max(name.len()) + 1;
        if room < width {
            blocks.push(Default::default());
            room = TRAY;
        }
        room -= width;
        let block = blocks.last_mut().expect("one was pushed");
        let covers = |x: u8, y: u8| lying.cells().contains(&(x, y));
        let style = if is_chosen {
            style.add_modifier(Modifier::REVERSED)
        } else {
            style
        };
        for (line, top) in [(0, 3_u8), (1, 1)] {
            let shape: String = (0..lying.width())
                .map(|x| match (covers(x, top), covers(x, top - 1)) {
                    (true, true) => '█',
                    (true, false) => '▀',
                    (false, true) => '▄',
                    (false, false) => ' ',
                })
                .collect();
            block[line].push(Span::styled(format!("{shape:<width$}"), ink(colour)));
        }
        block[2].push(Span::styled(name.clone(), style));
        block[2].push(Span::raw(" ".repeat(width - name.len())));
    }
    // The upper line of flat pieces is empty.
    let lines = blocks.into_iter().flatten().map(Line::from);
    lines
        .filter(|line| !line.to_string().trim().is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::client::Act;
    use crate::client::screen::testing::{Sitting, assert_reached, assert_screen};

    /// A position after so many random moves, and the last of them.
    fn random_board(plies: u16, seed: u64) -> (Board, Option<(Colour, Placement)>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut board, mut moves, mut last) = (Board::new(), Vec::new(), None);
        while let Some(colour) = board.to_move().filter(|_| board.ply() < plies) {
            board.legal_moves(&mut moves);
            moves.sort_by_key(|placement| placement.size());
            // Large pieces first, as people play.
            let mv = moves[rng.random_range(moves.len() * 3 / 4..moves.len())];
            board.play(mv).expect("a legal move");
            last = Some((colour, mv));
        }
        (board, last)
    }

    #[test]
    fn pieces_are_drawn_as_shapes() {
        let (board, last) = random_board(24, 18);
        let (colour, mv) = last.expect("moves were made");
        let mut sitting = Sitting::<Blokus>::new(&["ana", "bo", "cleo", "dan"], 0);
        sitting.moved(colour.seat(), &mv.to_string());
        sitting.said(&format!("dan plays {mv}."));
        assert!(sitting.press(&board, true, &[Key::Tab]).is_none());
        assert_screen(&sitting.text(), "blokus");
        let first = Blokus::near(&board, &Blokus::start(&board))[0];
        let made = sitting.press(&board, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv == first));
    }

    #[test]
    fn turning_and_flipping_come_back() {
        for orientation in Orientation::all() {
            let turned = (0..4).fold(orientation, |o, _| rotated(o));
            assert_eq!(turned, orientation);
            assert_eq!(flipped(flipped(orientation)), orientation);
            assert_eq!(rotated(orientation).width(), orientation.height());
        }
        // Clockwise: what was at the top is at the right.
        let lying = |cells: &[(u8, u8)]| {
            let mut all = Orientation::all();
            all.find(|o| o.cells() == cells).expect("an orientation")
        };
        let upright = lying(&[(0, 0), (0, 1), (0, 2), (1, 2)]);
        assert_eq!(rotated(upright).cells(), &[(2, 0), (0, 1), (1, 1), (2, 1)]);
    }

    #[test]
    fn every_placement_is_reached() {
        for (plies, seed) in [(0, 1), (3, 2), (30, 3), (55, 4), (66, 5)] {
            let (board, _) = random_board(plies, seed);
            if board.to_move().is_some() {
                assert_reached::<Blokus>(&board);
            }
        }
    }
}
