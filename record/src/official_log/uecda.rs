//! `logs/YYYYMMDDhhmmss.log`.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use games::daihinmin::{Meld, SEATS, SessionRules};

use super::spaced;
use crate::{Event, Header, What};

/// Writes the official log.
#[derive(Debug)]
pub struct OfficialLog<W: Write> {
    out: W,
    game: Game,
    total: [u64; SEATS],
}

/// The lines of the game in play.
#[derive(Debug, Default)]
struct Game {
    mibun: String,
    seat: String,
    cards: String,
    changes: String,
    plays: String,
}

impl OfficialLog<BufWriter<File>> {
    /// Begins a log in the folder `logs` below `directory`, which is made if it is not there. The file is named by the time; a second log in the same second gets `_2`.
    /// Gives the file's path too.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub fn create(
        directory: &Path,
        rules: &SessionRules,
        port: u16,
        header: &Header,
    ) -> io::Result<(Self, PathBuf)> {
        let folder = directory.join("logs");
        fs::create_dir_all(&folder)?;
        let (file, path) = create_new(&folder, &now("%Y%m%d%H%M%S"))?;
        Ok((
            OfficialLog::new(BufWriter::new(file), rules, port, header)?,
            path,
        ))
    }
}

/// Makes a file that was not there.
fn create_new(folder: &Path, name: &str) -> io::Result<(File, PathBuf)> {
    let mut n = 1;
    loop {
        let file = match n {
            1 => format!("{name}.log"),
            n => format!("{name}_{n}.log"),
        };
        let path = folder.join(file);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => n += 1,
            other => return other.map(|file| (file, path)),
        }
    }
}

fn now(format: &str) -> String {
    jiff::Zoned::now().strftime(format).to_string()
}

impl<W: Write> OfficialLog<W> {
    /// Begins a log: writes the header lines.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        mut out: W,
        rules: &SessionRules,
        port: u16,
        header: &Header,
    ) -> io::Result<OfficialLog<W>> {
        let yes = |on: bool| if on { "YES" } else { "NO" }.to_owned();
        write!(out, "%-----%palyer_name%")?;
        for player in &header.players {
            write!(out, " {}", one_word(&player.name))?;
        }
        writeln!(out)?;
        let every = match rules.seat_change {
            0 => 3,
            n => n,
        };
        for (key, value) in [
            ("WINDOW_TYPE", "CONSOLE".to_owned()),
            ("GRAPH_WINDOW", yes(false)),
            ("RAND_TYPE", "1".to_owned()),
            ("RULE_KAKUMEI", yes(rules.game.revolution)),
            ("RULE_SHIBARI", yes(rules.game.lock)),
            ("RULE_KINSOKU", yes(false)),
            ("RULE_KAIDAN", yes(rules.game.sequences)),
            ("RULE_CHANGE", yes(rules.exchange)),
            ("RULE_5TOBI", yes(false)),
            ("RULE_6REVERS", yes(false)),
            ("RULE_8GIRI", yes(rules.game.eight_cut)),
            ("RULE_11BACK", yes(false)),
            ("RULE_SEKIGAE", yes(rules.seat_change > 0)),
            ("RULE_SEKIGAE_NUM", every.to_string()),
            ("GAME_NUMBER", header.games.to_string()),
            ("FLASH_MIBUN_NUMBER", rules.rank_reset.to_string()),
            ("GAME_PORT", port.to_string()),
            ("TIME_START", now("%Y-%m-%d %H:%M:%S")),
        ] {
            writeln!(out, "%-----%{key}% {value}")?;
        }
        out.flush()?;
        Ok(OfficialLog {
            out,
            game: Game::default(),
            total: [0; SEATS],
        })
    }

    /// Takes the next event of the record. A game is written when it ends; a void game is not.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let game = &mut self.game;
        match &event.what {
            What::Begin {
                seats,
                ranks,
                hands,
                ..
            } => {
                *game = Game {
                    mibun: ranks.as_ref().map_or("22222".to_owned(), |r| digits(r)),
                    seat: digits(seats),
                    cards: hands
                        .iter()
                        .fold(String::new(), |all, hand| all + hand + " "),
                    ..Game::default()
                };
            }
            What::Give {
                from, to, cards, ..
            } => {
                let _ = write!(game.changes, " {from}{to}{cards}EE");
            }
            What::Move { player, mv, .. } => {
                let _ = write!(game.plays, " {player}{}EE", play_form(mv));
            }
            What::End {
                game: number,
                places,
                points,
                ..
            } => return self.end(*number, places, points),
            What::Result { seed, .. } => return self.result(*seed),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, number: u32, places: &[u8], points: &[f64]) -> io::Result<()> {
        let game = std::mem::take(&mut self.game);
        if places.len() != SEATS {
            return Ok(());
        }
        let n = number.saturating_sub(1);
        let mut by_place: Vec<usize> = (0..SEATS).collect();
        by_place.sort_by_key(|&player| places[player]);
        let result: String = by_place.iter().map(ToString::to_string).collect();
        let out = &mut self.out;
        writeln!(out, "%{n:05}%mibun% {}", game.mibun)?;
        writeln!(out, "%{n:05}%seat% {}", game.seat)?;
        writeln!(out, "%{n:05}%palyer_cards% {}", game.cards)?;
        writeln!(out, "%{n:05}%change_cards% {}", game.changes)?;
        writeln!(out, "%{n:05}%play% {}", game.plays)?;
        writeln!(out, "%{n:05}%result% {result}")?;
        writeln!(out, "%{n:05}%points% {}", spaced(points))?;
        for (total, points) in self.total.iter_mut().zip(points) {
            *total += *points as u64;
        }
        out.flush()
    }

    fn result(&mut self, seed: Option<u64>) -> io::Result<()> {
        let out = &mut self.out;
        writeln!(out, "%-----%TIME_END% {}", now("%Y-%m-%d %H:%M:%S"))?;
        writeln!(out, "%-----%TOTAL_POINT% {}", spaced(&self.total))?;
        if let Some(seed) = seed {
            writeln!(out, "%-----%RANDOM_SEED% {seed}")?;
        }
        out.flush()
    }
}

fn digits(items: &[u8]) -> String {
    items.iter().map(ToString::to_string).collect()
}

/// A name as one word: scripts split the line at blanks.
fn one_word(name: &str) -> String {
    let word: String = name
        .chars()
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .collect();
    if word.is_empty() {
        "_".to_owned()
    } else {
        word
    }
}

/// A meld in the order of the table: row by row, column by column.
fn play_form(mv: &str) -> String {
    match mv.parse::<Meld>() {
        Ok(meld) if !meld.is_pass() => meld.to_string(),
        _ => String::new(),
    }
}
