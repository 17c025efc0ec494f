//! Pictures of the rules: positions that the page draws beside them, many of them those of the lessons.

use games::{Blokus, Daihinmin, Dobutsu, GameName, Geister, ScoreFour};
use record::Frame;

use crate::lessons::{LAST_PIECE, Taught, frame};

trait Pictured: Taught {
    /// The position of each, and moves from there; the last of them is marked.
    const PICTURES: &'static [(&'static str, &'static [&'static str])];
}

/// The pictures of a game, as the seat to move before the moves sees them.
pub(crate) fn all(game: GameName) -> Vec<Frame> {
    match game {
        GameName::Daihinmin => pictures::<Daihinmin>(),
        GameName::Geister => pictures::<Geister>(),
        GameName::Blokus => pictures::<Blokus>(),
        GameName::ScoreFour => pictures::<ScoreFour>(),
        GameName::Dobutsu => pictures::<Dobutsu>(),
    }
}

fn pictures<G: Pictured>() -> Vec<Frame> {
    let picture = |&(position, moves): &(&str, &[&str])| {
        let rules = G::Rules::default();
        let mut game = G::read(&rules, position).expect("pictures have positions");
        let mover = |game: &G| game.to_move().expect("a move is due in a picture");
        let viewer = mover(&game);
        let mut last = None;
        for text in moves {
            let (seat, before) = (mover(&game), game.clone());
            let mv = game.play_text(text).expect("pictures have legal moves");
            last = Some((seat, before.shown(mv, viewer)));
        }
        frame(&game, viewer, last)
    };
    G::PICTURES.iter().map(picture).collect()
}

impl Pictured for Dobutsu {
    const PICTURES: &'static [(&'static str, &'static [&'static str])] = &[
        ("", &[]),
        (Self::LESSONS[0].1, &["2c2b"]),
        (Self::LESSONS[1].1, &["2c2b"]),
        (Self::LESSONS[2].1, &["2c2b", "3a3b"]),
    ];
}

impl Pictured for ScoreFour {
    const PICTURES: &'static [(&'static str, &'static [&'static str])] = &[
        ("b2c3", &["b2"]),
        (Self::LESSONS[0].1, &["d1"]),
        ("a1b1a1c2a1d3", &["a1"]),
        (Self::LESSONS[1].1, &["d4", "d2"]),
    ];
}

impl Pictured for Blokus {
    const PICTURES: &'static [(&'static str, &'static [&'static str])] = &[
        ("", &["b17,a18,b18,a19,a20"]),
        ("b17,a18,b18,a19,a20;t20;t1;a1", &["c15,d15,c16,d16,d17"]),
        (LAST_PIECE, &[]),
    ];
}

impl Pictured for Geister {
    const PICTURES: &'static [(&'static str, &'static [&'static str])] = &[
        ("", &["EFGH", "EFGH"]),
        (Self::LESSONS[0].1, &["B,N"]),
        (Self::LESSONS[1].1, &["A,W"]),
        (Self::LESSONS[2].1, &[]),
    ];
}

impl Pictured for Daihinmin {
    const PICTURES: &'static [(&'static str, &'static [&'static str])] = &[
        (Self::LESSONS[0].1, &["S4S5S6"]),
        (Self::LESSONS[1].1, &[]),
        (Self::LESSONS[2].1, &["S8"]),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_has_pictures_of_positions_that_its_rules_allow() {
        for game in GameName::ALL {
            let frames = all(game);
            // The page has a caption for each.
            let due = match game {
                GameName::Blokus | GameName::Daihinmin => 3,
                _ => 4,
            };
            assert_eq!(frames.len(), due, "{game}");
            assert!(frames.iter().all(|frame| frame.views.len() == 1), "{game}");
        }
        // What the captions say of the last pictures.
        let last = |game| all(game).pop().expect("a picture");
        assert_eq!(last(GameName::ScoreFour).to_move, None, "light has won");
        assert_eq!(last(GameName::Dobutsu).to_move, None, "the lion is taken");
    }
}
