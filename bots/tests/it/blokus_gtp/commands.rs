//! Every command, and what is none.

use std::fs;

use super::controller::Controller;

#[test]
fn every_command_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a game.blksgf");
    let file = file.to_str().expect("a name");
    let mut engine = Controller::start("--engine mcts-maxn --playouts 100 --seed 2");
    let listed = engine.must("list_commands");
    let listed: Vec<&str> = listed.lines().collect();
    assert!(listed.len() > 20);
    for command in listed {
        assert_eq!(engine.must(&format!("known_command {command}")), "true");
    }
    assert_eq!(engine.must("known_command boardsize"), "false");
    assert_eq!(engine.must("name"), "Taikyoku");
    assert_eq!(engine.must("version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(engine.must("protocol_version"), "2");
    assert_eq!(engine.must("set_game Blokus"), "");
    assert_eq!(engine.must("all_legal blue").lines().count(), 58);

    // A first piece: 58 moves, each with a value and visits, the most visited first.
    let mv = engine.must("reg_genmove 1");
    assert_eq!(engine.must("final_score"), "0 0 0 0");
    let value: f64 = engine.must("get_value").parse().expect("a value");
    assert!((0.0..=1.0).contains(&value));
    let values = engine.must("move_values");
    let mut visits = Vec::new();
    for line in values.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        visits.push(words[1].parse::<u64>().expect(line));
        assert!((0.0..=1.0).contains(&words[2].parse::<f64>().expect(line)));
    }
    assert!(values.lines().any(|line| line.starts_with(&mv)));
    assert!(
        visits.len() <= 58 && visits.is_sorted_by(|a, b| a >= b),
        "{values}"
    );

    assert_eq!(engine.must("p b20,A20"), "");
    assert_eq!(engine.must("play 2 t20, t19"), "");
    assert_eq!(engine.must("final_score"), "2 2 0 0");
    let info = engine.must("move_info a20,b20");
    assert!(info.contains("piece 2\nsize 2"), "{info}");
    assert_eq!(engine.must(&format!("savesgf \"{file}\"")), "");
    assert_eq!(engine.must("undo"), "");
    assert_eq!(engine.must("final_score"), "2 0 0 0");
    assert_eq!(engine.must("clear_board"), "");
    assert_eq!(engine.must("final_score"), "0 0 0 0");
    assert_eq!(engine.must(&format!("loadsgf \"{file}\"")), "");
    assert_eq!(engine.must("final_score"), "2 2 0 0");
    assert_eq!(engine.must(&format!("loadsgf \"{file}\" 2")), "");
    assert_eq!(engine.must("final_score"), "2 0 0 0");
    assert!(engine.ask(&format!("loadsgf \"{file}\" 4")).is_err());
    // The end of a path says most.
    let path = format!("/no/{}/such file.blksgf", "folder/".repeat(40));
    let refused = engine
        .ask(&format!("loadsgf \"{path}\""))
        .expect_err("no file");
    assert!(refused.starts_with(&path), "{refused}");

    assert_eq!(engine.must("param fixed_simulations 10"), "");
    assert!(engine.must("param").contains("fixed_simulations 10\n"));
    assert_eq!(engine.must("set_random_seed 77"), "");
    let before: f64 = engine.must("cputime").parse().expect("seconds");
    assert_ne!(engine.must("genmove yellow"), "pass");
    let after: f64 = engine.must("cputime").parse().expect("seconds");
    assert!(before > 0.0 && after >= before);
    assert_ne!(engine.must("g"), "pass");
    assert_eq!(engine.must("showboard").lines().count(), 22);
    assert_eq!(engine.must("quit"), "");
    assert!(engine.finish().1.success());
}

#[test]
fn it_starts_as_controllers_start_pentobi() {
    let options = "--quiet --nobook --level 1 --game classic --noresign --seed 3 --threads 1";
    let mut engine = Controller::start(options);
    assert_eq!(engine.must("set_game Blokus"), "");
    for (colour, mv, sign) in [
        (1, "a20", 'X'),
        (2, "t20", 'O'),
        (3, "t1", '#'),
        (4, "a1", '@'),
    ] {
        engine.must(&format!("play {colour} {mv}"));
        let rows = engine.rows();
        let signs = rows
            .iter()
            .map(|row| row.matches(sign).count())
            .sum::<usize>();
        assert_eq!(signs, 1, "{rows:?}");
    }
    assert_ne!(engine.must("genmove 1"), "pass");
    assert!(engine.must("param").contains("fixed_simulations"));
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let mut engine = Controller::start("--engine random --seed 2");
    engine.must("play 1 a20");
    let rows = engine.rows();
    for (command, reason) in [
        ("boardsize 20", "unknown command"),
        ("Genmove 1", "unknown command"),
        ("set_game Blokus Duo", "not supported"),
        ("set_game Blokus Two-Player", "not supported"),
        ("set_game", "wrong number of arguments"),
        ("genmove", "wrong number of arguments: genmove COLOUR"),
        ("genmove 1 2", "wrong number of arguments"),
        ("genmove 5", "not a colour"),
        ("genmove purple", "not a colour"),
        ("play 1", "wrong number of arguments"),
        ("play 1 b19,b18,b17,b16,b15,b14", "invalid move"),
        ("play 1 u1", "invalid move"),
        ("play 1 b19,b19", "invalid move"),
        ("p u1", "invalid move"),
        ("move_info a1,a3", "invalid move: the squares"),
        ("move_info z1", "invalid move: `z1`"),
        ("play 1 a20", "illegal move"),
        ("play 1 c3", "illegal move"),
        ("play 1 pass", "blue has moves"),
        ("play 2 s19", "must cover t20"),
        ("p a20", "illegal move"),
        ("get_value", "no search was made"),
        ("move_values", "no search was made"),
        ("move_info", "wrong number of arguments"),
        ("loadsgf", "wrong number of arguments"),
        ("loadsgf x 0", "number"),
        ("param strength 9", "unknown parameter"),
        ("param threads many", "not a number"),
        ("param threads 0", "threads are 1 to 256"),
        ("param threads 257", "threads are 1 to 256"),
        ("set_random_seed -1", "not a number"),
        ("9999999999 name", "above"),
        ("known_command", "wrong number of arguments"),
    ] {
        let answer = engine.ask(command);
        let text = answer.expect_err(command);
        assert!(text.contains(reason), "`{command}`: {text}");
    }
    assert_eq!(engine.rows(), rows);
    engine.must("undo");
    assert!(engine.ask("undo").is_err());
}

#[test]
fn lines_are_read_as_gtp_has_them() {
    let mut engine = Controller::start("--engine random");
    engine.write("# a comment\n\n  \t \r\n7\tname # which?\r\n");
    assert_eq!(engine.read(), "=7 Taikyoku\n");
    engine.write("8 nothing\n");
    assert_eq!(engine.read(), "?8 unknown command\n");
    engine.write(&format!("{}\n", "x".repeat(5000)));
    assert!(engine.read().starts_with("? the line is longer"));
    // Two in one piece, the last without its end.
    engine.write("1 name\n2 protocol_version");
    let (rest, status) = engine.finish();
    assert_eq!(rest, "=1 Taikyoku\n\n=2 2\n\n");
    assert!(status.success());
}

#[test]
fn values_are_those_of_a_search() {
    for engine in ["random", "greedy"] {
        let mut engine = Controller::start(&format!("--engine {engine} --seed 2"));
        engine.must("genmove 1");
        for command in ["get_value", "move_values"] {
            assert_eq!(engine.ask(command), Err("no search was made".to_owned()));
        }
    }
    // As the page has it: squares expected, as a part of all.
    let mut engine = Controller::start("--engine maxn --playouts 100 --seed 2");
    let mv = engine.must("genmove 1");
    let value: f64 = engine.must("get_value").parse().expect("a value");
    let squares = value * 89.0;
    assert!(
        (squares - squares.round()).abs() < 1e-3 && squares >= 5.0,
        "{value}"
    );
    let values = engine.must("move_values");
    assert!(
        values.starts_with(&mv) && values.lines().count() == 1,
        "{values}"
    );
}

#[test]
fn parameters_begin_the_random_numbers_anew() {
    let mut engine = Controller::start("--engine random --seed 2");
    let first: Vec<String> = (0..4).map(|_| engine.must("g")).collect();
    engine.must("clear_board");
    engine.must("param threads 1");
    let again: Vec<String> = (0..4).map(|_| engine.must("g")).collect();
    assert_eq!(first, again);
}

#[test]
fn a_loaded_file_is_saved_with_all_that_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (loaded, saved) = (at("loaded.blksgf"), at("saved.blksgf"));
    let game = "(\n;GM[Blokus]CA[UTF-8]AP[x]P1[Ann]C[root]\n(\n;1[a20]C[first]\n;2[t20]\n)\n(\n;1[a20,b20]\n)\n)\n";
    // A collection: its first game.
    fs::write(&loaded, format!("{game}(;GM[Blokus];1[a20,b20])")).expect("a file");
    let mut engine = Controller::start("--engine random --seed 2");
    let written = |engine: &mut Controller| {
        engine.must(&format!("savesgf \"{saved}\""));
        let text = fs::read_to_string(&saved).expect("a file");
        let kept = text.lines().filter(|line| !line.starts_with("Scores: "));
        (
            text.matches("Scores: ").count(),
            kept.collect::<Vec<_>>().join("\n"),
        )
    };
    engine.must(&format!("loadsgf \"{loaded}\""));
    let (scores, text) = written(&mut engine);
    assert_eq!(scores, 1);
    assert!(
        text.contains("P1[Ann]C[root\n(\n;1[a20]C[first]\n;2[t20]\n)\n(\n;1[a20,b20]\n)"),
        "{text}"
    );
    // What is played now comes first, and the scores are those of now.
    engine.must(&format!("loadsgf \"{saved}\" 2"));
    engine.must("play 2 s20,t20");
    let (scores, text) = written(&mut engine);
    assert_eq!(scores, 1);
    assert!(
        text.contains(";1[a20]C[first]\n(\n;2[s20,t20]\n)\n(\n;2[t20]\n)\n"),
        "{text}"
    );
    engine.must("clear_board");
    let (_, text) = written(&mut engine);
    assert!(!text.contains("Ann") && !text.contains(";1["), "{text}");
}

#[test]
fn a_saved_file_takes_the_place_of_the_old_one_when_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("game.blksgf");
    let old = folder.path().join("old");
    fs::write(&file, "of yesterday").expect("a file");
    fs::hard_link(&file, &old).expect("another name");
    let mut engine = Controller::start("--engine random --seed 2");
    engine.must("play 1 a20");
    engine.must(&format!("savesgf \"{}\"", file.display()));
    let text = fs::read_to_string(&file).expect("a file");
    assert!(text.contains(";1[a20]"), "{text}");
    // Nobody wrote into the old one.
    assert_eq!(fs::read_to_string(&old).expect("a file"), "of yesterday");
    let missing = folder.path().join("none").join("game.blksgf");
    let answer = engine.ask(&format!("savesgf \"{}\"", missing.display()));
    assert!(answer.is_err());
    engine
        .ask(&format!("savesgf \"{}\"", folder.path().display()))
        .expect_err("a folder");
    // And nothing is left over.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}
