//! Whole matches of Geister: transcripts of both sides, files, and the project's own bots.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use end_to_end::gat::{Host, Player, Wire, ends};
use end_to_end::golden::assert_golden;
use end_to_end::patience::wait_for;
use end_to_end::programs::{bot, end_of, run, started};
use record::EndKind;

/// The official logs of so many games, in the order of the games. A log is written after the record has told that its game
/// is over.
fn logs(folder: &Path, games: usize) -> Vec<String> {
    wait_for("the logs", || {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        let texts = paths
            .iter()
            .map(|path| fs::read_to_string(path).expect("a log"));
        let whole: Vec<String> = texts.filter(|text| text.contains("winner=")).collect();
        (whole.len() == games).then_some(whole)
    })
}

/// What each player of two games received, and the official logs of the games.
fn transcript(host: &Host) -> String {
    let mut text = String::new();
    for (game, seeds) in [(1, [5, 6]), (2, [7, 8])] {
        let players = seeds.map(Player::honest);
        let outcomes = host.play(&players);
        for (player, outcome) in outcomes.iter().enumerate() {
            assert!(outcome.finished, "{outcome:?}");
            let _ = writeln!(text, "game {game}, player {player} receives");
            for line in &outcome.lines {
                let _ = writeln!(text, "{line:?}");
            }
        }
    }
    let folder = host.server.folder.path().join("logs");
    host.wait_for_ends(2);
    for (log, game) in logs(&folder, 2).iter().zip(1..) {
        let _ = writeln!(text, "official log of game {game}");
        let mut lines: Vec<&str> = log.lines().collect();
        // Either may set up first.
        lines[..2].sort_unstable();
        let _ = writeln!(text, "{}", lines.join("\n"));
    }
    text
}

#[test]
fn golden_both_sides_receive_what_they_always_did() {
    let host = Host::start("--games 2 --ply-limit 60 --log logs --once");
    let text = transcript(&host);
    let finished = host.server.finish();
    assert!(finished.status.success());
    assert_golden("geister", &text);
}

#[test]
fn two_bots_play_games_in_a_row() {
    let host = Host::start("--games 20 --once --json");
    let line = "--engine random --games 20 --seed 3";
    for bot in host
        .ports
        .map(|port| started(&mut bot("geister", port, line)))
    {
        end_of(bot).good();
    }
    host.server.wait_for_results(1);
    let path = host.server.record_files().remove(0);
    let text = run(&["replay", &path.to_string_lossy(), "--check"]).good();
    assert!(
        text.starts_with("20 games") && text.contains("as the record states"),
        "{text}"
    );
    let replayed = host.server.replay_all().remove(0);
    assert!(replayed.closed && !replayed.unfinished);

    let finished = host.server.finish();
    assert!(finished.status.success());
    let ends = ends(&finished.records[0]);
    assert_eq!(ends.len(), 20);
    for (end, game) in ends.iter().zip(1..) {
        assert_eq!(end.kinds, [EndKind::Normal; 2], "{end:?}");
        assert_eq!(end.game, game);
        assert_eq!(u32::from(end.first), (game + 1) % 2, "the seats change");
    }
    let json = finished.json();
    assert_eq!(json["games"], 20);
    assert_eq!(json["first"], serde_json::json!([10, 10]));
    for player in 0..2 {
        let wins = ends.iter().filter(|e| e.winner == Some(player)).count();
        assert_eq!(json["wins"][usize::from(player)], wins);
        let points = wins as f64 + ends.iter().filter(|e| e.winner.is_none()).count() as f64 / 2.0;
        assert_eq!(json["points"][usize::from(player)], points);
        let stated = replayed.points[games::Player::new(player)];
        assert!((stated - points).abs() < 1e-9, "{stated} {points}");
    }
}

/// Plays the game of a page line by line.
fn play_game_of(page: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol");
    let page = fs::read_to_string(folder.join(page)).expect("the page");
    let (_, game) = page.rsplit_once("```text\n").expect("a game");
    let (game, _) = game.split_once("```").expect("its end");
    let host = Host::start("--games 1 --once");
    let mut wires = host.ports.map(Wire::to);
    for line in game.lines() {
        let (player, text) = line.split_at("a< ".len());
        let wire = &mut wires[usize::from(player.starts_with('b'))];
        match player.as_bytes()[1] {
            b'<' => wire.expect_line(text),
            b'>' => wire.say(text),
            _ => panic!("{line}"),
        }
    }
    for wire in wires {
        let (rest, is_clean) = wire.close_after_server();
        assert!(is_clean, "the server closes");
        assert!(rest.ends_with(b"\r\n"));
    }
    assert!(host.server.finish().status.success());
}

#[test]
fn the_game_of_the_page_is_the_servers() {
    play_game_of("GAT.md");
    play_game_of("GAT.ja.md");
}
