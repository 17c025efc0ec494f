//! Files of matches that cannot be made.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use end_to_end::native::Client;
use end_to_end::patience::wait_for;
use end_to_end::run::Server;
use end_to_end::uecda::Player;
use serde_json::Value;

/// A small full disk that is mounted in a folder until it is dropped.
pub(crate) struct FullDisk(PathBuf);

impl FullDisk {
    /// Mounts and fills the disk; `None` if this user may not mount disks.
    pub(crate) fn mount(folder: &Path) -> Option<FullDisk> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "none"]);
        let mounted = mount.arg(folder).stderr(Stdio::null()).status();
        if !mounted.is_ok_and(|status| status.success()) {
            println!("this user may not mount a disk: the test is skipped");
            return None;
        }
        let disk = FullDisk(folder.to_owned());
        disk.fill();
        Some(disk)
    }

    pub(crate) fn fill(&self) {
        let full = fs::write(self.0.join("filler"), vec![0; 1 << 17]);
        assert_eq!(full.expect_err("full").kind(), ErrorKind::StorageFull);
    }

    /// Deletes the file that fills the disk.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.0.join("filler")).expect("room");
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn matches_are_played_without_their_files() {
    let server = Server::serve("uecda --games 2 --matches 2 --json --log .");
    // A file is where the folder of the records would be.
    let records = server.folder.path().join("records");
    let _ = fs::remove_dir(&records);
    fs::write(records, "").expect("a file");
    fs::write(server.folder.path().join("logs"), "").expect("a file");
    for _ in 0..2 {
        let players: Vec<Player> = (0..5).map(|i| Player::honest(&format!("p{i}"))).collect();
        let outcomes = server.play(&players);
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    }
    let finished = server.finish();
    assert_eq!(finished.status.code(), Some(1));
    let lines = finished.output.lines();
    let results: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // The official files of the second match are in a folder of their own.
    let lost = |result: &Value, what: &str| result[what] == "lost";
    assert_eq!(results.iter().filter(|r| lost(r, "record")).count(), 2);
    assert_eq!(results.iter().filter(|r| lost(r, "files")).count(), 1);
    assert!(
        lost(&results[0], "files") && results.len() == 2,
        "{results:?}"
    );
}

/// Plays a match that the first player gives up.
#[cfg(target_os = "linux")]
fn play(server: &Server) {
    let mut clients = Client::pair(server.port);
    clients[0].say(r#"{"type":"resign"}"#);
    assert_eq!(clients[1].wait_for("result")["end"], "resign");
    assert!(clients.iter_mut().all(Client::is_closed));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_no_record_if_there_is_room_in_the_end() {
    let mut server = Server::serve("score-four --games 1 --matches 3 --json");
    let Some(disk) = FullDisk::mount(&server.folder.path().join("records")) else {
        return;
    };
    play(&server);
    play(&server);
    // Nothing but what was there.
    let sizes = |server: &Server| -> u64 {
        let files = server.record_files().into_iter();
        let records = files.filter(|path| path.extension().is_some());
        records
            .map(|path| fs::metadata(path).expect("a file").len())
            .sum()
    };
    assert_eq!(sizes(&server), 0);
    // Both results are told before there is room.
    wait_for("the results", || {
        (server.printed().lines().count() == 2).then_some(())
    });
    disk.make_room();
    server.wait_for_results(2);
    play(&server);
    let finished = server.end();
    let said = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["record"].clone();
    let records: Vec<Value> = finished.output.lines().map(said).collect();
    assert_eq!(
        records,
        [Value::from("late"), Value::from("late"), Value::Null]
    );
    assert!(finished.status.success());
    assert_eq!(finished.records.len(), 3);
    let ends = finished.records.iter().map(|record| record.events.last());
    for end in ends {
        let end = &end.expect("events").what;
        assert!(matches!(end, record::What::Result { .. }), "{end:?}");
    }
}
