//! The record of a match, for every protocol.

use std::fs::File;
use std::io;
use std::path::Path;

use record::files::{create_record, keep, named, record_path};
use record::{Event, Header, RecordWriter};

/// The record of one match, if one is kept. A file that fails is given up with a line in the log;
/// the match goes on.
#[derive(Debug, Default)]
pub(crate) struct MatchRecord(Option<RecordWriter<File>>);

impl MatchRecord {
    /// Begins the record of match number `number` (from 1) in a folder, or in a file that ends in
    /// `.jsonl`; a name that is taken gets a number.
    ///
    /// # Errors
    /// When the file cannot be made, with its name.
    pub(crate) fn create(
        place: Option<&Path>,
        number: u64,
        header: &Header,
    ) -> io::Result<MatchRecord> {
        let path = place.map(|place| record_path(place, number, header));
        if let Some(path) = &path {
            log::info!("match {number}: record {}", path.display());
        }
        MatchRecord::at(path.as_deref(), header)
    }

    /// Begins the record in this file.
    ///
    /// # Errors
    /// When the file cannot be made, or is there already, with its name.
    pub(crate) fn at(path: Option<&Path>, header: &Header) -> io::Result<MatchRecord> {
        let create = |path: &Path| create_record(path, header).map_err(|e| named(path, &e));
        Ok(MatchRecord(path.map(create).transpose()?))
    }

    /// Writes an event.
    pub(crate) fn event(&mut self, event: &Event) {
        keep(&mut self.0, "record", |record| record.event(event));
    }
}
