//! The commands.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use client::native::picture;
use games::blokus::{Colour, Placement, Scoring, blksgf};

use super::arguments::{Arguments, placement, short};
use super::parameters::{param, param_base};
use super::position::Position;
use super::state::{Search, State};
use crate::whole_file;

const FILE_LIMIT: u64 = 1 << 20;

type Carry = fn(&mut State, &mut Arguments<'_>) -> Result<String, String>;

#[derive(Clone, Copy)]
pub(super) struct CommandEntry {
    pub(super) usage: &'static str,
    pub(super) carry_out: Carry,
}

const fn entry(usage: &'static str, carry_out: Carry) -> CommandEntry {
    CommandEntry { usage, carry_out }
}

impl CommandEntry {
    fn name(self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }
}

pub(super) fn find(name: &str) -> Option<CommandEntry> {
    ENTRIES.iter().copied().find(|entry| entry.name() == name)
}

const ENTRIES: &[CommandEntry] = &[
    entry("all_legal COLOUR", all_legal),
    entry("clear_board", |state, words| {
        words.end()?;
        state.begin(Position::default());
        Ok(String::new())
    }),
    entry("cputime", |_, words| {
        words.end()?;
        Ok(format!("{:.6}", cpu_time().as_secs_f64()))
    }),
    entry("final_score", |state, words| {
        words.end()?;
        let board = state.position.board();
        Ok(Colour::ALL
            .map(|colour| board.gtp_score(colour).to_string())
            .join(" "))
    }),
    entry("g", |state, words| {
        words.end()?;
        match state.position.board().to_move() {
            None => Ok("pass".to_owned()),
            Some(colour) => generate(state, colour, true),
        }
    }),
    entry("genmove COLOUR", |state, words| {
        let colour = words.colour()?;
        words.end()?;
        generate(state, colour, true)
    }),
    entry("get_place COLOUR", |state, words| {
        let colour = words.colour()?;
        words.end()?;
        let places = state.position.board().places(Scoring::Advanced);
        let place = places[colour.index()];
        let is_shared = places
            .iter()
            .filter(|other| **other == place)
            .nth(1)
            .is_some();
        let shared = if is_shared { " shared" } else { "" };
        Ok(format!("{}{shared}", place + 1))
    }),
    entry("get_value", |state, words| {
        words.end()?;
        let value = state.search.as_ref().and_then(Search::value);
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
    entry("move_values", |state, words| {
        words.end()?;
        let search = state.search.as_ref();
        let lines = search.and_then(Search::lines);
        Ok(lines.ok_or("no search was made")?)
    }),
    entry("name", |_, words| {
        words.end()?;
        Ok("Taikyoku".to_owned())
    }),
    entry("p MOVE", |state, words| {
        let colour = state.position.board().to_move();
        play(state, colour.ok_or("the game is over")?, words)
    }),
    entry("param [KEY VALUE]", param),
    entry("param_base [KEY VALUE]", |_, words| param_base(words)),
    entry("play COLOUR MOVE", |state, words| {
        let colour = words.colour()?;
        play(state, colour, words)
    }),
    entry("protocol_version", |_, words| {
        words.end()?;
        Ok("2".to_owned())
    }),
    entry("quit", |state, words| {
        words.end()?;
        state.quit = true;
        Ok(String::new())
    }),
    entry("reg_genmove COLOUR", |state, words| {
        let colour = words.colour()?;
        words.end()?;
        generate(state, colour, false)
    }),
    entry("savesgf FILE", |state, words| {
        let file = words.word()?;
        words.end()?;
        let text = state.position.to_tree().to_string();
        whole_file::save(Path::new(file), |out| out.write_all(text.as_bytes()))
            .map_err(|e| format!("{file}: {e}"))?;
        Ok(String::new())
    }),
    entry("set_game VARIANT", |state, words| {
        let variant = words.rest()?;
        if !variant.eq_ignore_ascii_case("blokus") {
            let variant = short(&variant);
            return Err(format!(
                "game variant `{variant}` is not supported, only `Blokus`"
            ));
        }
        state.begin(Position::default());
        Ok(String::new())
    }),
    entry("set_random_seed SEED", |state, words| {
        let seed = words.number()?;
        words.end()?;
        state.set_seed(seed).map_err(|e| e.to_string())?;
        Ok(String::new())
    }),
    entry("showboard", |state, words| {
        words.end()?;
        Ok(format!(
            "\n{}",
            with_signs(&picture(state.position.board()))
        ))
    }),
    entry("undo", |state, words| {
        words.end()?;
        if state.position.undo() {
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

/// Columns of a picture up to the end of the board: two digits, two blanks, twenty letters with blanks between them.
const BOARD_WIDTH: usize = 2 + 2 + 39;

/// The picture of a board with Pentobi's signs of the colours, which controllers look for.
fn with_signs(picture: &str) -> String {
    let mut column = 0;
    let sign = |letter: char| {
        column = if letter == '\n' { 0 } else { column + 1 };
        match letter {
            'B' if column <= BOARD_WIDTH => 'X',
            'Y' if column <= BOARD_WIDTH => 'O',
            'R' if column <= BOARD_WIDTH => '#',
            'G' if column <= BOARD_WIDTH => '@',
            letter => letter,
        }
    };
    picture.chars().map(sign).collect()
}

fn all_legal(state: &mut State, words: &mut Arguments<'_>) -> Result<String, String> {
    let colour = words.colour()?;
    words.end()?;
    let mut moves = Vec::new();
    state.position.board().legal_moves_of(colour, &mut moves);
    let lines: Vec<String> = moves.iter().map(Placement::to_string).collect();
    Ok(lines.join("\n"))
}

/// Plays a move in or out of turn. A pass, which need not be sent, changes nothing.
fn play(state: &mut State, colour: Colour, words: &mut Arguments<'_>) -> Result<String, String> {
    let mv = words.rest()?;
    if mv.eq_ignore_ascii_case("pass") {
        return if state.position.board().has_move(colour) {
            Err(format!("illegal move: {colour} has moves"))
        } else {
            Ok(String::new())
        };
    }
    let placement = placement(&mv)?;
    state
        .position
        .play(colour, placement)
        .map_err(|e| format!("illegal move: {e}"))?;
    Ok(String::new())
}

/// A move of the engine, which is played or only told.
fn generate(state: &mut State, colour: Colour, is_played: bool) -> Result<String, String> {
    let Some(placement) = state.move_of(colour) else {
        return Ok("pass".to_owned());
    };
    if is_played {
        let played = state.position.play(colour, placement);
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

/// Loads the main line of the first game of a file, or its moves before the one with a number, which counts from 1.
fn load(state: &mut State, words: &mut Arguments<'_>) -> Result<String, String> {
    let name = words.word()?;
    let number = match words.optional_word() {
        None => None,
        Some(number) => {
            let number = number.parse::<usize>().ok().filter(|n| *n > 0);
            Some(number.ok_or("the move number is a number from 1")?)
        }
    };
    words.end()?;
    let mut bytes = Vec::new();
    File::open(name)
        .and_then(|file| file.take(FILE_LIMIT + 1).read_to_end(&mut bytes))
        .map_err(|e| format!("{name}: {e}"))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(format!("{name}: larger than {FILE_LIMIT} bytes"));
    }
    let trees = blksgf::Tree::read_all(&bytes).map_err(|e| format!("{name}: {e}"))?;
    let first = trees.into_iter().next().unwrap_or_default();
    let line = blksgf::MainLine::of(first).map_err(|e| format!("{name}: {e}"))?;
    let all = line.game().moves.len();
    let moves = number.map_or(all, |number| number - 1);
    if moves > all {
        return Err(format!("{name}: the game has {all} moves"));
    }
    state.begin(Position::of_line(line, moves)?);
    Ok(String::new())
}

pub fn cpu_time() -> Duration {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
