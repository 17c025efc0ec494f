//! A game with its placements, which are moves as well.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "rand")]
use rand::{Rng, RngExt as _};

use super::{
    Colour, Contradiction, End, EndKind, GHOSTS, Ghost, IllegalMove, Move, MoveList, ParseError,
    Place, Placement, Position, Rules, SEATS, Square, View,
};
use crate::game::bytes_of;
use crate::{Game, GameName, Hidden, NoPosition, Outcome, Seat};

/// What a seat does on its turn: it places its ghosts once, then steps. Prints as `ABCD` or `A,N`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// The red ghosts are these.
    Place(Placement),
    /// A ghost steps.
    Step(Move),
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Turn::Place(placement) => placement.fmt(f),
            Turn::Step(mv) => mv.fmt(f),
        }
    }
}

impl FromStr for Turn {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Turn, ParseError> {
        if text.contains(',') {
            text.parse().map(Turn::Step)
        } else {
            text.parse().map(Turn::Place)
        }
    }
}

/// Why a turn is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalTurn {
    /// The rules of moves forbid it.
    #[error(transparent)]
    Move(#[from] IllegalMove),
    /// No ghost is on the board yet.
    #[error("{0}: the ghosts must be placed first")]
    NotPlaced(Move),
    /// The ghosts are on the board already.
    #[error("{0}: the ghosts are placed already")]
    Placed(Placement),
}

/// A game of Geister. Seat 0 places its ghosts, then seat 1, which does not see how; then they move.
/// Its text is empty at first, then the placement of seat 0, then the sixteen ghosts and the ply: each
/// ghost, those of seat 0 first, by column, row and colour in the frame of seat 0 (`14R`), `99` for a
/// captured and `88` for an escaped one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Geister {
    rules: Rules,
    stage: Stage,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Stage {
    /// Seat 0 has placed its ghosts like this, if it has.
    Placing(Option<Placement>),
    Playing(Position),
}

/// What one seat may know, from before its ghosts are placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameView {
    /// Ghosts are being placed.
    Placing {
        /// The seat that looks.
        seat: Seat,
        /// The seat that places its ghosts now.
        to_move: Seat,
        /// How the seat that looks has placed its own.
        own: Option<Placement>,
        /// The rules of the game.
        rules: Rules,
    },
    /// All ghosts are placed.
    Playing(View),
}

/// What everybody may know.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "kebab-case")
)]
pub struct PublicView {
    /// The seat to move.
    pub to_move: Option<Seat>,
    /// Turns played, placements among them.
    pub ply: u32,
    /// By seat, its ghosts A to H in its own frame, as in the text of a [`Geister`]; `u` is a colour
    /// that is not known to all. Empty until both seats have placed theirs.
    pub ghosts: [Vec<String>; SEATS],
}

/// What a seat sees of a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TurnView {
    /// Ghosts are placed; the own ones with their colours.
    Placed(Option<Placement>),
    /// A ghost has moved.
    Moved {
        /// The move.
        mv: Move,
        /// The colour of the ghost that it captured.
        captured: Option<Colour>,
        /// The other seat's colours, shown when the move has ended the game.
        revealed: Option<Placement>,
    },
}

/// `ABCD` or `placed`; a move with the colour of what it captured, such as `A,N:R`.
impl fmt::Display for TurnView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TurnView::Placed(None) => f.write_str("placed"),
            TurnView::Placed(Some(placement)) => placement.fmt(f),
            TurnView::Moved { mv, captured, .. } => {
                mv.fmt(f)?;
                captured.map_or(Ok(()), |colour| write!(f, ":{}", letter(Some(colour))))
            }
        }
    }
}

const fn letter(colour: Option<Colour>) -> char {
    match colour {
        Some(Colour::Red) => 'R',
        Some(Colour::Blue) => 'B',
        None => 'u',
    }
}

fn triple((place, colour): (Place, Option<Colour>)) -> String {
    let colour = letter(colour);
    match place {
        Place::On(square) => format!("{}{}{colour}", square.x(), square.y()),
        Place::Captured => format!("99{colour}"),
        Place::Escaped => format!("88{colour}"),
    }
}

fn read_triple(text: &[u8]) -> Option<(Place, Colour)> {
    let colour = match text[2] {
        b'R' => Colour::Red,
        b'B' => Colour::Blue,
        _ => return None,
    };
    let place = match &text[..2] {
        b"99" => Place::Captured,
        b"88" => Place::Escaped,
        at => Place::On(Square::new(
            at[0].wrapping_sub(b'0'),
            at[1].wrapping_sub(b'0'),
        )?),
    };
    Some((place, colour))
}

impl Geister {
    /// The true state once both placements are made.
    pub fn state(&self) -> Option<&Position> {
        match &self.stage {
            Stage::Placing(_) => None,
            Stage::Playing(position) => Some(position),
        }
    }

    fn read_ghosts(rules: Rules, ghosts: &str, ply: &str) -> Result<Position, NoPosition> {
        let wrong = || NoPosition("sixteen ghosts such as `14R` and a ply are wanted".to_owned());
        let ply: u16 = ply.parse().map_err(|_| wrong())?;
        if ghosts.len() != 3 * 2 * GHOSTS {
            return Err(wrong());
        }
        let read: Option<Vec<_>> = ghosts.as_bytes().chunks_exact(3).map(read_triple).collect();
        let read = read.ok_or_else(wrong)?;
        let own = std::array::from_fn(|i| read[i]);
        let enemy = std::array::from_fn(|i| read[GHOSTS + i]);
        let known = enemy.map(|(place, colour)| (place, Some(colour)));
        let mover = (ply % 2) as u8;
        let view = View::from_ghosts(0, own, known, mover, ply, rules).map_err(NoPosition::new)?;
        let red = (0..GHOSTS).filter(|&i| enemy[i].1 == Colour::Red);
        let mut position = Placement::new(red.map(|i| 1 << i).sum())
            .and_then(|placement| view.with(placement))
            .ok_or_else(|| NoPosition("a side has four red and four blue ghosts".to_owned()))?;
        position.end = end_of(&position);
        Ok(position)
    }
}

/// How a game has ended that has come to this position.
fn end_of(position: &Position) -> Option<End> {
    let end = |kind, winner| Some(End { kind, winner });
    for seat in 0..SEATS as u8 {
        let escaped = |ghost| position.place(seat, ghost) == Place::Escaped;
        if Ghost::ALL.into_iter().any(escaped) {
            return end(EndKind::Escape, Some(seat));
        }
        if position.captured(seat, Colour::Blue) == 4 {
            return end(EndKind::BluesTaken, Some(1 - seat));
        }
        if position.captured(seat, Colour::Red) == 4 {
            return end(EndKind::RedsTaken, Some(seat));
        }
    }
    if position.ply() >= position.rules().ply_limit {
        return end(EndKind::PlyLimit, None);
    }
    None
}

impl Game for Geister {
    type Rules = Rules;
    type Move = Turn;
    type Illegal = IllegalTurn;
    type View = GameView;
    type PublicView = PublicView;
    const NAME: GameName = GameName::Geister;
    const SEATS: usize = SEATS;
    const MOST_PLIES: u32 = SEATS as u32 + u16::MAX as u32;
    const HAS_SECRETS: bool = true;
    const HAS_DRAWS: bool = true;

    fn begin(rules: &Rules, _: u64) -> Geister {
        Geister {
            rules: *rules,
            stage: Stage::Placing(None),
        }
    }

    fn read(rules: &Rules, position: &str) -> Result<Geister, NoPosition> {
        let stage = match position.split_once(' ') {
            Some((ghosts, ply)) => Stage::Playing(Self::read_ghosts(*rules, ghosts, ply)?),
            None if position.is_empty() => Stage::Placing(None),
            None => Stage::Placing(Some(position.parse().map_err(NoPosition::new)?)),
        };
        Ok(Geister {
            rules: *rules,
            stage,
        })
    }

    fn position(&self) -> String {
        match &self.stage {
            Stage::Placing(None) => String::new(),
            Stage::Placing(Some(placement)) => placement.to_string(),
            Stage::Playing(position) => {
                let view = position.final_view(0);
                let own = Ghost::ALL.map(|ghost| view.own(ghost));
                let own = own.map(|(place, colour)| (place, Some(colour)));
                let enemy = Ghost::ALL.map(|ghost| view.enemy(ghost));
                let ghosts: String = own.into_iter().chain(enemy).map(triple).collect();
                format!("{ghosts} {}", position.ply())
            }
        }
    }

    /// The letter, square and colour of each ghost, and the ply, which the rules limit.
    fn key(&self) -> Vec<u8> {
        bytes_of(&self.stage)
    }

    fn to_move(&self) -> Option<Seat> {
        match &self.stage {
            Stage::Placing(first) => Some(Seat::new(first.is_some().into())),
            Stage::Playing(position) => position.to_move().map(Seat::new),
        }
    }

    fn ply(&self) -> u32 {
        match &self.stage {
            Stage::Placing(first) => first.is_some().into(),
            Stage::Playing(position) => SEATS as u32 + u32::from(position.ply()),
        }
    }

    fn legal_moves(&self, out: &mut Vec<Turn>) {
        out.clear();
        match &self.stage {
            Stage::Placing(_) => out.extend(Placement::ALL.map(Turn::Place)),
            Stage::Playing(position) => {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                out.extend(moves.iter().copied().map(Turn::Step));
            }
        }
    }

    fn play(&mut self, turn: Turn) -> Result<(), IllegalTurn> {
        match (&mut self.stage, turn) {
            (Stage::Playing(position), Turn::Step(mv)) => {
                position.play(mv)?;
            }
            (Stage::Playing(_), Turn::Place(placement)) => {
                return Err(IllegalTurn::Placed(placement));
            }
            (Stage::Placing(_), Turn::Step(mv)) => return Err(IllegalTurn::NotPlaced(mv)),
            (Stage::Placing(None), Turn::Place(first)) => {
                self.stage = Stage::Placing(Some(first));
            }
            (&mut Stage::Placing(Some(first)), Turn::Place(second)) => {
                self.stage = Stage::Playing(Position::new([first, second], self.rules));
            }
        }
        Ok(())
    }

    fn view(&self, seat: Seat) -> GameView {
        match &self.stage {
            Stage::Placing(first) => GameView::Placing {
                seat,
                to_move: Seat::new(first.is_some().into()),
                own: first.filter(|_| seat.number() == 0),
                rules: self.rules,
            },
            Stage::Playing(position) => GameView::Playing(position.view(seat.number())),
        }
    }

    fn public_view(&self) -> PublicView {
        let ghosts = match &self.stage {
            Stage::Placing(_) => [const { Vec::new() }; SEATS],
            Stage::Playing(position) => [0, 1].map(|seat| {
                let ghosts = Ghost::ALL.map(|ghost| {
                    let place = position.place(seat, ghost);
                    let is_known = position.end().is_some() || place.square().is_none();
                    (place, is_known.then(|| position.colour(seat, ghost)))
                });
                ghosts.map(triple).into()
            }),
        };
        PublicView {
            to_move: self.to_move(),
            ply: self.ply(),
            ghosts,
        }
    }

    fn shown(&self, turn: Turn, seat: Seat) -> String {
        self.seen(turn, seat).to_string()
    }

    fn outcome(&self) -> Option<Outcome> {
        let end = self.state()?.end()?;
        Some(Outcome::of_two(
            end.winner.map(Seat::new),
            Some(end.kind.name()),
        ))
    }
}

impl Hidden for Geister {
    type TurnView = TurnView;
    type Contradiction = Contradiction;

    fn seen(&self, turn: Turn, seat: Seat) -> TurnView {
        match (turn, &self.stage) {
            (Turn::Place(placement), _) => {
                TurnView::Placed((self.to_move() == Some(seat)).then_some(placement))
            }
            (Turn::Step(mv), Stage::Placing(_)) => TurnView::Moved {
                mv,
                captured: None,
                revealed: None,
            },
            (Turn::Step(mv), Stage::Playing(position)) => {
                let mut next = *position;
                let played = next.play_unchecked(mv);
                let other = next.placement(1 - seat.number());
                TurnView::Moved {
                    mv,
                    captured: played.captured.map(|(_, colour)| colour),
                    revealed: next.end().map(|_| other),
                }
            }
        }
    }

    fn follow(view: &mut GameView, seen: &TurnView) -> Result<(), Contradiction> {
        match (&mut *view, seen) {
            (
                GameView::Placing {
                    seat,
                    to_move,
                    own,
                    rules,
                },
                TurnView::Placed(placement),
            ) => {
                *own = own.or(*placement);
                if to_move.number() == 0 {
                    *to_move = Seat::new(1);
                } else {
                    let own = own.ok_or(Contradiction::Board("the own ghosts were not placed"))?;
                    *view = GameView::Playing(View::start(seat.number(), own, *rules));
                }
            }
            (
                GameView::Playing(view),
                &TurnView::Moved {
                    mv,
                    captured,
                    revealed,
                },
            ) => {
                view.follow(mv, captured)?;
                if let Some(enemy) = revealed {
                    view.reveal(enemy)?;
                }
            }
            (GameView::Placing { .. }, TurnView::Moved { .. }) => {
                return Err(Contradiction::Board("the ghosts are not placed yet"));
            }
            (GameView::Playing(_), TurnView::Placed(_)) => {
                return Err(Contradiction::Board("the ghosts are placed already"));
            }
        }
        Ok(())
    }

    #[cfg(feature = "rand")]
    fn determinize(view: &GameView, rng: &mut impl Rng) -> Geister {
        match *view {
            GameView::Placing {
                to_move,
                own,
                rules,
                ..
            } => {
                let other = Placement::ALL[rng.random_range(0..Placement::ALL.len())];
                let first = (to_move.number() == 1).then(|| own.unwrap_or(other));
                Geister {
                    rules,
                    stage: Stage::Placing(first),
                }
            }
            GameView::Playing(view) => Geister {
                rules: view.rules(),
                stage: Stage::Playing(view.determinize(rng)),
            },
        }
    }
}

/// `seat`, `to-move`, and once both seats have placed their ghosts `ply`, `own` and `enemy`: ghosts A to
/// H in the frame of the seat, as in the text of a [`Geister`], `u` for a colour that is not known.
#[cfg(feature = "serde")]
impl serde::Serialize for GameView {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;

        let mut fields = serializer.serialize_struct("GameView", 5)?;
        match self {
            GameView::Placing {
                seat, to_move, own, ..
            } => {
                fields.serialize_field("seat", seat)?;
                fields.serialize_field("to-move", to_move)?;
                fields.serialize_field("own", &own.map(|placement| placement.to_string()))?;
            }
            GameView::Playing(view) => {
                let own = Ghost::ALL.map(|ghost| view.own(ghost));
                let own = own.map(|(place, colour)| triple((place, Some(colour))));
                let enemy = Ghost::ALL.map(|ghost| triple(view.enemy(ghost)));
                fields.serialize_field("seat", &view.seat())?;
                fields.serialize_field("to-move", &view.to_move())?;
                fields.serialize_field("ply", &view.ply())?;
                fields.serialize_field("own", &own)?;
                fields.serialize_field("enemy", &enemy)?;
            }
        }
        fields.end()
    }
}
