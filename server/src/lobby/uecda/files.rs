//! The files of one match of `UECda`: the record, the official log, `debug.dat` and `debug2.dat`.

use std::fs::{self, File};
use std::io::{self, BufWriter};

use crate::config::Uecda;
use crate::table::files::{Lost, MatchFile, MatchRecord};
use record::files::named;
use record::official_log::{DebugDat, OfficialLog};
use record::{Event, Header};

/// Where the events of one match go.
#[derive(Debug)]
pub(crate) struct UecdaFiles {
    record: MatchRecord,
    official_log: MatchFile<OfficialLog<BufWriter<File>>>,
    debug_dat: MatchFile<DebugDat<BufWriter<File>>>,
}

impl UecdaFiles {
    /// Makes the files of match number `number` (from 1) that the settings ask for. From the
    /// second match on the official files go below `match-N`.
    pub(crate) fn create(settings: &Uecda, number: u64, header: &Header) -> UecdaFiles {
        let mut directory = settings.directory.clone();
        if number > 1 {
            directory.push(format!("match-{number}"));
        }
        let error = |e: io::Error| named(&directory, &e);
        let official_log = settings.official_log.then(|| {
            fs::create_dir_all(&directory).map_err(error)?;
            let log = OfficialLog::create(&directory, &settings.rules, settings.port, header);
            let (log, path) = log.map_err(error)?;
            log::info!("match {number}: log {}", path.display());
            Ok(log)
        });
        let debug_dat = settings.debug_dat.then(|| {
            fs::create_dir_all(&directory).map_err(error)?;
            DebugDat::create(&directory).map_err(error)
        });
        UecdaFiles {
            record: MatchRecord::create(settings.records.as_deref(), number, header),
            official_log: MatchFile::new("official log", official_log),
            debug_dat: MatchFile::new("debug.dat", debug_dat),
        }
    }

    /// Writes an event to all files.
    pub(crate) fn event(&mut self, event: &Event) {
        self.record.event(event);
        self.official_log.write(|log| log.event(event));
        self.debug_dat.write(|dat| dat.event(event));
    }

    /// Ends the files; gives which are lost.
    pub(crate) async fn close(self) -> Lost {
        Lost {
            record: self.record.close().await,
            others: self.official_log.is_lost() || self.debug_dat.is_lost(),
        }
    }
}
