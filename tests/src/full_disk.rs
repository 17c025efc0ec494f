//! A small disk in a folder, which is full.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The disk; it is taken away with this.
pub struct FullDisk(PathBuf);

impl FullDisk {
    /// `None` where this user may mount none.
    ///
    /// # Panics
    /// When the disk does not get full.
    pub fn mount(folder: &Path) -> Option<FullDisk> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "none"]);
        let mounted = mount.arg(folder).stderr(Stdio::null()).status();
        if !mounted.is_ok_and(|status| status.success()) {
            println!("no disk may be mounted here: nothing is tested");
            return None;
        }
        let disk = FullDisk(folder.to_owned());
        disk.fill();
        Some(disk)
    }

    /// Takes all the room that is left.
    ///
    /// # Panics
    /// When there is still some.
    pub fn fill(&self) {
        let full = fs::write(self.0.join("filler"), vec![0; 1 << 17]);
        assert_eq!(full.expect_err("full").kind(), ErrorKind::StorageFull);
    }

    /// Takes away what fills it.
    ///
    /// # Panics
    /// When that is gone.
    pub fn make_room(&self) {
        fs::remove_file(self.0.join("filler")).expect("room");
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
