//! A cursor that goes over the squares of a board, and the moves that it makes.

use std::fmt::Display;

use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Span;

use super::{Key, Pressed};

/// Column and row of a place on the screen, from the left and from the top. Places off the board have columns or rows
/// of their own.
pub(crate) type Spot = (i8, i8);

/// A legal move as places on the screen.
pub(crate) struct Way<M> {
    /// Where it comes from; `None` in games that only lay something down.
    pub(crate) from: Option<Spot>,
    pub(crate) to: Spot,
    pub(crate) mv: M,
}

/// A cursor, and the place that was chosen with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Steps {
    pub(crate) cursor: Spot,
    pub(crate) from: Option<Spot>,
    /// Which of the moves between the same places is made.
    other: usize,
}

impl Steps {
    /// A cursor at a place; nothing is chosen.
    pub(crate) const fn at(cursor: Spot) -> Steps {
        Steps {
            cursor,
            from: None,
            other: 0,
        }
    }

    /// The cursor that makes a move by [`Key::Enter`].
    ///
    /// # Panics
    /// When the move is none of the ways.
    pub(crate) fn aimed<M: PartialEq>(ways: &[Way<M>], mv: &M) -> Steps {
        let way = ways.iter().find(|way| way.mv == *mv);
        let Way { from, to, .. } = way.expect("a legal move has a way");
        let between = ways.iter().filter(|way| (way.from, way.to) == (*from, *to));
        let other = between.take_while(|way| way.mv != *mv).count();
        Steps {
            cursor: *to,
            from: *from,
            other,
        }
    }

    /// What a key does: arrows go to the next of the `spots`, Enter chooses and moves, the space bar takes another of the
    /// moves between the same places.
    pub(crate) fn press<M: Copy + Display>(
        &mut self,
        key: Key,
        spots: &[Spot],
        ways: &[Way<M>],
    ) -> Pressed<M> {
        let between: Vec<M> = ways
            .iter()
            .filter(|way| way.from == self.from && way.to == self.cursor)
            .map(|way| way.mv)
            .collect();
        match key {
            Key::Up | Key::Down | Key::Left | Key::Right => {
                self.cursor = next(self.cursor, key, spots);
                Pressed::Picked
            }
            Key::Escape => {
                self.from = None;
                Pressed::Picked
            }
            Key::Char(' ') if between.len() > 1 => {
                self.other = (self.other + 1) % between.len();
                let mv = between[self.other];
                Pressed::Say(format!("Enter plays {mv}."))
            }
            Key::Enter | Key::Char(' ') => {
                if !between.is_empty() {
                    return Pressed::Move(between[self.other % between.len()]);
                }
                self.other = 0;
                if self.from.take_if(|from| *from == self.cursor).is_some() {
                    Pressed::Picked
                } else if ways.iter().any(|way| way.from == Some(self.cursor)) {
                    self.from = Some(self.cursor);
                    Pressed::Picked
                } else {
                    let here = if self.from.is_some() { "to" } else { "from" };
                    Pressed::Say(format!("There is no move {here} here."))
                }
            }
            _ => Pressed::Nothing,
        }
    }

    /// How a place is marked; `last` are those of the last move.
    pub(crate) fn mark<M>(
        steps: Option<&Steps>,
        spot: Spot,
        ways: &[Way<M>],
        last: &[Spot],
    ) -> Mark {
        match steps {
            Some(steps) if steps.cursor == spot => Mark::Cursor,
            Some(steps) if steps.from == Some(spot) => Mark::Chosen,
            Some(Steps {
                from: Some(from), ..
            }) if ways
                .iter()
                .any(|way| way.from == Some(*from) && way.to == spot) =>
            {
                Mark::Target
            }
            _ if last.contains(&spot) => Mark::Last,
            _ => Mark::None,
        }
    }
}

/// The next place in the direction of an arrow, the nearest that lies rather ahead than aside; the same where there is none.
fn next(from: Spot, key: Key, spots: &[Spot]) -> Spot {
    let cost = |spot: &Spot| {
        let (dx, dy) = (spot.0 - from.0, spot.1 - from.1);
        let (ahead, aside) = match key {
            Key::Up => (-dy, dx.abs()),
            Key::Down => (dy, dx.abs()),
            Key::Left => (-dx, dy.abs()),
            _ => (dx, dy.abs()),
        };
        (ahead > 0 && 2 * aside <= ahead).then_some((aside, ahead))
    };
    let ahead = spots
        .iter()
        .filter_map(|spot| cost(spot).map(|cost| (cost, *spot)));
    ahead.min().map_or(from, |(_, spot)| spot)
}

/// How a place is marked. The signs at its sides tell it without colours, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    None,
    /// The last move was here.
    Last,
    Target,
    Chosen,
    Cursor,
}

impl Mark {
    /// A text of a place between the signs of the mark.
    pub(crate) fn span(self, text: &str, style: Style) -> Span<'static> {
        let (left, right) = match self {
            Mark::None => (' ', ' '),
            Mark::Last => ('(', ')'),
            Mark::Target => (':', ':'),
            Mark::Chosen => ('<', '>'),
            Mark::Cursor => ('[', ']'),
        };
        Span::styled(format!("{left}{text}{right}"), self.style(style))
    }

    pub(crate) fn style(self, style: Style) -> Style {
        match self {
            Mark::None => style,
            Mark::Last => style.add_modifier(Modifier::BOLD),
            Mark::Target => style.bg(Color::Indexed(238)),
            Mark::Chosen => style.fg(Color::Black).bg(Color::LightYellow),
            Mark::Cursor => style.add_modifier(Modifier::BOLD | Modifier::REVERSED),
        }
    }
}
