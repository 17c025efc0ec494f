//! The entrants that are registered for a ladder, in a file of its folder to which lines are added.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use games::GameName;
use protocol::uecda::SERVER_NAME_LEN;
use record::files::named;
use serde::{Deserialize, Serialize};

use crate::settings::{Access, Entrant, Settings, Start, check_name};
use server::lobby::drawn_key;

/// Name of the file in the folder of a ladder. It has the tokens, so its owner alone reads it.
const FILE_NAME: &str = "entrants.jsonl";

/// Letters and digits that nobody takes for others.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Characters of a token, where the protocol takes so many.
const TOKEN: usize = 24;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    pub name: String,
    pub token: String,
    /// When, RFC 3339.
    pub since: String,
}

/// The file as far as it has been read.
#[derive(Debug)]
pub struct Roster {
    path: PathBuf,
    read: u64,
    /// Entrants whose names are known, first those of the ladder's settings.
    names: Vec<String>,
}

impl Roster {
    /// The roster of a folder, for a ladder with these settings; its file need not be there.
    pub fn of(folder: &Path, settings: &Settings) -> Roster {
        Roster {
            path: folder.join(FILE_NAME),
            read: 0,
            names: settings.names().into_iter().map(str::to_owned).collect(),
        }
    }

    /// The registrations that were added since the last call.
    ///
    /// # Errors
    /// A file that cannot be read, and a line that is none of a registration.
    pub fn added(&mut self) -> io::Result<Vec<Registration>> {
        let error = |e: io::Error| named(&self.path, &e);
        let mut file = match File::open(&self.path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => BufReader::new(file.map_err(error)?),
        };
        file.seek(SeekFrom::Start(self.read)).map_err(error)?;
        let (mut added, mut line) = (Vec::new(), String::new());
        // A line without an end is on its way.
        while file.read_line(&mut line).map_err(error)? > 0 && line.ends_with('\n') {
            self.read += line.len() as u64;
            let one: Registration = serde_json::from_str(&line).map_err(|e| error(e.into()))?;
            if !self.names.contains(&one.name) {
                self.names.push(one.name.clone());
                added.push(one);
            }
            line.clear();
        }
        Ok(added)
    }

    /// Registers an entrant of the game; gives it with its token.
    ///
    /// # Errors
    /// A name that is taken or none, and a file that cannot be written.
    pub fn register(
        folder: &Path,
        settings: &Settings,
        name: &str,
        now: String,
    ) -> io::Result<Registration> {
        let mut known = Roster::of(folder, settings);
        let path = known.path.clone();
        let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
        check_name(name).map_err(|rule| invalid(format!("`{name}`: {rule}")))?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(&path);
        let mut file = file.map_err(|e| named(&path, &e))?;
        // Until it is closed, so that no other takes the name.
        file.lock().map_err(|e| named(&path, &e))?;
        known.added()?;
        if known.names.iter().any(|known| known == name) {
            return Err(invalid(format!(
                "`{name}` is registered already: take another name, such as `{name}@v2` for a new version"
            )));
        }
        let one = Registration {
            name: name.to_owned(),
            token: new_token(settings.game()),
            since: now,
        };
        let line = serde_json::to_string(&one)? + "\n";
        // A full disk has cut a line short: what is left of it goes.
        let written = file
            .set_len(known.read)
            .and_then(|()| file.write_all(line.as_bytes()))
            .and_then(|()| file.sync_all());
        written.map_err(|e| named(&path, &e))?;
        Ok(one)
    }
}

impl Registration {
    /// The entrant, whose port is this one where it has one of its own.
    pub(super) fn entrant(self, game: GameName, port: u16) -> Entrant {
        Entrant {
            access: Access {
                port,
                // GAT has no place for it.
                token: (game != GameName::Geister).then_some(self.token),
                ..Access::default()
            },
            ..Entrant::new(self.name, Start::Remote)
        }
    }
}

/// Five random bits in each character: 120, in the name of `UECda` 45.
fn new_token(game: GameName) -> String {
    let length = match game {
        GameName::Daihinmin => SERVER_NAME_LEN,
        _ => TOKEN,
    };
    let digits = drawn_key().to_string().into_bytes();
    let letter = |two: &[u8]| {
        let byte = two.iter().fold(0, |byte, &digit| {
            byte * 16 + char::from(digit).to_digit(16).unwrap_or_default()
        });
        char::from(LETTERS[byte as usize % LETTERS.len()])
    };
    digits.chunks(2).map(letter).take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::settings;

    #[test]
    fn who_is_registered_is_known_to_all_that_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Roster::of(folder.path(), &settings());
        assert_eq!(one.added().unwrap(), []);
        let register =
            |name: &str| Roster::register(folder.path(), &settings(), name, "now".to_owned());
        let cy = register("cy").unwrap();
        assert_eq!(cy.token.len(), 24);
        for taken in ["cy", "ana", "", " x", "a\nb"] {
            let refused = register(taken).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{taken}");
        }
        let v2 = register("cy@v2").unwrap();
        assert_ne!(v2.token, cy.token);
        assert_eq!(one.added().unwrap(), [cy.clone(), v2.clone()]);
        assert_eq!(one.added().unwrap(), []);
        let all = Roster::of(folder.path(), &settings()).added().unwrap();
        assert_eq!(all, [cy, v2]);
        // A line that is not whole waits for its end.
        let path = folder.path().join(FILE_NAME);
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"{\"name\":").unwrap();
        assert_eq!(one.added().unwrap(), []);
        file.write_all(b"\"d\",\"token\":\"t\",\"since\":\"s\"}\n")
            .unwrap();
        assert_eq!(one.added().unwrap()[0].name, "d");
        // One that was cut short does not spoil the next.
        file.write_all(b"{\"name\":\"e").unwrap();
        register("f").unwrap();
        assert_eq!(one.added().unwrap()[0].name, "f");
    }

    #[test]
    fn a_token_fits_the_protocol() {
        for game in GameName::ALL {
            let one = Registration {
                name: "x".to_owned(),
                token: new_token(game),
                since: String::new(),
            };
            let entrant = one.entrant(game, 0);
            assert!(entrant.access.check(game).is_ok(), "{game}");
            assert_eq!(entrant.access.token.is_none(), game == GameName::Geister);
        }
    }
}
