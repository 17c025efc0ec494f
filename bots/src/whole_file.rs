//! Files that are there whole or not at all.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file beside the old one and puts it in its place, so that whatever fails leaves the old one as it was.
/// What is no plain file, such as `/dev/stdout`, is written to.
///
/// # Errors
/// When the folder cannot be written to, or is full.
pub fn save(path: &Path, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
    // A link stays one.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return write(&mut fs::File::create(path)?);
    }
    let mut file = beside(path)?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Finds out whether a file can be written in this place, before the work that it is for.
///
/// # Errors
/// When its folder cannot be written to, or it is itself a folder.
pub fn try_place(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    beside(path).map(drop)
}

/// A new file in the folder of another. It is gone with its handle.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut beside = tempfile::Builder::new();
    // Readable for others, as far as the process lets new files be.
    beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    beside.tempfile_in(folder)
}
