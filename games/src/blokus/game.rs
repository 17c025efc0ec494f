//! A game with its steps, its rules and what has happened to its colours.

use std::fmt;

use super::blksgf::{self, score_comment};
use super::{Board, Colour, IllegalMove, PIECES, Placement, SEATS, Scoring};
use crate::game::bytes_of;
use crate::{BySeat, Game, GameName, NoPosition, Outcome, Seat, Sheet};

/// End of a seat, and of a game, without legal moves.
const NO_MOVES: &str = "no-moves";
/// End of a seat that has placed all its pieces.
const ALL_PLACED: &str = "all-placed";

/// Options of the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct Rules {
    /// How players are compared.
    pub scoring: Scoring,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Move(Colour, Placement),
    Withdrawn(Colour),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Move(_, placement) => placement.fmt(f),
            Step::Withdrawn(colour) => write!(f, "-{colour}"),
        }
    }
}

/// A game of Blokus; seats are colours. Its text is its steps, with `;` between them: a move such as
/// `a20,b20`, or `-yellow` for a colour that was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blokus {
    rules: Rules,
    board: Board,
    steps: Vec<Step>,
    /// By colour, the rule that has put it out.
    out: [Option<&'static str>; SEATS],
}

impl Blokus {
    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whether a colour was withdrawn.
    pub fn is_withdrawn(&self, colour: Colour) -> bool {
        self.board.is_withdrawn(colour)
    }

    /// What counts, by seat.
    pub fn scores(&self) -> [i16; SEATS] {
        self.board.scores(self.rules.scoring)
    }

    /// The moves played, with their colours.
    pub fn moves(&self) -> impl Iterator<Item = (Colour, Placement)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Move(colour, placement) => Some((*colour, *placement)),
            Step::Withdrawn(_) => None,
        })
    }

    /// Notes the colours that have no move any more: none gets one back.
    fn find_out(&mut self) {
        for colour in Colour::ALL {
            let out = &mut self.out[colour.index()];
            let plays = out.is_none() && !self.board.is_withdrawn(colour);
            if plays && !self.board.has_move(colour) {
                let all_placed = self.board.squares_left(colour) == 0;
                *out = Some(if all_placed { ALL_PLACED } else { NO_MOVES });
            }
        }
    }

    fn withdraw_colour(&mut self, colour: Colour) {
        self.steps.push(Step::Withdrawn(colour));
        self.board.withdraw(colour);
    }

    fn ends(&self) -> [Option<&'static str>; SEATS] {
        Colour::ALL.map(|colour| {
            if self.is_withdrawn(colour) {
                Some("forfeit")
            } else {
                self.out[colour.index()]
            }
        })
    }

    /// The game with the names of its players; the comment tells what it came to: the format has no
    /// property for that.
    fn blksgf(&self, about: &Sheet<'_>) -> blksgf::Game {
        let mut comment = vec![match self.rules.scoring {
            Scoring::Advanced => score_comment(&self.board),
            Scoring::Squares => {
                let scores = self.scores();
                let squares =
                    Colour::ALL.map(|colour| format!("{colour} {}", scores[colour.index()]));
                format!("Squares: {}", squares.join(", "))
            }
        }];
        if let Some(outcome) = self.outcome() {
            let places = Colour::ALL.map(|colour| {
                let (place, points) = (outcome.places[colour.at()], outcome.points[colour.at()]);
                format!("{colour} {} ({points:.2})", place + 1)
            });
            comment.push(format!("Places (points): {}", places.join(", ")));
        }
        let faults = Colour::ALL.into_iter().zip(about.faults);
        comment.extend(faults.filter_map(|(colour, fault)| {
            fault.map(|fault| format!("{colour} forfeits: {fault}"))
        }));
        let text = |text: &str| text.to_owned();
        let mut players = [const { String::new() }; SEATS];
        for (player, name) in players.iter_mut().zip(about.names) {
            (*name).clone_into(player);
        }
        blksgf::Game {
            players,
            info: vec![
                (
                    text("AP"),
                    text(concat!("taikyoku:", env!("CARGO_PKG_VERSION"))),
                ),
                (text("EV"), text(about.event)),
                (text("RO"), about.game.to_string()),
                (text("DT"), text(about.date)),
            ],
            comment: comment.join("\n"),
            moves: self.moves().collect(),
            ..blksgf::Game::default()
        }
    }
}

/// The view of all seats. `board`: the rows from 20 down to 1 as texts, a letter for each square.
/// `left`: by seat, the names of the pieces that are not placed. `out`: by seat, why it plays no more.
/// `moves`: seat and squares.
#[cfg(feature = "serde")]
impl serde::Serialize for Blokus {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use super::Piece;
        use serde::ser::SerializeStruct as _;

        let left = Colour::ALL.map(|colour| {
            let pieces = self.board.pieces_left(colour);
            pieces.iter().map(Piece::name).collect::<Vec<_>>()
        });
        let moves = self
            .moves()
            .map(|(colour, placement)| (colour.seat(), placement.to_string()));
        let mut view = serializer.serialize_struct("Blokus", 4)?;
        view.serialize_field("board", &self.board.letters())?;
        view.serialize_field("left", &left)?;
        view.serialize_field("out", &self.ends())?;
        view.serialize_field("moves", &moves.collect::<Vec<_>>())?;
        view.end()
    }
}

impl Game for Blokus {
    type Rules = Rules;
    type Move = Placement;
    type Illegal = IllegalMove;
    type View = Blokus;
    type PublicView = Blokus;
    const NAME: GameName = GameName::Blokus;
    const SEATS: usize = SEATS;
    const MOST_PLIES: u32 = (SEATS * PIECES) as u32;
    const SHEET: Option<&'static str> = Some("blksgf");

    fn begin(rules: &Rules, _: u64) -> Blokus {
        Blokus {
            rules: *rules,
            board: Board::new(),
            steps: Vec::new(),
            out: [None; SEATS],
        }
    }

    fn read(rules: &Rules, position: &str) -> Result<Blokus, NoPosition> {
        let mut game = Blokus::begin(rules, 0);
        for step in position.split_terminator(';') {
            match step.strip_prefix('-') {
                None => {
                    game.play_text(step).map_err(NoPosition::new)?;
                }
                Some(colour) => {
                    let colour: Colour = colour.parse().map_err(NoPosition::new)?;
                    if game.ends()[colour.index()].is_some() {
                        return Err(NoPosition(format!("{colour} is out already")));
                    }
                    game.withdraw_colour(colour);
                }
            }
        }
        Ok(game)
    }

    fn position(&self) -> String {
        let steps: Vec<String> = self.steps.iter().map(Step::to_string).collect();
        steps.join(";")
    }

    /// The pieces on the board, the colour to move, the colours that have withdrawn, and the colours whose final piece was
    /// the single square.
    fn key(&self) -> Vec<u8> {
        bytes_of(&self.board.essence())
    }

    fn to_move(&self) -> Option<Seat> {
        self.board.to_move().map(Colour::at)
    }

    fn ply(&self) -> u32 {
        u32::from(self.board.ply())
    }

    fn legal_moves(&self, out: &mut Vec<Placement>) {
        self.board.legal_moves(out);
    }

    fn play(&mut self, placement: Placement) -> Result<(), IllegalMove> {
        let colour = self.board.to_move().ok_or(IllegalMove::Over)?;
        self.board.play(placement)?;
        self.steps.push(Step::Move(colour, placement));
        self.find_out();
        Ok(())
    }

    fn view(&self, _: Seat) -> Blokus {
        self.clone()
    }

    fn public_view(&self) -> Blokus {
        self.clone()
    }

    fn game_points(&self) -> BySeat<i32> {
        BySeat::from(self.scores().map(i32::from))
    }

    fn outcome(&self) -> Option<Outcome> {
        let playing = Colour::ALL.iter().filter(|c| !self.is_withdrawn(**c));
        let alone = playing.count() <= 1;
        if !alone && self.board.to_move().is_some() {
            return None;
        }
        let winners = self.board.winners(self.rules.scoring);
        let share = 1.0 / winners.iter().filter(|won| **won).count() as f64;
        Some(Outcome {
            places: self.board.places(self.rules.scoring).into(),
            points: winners.map(|won| if won { share } else { 0.0 }).into(),
            game_points: self.game_points(),
            rule: (!alone).then_some(NO_MOVES),
            reason: None,
        })
    }

    fn out(&self, seat: Seat) -> Option<&'static str> {
        self.out[seat.index()]
    }

    fn withdraw(&mut self, seat: Seat) -> bool {
        self.withdraw_colour(Colour::ALL[seat.index()]);
        true
    }

    fn sheet(&self, about: &Sheet<'_>) -> String {
        self.blksgf(about).to_string()
    }
}
