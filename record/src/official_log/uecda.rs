//! `logs/YYYYMMDDhhmmss.log`, `debug.dat` and `debug2.dat` of the official server of `UECda`.
//!
//! # Where the format is from
//! From what the server of the development kit of 2018 writes, line by line: the order and spelling of the lines
//! (`palyer_name` too), `palyer_cards` as dealt (before the exchange), `change_cards` NULL in a game without an exchange, two
//! blanks before the first play, `result` by place, `points` so far, the form of the two times, rows of `debug.dat` (points so
//! far) and `debug2.dat` (places).
//!
//! # Differences on purpose
//! A refused move is written as the pass that it counts as. The official server writes what was sent, as if it had been
//! played; so does this log of a match with `--compat official`. `RANDOM_SEED` is among the last lines, not the first, since
//! the reader of a running match's seed knows all hands to come. `RANDOM_KEY` is the key of the modern dealer.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use games::daihinmin::{Meld, SEATS, SessionRules};
use games::{DealKey, is_printable};
use jiff::{SignedDuration, Zoned};

use crate::{Event, Header, What};

/// The form of the times in the log.
const TIME: &str = "%Y/%m/%d %H:%M:%S";

/// Writes the official log.
#[derive(Debug)]
pub struct OfficialLog<W: Write> {
    out: W,
    game: Game,
    total: [u64; SEATS],
    began: Zoned,
    /// Whether refused moves are written as they were sent.
    writes_refused: bool,
}

#[derive(Debug, Default)]
struct Game {
    mibun: String,
    seat: String,
    cards: String,
    changes: String,
    plays: String,
    refused: String,
}

/// Makes the file for the log of a match in the folder `logs` below `directory`, which is made if it is not there. The file
/// is named by the time at which the match began; a second log of the same second gets `_2`.
///
/// # Errors
/// When the folder or the file cannot be made.
pub fn create_log(directory: &Path, header: &Header) -> io::Result<(File, PathBuf)> {
    let folder = directory.join("logs");
    fs::create_dir_all(&folder)?;
    let name = began(header).strftime("%Y%m%d%H%M%S");
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

/// When a match began; now where its header does not say.
fn began(header: &Header) -> Zoned {
    header.began().unwrap_or_else(Zoned::now)
}

impl<W: Write> OfficialLog<W> {
    /// Begins the log of the match with this header: writes the first lines. `port` is that of the server.
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
        let host = rustix::system::uname();
        writeln!(
            out,
            "%-----%hostname% {}",
            one_word(&host.nodename().to_string_lossy())
        )?;
        let began = began(header);
        writeln!(out, "%-----%TIME_START% {}", began.strftime(TIME))?;
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
        ] {
            writeln!(out, "%-----%{key}% {value}")?;
        }
        out.flush()?;
        Ok(OfficialLog {
            out,
            game: Game::default(),
            total: [0; SEATS],
            began,
            writes_refused: header.options["compat"] == "official",
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
            What::Refused { sent, .. } => game.refused.clone_from(sent),
            What::Move { player, mv, .. } => {
                let is_sent = self.writes_refused && event.what.refused().is_some();
                let played = if is_sent { &game.refused } else { mv };
                let _ = write!(game.plays, " {player}{}EE", play_form(played));
            }
            What::End {
                game: number,
                places,
                points,
                ..
            } => return self.end(*number, places, points),
            What::Result { seed, key, .. } => return self.result(*seed, *key, event.ms),
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
        let changes = Some(&game.changes[..]).filter(|changes| !changes.is_empty());
        writeln!(out, "%{n:05}%change_cards% {}", changes.unwrap_or("NULL"))?;
        writeln!(out, "%{n:05}%play% {}", game.plays)?;
        writeln!(out, "%{n:05}%result% {result}")?;
        for (total, points) in self.total.iter_mut().zip(points) {
            *total += *points as u64;
        }
        writeln!(out, "%{n:05}%points% {}", spaced(&self.total))?;
        out.flush()
    }

    fn result(&mut self, seed: Option<u64>, key: Option<DealKey>, ms: u64) -> io::Result<()> {
        let out = &mut self.out;
        let ended = i64::try_from(ms).ok();
        let ended =
            ended.and_then(|ms| self.began.checked_add(SignedDuration::from_millis(ms)).ok());
        let ended = ended.as_ref().unwrap_or(&self.began);
        writeln!(out, "%-----%TIME_END% {}", ended.strftime(TIME))?;
        writeln!(out, "%-----%TOTAL_POINT% {}", spaced(&self.total))?;
        if let Some(seed) = seed {
            writeln!(out, "%-----%RANDOM_SEED% {seed}")?;
        }
        if let Some(key) = key {
            writeln!(out, "%-----%RANDOM_KEY% {key}")?;
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
            if c.is_whitespace() || !is_printable(c) {
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

/// What was sent in the order of the table, row by row and column by column: the meld, or each cell that is not 0 of a table
/// that is none (`[0][1]=1 [2][1]=7`), as if it held a card.
fn play_form(sent: &str) -> String {
    match sent.parse::<Meld>() {
        Ok(meld) if meld.is_pass() => String::new(),
        Ok(meld) => meld.to_string(),
        Err(_) => sent.split(' ').filter_map(card_form).collect(),
    }
}

/// A cell as the official server writes it.
fn card_form(cell: &str) -> Option<String> {
    let (row, rest) = cell.strip_prefix('[')?.split_once("][")?;
    let (column, value) = rest.split_once("]=")?;
    let suits = if value == "2" { "KLMNJ" } else { "SHDCJ" };
    let letter = |letters: &str, at: &str| letters.chars().nth(at.parse().ok()?);
    let (suit, rank) = (letter(suits, row)?, letter("x3456789TJQKA2x", column)?);
    Some(format!("{suit}{rank}"))
}

/// `debug.dat` and `debug2.dat`.
#[derive(Debug)]
pub struct DebugDat<W: Write> {
    points: W,
    places: W,
    total: [u64; SEATS],
}

impl<W: Write> DebugDat<W> {
    /// Writes the points so far to `points`, the places to `places`, a row for each game.
    pub fn new(points: W, places: W) -> DebugDat<W> {
        DebugDat {
            points,
            places,
            total: [0; SEATS],
        }
    }

    /// Takes the next event of the record.
    ///
    /// # Errors
    /// Those of the writers.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let What::End { places, points, .. } = &event.what else {
            return Ok(());
        };
        if places.is_empty() {
            return Ok(());
        }
        for (total, points) in self.total.iter_mut().zip(points) {
            *total += *points as u64;
        }
        writeln!(self.points, "{}", spaced(&self.total))?;
        writeln!(self.places, "{}", spaced(places))?;
        self.points.flush()?;
        self.places.flush()
    }
}

fn spaced<T: ToString>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::GameName;
    use games::daihinmin::SessionRules;

    use crate::{EndKind, Event, Header, Player, What};

    fn events() -> Vec<Event> {
        let hands = ["S3D3", "H8", "D8", "C8J3", "SA"].map(str::to_owned);
        let begin = What::Begin {
            game: 1,
            seats: vec![2, 0, 1, 4, 3],
            ranks: Some(vec![1, 0, 2, 4, 3]),
            hands: hands.to_vec(),
            position: None,
        };
        let end = What::End {
            game: 1,
            places: vec![0, 2, 1, 4, 3],
            points: vec![5.0, 3.0, 4.0, 1.0, 2.0],
            game_points: Vec::new(),
            kinds: vec![EndKind::Normal; 5],
            rule: None,
        };
        let result = What::Result {
            games: 1,
            points: vec![5.0, 3.0, 4.0, 1.0, 2.0],
            kinds: vec![EndKind::Normal; 5],
            seed: Some(77),
            key: None,
            reason: None,
        };
        let gift = "SAC2".parse().unwrap();
        let refused = What::Refused {
            player: 1,
            sent: "H3".to_owned(),
            reason: "weak".to_owned(),
        };
        [
            begin,
            What::give(4, 3, gift),
            What::play(0, "D3"),
            refused,
            What::play(1, "pass"),
            What::play(3, "Kx"),
            What::play(2, "H8D8N8"),
            end,
            result,
        ]
        .map(|what| what.at(0))
        .to_vec()
    }

    #[test]
    fn the_log_has_the_official_lines() {
        let player = |name: &str| Player {
            name: name.to_owned(),
            client: None,
        };
        let players = ["a", "b c", "", "d", "e"].map(player).to_vec();
        let mut header = Header::new(GameName::Daihinmin, "m", "uecda", players, 1);
        header.started = "2026-11-22T03:24:36+09:00".to_owned();
        let mut out = Vec::new();
        let mut log = OfficialLog::new(&mut out, &SessionRules::default(), 42485, &header).unwrap();
        let events = events();
        let (result, game) = events.split_last().unwrap();
        let mut second: Vec<What> = game.iter().map(|event| event.what.clone()).collect();
        second.retain(|what| !matches!(what, What::Give { .. }));
        for what in &mut second {
            if let What::Begin { game, ranks, .. } = what {
                (*game, *ranks) = (2, None);
            }
            if let What::End { game, .. } = what {
                *game = 2;
            }
        }
        for event in game {
            log.event(event).unwrap();
        }
        for what in second {
            log.event(&what.at(0)).unwrap();
        }
        log.event(&result.what.clone().at(2500)).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("%-----%hostname% "), "{text}");
        assert_eq!(lines[1], "%-----%TIME_START% 2026/11/22 03:24:36");
        assert!(lines.contains(&"%-----%TIME_END% 2026/11/22 03:24:38"));
        assert_eq!(lines[2], "%-----%palyer_name% a b_c _ d e");
        assert!(lines.contains(&"%-----%RULE_SEKIGAE_NUM% 3"));
        let games: Vec<&str> = lines
            .iter()
            .filter(|l| l.starts_with("%0"))
            .copied()
            .collect();
        assert_eq!(
            games,
            [
                "%00000%mibun% 10243",
                "%00000%seat% 20143",
                "%00000%palyer_cards% S3D3 H8 D8 C8J3 SA ",
                "%00000%change_cards%  43SAC2EE",
                "%00000%play%  0D3EE 1EE 3KxEE 2H8D8N8EE",
                "%00000%result% 02143",
                "%00000%points% 5 3 4 1 2",
                "%00001%mibun% 22222",
                "%00001%seat% 20143",
                "%00001%palyer_cards% S3D3 H8 D8 C8J3 SA ",
                "%00001%change_cards% NULL",
                "%00001%play%  0D3EE 1EE 3KxEE 2H8D8N8EE",
                "%00001%result% 02143",
                "%00001%points% 10 6 8 2 4",
            ]
        );
        assert_eq!(
            lines[lines.len() - 2..],
            ["%-----%TOTAL_POINT% 10 6 8 2 4", "%-----%RANDOM_SEED% 77"]
        );
    }

    /// The line of plays of a game in which this was refused, then a pass and a card.
    fn plays(sent: &str, compat: &str) -> String {
        let header = Header::new(GameName::Daihinmin, "m", "uecda", Vec::new(), 1);
        let header = header.with_option("compat", compat);
        let mut out = Vec::new();
        let mut log = OfficialLog::new(&mut out, &SessionRules::default(), 42485, &header).unwrap();
        let refused = What::Refused {
            player: 4,
            sent: sent.to_owned(),
            reason: String::new(),
        };
        let mut pass = What::play(4, "pass");
        if let What::Move { fault, .. } = &mut pass {
            *fault = Some(EndKind::Illegal);
        }
        let end = events().into_iter().map(|event| event.what);
        let end = end.filter(|what| matches!(what, What::End { .. }));
        let game = [refused, pass, What::play(1, "pass"), What::play(2, "H9")];
        for what in game.into_iter().chain(end) {
            log.event(&what.at(0)).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let line = text.lines().find_map(|line| line.split_once("%play%  "));
        line.unwrap().1.to_owned()
    }

    #[test]
    fn a_refused_move_is_written_as_it_was_sent_if_asked_for() {
        assert_eq!(plays("H7", "safe"), "4EE 1EE 2H9EE");
        assert_eq!(plays("H7", "official"), "4H7EE 1EE 2H9EE");
        let cells = "[0][1]=1 [2][7]=2 [3][14]=-5 [4][3]=1 [4][13]=2";
        assert_eq!(plays(cells, "official"), "4S3M9CxJ5J2EE 1EE 2H9EE");
        assert_eq!(plays("", "official"), "4EE 1EE 2H9EE");
    }

    #[test]
    fn debug_files_have_a_row_for_each_game() {
        let (mut points, mut places) = (Vec::new(), Vec::new());
        let mut dat = DebugDat::new(&mut points, &mut places);
        for event in events().iter().chain(&events()) {
            dat.event(event).unwrap();
        }
        assert_eq!(points, b"5 3 4 1 2\n10 6 8 2 4\n");
        assert_eq!(places, b"0 2 1 4 3\n0 2 1 4 3\n");
    }

    #[test]
    fn the_folder_is_made_and_files_never_collide() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("new");
        let mut header = Header::new(GameName::Daihinmin, "m", "uecda", Vec::new(), 1);
        header.started = "2024-03-09T10:11:12+09:00".to_owned();
        let [(_, a), (_, b)] = [(), ()].map(|()| create_log(&folder, &header).unwrap());
        assert!(a.ends_with("20240309101112.log") && b.ends_with("20240309101112_2.log"));
        assert_ne!(a, b);
        assert!(a.starts_with(folder.join("logs")));
    }
}
