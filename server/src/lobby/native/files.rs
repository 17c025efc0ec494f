//! The record of a match.

use std::fs::File;
use std::io;

use crate::config::Native;
use crate::files::{create_record, keep, named, record_path};
use crate::record::{Event, Header, Player, RecordWriter};
use crate::table_game::TableGame;

/// Where the events of one match go. A file that fails is given up with a line in the log; the
/// match goes on.
#[derive(Debug, Default)]
pub(super) struct Files {
    record: Option<RecordWriter<File>>,
}

impl Files {
    /// Makes the record of match number `number` (from 1), if the settings ask for it.
    ///
    /// # Errors
    /// A file that cannot be made, with its name.
    pub(super) fn create<G: TableGame>(
        settings: &Native,
        rules: &G::Rules,
        number: u64,
        players: Vec<Player>,
    ) -> io::Result<Files> {
        let Some(place) = &settings.records else {
            return Ok(Files::default());
        };
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
        let path = record_path(place, number, &header);
        let record = create_record(&path, &header).map_err(|e| named(&path, &e))?;
        log::info!("match {number}: record {}", path.display());
        Ok(Files {
            record: Some(record),
        })
    }

    /// Writes an event.
    pub(super) fn event(&mut self, event: &Event) {
        keep(&mut self.record, "record", |record| record.event(event));
    }
}
