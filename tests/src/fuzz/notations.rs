//! Notations of all games: what is read and printed again is read as the same.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use games::blokus::{Cell, Colour, Piece, Placement as BlokusPlacement};
use games::daihinmin::{Cards, Meld};
use games::dobutsu::{Move as DobutsuMove, Position as DobutsuPosition};
use games::geister::{Direction, Move, Placement};
use games::score_four::{Peg, Position};
use games::{Blokus, Daihinmin, Dobutsu, Game, GameName, Geister, ScoreFour};

/// Every line is read as everything, and as moves of a game that is played on from its position.
pub(super) fn notation(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        same::<Cards>(line);
        same::<Meld>(line);
        same::<Direction>(line);
        same::<Move>(line);
        same::<Placement>(line);
        same::<Cell>(line);
        same::<Colour>(line);
        same::<Piece>(line);
        same::<BlokusPlacement>(line);
        same::<Peg>(line);
        same::<Position>(line);
        same::<DobutsuPosition>(line);
        same::<DobutsuMove>(line);
        let _ = DobutsuMove::read_animal_shogi(line);
        let _ = DobutsuPosition::START.read_csa(line);
        same::<GameName>(line);
        game::<Daihinmin>(line);
        game::<Geister>(line);
        game::<Blokus>(line);
        game::<ScoreFour>(line);
        game::<Dobutsu>(line);
    }
}

fn same<T: FromStr + Display + PartialEq + Debug>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        let printed = read.to_string();
        let again = printed.parse::<T>().ok();
        assert_eq!(again, Some(read), "`{text}` prints as `{printed}`");
    }
}

/// A line is a position and, behind ` | `, moves.
fn game<G: Game>(line: &str) {
    let (position, moves) = line.split_once(" | ").unwrap_or((line, ""));
    same::<G::Move>(position);
    let rules = G::Rules::default();
    let Ok(mut game) = G::read(&rules, position) else {
        return;
    };
    read_again(&game);
    for text in moves.split(' ') {
        same::<G::Move>(text);
        let before = game.clone();
        match game.play_text(text) {
            Ok(mv) => {
                assert!(before.legal_texts().contains(&mv.to_string()), "{mv}");
                read_again(&game);
            }
            Err(_) => assert_eq!(game, before, "a refused move changes nothing"),
        }
    }
    let _ = (game.outcome(), game.public_view());
}

fn read_again<G: Game>(game: &G) {
    let printed = game.position();
    let again = G::read(&G::Rules::default(), &printed);
    assert_eq!(again.as_ref(), Ok(game), "{printed}");
}
