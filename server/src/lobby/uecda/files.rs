//! The files of one match of `UECda`: the record, the official log, `debug.dat` and `debug2.dat`.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::PathBuf;

use tokio::join;

use crate::config::Uecda;
use crate::table::disk::{DiskFile, FileStatus, disk};
use crate::table::files::{Lost, MatchFile, MatchRecord, disk_wait};
use record::files::named;
use record::official_log::{DebugDat, OfficialLog, create_log};
use record::{Event, Header};

#[derive(Debug)]
pub(crate) struct UecdaFiles {
    record: MatchRecord,
    official_log: MatchFile<OfficialLog<BufWriter<DiskFile>>>,
    debug_dat: MatchFile<DebugDat<BufWriter<DiskFile>>>,
}

impl UecdaFiles {
    /// Makes the files of match number `number` (from 1) that the settings ask for. From the
    /// second match on the official files go below `match-N`.
    pub(crate) fn create(settings: &Uecda, number: u64, header: &Header) -> UecdaFiles {
        let mut directory = settings.directory.clone();
        if number > 1 {
            directory.push(format!("match-{number}"));
        }
        let (log_status, dat_status) = (FileStatus::default(), FileStatus::default());
        let official_log = settings.official_log.then(|| {
            let (directory, match_header) = (directory.clone(), header.clone());
            let open = move || {
                let opened = create_log(&directory, &match_header);
                let opened = opened.map_err(|e| named(&directory, &e));
                opened.inspect(|(_, path)| log::info!("match {number}: log {}", path.display()))
            };
            let file = BufWriter::new(disk().create("official log", &log_status, open));
            OfficialLog::new(file, &settings.rules, settings.port, header)
        });
        let debug_dat = settings.debug_dat.then(|| {
            // Made anew, as the official server does.
            let file = |name: &str| {
                let (directory, path) = (directory.clone(), directory.join(name));
                let open = move || -> io::Result<(File, PathBuf)> {
                    let made = fs::create_dir_all(&directory).and_then(|()| File::create(&path));
                    let file = made.map_err(|e| named(&path, &e))?;
                    Ok((file, path.clone()))
                };
                BufWriter::new(disk().create("debug.dat", &dat_status, open))
            };
            Ok(DebugDat::new(file("debug.dat"), file("debug2.dat")))
        });
        UecdaFiles {
            record: MatchRecord::create(settings.records.as_deref(), number, header),
            official_log: MatchFile::new("official log", official_log, log_status),
            debug_dat: MatchFile::new("debug.dat", debug_dat, dat_status),
        }
    }

    pub(crate) fn event(&mut self, event: &Event) {
        self.record.event(event);
        self.official_log.write(|log| log.event(event));
        self.debug_dat.write(|dat| dat.event(event));
    }

    /// Drops the game in play, which the next server continues.
    pub(crate) fn discard(&mut self) {
        self.record.discard();
    }

    /// Ends the files; gives which the disk does not have.
    pub(crate) async fn close(self) -> Lost {
        let until = disk_wait();
        // All have the same time.
        let (record, official_log, debug_dat) = join!(
            self.record.close(until),
            self.official_log.close(until),
            self.debug_dat.close(until)
        );
        Lost {
            record,
            others: official_log.max(debug_dat),
        }
    }
}
