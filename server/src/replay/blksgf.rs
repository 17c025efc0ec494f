//! `taikyoku replay FILE.blksgf`: the games of a file of Blokus, as Pentobi and `--sheet` write it.

use std::fmt::Write as _;
use std::io::{self, BufRead, Read as _, Write};
use std::path::Path;

use games::Printable;
use games::blokus::blksgf::{MainLine, SgfError, Tree};
use games::blokus::{Board, Colour, Piece, Scoring};
use record::{ReadError, open_file};

use super::ReplayArgs;
use super::steps::{Games, Place};
use program::Failure;

const MOST_BYTES: u64 = 64 << 20;

pub(super) struct Sheet(MainLine);

/// Reads a file of games of Blokus; `None` if it is none, which its first letter says.
pub(super) fn read(path: &Path) -> Result<Option<Vec<Sheet>>, ReadError> {
    let error = |line: usize, reason: String| ReadError {
        file: path.display().to_string(),
        line: line as u64,
        reason,
    };
    let failed = |e: io::Error| error(0, e.to_string());
    let mut file = open_file(path)?;
    // What is no file can be read only once.
    if !file.metadata().map_err(failed)?.is_file() {
        return Ok(None);
    }
    let mut bytes = vec![0; 64];
    let read = file.read(&mut bytes).map_err(failed)?;
    bytes.truncate(read);
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    if !text.trim_ascii_start().starts_with(b"(") {
        return Ok(None);
    }
    file.take(MOST_BYTES)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(error(
            0,
            format!("it is larger than {} MiB", MOST_BYTES >> 20),
        ));
    }
    let in_file = |e: SgfError| error(e.line, e.kind.to_string());
    let trees = Tree::read_all(&bytes).map_err(in_file)?;
    let lines = trees.into_iter().map(|tree| MainLine::of(tree).map(Sheet));
    Ok(Some(lines.collect::<Result<_, _>>().map_err(in_file)?))
}

/// Shows a file of games, as [`super::show`] does a record.
pub(super) fn show(
    sheets: &[Sheet],
    args: &ReplayArgs,
    step: bool,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let draw = |place: Place| -> Result<String, Failure> {
        Ok(sheets[place.game].text(place, sheets.len())?)
    };
    let length = |sheet: &Sheet| sheet.0.game().moves.len() + 1;
    let games = Games {
        lengths: (1..).zip(sheets.iter().map(length)).collect(),
        draw: &draw,
    };
    if args.check || args.json {
        let text =
            "--json and --check are for records only: reading a blksgf file checks its moves";
        return Err(Failure::usage(text));
    }
    if step && !args.all && !args.sheet {
        return games.step_through(args.game, input, out);
    }
    for game in games.wanted(args.game)? {
        let sheet = &sheets[game];
        if args.sheet {
            write!(out, "{}", sheet.0.tree())?;
            continue;
        }
        for position in 0..length(sheet) {
            let place = Place { game, position };
            writeln!(out, "{}", draw(place)?)?;
        }
    }
    Ok(())
}

impl Sheet {
    fn board(&self, place: Place) -> io::Result<Board> {
        let board = self.0.game().board_after(place.position);
        board.map_err(io::Error::other)
    }

    fn last(&self, place: Place) -> Option<(Colour, String)> {
        let at = place.position.checked_sub(1)?;
        let (colour, placement) = self.0.game().moves[at];
        Some((colour, placement.to_string()))
    }

    fn name(&self, colour: Colour) -> &str {
        &self.0.game().players[colour.index()]
    }

    fn text(&self, place: Place, games: usize) -> io::Result<String> {
        let board = self.board(place)?;
        let event = match self.last(place) {
            None => "begins".to_owned(),
            Some((colour, placement)) => {
                let name = self.name(colour);
                let player = if name.is_empty() { colour.name() } else { name };
                format!("{player} plays {placement}")
            }
        };
        let (game, ply) = (place.game + 1, place.position);
        let mut text = format!("game {game} of {games}, ply {ply}: {}\n", Printable(event));
        let node = self.0.tree().node(self.0.node(ply));
        for line in node.values("C").iter().flat_map(|comment| comment.lines()) {
            let _ = writeln!(text, "    \"{}\"", Printable(line));
        }
        if let variations @ 2.. = node.children().len() {
            let _ = writeln!(
                text,
                "    {variations} variations from here, of which the first follows"
            );
        }
        let player = |colour: Colour| Printable(self.name(colour)).to_string();
        let scores = board.scores(Scoring::Advanced);
        text += &blokus_text(&board, board.to_move(), scores, player);
        Ok(text)
    }
}

/// The colours with their scores and what there is to say about each, then the board and the pieces that are left.
fn blokus_text(
    board: &Board,
    mover: Option<Colour>,
    scores: [i16; Colour::ALL.len()],
    about: impl Fn(Colour) -> String,
) -> String {
    let mut text = String::new();
    for colour in Colour::ALL {
        let mark = if mover == Some(colour) { '>' } else { ' ' };
        let score = scores[colour.index()];
        let line = format!("{mark} {:<6} {score:>3}  {}", colour.name(), about(colour));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    for line in board.to_string().lines() {
        let _ = writeln!(text, "    {line}");
    }
    for colour in Colour::ALL {
        let left: Vec<&str> = board.pieces_left(colour).iter().map(Piece::name).collect();
        let _ = writeln!(text, "    {:<6} left: {}", colour.name(), left.join(" "));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::replay::show as show_file;

    const FILE: &str = "\u{feff}(;GM[Blokus]P1[Ann\u{1b}[2J]C[two\nlines];1[a20]C[good](;2[t20];3[t1])(;2[s20,t20]))\n\
        (;GM[Blokus];A1[a20]PL[3];3[t1])";

    fn shown(text: &str, more: &[&str], keys: Option<&str>) -> Result<String, String> {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            args: ReplayArgs,
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("g.blksgf");
        fs::write(&path, text).unwrap();
        let words = [&["x", path.to_str().unwrap()], more].concat();
        let Line { args } = <Line as clap::Parser>::try_parse_from(words).unwrap();
        let mut out = Vec::new();
        let mut keys_left = keys.unwrap_or_default().as_bytes();
        let done = show_file(&args, keys.is_some(), &mut keys_left, &mut out);
        done.map(|()| String::from_utf8(out).unwrap())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_file_of_games_is_shown() {
        let text = shown(FILE, &[], None).unwrap();
        for part in [
            "game 1 of 2, ply 0: begins\n    \"two\"\n    \"lines\"\n> blue ",
            "game 1 of 2, ply 1: Ann\\u001b[2J plays a20\n    \"good\"\n    2 variations from here",
            "game 1 of 2, ply 3: red plays t1\n",
            "game 2 of 2, ply 0: begins\n",
            "game 2 of 2, ply 1: red plays t1\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            !text.contains('\u{1b}') && text.matches("20  B").count() == 5,
            "{text}"
        );
        let second = shown(FILE, &["--game", "2"], None).unwrap();
        assert!(second.starts_with("game 2 of 2, ply 0") && text.ends_with(&second));
        let none = shown(FILE, &["--game", "3"], None).unwrap_err();
        assert!(none.contains("its last is 2"), "{none}");
        let stepped = shown(FILE, &[], Some("n\ng\nq\n")).unwrap();
        assert!(
            stepped.contains("ply 1: Ann") && stepped.contains("game 2 of 2, ply 0"),
            "{stepped}"
        );
    }

    #[test]
    fn the_sheets_of_a_file_are_written_and_mistakes_named() {
        for option in ["--json", "--check"] {
            let refused = shown(FILE, &[option], None).unwrap_err();
            assert!(refused.contains("for records only"), "{refused}");
        }
        let sheet = shown(FILE, &["--sheet"], None).unwrap();
        assert_eq!(
            Tree::read_all(sheet).unwrap(),
            Tree::read_all(FILE).unwrap()
        );
        for (text, reason) in [
            (
                "(;GM[Blokus];1[a20])\n(;GM[Go])",
                "g.blksgf:2: the game is `Go`",
            ),
            ("(;GM[Blokus]\n;1[b19])", "g.blksgf:2: blue cannot play b19"),
            ("(", "g.blksgf:1: the text ends"),
            ("{}", "no record header"),
        ] {
            let error = shown(text, &[], None).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
