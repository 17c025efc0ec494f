//! The files of one match of `UECda`: the record, the official log, `debug.dat` and `debug2.dat`.

use std::fs::{self, File};
use std::io::{self, BufWriter};

use crate::config::Uecda;
use crate::table::files::MatchRecord;
use record::files::{keep, named};
use record::official_log::{DebugDat, OfficialLog};
use record::{Event, Header};

/// Where the events of one match go. A file that fails is given up with a line in the log; the
/// match goes on.
#[derive(Debug, Default)]
pub(crate) struct UecdaFiles {
    record: MatchRecord,
    official_log: Option<OfficialLog<BufWriter<File>>>,
    debug_dat: Option<DebugDat<BufWriter<File>>>,
}

impl UecdaFiles {
    /// Makes the files of match number `number` (from 1) that the settings ask for. From the
    /// second match on the official files go below `match-N`.
    ///
    /// # Errors
    /// A file that cannot be made, with its name.
    pub(crate) fn create(settings: &Uecda, number: u64, header: &Header) -> io::Result<UecdaFiles> {
        let mut files = UecdaFiles {
            record: MatchRecord::create(settings.records.as_deref(), number, header)?,
            ..UecdaFiles::default()
        };
        if settings.official_log || settings.debug_dat {
            let mut directory = settings.directory.clone();
            if number > 1 {
                directory.push(format!("match-{number}"));
            }
            let error = |e: io::Error| named(&directory, &e);
            fs::create_dir_all(&directory).map_err(error)?;
            if settings.official_log {
                let (log, path) =
                    OfficialLog::create(&directory, &settings.rules, settings.port, header)
                        .map_err(error)?;
                log::info!("match {number}: log {}", path.display());
                files.official_log = Some(log);
            }
            if settings.debug_dat {
                files.debug_dat = Some(DebugDat::create(&directory).map_err(error)?);
            }
        }
        Ok(files)
    }

    /// Writes an event to all files.
    pub(crate) fn event(&mut self, event: &Event) {
        self.record.event(event);
        keep(&mut self.official_log, "official log", |log| {
            log.event(event)
        });
        keep(&mut self.debug_dat, "debug.dat", |dat| dat.event(event));
    }
}
