//! The record of a match and the official logs of its games.

use std::io::{self, Write as _};
use std::path::PathBuf;

use jiff::Zoned;
use tokio::join;

use crate::config::Gat;
use crate::referee::gat::GeisterResult;
use crate::table::disk::{FileStatus, disk};
use crate::table::files::{Lost, MatchFile, MatchRecord, disk_wait};
use games::GameName;
use games::geister::Rules as GeisterRules;
use record::files::named;
use record::official_log::{create_game_log, game_log};
use record::{Event, Header, Player};

/// Where the games of one match go, each when it is over.
#[derive(Debug)]
pub(super) struct GatFiles {
    /// Where the record goes, its header, and the number of the match.
    place: Option<PathBuf>,
    pub(super) header: Header,
    number: u64,
    /// `None` until the first game is over: only then the players have said their names.
    record: Option<MatchRecord>,
    /// The folder of the official logs, and their status.
    official_log: MatchFile<(PathBuf, FileStatus)>,
}

impl GatFiles {
    /// The files of match number `number` (from 1) that the settings ask for.
    pub(super) fn create(settings: &Gat, number: u64) -> GatFiles {
        let status = FileStatus::default();
        let folder = settings.official_log.clone();
        let official_log = folder.map(|folder| Ok((folder, status.clone())));
        GatFiles {
            place: settings.records.clone(),
            header: header(settings, number),
            number,
            record: None,
            official_log: MatchFile::new("official log", official_log, status),
        }
    }

    /// Writes a game that is over. Void games are in the record only: an official log does not say
    /// that a game did not count, and it would be there twice. Names go by player.
    pub(super) fn game(
        &mut self,
        names: &[String],
        began: &Zoned,
        result: &GeisterResult,
        events: &[Event],
    ) {
        let record = self.record(names);
        for event in events {
            record.event(event);
        }
        self.official_log.write(|(folder, status)| {
            if result.is_void() {
                return Ok(());
            }
            let log =
                game_log(events).ok_or_else(|| io::Error::other("the game has no beginning"))?;
            let (folder, began) = (folder.clone(), began.clone());
            let open = move || create_game_log(&folder, &began).map_err(|e| named(&folder, &e));
            let mut file = disk().create("official log", status, open);
            file.write_all(log.as_bytes())
        });
    }

    fn record(&mut self, names: &[String]) -> &mut MatchRecord {
        let GatFiles {
            place,
            header,
            number,
            record,
            ..
        } = self;
        record.get_or_insert_with(|| {
            for (player, name) in header.players.iter_mut().zip(names) {
                player.name.clone_from(name);
            }
            MatchRecord::create(place.as_deref(), *number, header)
        })
    }

    /// Writes the end of the match, and ends the files; gives which the disk does not have.
    pub(super) async fn close(mut self, names: &[String], result: &Event) -> Lost {
        self.record(names).event(result);
        let until = disk_wait();
        let record = async {
            match self.record {
                Some(record) => record.close(until).await,
                None => None,
            }
        };
        // Both have the same time.
        let (record, others) = join!(record, self.official_log.close(until));
        Lost { record, others }
    }
}

fn header(settings: &Gat, number: u64) -> Header {
    let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
    let id = format!("geister-{time}-{number}");
    let players = settings
        .names
        .clone()
        .map(|name| Player { name, client: None });
    let rules = GeisterRules {
        ply_limit: settings.ply_limit,
    };
    let mut header = Header::new(
        GameName::Geister,
        &id,
        "gat",
        players.to_vec(),
        settings.games,
    )
    .with_rules(&rules)
    .with_option("swap", settings.swap)
    .with_option("wait-ms", settings.wait_ms.to_vec())
    .with_option("ng-terminates", settings.ng_terminates)
    .with_option("strict", settings.strict)
    .with_option("tables", settings.tables);
    header.clocks.game_ms = Some(settings.budget_ms);
    header.clocks.move_ms = Some(settings.move_ms);
    header
}
