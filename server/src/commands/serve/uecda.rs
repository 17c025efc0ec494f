//! `taikyoku serve daihinmin`, or `uecda`.

use std::mem::take;

use super::{Service, allow_connections, name_all, number_of_matches, serve, zero};
use crate::config::{self, Compat, Overrides, Uecda};
use crate::lobby::UecdaSeats;
use crate::table::Journal;
use games::daihinmin::DealerKind;
use program::Failure;

pub(super) const EXAMPLES: &str = "\
Examples:
  taikyoku serve uecda
      serves 1000-game matches on port 42485 for ever
  taikyoku serve uecda --port 42500 --games 100 --seed 7 --once --json
      plays one match; its result is the last line of the output
  taikyoku serve uecda --tndhms tndhms.cfg --compat official
      does what the official server does with this file, faults included
  taikyoku serve uecda --move-ms 1000 --game-ms 20000 --records records/
      gives each move a second and each player 20 s a game, and keeps a record

Each match is dealt from a key of its own, which is told when the match is over; taikyoku verify checks its record. --seed
is for tests: a player that knows the seed of one match knows the deals of all others. A player can compute the deals of
--dealer official from its first hand.

A player that leaves, is silent for too long, or is out of time in --timeouts games in a row passes from then on; the log
and the record say why.
Set RUST_LOG=debug for more of what happens.";

/// The settings: those of the file, if any, with the options laid over them.
fn settings(options: &Overrides<Uecda>) -> Result<Uecda, Failure> {
    let mut settings = options.over(Uecda::default());
    if let Some(path) = settings.config.clone().or(settings.tndhms.clone()) {
        let is_official = path.extension().is_none_or(|e| e != "toml");
        let (mut file, warnings) = config::read(&path)?;
        for warning in warnings {
            log::warn!("{warning}");
        }
        if is_official && settings.compat == Compat::Official {
            file.dealer = DealerKind::Official;
        }
        settings = options.over(file);
        if is_official && settings.dealer == DealerKind::Modern {
            log::warn!(
                "{}: the modern dealer deals, not MT, whose deals a player can compute from its first hand; --dealer official \
                 or --compat official takes it",
                path.display()
            );
        }
    }
    let s = &mut settings;
    name_all(&mut s.names, take(&mut s.given_names))?;
    let given = take(&mut s.given_rules);
    set(&mut s.rules.seat_change, given.seat_change);
    set(&mut s.rules.rank_reset, given.rank_reset);
    set(&mut s.rules.exchange, given.exchange);
    set(&mut s.rules.game.revolution, given.revolution);
    set(&mut s.rules.game.lock, given.lock);
    set(&mut s.rules.game.sequences, given.sequences);
    set(&mut s.rules.game.eight_cut, given.eight_cut);
    let (log, dat) = (s.log.take(), s.debug_dat_below.take());
    if log.is_some() && dat.is_some() && log != dat {
        let text = "--log and --debug-dat name two folders; the official files lie in one";
        return Err(Failure::usage(text));
    }
    s.official_log |= log.is_some();
    s.debug_dat |= dat.is_some();
    set(&mut s.directory, log.or(dat));
    if let Some(name) = settings.zero() {
        return Err(zero(name));
    }
    if settings.move_ms == Some(0) || settings.game_ms == Some(0) {
        let text = "a limit of 0 ms lets nobody move: leave the limit out to have none";
        return Err(Failure::usage(text));
    }
    Ok(settings)
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

pub(super) fn run(options: &Overrides<Uecda>) -> Result<bool, Failure> {
    let mut settings = settings(options)?;
    allow_connections(&mut settings.limits, settings.watch);
    let matches = number_of_matches(settings.matches, settings.once);
    let seed = settings.seed;
    if settings.dealer == DealerKind::Official {
        log::warn!(
            "the official dealer has seeds of 32 bits: a player can compute all deals of a match from its first hand"
        );
    }
    let has_official = settings.official_log || settings.debug_dat;
    let service = Service {
        matches,
        json: settings.json,
        is_one_task: matches == Some(1),
        watch: settings.watch,
        tls: None,
        records: settings.records.clone(),
        files: has_official.then(|| settings.directory.clone()),
    };
    let mut seats = UecdaSeats::new(settings, seed);
    seats.journal = Journal::of_environment()?;
    serve(service, seats)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Overrides<Uecda>,
    }

    #[test]
    fn an_official_file_has_the_official_dealer_only_where_it_is_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tndhms.cfg");
        // As an editor of Windows writes it.
        std::fs::write(&path, "\u{feff}GAME_NUMBER 7\r\nRAND_TYPE MT\r\n").expect("a file");
        let path = path.display().to_string();
        let read = |more: &[&str]| {
            let words = [&["uecda", "--tndhms", &path], more].concat();
            let line = Line::try_parse_from(words).expect("a line");
            let settings = settings(&line.options).expect("settings");
            (settings.games, settings.dealer)
        };
        assert_eq!(read(&[]), (7, DealerKind::Modern));
        for more in [["--dealer", "official"], ["--compat", "official"]] {
            assert_eq!(read(&more), (7, DealerKind::Official));
        }
        let modern = ["--compat", "official", "--dealer", "modern"];
        assert_eq!(read(&modern), (7, DealerKind::Modern));
        let text = "GAME_NUMBER 7\n".encode_utf16().flat_map(u16::to_le_bytes);
        for mark in [&[][..], &[0xFF, 0xFE]] {
            let bytes: Vec<u8> = mark.iter().copied().chain(text.clone()).collect();
            std::fs::write(&path, bytes).expect("a file");
            let line = Line::try_parse_from(["uecda", "--tndhms", &path]).expect("a line");
            let error = settings(&line.options).expect_err("no text").to_string();
            assert!(error.contains("UTF-16"), "{error}");
        }
    }
}
