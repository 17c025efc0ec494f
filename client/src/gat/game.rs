//! Geister as players at a server see it.

use std::fmt::{self, Write as _};

use games::geister::{
    Colour, Direction, GHOSTS, Ghost, Move, MoveList, Place, Placement, Square, View,
};
use protocol::gat::Board;

use super::Followed;
use crate::ClientGame;

/// Geister.
pub enum Geister {}

/// What a player sees.
#[derive(Clone, Copy, Debug)]
pub enum GeisterSight {
    /// The own ghosts before their colours are chosen.
    Placing,
    /// A game in progress.
    Playing(View),
}

/// What a player is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GeisterChoice {
    /// Which own ghosts are red.
    Place(Placement),
    /// A move.
    Go(Move),
}

impl fmt::Display for GeisterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GeisterChoice::Place(placement) => placement.fmt(f),
            GeisterChoice::Go(mv) => mv.fmt(f),
        }
    }
}

impl ClientGame for Geister {
    type View = GeisterSight;
    type Move = GeisterChoice;
    type Played = Followed;

    const HELP: &'static str = "  ABEF     before a game: the four of your ghosts A to H that are red
  A,N      move ghost A to the north, away from you; E, S and W are the other directions
A red ghost (r) may be captured: four of them captured win. Four captured blue ones (b) lose. A blue ghost that stands
on an exit (<- or ->) leaves the board that way in its next move, which wins.";

    fn example(sight: &GeisterSight) -> &'static str {
        match sight {
            GeisterSight::Placing => "Four letters such as ABEF",
            GeisterSight::Playing(_) => "A move such as A,N",
        }
    }

    fn due(sight: &GeisterSight) -> &'static str {
        match sight {
            GeisterSight::Placing => "place",
            GeisterSight::Playing(_) => "move",
        }
    }

    fn legal_moves(sight: &GeisterSight) -> Vec<GeisterChoice> {
        match sight {
            GeisterSight::Placing => Placement::ALL
                .into_iter()
                .map(GeisterChoice::Place)
                .collect(),
            GeisterSight::Playing(view) => {
                let mut moves = MoveList::new();
                view.legal_moves(&mut moves);
                moves.iter().copied().map(GeisterChoice::Go).collect()
            }
        }
    }

    /// A move is legal in either spelling of an escape.
    fn is_legal(sight: &GeisterSight, choice: GeisterChoice) -> bool {
        match (sight, choice) {
            (GeisterSight::Placing, GeisterChoice::Place(_)) => true,
            (GeisterSight::Playing(view), GeisterChoice::Go(mv)) => {
                let enemy = view.placements().next();
                let position = enemy.and_then(|enemy| view.with(enemy));
                position.is_some_and(|position| position.is_legal(mv))
            }
            _ => false,
        }
    }

    fn draw(sight: &GeisterSight) -> String {
        match sight {
            GeisterSight::Placing => "Your ghosts, the enemy is to the north:
  A B C D
  E F G H
Which four are red?
"
            .to_owned(),
            GeisterSight::Playing(view) => drawing(
                &Ghost::ALL.map(|ghost| view.own(ghost)),
                &Ghost::ALL.map(|ghost| view.enemy(ghost)),
            ),
        }
    }

    fn read_move(sight: &GeisterSight, text: &str) -> Result<GeisterChoice, String> {
        let choice = match sight {
            GeisterSight::Placing => {
                GeisterChoice::Place(text.parse().map_err(|e| format!("{e}"))?)
            }
            GeisterSight::Playing(_) => GeisterChoice::Go(read(text)?),
        };
        if Self::is_legal(sight, choice) {
            Ok(choice)
        } else {
            Err(format!("{choice}: this ghost cannot go there"))
        }
    }

    fn check_notation(text: &str) -> Result<(), String> {
        match (read(text), text.parse::<Placement>()) {
            (Err(_), Err(e)) if text.len() == 4 => Err(e.to_string()),
            (Err(e), Err(_)) => Err(e),
            _ => Ok(()),
        }
    }
}

/// A move, with or without its comma.
fn read(text: &str) -> Result<Move, String> {
    let mut letters = text.trim().chars();
    let short = match (letters.next(), letters.as_str().trim_start()) {
        (Some(ghost), direction) if !direction.starts_with(',') => format!("{ghost},{direction}"),
        _ => text.trim().replace(' ', ""),
    };
    let moved = short.parse::<Move>();
    moved.map_err(|_| format!("`{text}` is not a move: write ghost and direction, such as `A,N`"))
}

const fn letter(colour: Colour) -> char {
    match colour {
        Colour::Blue => 'b',
        Colour::Red => 'r',
    }
}

/// An own ghost, a capital with its colour.
fn own_text(ghost: Ghost, own: &[(Place, Colour); GHOSTS]) -> String {
    format!("{ghost}{}", letter(own[ghost.index()].1))
}

/// A ghost of the enemy, a small letter with its colour where it is known.
fn enemy_text(ghost: Ghost, enemy: &[(Place, Option<Colour>); GHOSTS]) -> String {
    let colour = enemy[ghost.index()].1.map_or('?', letter);
    format!("{}{colour}", ghost.letter().to_ascii_lowercase())
}

/// The board for people, the own side at the bottom: own ghosts as capitals with their colours, the enemy's as small
/// letters, with a colour where it is known; below, what was captured. Lines with their ends.
pub(super) fn drawing(
    own: &[(Place, Colour); GHOSTS],
    enemy: &[(Place, Option<Colour>); GHOSTS],
) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    for y in 0..6 {
        let (left, right) = if y == 0 { ("<-", " ->") } else { ("  ", "") };
        text += left;
        for x in 0..6 {
            let place = Square::new(x, y).map(Place::On);
            let ghosts = || Ghost::ALL.into_iter();
            let stands = |is: Place| Some(is) == place;
            let mine = ghosts().find(|ghost| stands(own[ghost.index()].0));
            let theirs = ghosts().find(|ghost| stands(enemy[ghost.index()].0));
            let cell = mine
                .map(|g| own_text(g, own))
                .or_else(|| theirs.map(|g| enemy_text(g, enemy)));
            let _ = write!(text, " {:<2}", cell.unwrap_or_else(|| ".".to_owned()));
        }
        text.truncate(text.trim_end().len());
        text += right;
        text.push('\n');
    }
    let [by_you, by_enemy] = captures(own, enemy);
    let _ = writeln!(text, "Captured by you: {by_you}; by the enemy: {by_enemy}.");
    text
}

/// What was captured by the own side and by the enemy, in words.
fn captures(
    own: &[(Place, Colour); GHOSTS],
    enemy: &[(Place, Option<Colour>); GHOSTS],
) -> [String; 2] {
    let captured = |places: [Place; GHOSTS], name: &dyn Fn(Ghost) -> String| {
        let ghosts = Ghost::ALL.into_iter();
        let names = ghosts.filter(|ghost| places[ghost.index()] == Place::Captured);
        let names: Vec<String> = names.map(name).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(" ")
        }
    };
    [
        captured(enemy.map(|(place, _)| place), &|g| enemy_text(g, enemy)),
        captured(own.map(|(place, _)| place), &|g| own_text(g, own)),
    ]
}

pub(super) const fn name_of(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "blue",
        Colour::Red => "red",
    }
}

/// A move of the enemy as the own side sees it.
pub(super) fn enemys(followed: &Followed) -> String {
    let Followed {
        before,
        mv,
        captured,
    } = followed;
    let direction = match mv.direction.turned() {
        Direction::North => "north, away from you",
        Direction::East => "east",
        Direction::South => "south, towards you",
        Direction::West => "west",
    };
    let ghost = mv.ghost.letter().to_ascii_lowercase();
    let place = before.enemy(mv.ghost).0.square();
    let to = place.and_then(|from| from.step(mv.direction.turned()));
    let taken = Ghost::ALL
        .into_iter()
        .find(|ghost| to.is_some() && before.own(*ghost).0.square() == to);
    match (taken, captured) {
        (Some(taken), Some(colour)) => format!(
            "The enemy's {ghost} goes {direction} and captures your {taken}, which is {}.",
            name_of(*colour)
        ),
        _ if to.is_none() => format!("The enemy's {ghost} escapes."),
        _ => format!("The enemy's {ghost} goes {direction}."),
    }
}

/// The enemy's placement, from a board that shows all colours.
pub(super) fn enemy_placement(board: &Board) -> Option<Placement> {
    let mut mask = 0;
    for (i, (_, colour)) in board.enemy.iter().enumerate() {
        mask |= u8::from((*colour)? == Colour::Red) << i;
    }
    Placement::new(mask)
}

#[cfg(test)]
mod tests {
    use games::geister::Rules;

    use super::*;

    #[test]
    fn the_board_is_drawn_and_moves_are_read() {
        let placement = "ABGH".parse().expect("a placement");
        let sight = GeisterSight::Playing(View::start(0, placement, Rules::default()));
        assert_eq!(
            Geister::draw(&sight),
            "<- .  h? g? f? e? . ->
   .  d? c? b? a? .
   .  .  .  .  .  .
   .  .  .  .  .  .
   .  Ar Br Cb Db .
   .  Eb Fb Gr Hr .
Captured by you: none; by the enemy: none.
"
        );
        for text in ["a,n", "an", "a n", "A, north"] {
            let mv = Geister::read_move(&sight, text).expect(text);
            assert_eq!(mv.to_string(), "A,N");
        }
        let error = Geister::read_move(&sight, "a,s").expect_err("an own ghost");
        assert!(error.contains("cannot go there"), "{error}");
        assert!(Geister::check_notation("north").is_err());
    }
}
