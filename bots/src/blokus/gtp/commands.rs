//! The commands.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use games::blokus::{Colour, Placement, Scoring, blksgf};

use super::arguments::{Arguments, placement, short};
use super::cpu_time::cpu_time;
use super::parameters::{param, param_base};
use super::position::Position;
use super::saving::save;
use super::search::move_of;
use super::session::Session;
use crate::blokus::picture;

/// Largest file that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;

type Carry = fn(&mut Session, &mut Arguments<'_>) -> Result<String, String>;

/// A command.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Name and arguments.
    pub(super) usage: &'static str,
    pub(super) carry_out: Carry,
}

const fn entry(usage: &'static str, carry_out: Carry) -> Entry {
    Entry { usage, carry_out }
}

impl Entry {
    fn name(self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

/// The command of a name.
pub(super) fn find(name: &str) -> Option<Entry> {
    ENTRIES.iter().copied().find(|entry| entry.name() == name)
}

/// All of them, by name.
const ENTRIES: &[Entry] = &[
    entry("all_legal COLOUR", all_legal),
    entry("clear_board", |session, words| {
        words.end()?;
        session.begin(Position::default());
        Ok(String::new())
    }),
    entry("cputime", |_, words| {
        words.end()?;
        Ok(format!("{:.6}", cpu_time().as_secs_f64()))
    }),
    entry("final_score", |session, words| {
        words.end()?;
        let board = session.position.board();
        Ok(Colour::ALL
            .map(|colour| board.gtp_score(colour).to_string())
            .join(" "))
    }),
    entry("g", |session, words| {
        words.end()?;
        match session.position.board().to_move() {
            None => Ok("pass".to_owned()),
            Some(colour) => generate(session, colour, true),
        }
    }),
    entry("genmove COLOUR", |session, words| {
        let colour = words.colour()?;
        words.end()?;
        generate(session, colour, true)
    }),
    entry("get_place COLOUR", |session, words| {
        let colour = words.colour()?;
        words.end()?;
        let places = session.position.board().places(Scoring::Advanced);
        let place = places[colour.index()];
        let is_shared = places
            .iter()
            .filter(|other| **other == place)
            .nth(1)
            .is_some();
        let shared = if is_shared { " shared" } else { "" };
        Ok(format!("{}{shared}", place + 1))
    }),
    entry("get_value", |session, words| {
        words.end()?;
        let value = session
            .search
            .as_ref()
            .and_then(super::search::Search::value);
        let value = value.ok_or("no search was made")?;
        Ok(format!("{value:.6}"))
    }),
    entry("known_command COMMAND", |_, words| {
        let name = words.word()?;
        words.end()?;
        Ok(find(name).is_some().to_string())
    }),
    entry("list_commands", |_, words| {
        words.end()?;
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name()).collect();
        Ok(names.join("\n"))
    }),
    entry("loadsgf FILE [MOVE_NUMBER]", load),
    entry("move_info MOVE", |_, words| {
        let placement = words.placement()?;
        Ok(describe(placement))
    }),
    entry("move_values", |session, words| {
        words.end()?;
        let search = session.search.as_ref();
        let lines = search.and_then(super::search::Search::lines);
        Ok(lines.ok_or("no search was made")?)
    }),
    entry("name", |_, words| {
        words.end()?;
        Ok("Taikyoku".to_owned())
    }),
    entry("p MOVE", |session, words| {
        let colour = session.position.board().to_move();
        play(session, colour.ok_or("the game is over")?, words)
    }),
    entry("param [KEY VALUE]", param),
    entry("param_base [KEY VALUE]", |_, words| param_base(words)),
    entry("play COLOUR MOVE", |session, words| {
        let colour = words.colour()?;
        play(session, colour, words)
    }),
    entry("protocol_version", |_, words| {
        words.end()?;
        Ok("2".to_owned())
    }),
    entry("quit", |session, words| {
        words.end()?;
        session.quit = true;
        Ok(String::new())
    }),
    entry("reg_genmove COLOUR", |session, words| {
        let colour = words.colour()?;
        words.end()?;
        generate(session, colour, false)
    }),
    entry("savesgf FILE", |session, words| {
        let file = words.word()?;
        words.end()?;
        let text = session.position.to_game().to_string();
        save(Path::new(file), &text).map_err(|e| format!("{}: {e}", short(file)))?;
        Ok(String::new())
    }),
    entry("set_game VARIANT", |session, words| {
        let variant = words.rest()?;
        if !variant.eq_ignore_ascii_case("blokus") {
            let variant = short(&variant);
            return Err(format!(
                "game variant `{variant}` is not supported, only `Blokus`"
            ));
        }
        session.begin(Position::default());
        Ok(String::new())
    }),
    entry("set_random_seed SEED", |session, words| {
        let seed = words.number()?;
        words.end()?;
        session.set_seed(seed).map_err(|e| e.to_string())?;
        Ok(String::new())
    }),
    entry("showboard", |session, words| {
        words.end()?;
        Ok(format!("\n{}", picture(session.position.board())))
    }),
    entry("undo", |session, words| {
        words.end()?;
        if session.position.undo() {
            Ok(String::new())
        } else {
            Err("cannot undo: no move was played".to_owned())
        }
    }),
    entry("version", |_, words| {
        words.end()?;
        Ok(env!("CARGO_PKG_VERSION").to_owned())
    }),
];

fn all_legal(session: &mut Session, words: &mut Arguments<'_>) -> Result<String, String> {
    let colour = words.colour()?;
    words.end()?;
    let mut moves = Vec::new();
    session.position.board().legal_moves_of(colour, &mut moves);
    let lines: Vec<String> = moves.iter().map(Placement::to_string).collect();
    Ok(lines.join("\n"))
}

/// Plays a move in or out of turn. A pass, which need not be sent, changes nothing.
fn play(
    session: &mut Session,
    colour: Colour,
    words: &mut Arguments<'_>,
) -> Result<String, String> {
    let mv = words.rest()?;
    if mv.eq_ignore_ascii_case("pass") {
        return if session.position.board().has_move(colour) {
            Err(format!("illegal move: {colour} has moves"))
        } else {
            Ok(String::new())
        };
    }
    let placement = placement(&mv)?;
    session
        .position
        .play(colour, placement)
        .map_err(|e| format!("illegal move: {e}"))?;
    Ok(String::new())
}

/// A move of the engine, which is played or only told.
fn generate(session: &mut Session, colour: Colour, is_played: bool) -> Result<String, String> {
    let Some(placement) = move_of(session, colour) else {
        return Ok("pass".to_owned());
    };
    if is_played {
        let played = session.position.play(colour, placement);
        played.map_err(|e| format!("the engine failed: {e}"))?;
    }
    Ok(placement.to_string())
}

/// What a move is, a word and its value each line.
fn describe(placement: Placement) -> String {
    let piece = placement.piece();
    format!(
        "move {placement}\nindex {}\npiece {piece}\nsize {}\norientation {}",
        placement.index(),
        placement.size(),
        placement.orientation().index(),
    )
}

/// Loads the main line of a record, or its moves before the one with a number, which counts from 1.
fn load(session: &mut Session, words: &mut Arguments<'_>) -> Result<String, String> {
    let file = words.word()?;
    let number = match words.optional_word() {
        None => None,
        Some(number) => {
            let number = number.parse::<usize>().ok().filter(|n| *n > 0);
            Some(number.ok_or("the move number is a number from 1")?)
        }
    };
    words.end()?;
    let name = short(file);
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes))
        .map_err(|e| format!("{name}: {e}"))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(format!("{name}: larger than {FILE_LIMIT} bytes"));
    }
    let tree = blksgf::Tree::from_bytes(&bytes).map_err(|e| format!("{name}: {e}"))?;
    let game =
        blksgf::Game::of_line(&tree, &tree.main_line()).map_err(|e| format!("{name}: {e}"))?;
    let moves = number.map_or(game.moves.len(), |number| number - 1);
    if moves > game.moves.len() {
        return Err(format!("{name}: the game has {} moves", game.moves.len()));
    }
    session.begin(Position::of_game(&game, moves)?);
    Ok(String::new())
}
