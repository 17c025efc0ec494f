//! Games of Blokus as blksgf.

use games::blokus::blksgf::{self, MainLine, SgfError, Tree};
use games::blokus::{Colour, Rules, Scoring};
use games::{Blokus, GameName};

use super::draft::{Draft, check_count, header};
use super::{Format, Imported, Wrong};
use crate::{EndKind, What};

/// The main lines of all games of a text.
pub(super) fn import(text: &str) -> Result<Imported, Wrong> {
    let in_text = |e: SgfError| (e.line as u64, e.kind.to_string());
    let trees = Tree::read_all(text).map_err(in_text)?;
    let has_variations = trees.iter().any(|tree| {
        let mut nodes = tree.nodes();
        nodes.any(|id| tree.node(id).children().len() > 1)
    });
    check_count(trees.len()).map_err(|reason| (0, reason))?;
    let mut draft: Option<(Draft<Blokus>, Vec<String>)> = None;
    for (number, tree) in (1..).zip(trees) {
        let line = MainLine::of(tree).map_err(in_text)?;
        let (draft, names) = draft.get_or_insert_with(|| begin(line.game()));
        let wrong = |reason| (0, format!("game {number}: {reason}"));
        play(draft, line.game(), names).map_err(wrong)?;
    }
    let (draft, _) = draft.ok_or_else(|| (0, "there is no game in it".to_owned()))?;
    draft.close(Format::Blksgf, has_variations)
}

/// The record that the first game begins, and its players.
fn begin(first: &blksgf::Game) -> (Draft<Blokus>, Vec<String>) {
    let counts_squares = first.comment.starts_with("Squares:");
    let scoring = if counts_squares {
        Scoring::Squares
    } else {
        Scoring::Advanced
    };
    let about = |name| info(first, name).unwrap_or_default();
    let header = header(GameName::Blokus, about("EV"), &first.players, about("DT"));
    let draft = Draft::new(header.with_rules(&Rules { scoring }));
    (draft, first.players.to_vec())
}

/// A property of the root.
fn info<'a>(game: &'a blksgf::Game, name: &str) -> Option<&'a str> {
    let mut info = game.info.iter();
    info.find_map(|(of, value)| (of == name).then_some(&value[..]))
}

fn play(draft: &mut Draft<Blokus>, game: &blksgf::Game, names: &[String]) -> Result<(), String> {
    if !game.setup.is_empty() {
        return Err(
            "it begins from pieces that are set up, which no record of Blokus can tell".to_owned(),
        );
    }
    let seats = seats(names, &game.players)?;
    let player = |colour: Colour| seats[colour.index()];
    let told = info(game, "RO").and_then(|number| number.parse().ok());
    draft.begin(What::Begin {
        game: draft.next_number(told),
        seats: seats.clone(),
        ranks: None,
        hands: Vec::new(),
        position: None,
    })?;
    for (at, &(colour, placement)) in game.moves.iter().enumerate() {
        // A colour that is passed over though it has moves has left the game.
        while let Some(due) = draft
            .game()
            .mover()
            .filter(|due| due.number() != player(colour))
        {
            let comes_back = |&(of, _): &(Colour, _)| player(of) == due.number();
            if game.moves[at..].iter().any(comes_back) {
                return Err(format!(
                    "move {}: {colour} plays {placement} out of turn",
                    at + 1
                ));
            }
            let left = Colour::ALL
                .into_iter()
                .find(|of| player(*of) == due.number());
            let kind = left.and_then(|of| fault(&game.comment, of));
            draft.forfeit(due.number(), kind.unwrap_or(EndKind::Resign))?;
        }
        let played = draft.take(What::play(player(colour), placement));
        played.map_err(|reason| format!("move {}: {reason}", at + 1))?;
    }
    for colour in Colour::ALL {
        let replay = draft.game();
        let is_out = replay.game.is_withdrawn(colour) || replay.outcome().is_some();
        if let Some(kind) = fault(&game.comment, colour).filter(|_| !is_out) {
            draft.forfeit(player(colour), kind)?;
        }
    }
    draft.end();
    Ok(())
}

/// The player in each seat: players of the same names are the same.
fn seats(names: &[String], here: &[String]) -> Result<Vec<u8>, String> {
    if names == here {
        return Ok((0..names.len() as u8).collect());
    }
    let number = |name: &String| names.iter().position(|one| one == name);
    let seats: Option<Vec<u8>> = here.iter().map(|name| Some(number(name)? as u8)).collect();
    // Two players of a name cannot be told apart: the replay refuses their seats.
    seats.ok_or_else(|| "it is of other players than the first game".to_owned())
}

/// The fault of a colour that the comment of a sheet tells, as `blue forfeits: timeout`.
fn fault(comment: &str, colour: Colour) -> Option<EndKind> {
    let start = format!("{colour} forfeits: ");
    let kind = comment.lines().find_map(|line| line.strip_prefix(&start))?;
    serde_json::from_value(kind.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::import;
    use super::super::testing::{played, player_at, sheets};
    use games::{Blokus, Game, Seat};

    use super::*;

    /// A game of the first legal moves; yellow leaves it before its third.
    fn sheet_of(yellow_leaves: bool) -> String {
        let yellow = player_at::<Blokus>(Seat::new(1)).number();
        let begun = played::<Blokus>(&Rules::default(), None, |game| {
            let is_due = !game.is_withdrawn(Colour::ALL[1]) && Game::ply(game) == 9;
            (yellow_leaves && is_due).then_some((yellow, EndKind::Timeout))
        });
        sheets::<Blokus>(&begun)
    }

    #[test]
    fn a_game_sheet_is_read_as_it_is_written() {
        for leaves in [false, true] {
            let sheet = sheet_of(leaves);
            assert_eq!(
                sheet.contains("yellow forfeits: timeout"),
                leaves,
                "{sheet}"
            );
            let made = import(sheet.as_bytes()).unwrap();
            assert_eq!(
                (made.format, made.games, made.is_unfinished),
                (Format::Blksgf, 1, false)
            );
            assert_eq!(sheets::<Blokus>(&made.bytes), sheet);
        }
    }

    #[test]
    fn several_games_are_those_of_one_match_and_variations_are_left_out() {
        let text = "(;GM[Blokus]P1[a]P2[b]P3[c]P4[d];1[a20](;2[t20];3[t1])(;2[s20,t20]))\
                    (;GM[Blokus]P1[d]P2[a]P3[b]P4[c];1[a20])";
        let made = import(text.as_bytes()).unwrap();
        assert_eq!(
            (made.games, made.is_unfinished, made.has_variations),
            (2, true, true)
        );
        let record = String::from_utf8(made.bytes).unwrap();
        assert!(record.contains(r#""seats":[3,0,1,2]"#), "{record}");
        assert!(
            record.contains(r#""kinds":["void","void","void","void"]"#),
            "{record}"
        );
    }

    #[test]
    fn what_is_no_game_of_four_is_refused_with_its_place() {
        for (text, line, reason) in [
            ("(;GM[Blokus]\n;1[b19])", 2, "blue cannot play b19"),
            ("(;GM[Blokus]\n;1[a20]\n;2[t2", 3, "the text ends"),
            ("(;GM[Blokus Duo])", 1, "not `Blokus` for four players"),
            ("(;GM[Blokus]A1[a20]PL[2])", 0, "set up"),
            (
                "(;GM[Blokus];1[a20];3[t1];2[t20])",
                0,
                "move 2: red plays t1 out of turn",
            ),
            (
                "(;GM[Blokus]P1[a];1[a20])(;GM[Blokus]P1[b])",
                0,
                "game 2: it is of other players",
            ),
        ] {
            let wrong = import(text.as_bytes()).unwrap_err();
            assert_eq!(wrong.line, line, "{wrong}");
            assert!(wrong.reason.contains(reason), "{wrong}");
        }
    }
}
