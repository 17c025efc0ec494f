//! 3D four-in-a-row on the screen of a terminal.

use games::ScoreFour;
use games::score_four::{Peg, Position};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use crate::client::native::NativeGame;
use crate::client::screen::{Key, Mark, Picture, Pressed, ScreenGame, Spot, Steps, Table, Way};

const LEVELS: [[usize; 2]; 2] = [[0, 1], [2, 3]];

const fn spot(peg: Peg) -> Spot {
    (peg.x() as i8, 3 - peg.y() as i8)
}

fn ways(position: &Position) -> Vec<Way<Peg>> {
    let pegs = Peg::ALL.into_iter().filter(|peg| position.is_legal(*peg));
    let way = |peg| Way {
        from: None,
        to: spot(peg),
        mv: peg,
    };
    pegs.map(way).collect()
}

const fn style_of(seat: u8) -> Style {
    let colour = [Color::LightRed, Color::LightYellow][seat as usize & 1];
    Style::new().fg(colour).add_modifier(Modifier::BOLD)
}

impl ScreenGame for ScoreFour {
    type Pick = Steps;

    const TITLE: &'static str = "3D four-in-a-row";

    fn keys(_: &Position) -> &'static str {
        "Arrows, Enter drops a ball"
    }

    fn start(_: &Position) -> Steps {
        Steps::at((1, 2))
    }

    fn aim(position: &Position, peg: Peg) -> Steps {
        Steps::aimed(&ways(position), &peg)
    }

    fn press(position: &Position, steps: &mut Steps, key: Key) -> Pressed<Peg> {
        let ways = ways(position);
        let pressed = steps.press(key, &Peg::ALL.map(spot), &ways);
        if let Pressed::Say(_) = pressed {
            return Pressed::Say("This peg is full.".to_owned());
        }
        pressed
    }

    /// Four levels, on each the squares where a ball can come to lie now, and the winning line in stars.
    fn paint(position: &Position, steps: Option<&Steps>, table: &Table) -> Picture {
        let ways = ways(position);
        let last = table.last.as_ref().and_then(|(_, mv)| mv.parse().ok());
        let mut board = Vec::new();
        for pair in LEVELS {
            let titles = pair.map(|level| format!("     level {:<8}", level + 1));
            board.push(Line::raw(titles.concat()));
            for y in (0..4).rev() {
                let mut line = Vec::new();
                for level in pair {
                    line.push(Span::raw(format!("  {} ", y + 1)));
                    let pegs = (0..4).filter_map(|x| Peg::new(x, y));
                    line.extend(pegs.map(|peg| {
                        let height = usize::from(position.height(peg));
                        let owner = position.owner(peg, level);
                        let is_next = height == level;
                        let letter = match owner {
                            Some(0) => "X",
                            Some(_) => "O",
                            None if is_next => ".",
                            None => " ",
                        };
                        let style = owner.map_or(Style::new(), style_of);
                        let won = position.end().map_or(0, |end| end.line);
                        if peg.square(level).is_some_and(|square| won & square != 0) {
                            return Span::styled(format!("*{letter}*"), style.bg(Color::Blue));
                        }
                        let is_top = height == level + 1 && last == Some(peg);
                        let is_free = is_next || (height == 4 && level == 3);
                        let mark = match Steps::mark(steps, spot(peg), &ways, &[]) {
                            Mark::Cursor if is_free => Mark::Cursor,
                            _ if is_top => Mark::Last,
                            _ => Mark::None,
                        };
                        mark.span(letter, style)
                    }));
                    line.push(Span::raw("  "));
                }
                board.push(Line::from(line));
            }
            board.push(Line::raw("     a  b  c  d         a  b  c  d"));
            board.push(Line::raw(""));
        }
        board.pop();
        let player = |seat: u8| {
            let name = Self::seat_name(games::Seat::new(seat)).to_uppercase();
            table.line(usize::from(seat), [Span::styled(name, style_of(seat))])
        };
        Picture {
            board,
            beside: vec![player(0), player(1)],
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::client::Act;
    use crate::client::screen::testing::{Sitting, assert_reached, assert_screen};

    #[test]
    fn the_levels_are_drawn() {
        let mut sitting = Sitting::<ScoreFour>::new(&["ana", "bo"], 0);
        let position = Position::from_moves("b2b2b3c3b2a1d4d4").expect("a position");
        sitting.moved(1, "d4");
        sitting.said("bo plays d4.");
        let made = sitting.press(&position, true, &[Key::Right, Key::Up]);
        assert!(made.is_none());
        assert_screen(&sitting.text(), "score_four");
        let made = sitting.press(&position, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "c3"));
    }

    #[test]
    fn every_peg_is_reached() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(18);
        for _ in 0..5 {
            let mut position = Position::START;
            while position.end().is_none() {
                assert_reached::<ScoreFour>(&position);
                let pegs: Vec<Peg> = Peg::ALL
                    .into_iter()
                    .filter(|p| position.is_legal(*p))
                    .collect();
                position.play_unchecked(pegs[rng.random_range(0..pegs.len())]);
            }
        }
    }
}
