//! Files of matches that cannot be made.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use end_to_end::gat::{Host, leave};
use end_to_end::native::{Client, serve};
use end_to_end::patience::wait_for;
use end_to_end::programs;
use end_to_end::run::{Finished, Server};
use end_to_end::uecda::Player;
use serde_json::Value;

/// A small full disk that is mounted in a folder until it is dropped.
pub(crate) struct FullDisk(PathBuf);

impl FullDisk {
    /// Mounts and fills the disk; `None` if this user may not mount disks.
    ///
    /// # Panics
    /// If the disk cannot be filled.
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

    /// Uses up the free space.
    ///
    /// # Panics
    /// If free space remains.
    pub(crate) fn fill(&self) {
        let full = fs::write(self.0.join("filler"), vec![0; 1 << 17]);
        assert_eq!(full.expect_err("full").kind(), ErrorKind::StorageFull);
    }

    /// Deletes the file that fills the disk.
    ///
    /// # Panics
    /// If the file is missing.
    pub(crate) fn make_room(&self) {
        fs::remove_file(self.0.join("filler")).expect("room");
    }
}

impl Drop for FullDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Puts a file where the folder of the records is.
fn bar(server: &Server) {
    let records = server.folder.path().join("records");
    let _ = fs::remove_dir(&records);
    fs::write(records, "").expect("a file");
}

/// Both matches are played and printed, and each lacks its record.
fn assert_lost(finished: &Finished) {
    let lines = finished.output.lines();
    let results: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(results.len(), 2, "{}", finished.output);
    for result in results {
        assert_eq!(result["record"], "lost", "{result}");
        assert_eq!(result["reason"], Value::Null, "{result}");
    }
    assert_eq!(finished.status.code(), Some(1));
}

#[test]
fn matches_of_daihinmin_are_played_without_their_files() {
    let options = ["--games", "2", "--matches", "2", "--json", "--log", "."];
    let server = Server::start(&options);
    bar(&server);
    fs::write(server.folder.path().join("logs"), "").expect("a file");
    for _ in 0..2 {
        let players: Vec<Player> = (0..5).map(|i| Player::honest(&format!("p{i}"))).collect();
        let outcomes = server.play(&players);
        assert!(outcomes.iter().all(|o| o.finished), "{outcomes:?}");
    }
    let finished = server.finish();
    assert_lost(&finished);
    // The official files of the second match are in a folder of their own.
    let lost = |line: &str| line.contains(r#""files":"lost""#);
    let lines: Vec<bool> = finished.output.lines().map(lost).collect();
    assert_eq!(lines, [true, false]);
}

#[test]
fn matches_of_geister_are_played_without_their_files() {
    let options = ["--games", "1", "--matches", "3", "--json"];
    let host = Host::start(&options);
    for number in 0..3 {
        let mut wires = host.seat();
        wires[0].expect("MOV?");
        leave(wires);
        if number == 0 {
            // The first match has its record.
            let records = host.server.folder.path().join("records");
            wait_for("the record", || host.server.record_files().pop());
            fs::rename(&records, host.server.folder.path().join("first")).expect("a folder");
            bar(&host.server);
        }
    }
    let finished = host.server.finish();
    let lines: Vec<Value> = finished
        .output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 3, "{}", finished.output);
    assert_eq!(lines[0]["record"], Value::Null);
    assert!(lines[1..].iter().all(|line| line["record"] == "lost"));
    assert_eq!(finished.status.code(), Some(1));
}

#[test]
fn matches_of_the_native_protocol_are_played_without_their_files() {
    let server = serve(&["--games", "1", "--matches", "2", "--json"]);
    bar(&server);
    for _ in 0..2 {
        let mut clients = Client::pair(server.port);
        clients[0].say(r#"{"type":"resign"}"#);
        assert_eq!(clients[1].wait_for("result")["end"], "resign");
        assert!(clients.iter_mut().all(Client::is_closed));
    }
    assert_lost(&server.finish());
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
    let mut server = serve(&["--games", "1", "--matches", "3", "--json"]);
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
    std::thread::sleep(std::time::Duration::from_millis(1500));
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

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_stays_full_is_not_concealed() {
    let mut server = serve(&["--games", "1", "--once", "--json"]);
    let Some(disk) = FullDisk::mount(&server.folder.path().join("records")) else {
        return;
    };
    play(&server);
    // The server waits for room, but not against a second wish to end.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    for _ in 0..2 {
        server.signal("TERM");
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    // What it has written was cut short.
    drop(disk);
    let finished = server.end();
    assert_eq!(finished.json()["record"], "late");
    assert_eq!(finished.status.code(), Some(130));
}

#[test]
fn a_file_in_the_place_of_a_folder_is_said_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "").expect("a file");
    for (contest, ports, option) in [
        ("uecda", ["--port", "0"], "--records"),
        ("uecda", ["--port", "0"], "--log"),
        ("geister", ["--ports", "0,0"], "--records"),
        ("geister", ["--ports", "0,0"], "--log"),
    ] {
        let child = Command::new(programs::taikyoku())
            .args(["serve", contest, option, "file"])
            .args(ports)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = child.wait_with_output().expect("an end");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{contest} {option}: {error}");
        assert!(error.contains("file"), "{error}");
    }
}
