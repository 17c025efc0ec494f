//! The files of a match: the record, and a file of each game in the format of its field.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use games::Game;
use tokio::join;

use crate::config::Native;
use crate::table::disk::{FileStatus, disk};
use crate::table::files::{Lost, MatchFile, MatchRecord, disk_wait, new_file};
use record::{Clocks, Event, Header, Replay, What};

#[derive(Debug)]
pub struct NativeFiles<G: Game> {
    record: MatchRecord,
    game_files: MatchFile<GameFiles<G>>,
}

/// Writes a file for each game that is over.
#[derive(Debug)]
struct GameFiles<G: Game> {
    folder: PathBuf,
    rules: G::Rules,
    header: Header,
    status: FileStatus,
    game: Option<Replay<G>>,
}

/// The header of match number `number` (from 1).
pub(super) fn header<G: Game>(
    settings: &Native,
    rules: &G::Rules,
    number: u64,
    players: Vec<record::Player>,
) -> Header {
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    let id = format!("{}-{time}-{number}", G::NAME);
    let mut header = Header::new(G::NAME, &id, "native", players, settings.games)
        .with_rules(rules)
        .with_option("swap", settings.swap)
        .with_option("draw-seats", settings.draw_seats)
        .with_option("random-plies", settings.random_plies)
        .with_option("resume-ms", settings.resume_ms)
        .with_option("retries", settings.retries);
    if settings.draws {
        header = header.with_option("draws", true);
    }
    header.clocks = clocks(settings);
    header
}

pub(super) fn clocks(settings: &Native) -> Clocks {
    let some = |ms| (ms > 0).then_some(ms);
    Clocks {
        move_ms: Some(settings.move_ms),
        game_ms: some(settings.budget_ms),
        increment_ms: some(settings.increment_ms),
    }
}

impl<G: Game> NativeFiles<G> {
    /// Makes the files of match number `number` (from 1) that the settings ask for.
    pub(crate) fn create(
        settings: &Native,
        rules: &G::Rules,
        number: u64,
        header: Header,
    ) -> NativeFiles<G> {
        let record = MatchRecord::create(settings.records.as_deref(), number, &header);
        NativeFiles::with(record, settings.game_files.as_deref(), rules, header)
    }

    /// The record, and the other files in this folder, where they are wanted.
    pub fn with(
        record: MatchRecord,
        game_files: Option<&Path>,
        rules: &G::Rules,
        header: Header,
    ) -> NativeFiles<G> {
        let status = FileStatus::default();
        let game_files = game_files.map(|folder| GameFiles {
            folder: folder.to_owned(),
            rules: rules.clone(),
            header,
            status: status.clone(),
            game: None,
        });
        NativeFiles {
            record,
            game_files: MatchFile::new("file of the game", game_files.map(Ok), status),
        }
    }

    pub fn event(&mut self, event: &Event) {
        self.record.event(event);
        self.game_files
            .write(|game_files| game_files.event(&event.what));
    }

    /// Drops the game in play, which the next server continues.
    pub(crate) fn discard(&mut self) {
        self.record.discard();
    }

    /// Ends the files; gives which the disk does not have.
    pub(crate) async fn close(self) -> Lost {
        let until = disk_wait();
        // Both have the same time.
        let (record, others) = join!(self.record.close(until), self.game_files.close(until));
        Lost { record, others }
    }
}

impl<G: Game> GameFiles<G> {
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
        let text = game.sheet(&self.header);
        let stem = format!("{}-game-{}", self.header.id, game.number);
        let folder = self.folder.clone();
        let open = move || new_file(&folder, &stem, extension);
        let mut file = disk().create("file of the game", &self.status, open);
        file.write_all(text.as_bytes())
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
        assert!(new_file(&folder.path().join("game.x"), "game", "x").is_err());
    }
}
