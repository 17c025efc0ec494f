//! Entrants with limits and in the sandbox.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use end_to_end::league::League;
use end_to_end::patience::wait_for;
use end_to_end::programs::{self, Ended, ended};
use league::process::lacks_sandbox;
use record::EndKind;
use serde_json::json;

/// Whether there is a sandbox, which the gate requires.
pub(crate) fn is_confined() -> bool {
    let Some(reason) = lacks_sandbox() else {
        return true;
    };
    assert!(
        env::var("TAIKYOKU_REQUIRE_SANDBOX") != Ok("1".to_owned()),
        "{reason}"
    );
    println!("SKIPPED, there is no sandbox: {reason}");
    false
}

/// The first of the standard errors that the league has kept.
fn said_at_first(league: &League) -> String {
    let mut files = fs::read_dir(league.out("out").join("stderr")).expect("a folder");
    let file = files.next().expect("a file").expect("a file");
    fs::read_to_string(file.path()).expect("a file")
}

#[test]
fn a_program_has_the_limits_of_its_entrant() {
    programs::score_four();
    let script = "ulimit -n >&2; ulimit -t >&2; ulimit -v >&2; grep Cpus_allowed_list /proc/self/status >&2; head -c 4M /dev/zero > \
                  big; stat -c %s big >&2; exit 3";
    for sandbox in ["none", "bubblewrap"] {
        if sandbox == "bubblewrap" && !is_confined() {
            continue;
        }
        let league = League::new(&format!(
            r#"
game = "score-four"
deals = 1
at-once = 1
sandbox = "{sandbox}"
[limits]
open-files = 40
cpu-s = 50
memory-mib = 300
[[entrants]]
engine = "random"
[[entrants]]
name = "bounded"
command = ["bash", "-c", "{script}", "{{port}}"]
directory = "bounded"
cpus = [0]
[entrants.limits]
cpu-s = 60
file-mib = 2
"#
        ));
        fs::create_dir(league.out("bounded")).expect("a folder");
        assert_eq!(league.play("out").code, Some(1));
        let kept = said_at_first(&league);
        let (_, kept) = kept.split_once("\n\n").expect("a head");
        let lines: Vec<&str> = kept
            .lines()
            .filter_map(|line| line.split('\t').next_back())
            .collect();
        let numbers: Vec<&str> = lines
            .into_iter()
            .filter(|line| line.parse::<u64>().is_ok())
            .collect();
        assert_eq!(
            numbers,
            ["40", "60", "307200", "0", "2097152"],
            "{sandbox}: {kept}"
        );
    }
}

/// A league of `uct` and of a program in the folder `spy` that plays at random in the end; `player` is the program that plays.
fn league_of_spy(command: &str, player: &Path, more: &str) -> League {
    let league = League::new("");
    let player = player.display();
    league.rewrite(&format!(
        r#"
game = "score-four"
seed = 3
deals = 1
at-once = 1
[clocks]
start-ms = 60000
move-ms = 20000
[[entrants]]
name = "victim"
engine = "uct"
options = ["--move-ms", "100"]
[[entrants]]
name = "spy"
command = [{command}, "{player}", "play", "--host", "{{host}}", "--port", "{{port}}", "--engine", "random"]
directory = "spy"
{more}
"#
    ));
    for folder in ["spy", "other", "models"] {
        fs::create_dir(league.out(folder)).expect("a folder");
    }
    league
}

/// The files below a folder get this owner, and everybody may pass through it.
fn give(folder: &Path, user: u32) {
    chown(folder, Some(user), Some(user)).expect("root");
    for file in folder
        .read_dir()
        .expect("a folder")
        .map(|file| file.expect("a file").path())
    {
        if file.is_dir() {
            give(&file, user);
        } else {
            chown(&file, Some(user), Some(user)).expect("root");
        }
    }
}

/// Plays with a program that tries everything, as this user or another one; gives the number of promises.
fn probe(user: Option<u32>) -> usize {
    let (score_four, taikyoku) = (programs::score_four(), programs::taikyoku());
    let beside = tempfile::tempdir().expect("a folder");
    let bin = beside.path().join("bin");
    let in_bin = |program: &Path| bin.join(program.file_name().expect("a name"));
    let [score_four, taikyoku] = if let Some(user) = user {
        // The folder of the programs may be closed to others.
        fs::create_dir(&bin).expect("a folder");
        // Copied by a process of its own: a file that this one has open for writing may still be open in the child of another
        // test, and then it cannot be executed.
        let mut copy = Command::new("cp");
        let copied = ended(copy.args([&score_four, &taikyoku, &bin]));
        assert_eq!(copied.code, Some(0), "{}", copied.err);
        give(beside.path(), user);
        [in_bin(&score_four), in_bin(&taikyoku)]
    } else {
        [score_four, taikyoku]
    };
    let more = "reads = [\"../models\"]\n[entrants.environment]\nKEY = \"own\"\nPATH = \"bin:/usr/bin:/bin\"\n[entrants.limits]\nmemory-mib = 2000\nfile-mib = 9\n\
                open-files = 99\nprocesses = 20\n";
    let league = league_of_spy("\"python3\", \"probe.py\"", &score_four, more);
    let spy = league.out("spy");
    let write = |path: &Path, text: &str| fs::write(path, text).expect("a file");
    write(&spy.join("probe.py"), include_str!("probe.py"));
    // Programs that shadow the programs that set up the sandbox, through the entrant's PATH.
    fs::create_dir(spy.join("bin")).expect("a folder");
    let escaped = league.out("escaped");
    for name in ["bwrap", "systemd-run", "taikyoku"] {
        let program = spy.join("bin").join(name);
        write(
            &program,
            &format!("#!/bin/sh\necho escaped > {}\n", escaped.display()),
        );
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a file");
    }
    write(&league.out("other").join("secret"), "x");
    write(&league.out("models").join("model"), "weights");

    // Below those that the system gives away: a socket that connects to one of these may get the same one as its own, and is
    // connected to itself; and another test may come to it late.
    let listener = (20_000..30_000).find_map(|port| TcpListener::bind(("0.0.0.0", port)).ok());
    let listener = listener.expect("a port");
    listener.set_nonblocking(true).expect("a socket");
    let port = listener.local_addr().expect("an address").port();
    // The address of this machine on the way to another one, if it has any.
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let address = socket
        .connect("192.0.2.1:9")
        .and_then(|()| socket.local_addr());
    let address = address.map_or("127.0.0.2".to_owned(), |address| address.ip().to_string());
    let temporary = tempfile::NamedTempFile::new()
        .expect("a file")
        .into_temp_path();
    fs::remove_file(&temporary).expect("a file");
    let paths = [
        temporary.to_path_buf(),
        spy.join("socket"),
        league.out("models").join("socket"),
    ];
    let sockets = paths.map(|path| {
        let socket = UnixListener::bind(&path).expect("a socket");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("a socket");
        socket
    });
    let name = format!("taikyoku-{}-{port}", std::process::id());
    let address_of_name = SocketAddr::from_abstract_name(&name).expect("a name");
    let _abstract = UnixListener::bind_addr(&address_of_name).expect("a socket");
    let shared = PathBuf::from("/dev/shm").join(&name);
    write(&shared, "x");
    let shared = tempfile::TempPath::try_from_path(shared).expect("a path");
    let namespaces = ["user", "pid", "ipc", "uts", "net", "mnt"].map(|name| {
        let link = fs::read_link(format!("/proc/self/ns/{name}")).expect("a namespace");
        (name, link.display().to_string())
    });
    let outside = json!({
        "pid": std::process::id(), "group": rustix::process::getpgrp().as_raw_nonzero(), "port": port, "address": address,
        "temporary": &*temporary, "written": temporary.with_extension("written"), "abstract": name, "shared": name, "key": 0x7a11, "reads": league.out("models"),
        "namespaces": BTreeMap::from(namespaces), "memory-mib": 2000, "file-mib": 9, "open-files": 99, "processes": 20,
    });
    write(&spy.join("outside.json"), &outside.to_string());

    // The league's shell has a file open.
    let mut command = Command::new("bash");
    command
        .args([
            "-c",
            "exec 9< it.toml 251< it.toml; exec \"$0\" league it.toml --out out",
        ])
        .arg(taikyoku)
        .env("SECRET", "of the league")
        .current_dir(league.folder.path());
    if let Some(user) = user {
        give(league.folder.path(), user);
        command.uid(user).gid(user).env("HOME", "/");
    }
    let Ended {
        code, err: errors, ..
    } = ended(&mut command);
    assert_eq!(code, Some(0), "{errors}");
    let is_root = user.is_none() && rustix::process::geteuid().is_root();
    assert_eq!(
        errors.contains("taikyoku runs as root"),
        is_root,
        "{errors}"
    );
    for entrant in 0..2 {
        assert_eq!(
            league.kinds("out", entrant),
            [EndKind::Normal; 2],
            "{errors}"
        );
    }
    let report = fs::read_to_string(spy.join("report")).expect("a report");
    let broken: Vec<&str> = report
        .lines()
        .filter(|line| !line.starts_with("kept "))
        .collect();
    assert_eq!(broken, [""; 0], "{errors}");
    assert!(!temporary.with_extension("written").exists());
    assert!(!escaped.exists(), "a program of the entrant ran outside");
    // Nothing has come in, by whichever way.
    assert!(listener.accept().is_err());
    for socket in sockets {
        socket.set_nonblocking(true).expect("a socket");
        assert!(socket.accept().is_err());
    }
    // Its daemon has run, and is gone.
    assert!(spy.join("daemon").exists());
    let lock = fs::File::open(spy.join("lock")).expect("a file");
    wait_for("the end of the daemon", || lock.try_lock().ok());
    drop(shared);
    report.lines().count()
}

#[test]
fn every_promise_of_the_sandbox_is_kept() {
    if !is_confined() {
        return;
    }
    assert_eq!(probe(None), promises());
}

fn promises() -> usize {
    include_str!("probe.py").matches("@promise").count()
}

#[test]
fn every_promise_of_the_sandbox_is_kept_for_another_user() {
    // Only root can become another user; any other user already is one.
    if rustix::process::geteuid().is_root() && is_confined() {
        assert_eq!(probe(Some(65534)), promises());
    }
}

/// The children of a process with this word in their command lines that have searched for a while.
fn searching(parent: u32, word: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let is_child = |folder: &Path| {
        let read = |name| fs::read(folder.join(name)).unwrap_or_default();
        let [line, stat] =
            ["cmdline", "stat"].map(|name| String::from_utf8_lossy(&read(name)).into_owned());
        let words: Vec<&str> = stat.split(' ').collect();
        // The parent, and the time of the processor in hundredths of a second.
        let is_parent = words.get(3) == Some(&&*parent.to_string());
        let used = words.get(13).and_then(|used| used.parse().ok());
        is_parent && line.contains(word) && used > Some(20_u32)
    };
    let found = processes.filter(|file| is_child(&file.path()));
    found
        .map(|file| file.file_name().display().to_string())
        .collect()
}

/// A random player that attacks its opponent's process, whose id is in the file `target`, and plays on.
const ATTACK: &str = r#"
import os
import resource
import signal
import sys
import time

playing = os.fork()
if playing == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while os.waitpid(playing, os.WNOHANG) == (0, 0):
    time.sleep(0.01)
    try:
        target = int(open("target").read())
        resource.prlimit(target, resource.RLIMIT_CPU, (0, 0))
        os.kill(target, signal.SIGKILL)
    except (OSError, ValueError):
        pass
"#;

/// Games that `uct` loses to a random mover which kills its program, or tries to; and all games.
fn lost_to_an_attack(sandbox: &str, deals: usize) -> (usize, usize) {
    let more = format!("sandbox = \"{sandbox}\"");
    let league = league_of_spy("\"python3\", \"attack.py\"", &programs::score_four(), &more);
    let file = fs::read_to_string(league.out("it.toml")).expect("a file");
    let file = file.replace("deals = 1", &format!("deals = {deals}"));
    // The attacker has to find its victim first.
    league.rewrite(&file.replace(r#""--move-ms", "100""#, r#""--move-ms", "1000""#));
    fs::write(league.out("spy/attack.py"), ATTACK).expect("a file");
    let mut child = league.start("out");
    // The test gives the attacker its target, so that failing to find one is no reason for failing.
    let target = league.out("spy/target");
    while child.try_wait().expect("a league").is_none() {
        for number in searching(child.id(), "uct") {
            fs::write(&target, number).expect("a file");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let games = league.kinds("out", 0);
    let lost = games.iter().filter(|kind| **kind != EndKind::Normal);
    (lost.count(), games.len())
}

#[test]
fn no_game_is_won_by_an_attack_on_the_opponent() {
    if !is_confined() {
        return;
    }
    let deals = env::var("TAIKYOKU_LEAGUE_DEALS").map_or(1, |n| n.parse().unwrap());
    // Without the sandbox the attack wins.
    assert!(lost_to_an_attack("none", 1).0 > 0);
    assert_eq!(lost_to_an_attack("bubblewrap", deals), (0, 2 * deals));
}

#[test]
fn without_a_sandbox_the_league_says_so_and_plays() {
    let score_four = programs::score_four();
    let league = league_of_spy("\"/usr/bin/env\"", &score_four, "");
    let play = |text: &str| {
        let text = fs::read_to_string(league.out("it.toml")).expect("a file") + text;
        league.rewrite(&text);
        let mut command = league.command("out");
        ended(command.env("PATH", "/nowhere").arg("--fresh"))
    };
    let Ended {
        code, err: errors, ..
    } = play("");
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("the programs of spy run unprotected"),
        "{errors}"
    );
    assert!(errors.contains("install bubblewrap"), "{errors}");
    assert_eq!(league.fixtures("out").len(), 2);
    // One that is asked for is needed.
    let Ended {
        code, err: errors, ..
    } = play("sandbox = \"bubblewrap\"\n");
    assert_eq!(code, Some(2), "{errors}");
    assert!(errors.contains("is not to be had here"), "{errors}");
    let text = fs::read_to_string(league.out("it.toml")).expect("a file");
    league.rewrite(&text.replace("\"bubblewrap\"", "\"none\""));
    let Ended {
        code, err: errors, ..
    } = play("");
    assert!(code == Some(0) && !errors.contains("sandbox"), "{errors}");
}

#[test]
fn a_launcher_in_the_sandbox_may_leave_the_program_that_plays_behind() {
    if !is_confined() {
        return;
    }
    let command = r#""bash", "-c", "(exec \"$@\") & exit 0", "bash""#;
    let league = league_of_spy(command, &programs::score_four(), "");
    league.ends("out", 0);
    for entrant in 0..2 {
        assert_eq!(league.kinds("out", entrant), [EndKind::Normal; 2]);
    }
}

/// What a league says that does not begin with these lines in the section of the spy.
fn refusal(more: &str) -> String {
    let league = league_of_spy("\"/usr/bin/env\"", &programs::score_four(), more);
    fs::create_dir(league.out("spy/within")).expect("a folder");
    symlink("../it.toml", league.out("spy/link")).expect("a link");
    league.ends("out", 2)
}

#[test]
fn what_an_entrant_may_write_is_no_part_of_what_is_looked_up_outside() {
    if !is_confined() {
        return;
    }
    for (more, words) in [
        (
            "reads = [\"within\"]",
            "spy/within lies within the `directory` of spy",
        ),
        ("reads = [\"absent\"]", "`reads`, "),
        ("reads = [\"../out\"]", "out is the league's own"),
        ("reads = [\"link\"]", "it.toml is the league's own"),
        (
            "[[entrants]]\nname = \"inner\"\ncommand = [\"true\", \"{port}\"]\ndirectory = \"spy/within\"",
            "inner: ",
        ),
        (
            "[[entrants]]\nname = \"inner\"\ncommand = [\"true\", \"{port}\"]\nreads = [\"spy/within\"]",
            "inner: ",
        ),
        (
            "sandbox = \"landlock\"",
            "`landlock` left ways out and is no more: write `bubblewrap`",
        ),
    ] {
        let errors = refusal(more);
        assert!(errors.contains(words), "{more}: {errors}");
    }
}

#[test]
fn a_folder_with_the_league_in_it_is_read_without_the_league_s_own_files() {
    if !is_confined() {
        return;
    }
    let spy = "for file in it.toml out/journal.jsonl out/lock other/secret; do cat $file; done >&2; ls -A out >&2; : > new; \
               exec \\\"$@\\\"";
    let command = format!("\"bash\", \"-c\", \"{spy}\", \"bash\"");
    let league = league_of_spy(&command, &programs::score_four(), "");
    fs::write(league.out("other/secret"), "named").expect("a file");
    let text = fs::read_to_string(league.out("it.toml")).expect("a file");
    league.rewrite(
        &text
            .replace("directory = \"spy\"", "directory = \".\"")
            .replace("exec \\", "exit 3; exec \\"),
    );
    let errors = league.play("out").err;
    assert!(
        errors.contains("spy writes nothing in its `directory`"),
        "{errors}"
    );
    let kept = said_at_first(&league);
    for words in [
        "it.toml: Permission denied",
        "journal.jsonl: No such file",
        "out/lock: No such file",
        "named",
        "new: Read-only",
    ] {
        assert!(kept.contains(words), "{words}: {kept}");
    }
}
