//! The record of a sitting.

use std::io;
use std::path::{Path, PathBuf};

use crate::table::files::MatchRecord;
use record::files::record_path;
use record::{Event, Header, What};

use super::Table;

/// The record of a sitting, if one is kept. It never has a seed: the deals of a sitting may be played again by
/// others. A file that fails is given up with a line in the log.
#[derive(Debug)]
pub(super) struct SittingRecord {
    record: MatchRecord,
}

impl SittingRecord {
    /// Begins the record.
    ///
    /// # Errors
    /// When the file cannot be made, with its name.
    pub(super) fn create(path: Option<&Path>, header: &Header) -> io::Result<SittingRecord> {
        let record = MatchRecord::at(path, header)?;
        Ok(SittingRecord { record })
    }

    /// Writes an event.
    pub(super) fn event(&mut self, event: &Event) {
        match &event.what {
            What::Result {
                games,
                points,
                kinds,
                seed: Some(_),
                reason,
            } => {
                let what = What::Result {
                    games: *games,
                    points: points.clone(),
                    kinds: kinds.clone(),
                    seed: None,
                    reason: reason.clone(),
                };
                self.record.event(&what.at(event.ms));
            }
            _ => self.record.event(event),
        }
    }
}

impl Table {
    /// Name of the sitting in its record: that of the file.
    pub(super) fn id(&self) -> String {
        let stem = self.sitting.record.as_deref().and_then(Path::file_stem);
        stem.map_or_else(
            || "sitting".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        )
    }

    /// The file of the record: one that is there already is kept.
    pub(super) fn record_path(&self, header: &Header) -> Option<PathBuf> {
        let place = self.sitting.record.as_deref()?;
        Some(record_path(place, 1, header))
    }
}
