//! The archive: files by their names in it, packed the same way each time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tar::{Builder, EntryType, Header};

/// The user without rights of the image, who may write into some of its folders.
pub(crate) const USER: u64 = 1000;

/// What goes into an archive. Equal contents give equal archives, in whatever order they came.
#[derive(Default)]
pub(crate) struct Archive {
    files: BTreeMap<String, File>,
}

struct File {
    bytes: Vec<u8>,
    mode: u32,
    owner: u64,
}

impl Archive {
    /// Adds a file under a name with slashes.
    pub(crate) fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.put(name.into(), bytes, 0o644, 0);
    }

    pub(crate) fn add_program(&mut self, name: impl Into<String>, bytes: Vec<u8>) {
        self.put(name.into(), bytes, 0o755, 0);
    }

    /// Adds a file, or a folder, whose name ends with a slash.
    pub(crate) fn put(&mut self, name: String, bytes: Vec<u8>, mode: u32, owner: u64) {
        self.files.insert(name, File { bytes, mode, owner });
    }

    /// Packs everything below a folder, or below none; all files have the time in seconds since 1970.
    pub(crate) fn tar(&self, folder: Option<&str>, time: u64) -> io::Result<Vec<u8>> {
        let mut builder = Builder::new(Vec::new());
        for (name, file) in &self.files {
            let mut header = Header::new_gnu();
            header.set_entry_type(if name.ends_with('/') {
                EntryType::Directory
            } else {
                EntryType::Regular
            });
            header.set_size(file.bytes.len() as u64);
            header.set_mode(file.mode);
            header.set_mtime(time);
            header.set_uid(file.owner);
            header.set_gid(file.owner);
            let name = folder.map_or_else(|| name.clone(), |folder| format!("{folder}/{name}"));
            builder.append_data(&mut header, name, &file.bytes[..])?;
        }
        builder.into_inner()
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The digits of a file in SHA256SUMS.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(names: [&str; 3]) -> Vec<u8> {
        let mut archive = Archive::default();
        for name in names {
            match name {
                "bin/it" => archive.add_program(name, vec![7; 1000]),
                "data/" => archive.put(name.into(), Vec::new(), 0o755, USER),
                _ => archive.add(name, name.as_bytes().to_vec()),
            }
        }
        gzip(&archive.tar(Some("it-1.0"), 1_700_000_000).unwrap()).unwrap()
    }

    #[test]
    fn equal_contents_give_equal_archives() {
        let bytes = packed(["bin/it", "README.md", "data/"]);
        assert_eq!(bytes, packed(["data/", "README.md", "bin/it"]));
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let entries = archive.entries().unwrap().map(|entry| {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!(header.mtime().unwrap(), 1_700_000_000);
            (
                entry.path().unwrap().display().to_string(),
                header.mode().unwrap(),
                header.uid().unwrap(),
                header.size().unwrap(),
            )
        });
        let expected = [
            ("it-1.0/README.md", 0o644, 0, 9),
            ("it-1.0/bin/it", 0o755, 0, 1000),
            ("it-1.0/data/", 0o755, USER, 0),
        ];
        let expected = expected.map(|(name, mode, owner, size)| (name.into(), mode, owner, size));
        assert_eq!(entries.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_checksum_is_that_of_sha256sum() {
        let digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), digits);
    }
}
