//! Files that are whole at any time.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file beside the old one and puts it in its place, so that whatever fails leaves the old one as it was.
/// What is no plain file, such as `/dev/stdout`, is written to.
///
/// # Errors
/// When the folder cannot be written to, or is full.
pub(super) fn save(path: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(path, text);
    }
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create_new(&beside).and_then(|mut file| {
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    if let Err(e) = &written
        && e.kind() != io::ErrorKind::AlreadyExists
    {
        // It may not have been made.
        let _ = fs::remove_file(&beside);
    }
    written
}
