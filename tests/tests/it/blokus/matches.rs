//! Matches of Blokus over TCP: four players that draw their moves, and what misbehaving costs.

use std::thread::JoinHandle;

use end_to_end::native::serve_game;
use end_to_end::native::{Act, Heard, Random};
use end_to_end::run::{Finished, Server};
use record::{EndKind, Record, What};
use serde_json::{Value, json};

use super::sheets;

const NAMES: [&str; 4] = ["ana", "bo", "cho", "dan"];

fn serve(options: &[&str]) -> Server {
    let always = ["--once", "--json", "--blksgf", "games"];
    serve_game("blokus", &[&always[..], options].concat())
}

/// Four players take their seats in order.
fn sit(server: &Server, acts: &[(usize, u32, u32, Act)]) -> Vec<JoinHandle<Heard>> {
    let players = NAMES.into_iter().enumerate().map(|(number, name)| {
        let mut player = Random::new(name, number as u64 + 1);
        for &(_, game, request, act) in acts.iter().filter(|act| act.0 == number) {
            player = player.acts(game, request, act);
        }
        player.sit(server.port)
    });
    players.collect()
}

/// Plays a match; what the players have heard, and what the server has left.
fn play(options: &[&str], acts: &[(usize, u32, u32, Act)]) -> (Vec<Heard>, Finished) {
    let mut server = serve(options);
    let players = sit(&server, acts);
    let heard = players.into_iter().map(|p| p.join().expect("a player"));
    let heard = heard.collect();
    let finished = server.end();
    let sum = &server.replay_all()[0];
    assert!(sum.closed && !sum.unfinished, "{sum:?}");
    let sheets = sheets::of(&server);
    assert_eq!(finished.json()["points"], json!(sum.points));
    assert_eq!(finished.json()["games"], json!(sum.games));
    sheets::assert_sheets(&sheets, &finished.records[0]);
    (heard, finished)
}

fn kinds(record: &Record) -> Vec<Vec<EndKind>> {
    let events = record.events.iter();
    events
        .filter_map(|event| match &event.what {
            What::End { kinds, .. } => Some(kinds.clone()),
            _ => None,
        })
        .collect()
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|n| n.as_f64().expect("a number")).collect()
}

#[test]
fn everyone_has_every_seat_once_and_the_same_openings() {
    let (heard, finished) = play(&["--games", "4", "--random-plies", "4", "--seed", "7"], &[]);
    assert!(finished.status.success());
    let record = &finished.records[0];
    let mut openings = Vec::new();
    for event in &record.events {
        if let What::Begin { position, .. } = &event.what {
            openings.push(position.clone().expect("an opening"));
        }
    }
    assert_eq!(openings.len(), 4);
    assert_eq!(openings[0].split(';').count(), 4);
    assert!(openings.iter().all(|opening| *opening == openings[0]));
    let json = finished.json();
    assert_eq!(json["seats"], json!(vec![[1; 4]; 4]));
    assert_eq!(json["ends"], json!({"no-moves": 4}));
    assert!((numbers(&json["points"]).iter().sum::<f64>() - 4.0).abs() < 1e-9);
    assert!((numbers(&json["mean_place"]).iter().sum::<f64>() - 10.0).abs() < 1e-9);
    for heard in &heard {
        assert_eq!(heard.errors, [""; 0]);
        // Every seat goes out once in each game, by the rules.
        assert_eq!(heard.outs.len(), 16);
        let rule = |end: &Value| *end == json!("no-moves") || *end == json!("all-placed");
        assert!(heard.outs.iter().all(|out| rule(&out["end"])));
        for result in &heard.results {
            assert!(result["ends"].as_array().expect("ends").iter().all(rule));
            let points = numbers(&result["game_points"]);
            for seat in 0..4 {
                let better = points.iter().filter(|other| **other > points[seat]);
                assert_eq!(result["places"][seat], better.count() + 1);
            }
        }
        assert_eq!(heard.over.as_ref().expect("an end")["games"], 4);
    }
    assert_eq!(heard[0].games[1]["players"], json!([1, 2, 3, 0]));
    assert_eq!(heard[0].results, heard[3].results);
}

#[test]
fn a_fault_costs_its_game_only_and_the_others_play_on() {
    let acts = [
        (0, 1, 3, Act::Stall),
        (1, 2, 0, Act::Illegal),
        (2, 3, 5, Act::Garbage),
        (3, 4, 2, Act::Resign),
        // Two in one game.
        (0, 5, 2, Act::Resign),
        (3, 5, 4, Act::Illegal),
    ];
    let (heard, finished) = play(&["--games", "6", "--move-ms", "600"], &acts);
    assert!(finished.status.success());
    let normal = EndKind::Normal;
    let due = [
        (0, EndKind::Timeout),
        (1, EndKind::Illegal),
        (2, EndKind::ProtocolError),
        (3, EndKind::Resign),
    ];
    let kinds = kinds(&finished.records[0]);
    for (game, (player, kind)) in due.into_iter().enumerate() {
        let mut line = [normal; 4];
        line[player] = kind;
        assert_eq!(kinds[game], line);
    }
    assert_eq!(
        kinds[4],
        [EndKind::Resign, normal, normal, EndKind::Illegal]
    );
    assert_eq!(kinds[5], [normal; 4]);
    for (game, result) in heard[1].results.iter().enumerate() {
        assert_eq!(
            (&result["end"], &result["by"]),
            (&json!("no-moves"), &json!(null))
        );
        let faulty: Vec<usize> = (0..4)
            .filter(|&player| kinds[game][player] != normal)
            .collect();
        let players = heard[1].games[game]["players"].as_array().expect("players");
        for (seat, player) in players.iter().enumerate() {
            let player = player.as_u64().expect("a number") as usize;
            let lost = faulty.contains(&player);
            let place = &result["places"][seat];
            assert_eq!(*place == 5 - faulty.len(), lost, "{result}");
            let end = result["ends"][seat].as_str().expect("an end");
            assert_eq!(end == kinds[game][player].as_str(), lost, "{result}");
        }
        assert!((numbers(&result["scores"]).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
    let outs: Vec<&Value> = heard[2]
        .outs
        .iter()
        .filter(|out| out["reason"].is_string())
        .collect();
    assert_eq!(outs.len(), 6);
    assert_eq!(outs[0]["end"], "timeout");
    let faults = &finished.json()["faults"];
    assert_eq!(faults[0], json!({"timeout": 1}));
}

#[test]
fn one_that_is_cut_off_comes_back_to_the_same_game() {
    let acts = [
        (1, 1, 4, Act::Cut),
        (1, 2, 0, Act::Cut),
        (2, 2, 6, Act::Cut),
    ];
    let (heard, finished) = play(&["--games", "2"], &acts);
    assert!(finished.status.success());
    assert_eq!(finished.json()["faults"], json!([{}, {}, {}, {}]));
    // Players check that no event is missing: all have heard the same.
    for one in &heard {
        assert_eq!(
            (&one.results, &one.outs),
            (&heard[0].results, &heard[0].outs)
        );
    }
}

#[test]
fn the_others_play_on_when_one_has_left() {
    let acts = [(2, 2, 1, Act::Vanish)];
    let (heard, finished) = play(&["--games", "3", "--resume-ms", "100"], &acts);
    assert_eq!(finished.status.code(), Some(0));
    let json = finished.json();
    assert_eq!((&json["games"], &json["reason"]), (&json!(3), &Value::Null));
    assert_eq!(json["faults"], json!([{}, {}, {"disconnect": 2}, {}]));
    assert_eq!(json["ends"], json!({"no-moves": 3}));
    for player in [0, 1, 3] {
        let over = heard[player].over.as_ref().expect("an end");
        assert_eq!(over["reason"], Value::Null);
    }
    assert_eq!(heard[2].over, None);
}

#[test]
fn seats_may_be_drawn() {
    let seats = |options: &[&str]| {
        let drawn = ["--games", "4", "--draw-seats", "--seed", "3"];
        let all = [options, &drawn, &["--move-ms", "30"]].concat();
        let acts: Vec<_> = (0..12)
            .map(|i| (i % 3, i as u32 / 3 + 1, 0, Act::Resign))
            .collect();
        let server = serve(&all);
        let players = sit(&server, &acts);
        let heard = players.into_iter().map(|p| p.join().expect("a player"));
        let games = heard.map(|heard| heard.games).collect::<Vec<_>>().remove(0);
        games
            .iter()
            .map(|game| numbers(&game["players"]))
            .collect::<Vec<_>>()
    };
    let drawn = seats(&[]);
    assert_eq!(seats(&[]), drawn);
    for (game, seats) in drawn.iter().enumerate() {
        let mut first = drawn[0].clone();
        first.rotate_left(game);
        assert_eq!(*seats, first);
    }
    let each = seats(&["--no-swap"]);
    assert!(each.iter().any(|seats| *seats != each[0]));
}
