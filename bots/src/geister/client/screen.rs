//! Geister on the screen of a terminal.

use games::geister::{Colour, Direction, GHOSTS, Ghost, Move, Place, Placement, Square, View};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};

use super::game::{Choice, Geister, Sight, captures, enemy_text, own_text};
use crate::client::ClientGame;
use crate::client::screen::{Key, Picture, Pressed, ScreenGame, Spot, Steps, Table, Way};

const fn spot(square: Square) -> Spot {
    (square.x() as i8, square.y() as i8)
}

/// The place beside another in a direction, which may lie off the board.
const fn beside((x, y): Spot, direction: Direction) -> Spot {
    match direction {
        Direction::North => (x, y - 1),
        Direction::East => (x + 1, y),
        Direction::South => (x, y + 1),
        Direction::West => (x - 1, y),
    }
}

fn way(view: &View, mv: Move) -> Option<Way<Choice>> {
    let from = spot(view.own(mv.ghost).0.square()?);
    Some(Way {
        from: Some(from),
        to: beside(from, mv.direction),
        mv: Choice::Go(mv),
    })
}

fn ways(sight: &Sight) -> Vec<Way<Choice>> {
    let Sight::Playing(view) = sight else {
        return Vec::new();
    };
    let moves = Geister::legal_moves(sight).into_iter();
    let ways = moves.filter_map(|choice| match choice {
        Choice::Go(mv) => way(view, mv),
        Choice::Place(_) => None,
    });
    ways.collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pick {
    steps: Steps,
    /// The ghosts that are to be red, a bit each.
    red: u8,
}

impl ScreenGame for Geister {
    type Pick = Pick;

    const TITLE: &'static str = "Geister";

    fn keys(sight: &Sight) -> &'static str {
        match sight {
            Sight::Placing => "Arrows, Space makes a ghost red, Enter sets four up",
            Sight::Playing(_) => "Arrows, Enter chooses a ghost and where it goes",
        }
    }

    fn start(sight: &Sight) -> Pick {
        let place = match sight {
            Sight::Placing => Place::On(Ghost::ALL[0].home()),
            Sight::Playing(view) => {
                let places = Ghost::ALL.map(|ghost| view.own(ghost).0);
                let on = places.into_iter().find(|place| place.square().is_some());
                on.unwrap_or(Place::Captured)
            }
        };
        let at = place.square().map_or((2, 3), spot);
        Pick {
            steps: Steps::at(at),
            red: 0,
        }
    }

    fn aim(sight: &Sight, choice: Choice) -> Pick {
        match choice {
            Choice::Place(placement) => Pick {
                red: placement.mask(),
                ..Self::start(sight)
            },
            Choice::Go(_) => Pick {
                steps: Steps::aimed(&ways(sight), &choice),
                red: 0,
            },
        }
    }

    fn press(sight: &Sight, pick: &mut Pick, key: Key) -> Pressed<Choice> {
        if let Sight::Playing(_) = sight {
            let ways = ways(sight);
            // The exits are places beside the board.
            let spots: Vec<Spot> = Square::all()
                .map(spot)
                .chain(ways.iter().map(|way| way.to))
                .collect();
            return pick.steps.press(key, &spots, &ways);
        }
        let homes = Ghost::ALL.map(|ghost| spot(ghost.home()));
        match (key, Placement::new(pick.red)) {
            (Key::Enter, Some(placement)) => Pressed::Move(Choice::Place(placement)),
            (Key::Enter, None) => {
                let count = pick.red.count_ones();
                Pressed::Say(format!("Four ghosts are red; you have {count}."))
            }
            (Key::Char(' '), _) => {
                let at = homes.iter().position(|home| *home == pick.steps.cursor);
                pick.red ^= 1 << at.expect("the cursor is at a ghost");
                Pressed::Picked
            }
            (Key::Escape, _) => {
                pick.red = 0;
                Pressed::Picked
            }
            (key, _) => pick.steps.press::<Choice>(key, &homes, &[]),
        }
    }

    /// The own ghosts at the bottom with their colours as letters, `?` where a colour is not known.
    fn paint(sight: &Sight, pick: Option<&Pick>, table: &Table) -> Picture {
        let off = [(Place::Captured, None); GHOSTS];
        let (own, enemy) = match sight {
            Sight::Placing => {
                let red = pick.map_or(0, |pick| pick.red);
                let colour = |ghost: Ghost| match red >> ghost.index() & 1 {
                    0 => Colour::Blue,
                    _ => Colour::Red,
                };
                let own = Ghost::ALL.map(|ghost| (Place::On(ghost.home()), colour(ghost)));
                (own, off)
            }
            Sight::Playing(view) => (
                Ghost::ALL.map(|ghost| view.own(ghost)),
                Ghost::ALL.map(|ghost| view.enemy(ghost)),
            ),
        };
        let ways = ways(sight);
        let last = last_move(sight, table);
        let steps = pick.map(|pick| &pick.steps);
        let cell = |at: Spot| {
            let stands = |place: Place| place.square().map(spot) == Some(at);
            let find = |is: &dyn Fn(Ghost) -> bool| Ghost::ALL.into_iter().find(|g| is(*g));
            let mine = find(&|ghost| stands(own[ghost.index()].0));
            let theirs = find(&|ghost| stands(enemy[ghost.index()].0));
            let (text, colour) = match (mine, theirs) {
                (Some(ghost), _) => (own_text(ghost, &own), Some(own[ghost.index()].1)),
                (None, Some(ghost)) => (enemy_text(ghost, &enemy), enemy[ghost.index()].1),
                (None, None) => (" .".to_owned(), None),
            };
            let style = match colour {
                Some(Colour::Red) => Style::new().fg(Color::LightRed),
                Some(Colour::Blue) => Style::new().fg(Color::LightCyan),
                None => Style::new(),
            };
            let style = match mine {
                Some(_) => style.add_modifier(Modifier::BOLD),
                None => style,
            };
            Steps::mark(steps, at, &ways, &last).span(&text, style)
        };
        let mut board = Vec::new();
        // The exits are beside and above the corners.
        for y in -1..6_i8 {
            let mut line = Vec::new();
            for x in -1..7_i8 {
                let is_board = (0..6).contains(&x) && (0..6).contains(&y);
                let is_way = ways.iter().any(|way| way.to == (x, y));
                line.push(match (x, y) {
                    at if is_board => cell(at),
                    at if is_way => {
                        let mark = Steps::mark(steps, at, &ways, &last);
                        mark.span("EX", Style::new().fg(Color::LightGreen))
                    }
                    (-1, 0) => Span::raw("  <-"),
                    (6, 0) => Span::raw("->  "),
                    _ => Span::raw("    "),
                });
            }
            board.push(Line::from(line));
            if y < 5 {
                board.push(Line::raw(""));
            }
        }
        let mut beside = vec![table.line(1, []), table.line(0, [])];
        if table.seat == Some(1) {
            beside.reverse();
        }
        match sight {
            Sight::Placing => beside = vec![Line::raw("Which four of your ghosts are red?")],
            Sight::Playing(_) => {
                let [by_you, by_enemy] = captures(&own, &enemy);
                beside.push(Line::raw(format!("Captured by you: {by_you}")));
                beside.push(Line::raw(format!("by the enemy: {by_enemy}")));
            }
        }
        Picture { board, beside }
    }
}

/// The places of the last move. It is told in the words of its seat, and its ghost has gone there already.
fn last_move(sight: &Sight, table: &Table) -> Vec<Spot> {
    let (Sight::Playing(view), Some((seat, text))) = (sight, &table.last) else {
        return Vec::new();
    };
    // A capture is told behind a colon.
    let text = text.split(':').next().unwrap_or_default();
    let Ok(mv) = text.parse::<Move>() else {
        return Vec::new();
    };
    let is_own = table.seat == Some(*seat);
    let (place, direction) = if is_own {
        (view.own(mv.ghost).0, mv.direction)
    } else {
        (view.enemy(mv.ghost).0, mv.direction.turned())
    };
    let Some(to) = place.square().map(spot) else {
        return Vec::new();
    };
    vec![to, beside(to, direction.turned())]
}

#[cfg(test)]
mod tests {
    use games::geister::{Position, Rules};
    use rand::{RngExt as _, SeedableRng as _};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::client::Act;
    use crate::client::screen::testing::{
        Sitting, assert_reached, assert_screen, assert_typed_and_tabbed,
    };

    fn view(moves: &str) -> View {
        let placements = ["ABGH", "CDEF"].map(|text| text.parse().expect("a placement"));
        let mut position = Position::new(placements, Rules::default());
        for mv in moves.split_whitespace() {
            position.play(mv.parse().expect("a move")).expect(mv);
        }
        position.view(0)
    }

    #[test]
    fn ghosts_are_set_up_and_move() {
        let mut sitting = Sitting::<Geister>::new(&[], 0);
        let keys = [
            Key::Char(' '),
            Key::Right,
            Key::Char(' '),
            Key::Down,
            Key::Char(' '),
            Key::Right,
        ];
        assert!(sitting.press(&Sight::Placing, true, &keys).is_none());
        assert!(
            sitting
                .press(&Sight::Placing, true, &[Key::Enter])
                .is_none()
        );
        assert_screen(&sitting.text(), "geister_placing");
        let made = sitting.press(&Sight::Placing, true, &[Key::Char(' '), Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "ABFG"));

        let sight = Sight::Playing(view("B,N A,N B,N A,N"));
        sitting.moved(1, "A,N");
        sitting.said("The enemy plays A,N.");
        let keys = [Key::Up, Key::Right, Key::Up, Key::Enter, Key::Right];
        assert!(sitting.press(&sight, true, &keys).is_none());
        assert_screen(&sitting.text(), "geister");
        let made = sitting.press(&sight, true, &[Key::Enter]);
        assert!(matches!(made, Some(Act::Move(decision)) if decision.mv.to_string() == "B,E"));
    }

    #[test]
    fn every_placement_and_move_is_reached() {
        assert_typed_and_tabbed::<Geister>(&Sight::Placing);
        assert_reached::<Geister>(&Sight::Placing);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(18);
        let mut exits = 0;
        for _ in 0..60 {
            let placement = |n: usize| Placement::ALL[n % Placement::ALL.len()];
            let placements = [rng.random_range(0..70), rng.random_range(0..70)].map(placement);
            let mut position = Position::new(placements, Rules::default());
            while let Some(seat) = position.to_move() {
                let sight = Sight::Playing(position.view(seat));
                let moves = Geister::legal_moves(&sight);
                if position.ply().is_multiple_of(5) || position.escape().is_some() {
                    assert_reached::<Geister>(&sight);
                }
                exits += usize::from(position.escape().is_some());
                let Choice::Go(mv) = moves[rng.random_range(0..moves.len())] else {
                    unreachable!("a placement is not due")
                };
                position.play_unchecked(mv);
            }
        }
        assert!(exits > 0);
    }
}
