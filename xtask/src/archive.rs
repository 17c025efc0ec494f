//! The archive: files by their names in it, packed the same way each time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// What goes into an archive. Equal contents give equal archives, in whatever order they came.
#[derive(Default)]
pub(crate) struct Archive {
    files: BTreeMap<String, File>,
}

struct File {
    bytes: Vec<u8>,
    is_program: bool,
}

impl Archive {
    /// Adds a file under a name with slashes.
    pub(crate) fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.put(name.into(), bytes, false);
    }

    pub(crate) fn add_program(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.put(name.into(), bytes, true);
    }

    fn put(&mut self, name: String, bytes: Vec<u8>, is_program: bool) {
        self.files.insert(name, File { bytes, is_program });
    }

    /// Packs everything below one folder; all files have the time in seconds since 1970, and belong to root.
    pub(crate) fn pack(&self, folder: &str, time: u64, out: impl Write) -> io::Result<()> {
        let mut builder = Builder::new(GzEncoder::new(out, Compression::best()));
        for (name, file) in &self.files {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_size(file.bytes.len() as u64);
            header.set_mode(if file.is_program { 0o755 } else { 0o644 });
            header.set_mtime(time);
            builder.append_data(&mut header, format!("{folder}/{name}"), &file.bytes[..])?;
        }
        builder.into_inner()?.finish()?.flush()
    }
}

/// The line of a file in SHA256SUMS, as `sha256sum` writes it.
pub(crate) fn checksum(path: &Path) -> io::Result<String> {
    let mut line = String::new();
    for byte in Sha256::digest(&fs::read(path)?) {
        let _ = write!(line, "{byte:02x}");
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(format!("{line}  {name}\n"))
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    fn packed(names: [&str; 2]) -> Vec<u8> {
        let mut archive = Archive::default();
        for name in names {
            if name.starts_with("bin/") {
                archive.add_program(name, vec![7; 1000]);
            } else {
                archive.add(name, name.as_bytes().to_vec());
            }
        }
        let mut bytes = Vec::new();
        archive.pack("it-1.0", 1_700_000_000, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn equal_contents_give_equal_archives() {
        let bytes = packed(["bin/it", "README.md"]);
        assert_eq!(bytes, packed(["README.md", "bin/it"]));
        let mut archive = tar::Archive::new(GzDecoder::new(&bytes[..]));
        let entries = archive.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            let header = entry.header();
            (
                entry.path().unwrap().display().to_string(),
                header.mode().unwrap(),
                header.mtime().unwrap(),
                header.size().unwrap(),
            )
        });
        let expected = [
            ("it-1.0/README.md", 0o644, 1_700_000_000, 9),
            ("it-1.0/bin/it", 0o755, 1_700_000_000, 1000),
        ];
        let expected = expected.map(|(name, mode, time, size)| (name.to_owned(), mode, time, size));
        assert_eq!(entries.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_checksum_is_that_of_sha256sum() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "abc").unwrap();
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(checksum(&path).unwrap(), format!("{hash}  a.txt\n"));
    }
}
