//! The files of a match: the record, and a file of each game in the format of its field.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use games::{Game, Player, Sheet};

use crate::config::Native;
use crate::table::files::{Lost, MatchFile, MatchRecord};
use record::files::named;
use record::{EndKind, Event, Header, Replay, What};

/// Where the events of one match go.
#[derive(Debug)]
pub(crate) struct Files<G: Game> {
    record: MatchRecord,
    sheets: MatchFile<Sheets<G>>,
}

/// Writes a file for each game that is over.
#[derive(Debug)]
struct Sheets<G: Game> {
    folder: PathBuf,
    rules: G::Rules,
    header: Header,
    /// The game in play.
    game: Option<Replay<G>>,
}

impl<G: Game> Files<G> {
    /// Makes the files of match number `number` (from 1) that the settings ask for.
    pub(crate) fn create(
        settings: &Native,
        rules: &G::Rules,
        number: u64,
        players: Vec<record::Player>,
    ) -> Files<G> {
        let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
        let id = format!("{}-{time}-{number}", G::NAME);
        let mut header = Header::new(G::NAME, &id, "native", players, settings.games)
            .with_rules(rules)
            .with_option("swap", settings.swap)
            .with_option("draw-seats", settings.draw_seats)
            .with_option("random-plies", settings.random_plies)
            .with_option("resume-ms", settings.resume_ms)
            .with_option("retries", settings.retries);
        header.clocks.game_ms = (settings.budget_ms > 0).then_some(settings.budget_ms);
        header.clocks.increment_ms = (settings.increment_ms > 0).then_some(settings.increment_ms);
        header.clocks.move_ms = Some(settings.move_ms);
        let record = MatchRecord::create(settings.records.as_deref(), number, &header);
        Files::of(
            record,
            Sheets::within(settings.sheets.as_deref(), rules, header),
        )
    }

    /// Makes the folder of the other files, where they are wanted.
    ///
    /// # Errors
    /// When it cannot be made, with its name.
    pub(crate) fn with(
        record: MatchRecord,
        sheets: Option<&Path>,
        rules: &G::Rules,
        header: Header,
    ) -> io::Result<Files<G>> {
        let sheets = Sheets::within(sheets, rules, header).transpose()?;
        Ok(Files::of(record, sheets.map(Ok)))
    }

    fn of(record: MatchRecord, sheets: Option<io::Result<Sheets<G>>>) -> Files<G> {
        Files {
            record,
            sheets: MatchFile::new("file of the game", sheets),
        }
    }

    /// Writes an event.
    pub(crate) fn event(&mut self, event: &Event) {
        self.record.event(event);
        self.sheets.write(|sheets| sheets.event(&event.what));
    }

    /// Ends the files; gives which are lost.
    pub(crate) async fn close(self) -> Lost {
        Lost {
            record: self.record.close().await,
            others: self.sheets.is_lost(),
        }
    }
}

impl<G: Game> Sheets<G> {
    /// Makes the folder of the files, where they are wanted.
    fn within(folder: Option<&Path>, rules: &G::Rules, header: Header) -> Option<io::Result<Self>> {
        let folder = folder?;
        let made = fs::create_dir_all(folder).map_err(|e| named(folder, &e));
        Some(made.map(|()| Sheets {
            folder: folder.to_owned(),
            rules: rules.clone(),
            header,
            game: None,
        }))
    }

    fn event(&mut self, what: &What) -> io::Result<()> {
        let Some(game) = &mut self.game else {
            let begun = Replay::begin(what, &self.rules);
            self.game = begun.map_err(io::Error::other)?;
            return Ok(());
        };
        game.apply(what).map_err(io::Error::other)?;
        if let (What::End { places, .. }, Some(game)) = (what, self.game.take_if(|game| game.ended))
            && !places.is_empty()
        {
            self.write(&game)?;
        }
        Ok(())
    }

    /// Writes the file of a game that is over, never over one that is there already.
    fn write(&self, game: &Replay<G>) -> io::Result<()> {
        let Some(extension) = G::SHEET else {
            return Ok(());
        };
        let players = &self.header.players;
        let name = |&player: &Player| players.get(player.index()).map_or("", |p| &p.name[..]);
        let names: Vec<&str> = game.seating.players().iter().map(name).collect();
        let fault = |&player: &Player| match game.kinds[player] {
            EndKind::Normal => None,
            kind => Some(kind.as_str()),
        };
        let faults: Vec<Option<&str>> = game.seating.players().iter().map(fault).collect();
        let about = Sheet {
            names: &names,
            event: &self.header.id,
            game: game.number,
            date: self.header.started.get(..10).unwrap_or_default(),
            faults: &faults,
        };
        let text = game.game.sheet(&about);
        let stem = format!("{}-game-{}", self.header.id, game.number);
        let (mut file, path) = new_file(&self.folder, &stem, extension)?;
        file.write_all(text.as_bytes())
            .map_err(|e| named(&path, &e))
    }
}

/// Makes a file; a number is put behind a name that is taken.
fn new_file(folder: &Path, stem: &str, extension: &str) -> io::Result<(File, PathBuf)> {
    let mut number = 1;
    loop {
        let path = folder.join(match number {
            1 => format!("{stem}.{extension}"),
            _ => format!("{stem}-{number}.{extension}"),
        });
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(named(&path, &e)),
            Ok(file) => return Ok((file, path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let next = || {
            let (_, path) = new_file(folder.path(), "game", "x").unwrap();
            path.file_name().unwrap().to_string_lossy().into_owned()
        };
        assert_eq!([next(), next(), next()], ["game.x", "game-2.x", "game-3.x"]);
        assert!(new_file(&folder.path().join("none"), "game", "x").is_err());
    }
}
