//! The organiser of a league at its port of watchers: its token, and what it may do.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use games::is_printable;
use program::Failure;
use protocol::native::OrganiserRequest;
use serde_json::json;

use super::acts::{add, reason};
use super::events::tell;
use crate::journal::CommandAction;
use server::lobby::native::greeting::new_token;
use server::watch::Organiser;

/// Least and most characters of a token.
const TOKEN: std::ops::RangeInclusive<usize> = 8..=64;

/// The organiser with the token in this file, which is made if it is not there; its acts go to those beside the journal.
/// It may name entrants by their aliases, which its page shows.
pub(super) fn of(
    file: &Path,
    journal: &Path,
    aliases: Option<&BTreeMap<String, String>>,
) -> Result<Arc<Organiser>, Failure> {
    let failure = |reason: String| Failure::usage(format_args!("{}: {reason}", file.display()));
    let token = match fs::read_to_string(file) {
        Ok(text) => text.trim().to_owned(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let token = new_token();
            write(file, &token).map_err(|e| failure(e.to_string()))?;
            tell(&format!("the organiser's token is in {}", file.display()));
            token
        }
        Err(e) => return Err(failure(e.to_string())),
    };
    if !TOKEN.contains(&token.chars().count()) || !token.chars().all(is_printable) {
        let (least, most) = TOKEN.into_inner();
        let reason =
            format!("an organiser's token has {least} to {most} characters in a line of its own");
        return Err(failure(reason));
    }
    let journal: PathBuf = journal.to_owned();
    let aliases = aliases.cloned().unwrap_or_default();
    let names: BTreeMap<String, String> = aliases.into_iter().map(|(n, a)| (a, n)).collect();
    // One after the other: each is looked at after those before it.
    let turn = Mutex::new(());
    Ok(Arc::new(Organiser::new(token, move |act| {
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        perform(&journal, &named(act, &names))
    })))
}

/// Writes a token to a file that its owner alone may read.
fn write(file: &Path, token: &str) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(file)?
        .write_all(format!("{token}\n").as_bytes())
}

/// The same act, with the name of the entrant in place of its alias.
fn named(act: &OrganiserRequest, names: &BTreeMap<String, String>) -> OrganiserRequest {
    let name = |one: &String| names.get(one).unwrap_or(one).clone();
    OrganiserRequest {
        entrant: act.entrant.as_ref().map(name),
        ..act.clone()
    }
}

/// Does an act of an organiser; gives what is done.
fn perform(journal: &Path, act: &OrganiserRequest) -> Result<String, String> {
    let action = json!({"act": act.act, "key": act.key, "entrant": act.entrant});
    let action: CommandAction = serde_json::from_value(action).map_err(|_| {
        "an act is `pause`, `resume`, `replay` with the `key` of a game, or `disqualify` or `reinstate` with an `entrant`"
            .to_owned()
    })?;
    let why = reason(&act.reason)?;
    if why.is_empty() && !matches!(action, CommandAction::Pause | CommandAction::Resume) {
        return Err("say the reason: it stands in the journal and in the report".to_owned());
    }
    let act = add(journal, action, &why).map_err(|e| e.to_string())?;
    Ok(act.text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::{played, settings, text};
    use crate::journal::{ACTS, Entry, FILE_NAME};

    fn act(act: &str, of: Option<&str>, reason: &str) -> OrganiserRequest {
        let of = of.map(str::to_owned);
        let is_game = act == "replay";
        OrganiserRequest {
            act: act.to_owned(),
            key: of.clone().filter(|_| is_game),
            entrant: of.filter(|_| !is_game),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn acts_go_to_the_file_beside_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let settings = settings(&["ana", "bo", "cy", "di", "ed"], 2);
        let all: Vec<Entry> = played(&settings).into_iter().map(Entry::Played).collect();
        fs::write(&path, text(&settings, &all)).unwrap();
        let done = perform(&path, &act("replay", Some("0.1.1"), " a power cut "));
        let due = "game 0.1.1 is played again, its result is struck: a power cut";
        assert_eq!(done.as_deref(), Ok(due));
        assert!(perform(&path, &act("pause", None, "")).is_ok());
        for (wrong, due) in [
            (act("pause", None, ""), "paused already"),
            (act("disqualify", Some("cy"), " "), "say the reason"),
            (act("disqualify", Some("eve"), "x"), "no entrant is called"),
            (act("replay", Some("one"), "x"), "an act is"),
            (act("reinstate", None, "x"), "an act is"),
            (act("dance", None, "x"), "an act is"),
            (act("disqualify", Some("cy"), "a\nb"), "in one line"),
        ] {
            let said = perform(&path, &wrong).unwrap_err();
            assert!(said.contains(due), "{said}");
        }
        let acts = fs::read_to_string(folder.path().join(ACTS)).unwrap();
        assert_eq!(acts.lines().count(), 2, "{acts}");
    }

    #[test]
    fn an_entrant_is_known_by_its_alias_and_its_name() {
        let names = BTreeMap::from([("B".to_owned(), "ana".to_owned())]);
        for (given, due) in [("B", "ana"), ("ana", "ana"), ("A", "A")] {
            let told = named(&act("disqualify", Some(given), "x"), &names);
            assert_eq!(told, act("disqualify", Some(due), "x"));
        }
    }

    #[test]
    fn a_token_is_made_once_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("organiser.token");
        of(&file, folder.path(), None).unwrap();
        let made = fs::read_to_string(&file).unwrap();
        assert_eq!(made.trim().len(), 32);
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(
                fs::metadata(&file).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        of(&file, folder.path(), None).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), made);
        fs::write(&file, "short\n").unwrap();
        let error = of(&file, folder.path(), None).unwrap_err();
        assert!(
            error.code() == 2 && error.to_string().contains("8 to 64"),
            "{error}"
        );
    }
}
