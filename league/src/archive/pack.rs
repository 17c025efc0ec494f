//! The archive as a file: written, and read back into a folder.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::{Component, Path, PathBuf};

use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use program::Failure;
use record::files::{create_new, named};
use tar::{Archive, Builder, EntryType, Header};

use super::RECORDS;
use super::contents::{Disagreement, contents, sha256};
use crate::journal::GZIP;
use crate::settings::{MOST_ARCHIVED, MOST_ARCHIVED_FILES};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// How many files are in it.
    pub files: usize,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
}

/// Makes the archive of the league in a folder, in place of one that is there. The folder in it is called `name`. Where
/// `is_secret`, only its owner may read it.
pub fn pack(folder: &Path, name: &str, output: &Path, is_secret: bool) -> Result<Packed, Failure> {
    let contents = contents(folder)?;
    let mut new = output.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let write = || {
        match fs::remove_file(&new) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(named(&new, &e)),
            _ => {}
        }
        let file = create_new(&new)?;
        if is_secret {
            use std::os::unix::fs::PermissionsExt as _;
            file.set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        // No time and no system: the same league gives the same bytes.
        let gzip = GzBuilder::new()
            .mtime(0)
            .operating_system(UNKNOWN_SYSTEM)
            .write(BufWriter::new(file), Compression::default());
        let mut tar = Builder::new(gzip);
        for (path, source) in &contents {
            let (length, bytes) = source.open()?;
            let mut header = Header::new_ustar();
            header.set_entry_type(EntryType::Regular);
            header.set_size(length);
            header.set_mode(0o644);
            header.set_mtime(0);
            // A name that the header has no room for would be a member of its own, of any length.
            let path = format!("{name}/{path}");
            let named = header.set_path(&path);
            named.map_err(|e| io::Error::new(e.kind(), format!("{path}: {e}")))?;
            header.set_cksum();
            tar.append(&header, bytes)?;
        }
        let file = tar.into_inner()?.finish()?.into_inner();
        file.map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&new, output).map_err(|e| named(output, &e))
    };
    if let Err(e) = write() {
        // Half of an archive is of no use.
        let _ = fs::remove_file(&new);
        return Err(e.into());
    }
    Ok(Packed {
        files: contents.len(),
        sha256: sum_of(output)?,
    })
}

/// The system of a gzip file that names none (RFC 1952).
const UNKNOWN_SYSTEM: u8 = 255;

/// Bytes of the header of a member of a tar file.
const HEADER_LENGTH: u64 = 512;

pub(super) fn sum_of(path: &Path) -> io::Result<String> {
    let file = File::open(path).map_err(|e| named(path, &e))?;
    sha256(&mut BufReader::new(file))
}

/// Unpacks an archive into an empty folder; gives the SHA-256 of the archive.
pub fn unpack(archive: &Path, into: &Path) -> Result<String, Disagreement> {
    let name = archive.display().to_string();
    let unpack = || -> Result<(), String> {
        let file = File::open(archive).map_err(|e| e.to_string())?;
        let mut gzip = GzDecoder::new(BufReader::new(file));
        let mut tar = Archive::new(&mut gzip);
        let mut buffer = vec![0; 1 << 16];
        let (mut folder, mut bytes, mut files) = (None, 0, 0);
        // Raw: names that are members of their own are read whole into memory otherwise.
        for entry in tar.entries().map_err(damaged)?.raw(true) {
            let mut entry = entry.map_err(damaged)?;
            files += 1;
            if files > MOST_ARCHIVED_FILES {
                return Err(format!("it has more than {MOST_ARCHIVED_FILES} files"));
            }
            let path = entry.path().map_err(damaged)?.into_owned();
            let said = path.display().to_string();
            let Some((first, inner)) = inner(&path) else {
                return Err(format!("{said} is no file of an archive of a league"));
            };
            if entry.header().entry_type() != EntryType::Regular {
                return Err(format!("{said} is no plain file"));
            }
            if *folder.get_or_insert_with(|| first.clone()) != first {
                return Err(format!("{said} lies in another folder than the others"));
            }
            bytes += HEADER_LENGTH + entry.size();
            if bytes > MOST_ARCHIVED {
                return Err(format!("its files have more than {MOST_ARCHIVED} bytes"));
            }
            let here = |e: io::Error| format!("it cannot be unpacked here: {e}");
            let mut file = create_new(&into.join(inner)).map_err(here)?;
            loop {
                let read = entry.read(&mut buffer).map_err(damaged)?;
                if read == 0 {
                    break;
                }
                file.write_all(&buffer[..read]).map_err(here)?;
            }
        }
        // To the end, where the checksum of gzip is.
        let padding = io::copy(&mut gzip.by_ref().take(MOST_ARCHIVED), &mut io::sink());
        padding.map_err(damaged)?;
        let rest = gzip.into_inner().bytes().next();
        if rest.is_some() || folder.is_none() {
            return Err(damaged("it has no end where one should be"));
        }
        Ok(())
    };
    unpack().map_err(|reason| Disagreement::of(&name, reason))?;
    sum_of(archive).map_err(|e| Disagreement::of(&name, e))
}

fn damaged(reason: impl std::fmt::Display) -> String {
    format!("the archive is damaged, or none of a league: {reason}")
}

/// The folder of a path in an archive, and what is below it; `None` where it is no path of a file of a league.
fn inner(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut parts = path.components();
    let parts: Option<Vec<&Path>> = parts
        .by_ref()
        .map(|part| match part {
            Component::Normal(name) => Some(Path::new(name)),
            _ => None,
        })
        .collect();
    match parts?[..] {
        [folder, file] => Some((folder.to_owned(), file.to_owned())),
        [folder, records, file] if records == Path::new(RECORDS) => {
            Some((folder.to_owned(), records.join(file)))
        }
        _ => None,
    }
}

/// Whether a file is an archive, as far as its first bytes say.
pub fn is_archive(path: &Path) -> io::Result<bool> {
    let mut magic = [0; 2];
    let read = File::open(path)?.take(2).read(&mut magic)?;
    Ok(read == 2 && magic == GZIP)
}
