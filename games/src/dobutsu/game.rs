//! A game with its moves, its repetitions and its options.

use super::{IllegalMove, Move, MoveList, ParseError, Position, SEATS, Variant};
use crate::game::bytes_of;
use crate::{Game, GameName, NoPosition, Outcome, Seat, Sheet};

/// Options of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct Rules {
    /// A position that occurs for the this many-th time, with the same seat to move, is a draw: 3 in tournaments,
    /// 2 where programs learn by playing themselves; 0 lets games repeat positions.
    pub repetition: u8,
    /// Moves of both seats together after which an undecided game is a draw; 0 is the most that there can be, [`Game::MOST_PLIES`].
    pub ply_limit: u32,
    /// A lion that reaches the far rank wins even where it can be captured, as on the `AnimalShogiServer`.
    pub any_try: bool,
    /// A chick that reaches the far rank may stay a chick, as on the `AnimalShogiServer`.
    pub free_promotion: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            repetition: 3,
            ply_limit: 0,
            any_try: false,
            free_promotion: false,
        }
    }
}

impl Rules {
    /// The rules of the `AnimalShogiServer` of 2018: any try wins at once, promotion is free, and
    /// nothing ends a game that repeats itself.
    pub const ANIMAL_SHOGI_SERVER: Rules = Rules {
        repetition: 0,
        ply_limit: 0,
        any_try: true,
        free_promotion: true,
    };

    /// What a position has of them.
    pub const fn variant(&self) -> Variant {
        Variant {
            any_try: self.any_try,
            free_promotion: self.free_promotion,
        }
    }
}

const REPETITION: &str = "repetition";
const PLY_LIMIT: &str = "ply-limit";

/// A game of Dobutsu shogi. Its text is the moves from the start in USI, such as `2c2b 1a2b`; from another position
/// it is `sfen`, the position, `moves` and the moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dobutsu {
    rules: Rules,
    first: Position,
    position: Position,
    moves: Vec<Move>,
    past: Vec<Position>,
    drawn: Option<&'static str>,
}

impl Dobutsu {
    /// A game that begins from a position.
    pub fn from_position(rules: &Rules, position: Position) -> Dobutsu {
        let first = position.with_variant(rules.variant());
        Dobutsu {
            rules: *rules,
            first,
            position: first,
            moves: Vec::new(),
            past: Vec::new(),
            drawn: None,
        }
    }

    /// The position, which does not know of repetitions.
    pub fn board(&self) -> &Position {
        &self.position
    }

    /// The position before the first move.
    pub fn first(&self) -> &Position {
        &self.first
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The positions before each move, the first one first.
    pub fn past(&self) -> &[Position] {
        &self.past
    }

    /// The rules of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How often the position has occurred, this time included.
    pub fn occurrences(&self) -> usize {
        1 + self
            .past
            .iter()
            .filter(|&past| *past == self.position)
            .count()
    }

    /// The rule by which the game is a draw now, if there is one.
    fn draw(&self) -> Option<&'static str> {
        let Rules {
            repetition,
            ply_limit,
            ..
        } = self.rules;
        if self.position.end().is_some() {
            None
        } else if repetition > 0 && self.occurrences() >= usize::from(repetition) {
            Some(REPETITION)
        } else {
            let limit = if ply_limit == 0 { u32::MAX } else { ply_limit };
            (self.ply() >= limit.min(Self::MOST_PLIES)).then_some(PLY_LIMIT)
        }
    }
}

/// The view of all seats. `board`: the position as SFEN. `moves`: the moves played. `position`: the text of the game.
#[cfg(feature = "serde")]
impl serde::Serialize for Dobutsu {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct as _;

        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let mut view = serializer.serialize_struct("Dobutsu", 3)?;
        view.serialize_field("board", &self.position.to_string())?;
        view.serialize_field("moves", &moves)?;
        view.serialize_field("position", &self.position())?;
        view.end()
    }
}

impl Game for Dobutsu {
    type Rules = Rules;
    type Move = Move;
    type Illegal = IllegalMove;
    type View = Dobutsu;
    type PublicView = Dobutsu;
    const NAME: GameName = GameName::Dobutsu;
    const SEATS: usize = SEATS;
    /// As many as let the views of both seats fit into one line of the native protocol, which list all moves.
    const MOST_PLIES: u32 = 2048;
    const HAS_DRAWS: bool = true;
    const SHEET: Option<&'static str> = Some("csa");

    fn begin(rules: &Rules, _: u64) -> Dobutsu {
        Dobutsu::from_position(rules, Position::START)
    }

    /// The arguments of USI's `position` are read as well: `startpos moves 2c2b`.
    fn read(rules: &Rules, position: &str) -> Result<Dobutsu, NoPosition> {
        let (first, moves) = match position.split_once("moves") {
            Some((first, moves)) => (first.trim(), moves),
            None if position.starts_with("sfen") => (position, ""),
            None => ("", position),
        };
        let (first, moves) = if moves.trim() == "startpos" {
            ("", "")
        } else {
            (first, moves)
        };
        let first = match first.strip_prefix("sfen") {
            Some(sfen) => sfen.trim().parse().map_err(NoPosition::new)?,
            None if first.is_empty() || first == "startpos" => Position::START,
            None => {
                return Err(NoPosition::new(ParseError::Position(
                    first.chars().take(24).collect(),
                )));
            }
        };
        let mut game = Dobutsu::from_position(rules, first);
        for (number, text) in (1..).zip(moves.split_whitespace()) {
            let mv = text.parse().map_err(NoPosition::new)?;
            game.play(mv)
                .map_err(|reason| NoPosition::new(ParseError::Illegal(number, reason)))?;
        }
        Ok(game)
    }

    fn position(&self) -> String {
        let moves: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        let moves = moves.join(" ");
        if self.first.board() == Position::START.board() && self.first.turn() == 0 {
            moves
        } else {
            let moves = if moves.is_empty() {
                moves
            } else {
                format!(" moves {moves}")
            };
            format!("sfen {}{moves}", self.first)
        }
    }

    /// The board, the hands and the seat to move; the number of occurrences of this position if the rules count repetitions,
    /// and the number of moves if the rules limit it. The occurrences of other positions are left out: with them no two
    /// orders of moves would lead to the same key.
    fn key(&self) -> Vec<u8> {
        let occurrences = (self.rules.repetition > 0).then(|| self.occurrences());
        let ply = (self.rules.ply_limit > 0).then_some(self.ply());
        bytes_of(&(self.position, occurrences, ply, self.drawn.is_some()))
    }

    fn to_move(&self) -> Option<Seat> {
        if self.drawn.is_some() {
            return None;
        }
        self.position.to_move().map(Seat::new)
    }

    fn ply(&self) -> u32 {
        self.moves.len() as u32
    }

    fn legal_moves(&self, out: &mut Vec<Move>) {
        out.clear();
        if self.drawn.is_none() {
            let mut moves = MoveList::new();
            self.position.legal_moves(&mut moves);
            out.extend_from_slice(&moves);
        }
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if self.drawn.is_some() {
            return Err(IllegalMove::Over(mv));
        }
        let before = self.position;
        self.position.play(mv)?;
        self.past.push(before);
        self.moves.push(mv);
        self.drawn = self.draw();
        Ok(())
    }

    fn view(&self, _: Seat) -> Dobutsu {
        self.clone()
    }

    fn public_view(&self) -> Dobutsu {
        self.clone()
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(rule) = self.drawn {
            return Some(Outcome::of_two(None, Some(rule)));
        }
        let end = self.position.end()?;
        let winner = Seat::new(end.winner);
        Some(Outcome::of_two(Some(winner), Some(end.kind.name())))
    }

    fn sheet(&self, about: &Sheet<'_>) -> String {
        self.csa(about)
    }
}
