//! Moves and games as text in the manner of CSA: `+B3B2HI`, `+00B3KI` for a drop.

use std::fmt::Write as _;

use super::notation::excerpt;
use super::{Dobutsu, Move, ParseError, PieceKind, Position, Rules, Square};
use crate::{Game as _, Sheet};

const fn name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Lion => "LI",
        PieceKind::Giraffe => "KI",
        PieceKind::Elephant => "ZO",
        PieceKind::Chick => "HI",
        PieceKind::Hen => "NI",
    }
}

const fn sign(seat: u8) -> char {
    if seat == 0 { '+' } else { '-' }
}

/// File A to C from left to right, rank 1 to 4 from the top.
fn square_text(square: Square) -> String {
    format!("{}{}", char::from(b'A' + square.x()), square.y() + 1)
}

fn square(text: &str) -> Option<Square> {
    let [file, rank] = *text.as_bytes() else {
        return None;
    };
    let x = file.to_ascii_uppercase().wrapping_sub(b'A');
    Square::new(x, rank.wrapping_sub(b'1'))
}

impl Position {
    /// A legal move as text: the sign of the seat to move, the squares (`00` for the hand), and the piece after the
    /// move, such as `+B3B2HI`.
    pub fn csa(&self, mv: Move) -> String {
        let from = mv.from();
        let kind = match from.and_then(|from| self.piece(from)) {
            Some(_) if mv.promotes() => PieceKind::Hen,
            Some((kind, _)) => kind,
            None => mv.dropped().unwrap_or(PieceKind::Lion),
        };
        let from = from.map_or("00".to_owned(), square_text);
        let to = square_text(mv.to());
        format!("{}{from}{to}{}", sign(self.turn()), name(kind))
    }

    /// Reads what [`Position::csa`] writes in this position. Whether the move is legal is not looked at; its
    /// piece must be the one that stands there or is dropped.
    ///
    /// # Errors
    /// If the text is no move, or one of another seat or piece.
    pub fn read_csa(&self, text: &str) -> Result<Move, ParseError> {
        let read = || {
            let rest = text.strip_prefix(sign(self.turn()))?;
            let (squares, piece) = rest.split_at_checked(4)?;
            let (from, to) = squares.split_at_checked(2)?;
            let to = square(to)?;
            let kind = PieceKind::ALL
                .into_iter()
                .find(|&kind| name(kind) == piece)?;
            if from == "00" {
                return PieceKind::HELD
                    .contains(&kind)
                    .then(|| Move::drop(kind, to));
            }
            let from = square(from)?;
            let (before, _) = self.piece(from)?;
            let promotes = before == PieceKind::Chick && kind == PieceKind::Hen;
            (promotes || before == kind).then(|| Move::step(from, to, promotes))
        };
        read().ok_or_else(|| ParseError::Csa(excerpt(text)))
    }
}

impl Dobutsu {
    /// The game as text: comments, names, the position that it began from, a move to a line, the end.
    pub(super) fn csa(&self, about: &Sheet<'_>) -> String {
        let mut text = String::new();
        for (sign, name) in "+-".chars().zip(about.names) {
            let _ = writeln!(text, "N{sign}{name}");
        }
        let _ = writeln!(text, "$EVENT:{} game {}", about.event, about.game);
        if !about.date.is_empty() {
            let _ = writeln!(text, "$START_TIME:{}", about.date.replace('-', "/"));
        }
        let is_agreed = about.faults.contains(&Some("agreed"));
        for (sign, fault) in "+-".chars().zip(about.faults) {
            if let Some(fault) = fault.filter(|_| !is_agreed) {
                let _ = writeln!(text, "'{sign} forfeits: {fault}");
            }
        }
        if is_agreed {
            let _ = writeln!(text, "'end: agreed");
        } else if let Some(outcome) = self.outcome() {
            let _ = writeln!(text, "'end: {}", outcome.rule.unwrap_or("fault"));
        }
        let mut position = *self.first();
        let _ = writeln!(text, "'sfen {position}");
        for line in start_lines(&position) {
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "{}", sign(position.turn()));
        for &mv in self.moves() {
            let _ = writeln!(text, "{}", position.csa(mv));
            position.play_unchecked(mv);
        }
        text
    }

    /// Reads the moves of what [`Game::sheet`](crate::Game::sheet) writes, and of records without its comment on
    /// the position, which begin at the start. The moves are played under these rules.
    ///
    /// # Errors
    /// The first line that cannot be read or played, or that draws another start than that of the game.
    pub fn read_csa(rules: &Rules, text: &str) -> Result<Dobutsu, ParseError> {
        let mut game = Dobutsu::begin(rules, 0);
        let mut drawn = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let wrong = |reason: String| ParseError::Line(number, reason);
            let line = line.trim();
            if let Some(sfen) = line.strip_prefix("'sfen ") {
                let position: Position =
                    sfen.parse().map_err(|e: ParseError| wrong(e.to_string()))?;
                if !game.moves().is_empty() {
                    return Err(wrong("the game began already".to_owned()));
                }
                game = Dobutsu::from_position(rules, position);
            } else if line.starts_with('P') && line != "PI" {
                drawn.push((number, line));
            } else if line.len() > 1 && line.starts_with(['+', '-']) {
                let mv = game.board().read_csa(line);
                let mv = mv.map_err(|e| wrong(e.to_string()))?;
                game.play(mv).map_err(|reason| wrong(reason.to_string()))?;
            }
        }
        let due = start_lines(game.first());
        let is_other = |line: &str| due.iter().all(|due| due.trim_end() != line);
        match drawn.into_iter().find(|(_, line)| is_other(line)) {
            Some((number, _)) => {
                let reason = "it draws another start: a line `'sfen ...` has to tell that";
                Err(ParseError::Line(number, reason.to_owned()))
            }
            None => Ok(game),
        }
    }
}

/// The lines that draw a position, and those of the pieces in hand.
fn start_lines(position: &Position) -> Vec<String> {
    let mut lines = Vec::new();
    for (y, rank) in (1..).zip(Square::ALL.chunks(3)) {
        let cells = rank.iter().map(|&square| match position.piece(square) {
            Some((kind, seat)) => format!("{}{}", sign(seat), name(kind)),
            None => " * ".to_owned(),
        });
        lines.push(format!("P{y}{}", cells.collect::<String>()));
    }
    for seat in 0..2 {
        let held: String = PieceKind::HELD
            .into_iter()
            .flat_map(|kind| (0..position.hand(seat, kind)).map(move |_| kind))
            .fold(String::new(), |held, kind| held + "00" + name(kind));
        if !held.is_empty() {
            lines.push(format!("P{}{held}", sign(seat)));
        }
    }
    lines
}
