//! What the engines of Dobutsu shogi promise: the same seed gives the same game, every answer is legal, the search has a
//! signature and allocates nothing, and `perfect` plays by its table and knows when a game would be a draw.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use games::dobutsu::{Dobutsu, Move, Position, Rules};
use games::{Game as _, Seat};
use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use taikyoku_bots::dobutsu::{
    DobutsuEngine, EngineOptions, Limits, PerfectEngine, Score, Table, Value, solve,
};
use taikyoku_bots::engine::{Engine as _, OpenPosition as _, play_game};
use taikyoku_bots::search::Budget;
use taikyoku_bots::signature;
use taikyoku_bots::spec::Specified as _;

fn engine(text: &str, seed: u64) -> Box<dyn DobutsuEngine> {
    let options: EngineOptions = text.parse().expect(text);
    options.build(seed).expect("this engine needs no file")
}

fn game_of(text: &str) -> Dobutsu {
    Dobutsu::read(&Rules::default(), text).expect(text)
}

fn play(a: &str, b: &str, seed: u64) -> Dobutsu {
    let (a, b) = (engine(a, seed), engine(b, seed));
    let game = play_game(&mut [a, b], Dobutsu::random_opening(2, seed)).expect("legal moves");
    assert!(game.end.outcome().is_some());
    game.end
}

#[test]
fn every_engine_plays_legally_and_the_same_again() {
    for seed in 0..6 {
        for (a, b) in [
            ("random", "random"),
            ("alphabeta:nodes=300", "random"),
            ("random", "alphabeta:nodes=300"),
            ("alphabeta:nodes=200:hash=1", "alphabeta:nodes=300"),
        ] {
            let game = play(a, b, seed);
            assert_eq!(play(a, b, seed).position(), game.position(), "{a} {b}");
        }
        let game = play("alphabeta:nodes=300", "random", seed);
        let outcome = game.outcome().expect("the game is over");
        assert!(outcome.points[Seat::new(0)] > 0.9, "{}", game.position());
    }
}

#[test]
fn the_search_has_its_signature() {
    assert_eq!(signature::dobutsu_alphabeta(), 5_794_943_294_797_313_533);
}

#[test]
fn forced_wins_and_losses_are_seen_with_their_length() {
    for (text, due) in [
        // The lion can be caught.
        ("sfen 1l1/1C1/3/1L1 b - 1", Score::Win(1)),
        // A lion goes to the far rank, where nothing attacks it.
        ("sfen l2/2L/3/3 b - 1", Score::Win(1)),
        // Wherever the other lion goes, it is caught, or that try comes.
        ("sfen l2/2L/3/3 w - 1", Score::Loss(2)),
    ] {
        let mut engine = engine("alphabeta:nodes=50000", 1);
        let mut last = None;
        let mv = engine.think(
            &game_of(text),
            &Limits {
                nodes: Some(50_000),
                ..Limits::default()
            },
            &mut |report| last = Some((report.score, report.line[0])),
        );
        assert_eq!(last, Some((due, mv)), "{text}");
    }
}

/// It forgets between its moves what the engine forgets.
#[test]
fn an_engine_that_hardly_ever_blunders_is_the_engine_itself() {
    for seed in 0..20 {
        let [bare, wrapped] = ["", ":blunders=0.000000001"].map(|blunders| {
            let engine = format!("alphabeta:nodes=300{blunders}");
            play(&engine, "alphabeta:nodes=200", seed)
        });
        assert_eq!(bare.moves(), wrapped.moves(), "{seed}");
    }
}

#[test]
fn nodes_plies_and_time_end_a_search() {
    let game = game_of("");
    let mut engine = engine("alphabeta:nodes=5000", 1);
    engine.choose(&game, None);
    let nodes = engine.explain().expect("reasons")["nodes"].as_u64();
    assert_eq!(nodes, Some(5000));
    let depth = Limits {
        depth: Some(3),
        ..Limits::default()
    };
    engine.think(&game, &depth, &mut |report| assert!(report.depth <= 3));
    let limit = Duration::from_millis(40);
    let timed = Limits {
        time: Some(limit),
        ..Limits::default()
    };
    let begin = Instant::now();
    engine.think(&game, &timed, &mut |_| ());
    let used = begin.elapsed();
    assert!((limit..Duration::from_secs(20)).contains(&used), "{used:?}");
}

#[test]
fn a_search_allocates_nothing_for_its_nodes() {
    let game = game_of("2c2b 1a2b");
    let mut engine = engine("alphabeta:nodes=50000:hash=1", 1);
    let mut allocations = |nodes| {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let run = || {
            engine.think(&game, &limits, &mut |_| ());
        };
        allocation_counter::measure(run).count_total
    };
    allocations(1000);
    let [few, many] = [1000, 50_000].map(&mut allocations);
    // What there is belongs to the reasons for the log.
    assert!(few < 100 && many < 100, "{few} {many}");
}

/// The table of a game of lions, chicks and a giraffe, all of whose positions are solved in a moment.
fn small_table() -> (Table, Position) {
    let start: Position = "1l1/1c1/1C1/1LG b - 1".parse().expect("a position");
    let folder = tempfile::tempdir().expect("a folder");
    let solution = solve(start.board(), 2, &mut |_| ());
    Table::write(folder.path(), &solution.index, &solution.values, 2).expect("a table");
    (Table::open(folder.path()).expect("a table"), start)
}

/// Positions of random games of small pieces, with their games.
fn random_games(table: &Table, start: Position, games: u32, mut each: impl FnMut(&Dobutsu, Value)) {
    let mut random = engine("random", 11);
    for _ in 0..games {
        let mut game = Dobutsu::from_position(&Rules::default(), start);
        while game.to_move().is_some() && game.ply() < 40 {
            if let Some(value) = table.value(game.board()) {
                each(&game, value);
            }
            let mv = random.choose(&game, None);
            game.play(mv).expect("a legal move");
        }
    }
}

/// The chance that a seat that moves at random keeps what it has over so many moves of its own, while the other seat
/// answers as well as it can and sets the traps.
fn chance(table: &Table, position: &Position, turns: u32) -> f64 {
    let mut replies = Vec::new();
    table.moves(position, &mut replies);
    let Some(best) = replies.iter().map(|reply| reply.1).max() else {
        return 1.0;
    };
    let kept = replies.iter().filter(|(_, value)| match best {
        Value::Loss(_) => *value == best,
        _ => value.sign() == best.sign(),
    });
    let chances = kept.map(|&(reply, _)| {
        let next = after(position, reply);
        let mut answers = Vec::new();
        table.moves(&next, &mut answers);
        let best = answers.iter().map(|answer| answer.1).max();
        answers.retain(|answer| turns > 1 && Some(answer.1) == best);
        let chances = answers.iter();
        let chances = chances.map(|&(answer, _)| chance(table, &after(&next, answer), turns - 1));
        chances.fold(1.0, f64::min)
    });
    chances.sum::<f64>() / replies.len() as f64
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play_unchecked(mv);
    next
}

#[test]
fn perfect_wins_at_once_loses_late_and_sets_the_most_traps() {
    let (table, start) = small_table();
    let table = Arc::new(table);
    let mut perfect = PerfectEngine::new(Arc::clone(&table), Budget::playouts(1), 1);
    let mut seen = [0; 3];
    let mut traps = 0;
    random_games(&table, start, 80, |game, value| {
        // Without a past, in which a draw by repetition may be had.
        let game = Dobutsu::from_position(&Rules::default(), *game.board());
        let mut moves = Vec::new();
        table.moves(game.board(), &mut moves);
        let mv = perfect.choose(&game, None);
        let chosen = moves.iter().find(|(known, _)| *known == mv);
        assert_eq!(
            chosen.map(|chosen| chosen.1),
            Some(value),
            "{} {mv}",
            game.position()
        );
        seen[(value.sign() + 1) as usize] += 1;
        let equal = moves.iter().filter(|(_, other)| *other == value);
        let chances = equal.map(|&(mv, _)| chance(&table, &after(game.board(), mv), 2));
        let chances: Vec<f64> = chances.collect();
        let least = chances.iter().copied().fold(1.0, f64::min);
        let most = chances.iter().copied().fold(0.0, f64::max);
        traps += u32::from(most > least + 1e-4);
        let own = chance(&table, &after(game.board(), mv), 2);
        assert!(
            own < least + 1e-4,
            "{} {mv}: {own}, {least}",
            game.position()
        );
    });
    assert!(
        seen.iter().all(|&seen| seen > 20) && traps > 20,
        "{seen:?} {traps}"
    );
}

#[test]
fn perfect_goes_on_in_a_draw_to_a_position_that_is_new() {
    let (table, start) = small_table();
    let table = Arc::new(table);
    let mut perfect = PerfectEngine::new(Arc::clone(&table), Budget::playouts(1), 1);
    let mut found = 0;
    random_games(&table, start, 5000, |game, value| {
        if value != Value::Draw {
            return;
        }
        let mut moves = Vec::new();
        table.moves(game.board(), &mut moves);
        moves.retain(|(_, value)| *value == Value::Draw);
        let is_old = |mv| game.past().contains(&after(game.board(), mv));
        let old = moves.iter().filter(|(mv, _)| is_old(*mv)).count();
        if old > 0 && old < moves.len() {
            found += 1;
            let mv = perfect.choose(game, None);
            assert!(!is_old(mv), "{} {mv}", game.position());
        }
    });
    assert!(found > 0);
}

/// Boards that no game comes to, and boards of other pieces, have no value, and none is made up for them.
#[test]
fn a_table_is_asked_about_any_board() {
    let table = small_table().0;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut seen = [0; 2];
    let mut moves = Vec::new();
    for _ in 0..200_000 {
        let mut squares: Vec<usize> = (0..12).collect();
        let mut cells = ["1"; 12];
        for piece in ["L", "l", ["G", "g"][rng.random_range(0..2)], "C", "c"] {
            let square = squares.swap_remove(rng.random_range(0..squares.len()));
            cells[square] = piece;
            if piece == "c" && rng.random_bool(0.3) {
                cells[square] = "+c";
            }
        }
        let ranks: Vec<String> = cells.chunks(3).map(<[&str]>::concat).collect();
        let side = ["b", "w"][rng.random_range(0..2)];
        let text = format!("{} {side} - 1", ranks.join("/"));
        let Ok(position) = text.parse::<Position>() else {
            continue;
        };
        let value = table.value(&position);
        seen[usize::from(value.is_some())] += 1;
        let known = table.moves(&position, &mut moves);
        assert_eq!(known, value.is_some(), "{text}");
        let best = moves.iter().map(|(_, value)| *value).max();
        assert!(
            best.is_none() || best == value,
            "{text}: {value:?} {best:?}"
        );
        table.line(&position);
    }
    assert!(seen[1] > 1000, "{seen:?}");
}

#[test]
fn perfect_saves_a_lost_game_by_repetition() {
    let table = Arc::new(small_table().0);
    let lost = |game: &Dobutsu| table.value(game.board()).is_some_and(|v| v.sign() < 0);
    let rules = Rules {
        repetition: 2,
        ..Rules::default()
    };
    // Random games of small pieces, until one comes in which a lost seat can go back to a position.
    let mut random = engine("random", 5);
    let mut found = 0;
    for _ in 0..4000 {
        let mut game = Dobutsu::read(&rules, "sfen 1l1/1c1/1C1/1LG b - 1").expect("a position");
        for _ in 0..30 {
            if game.to_move().is_none() {
                break;
            }
            let mut moves = Vec::new();
            game.legal_moves(&mut moves);
            let draws = moves.iter().find(|&&mv| {
                let mut next = game.clone();
                next.play(mv).expect("a legal move");
                let outcome = next.outcome();
                outcome.is_some_and(|outcome| (outcome.points[Seat::new(0)] - 0.5).abs() < 0.1)
            });
            if lost(&game) && draws.is_some() {
                found += 1;
                let mut perfect = PerfectEngine::new(Arc::clone(&table), Budget::playouts(1), 1);
                let mv = perfect.choose(&game, None);
                let mut next = game.clone();
                next.play(mv).expect("a legal move");
                assert!(next.outcome().is_some(), "{} {mv}", game.position());
                break;
            }
            let mv = random.choose(&game, None);
            game.play(mv).expect("a legal move");
        }
        if found >= 3 {
            return;
        }
    }
    panic!("no such game in four thousand");
}

/// With `TAIKYOKU_DOBUTSU_TABLE` the whole game: a thousand random won positions against a search, each won no later than
/// the table says.
#[test]
fn perfect_wins_from_won_positions() {
    let Some(folder) = std::env::var_os("TAIKYOKU_DOBUTSU_TABLE") else {
        return;
    };
    let table = Arc::new(Table::open(folder.as_ref()).expect("the table"));
    let perfect = PerfectEngine::new(Arc::clone(&table), Budget::playouts(1), 1);
    let mut seats: [Box<dyn DobutsuEngine>; 2] =
        [Box::new(perfect), engine("alphabeta:nodes=300", 1)];
    let mut perfect_at = 0;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut won, mut plies) = (0, 0);
    while won < 1000 {
        let number = rng.random_range(0..table.index().len());
        let Some(Value::Win(distance)) = Value::from_byte(table.byte(number)) else {
            continue;
        };
        let board = table.index().unrank(number);
        let position = Position::new(board, (number & 1) as u8, Rules::default().variant());
        let start = Dobutsu::from_position(&Rules::default(), position);
        let me = start.to_move().expect("the game goes on");
        if me.index() != perfect_at {
            seats.swap(0, 1);
            perfect_at = me.index();
        }
        let end = play_game(&mut seats, start).expect("legal moves").end;
        let outcome = end.outcome().expect("the game is over");
        assert!(outcome.points[me] > 0.9, "{position}");
        assert!(
            end.ply() <= u32::from(distance),
            "{position}: {} plies",
            end.ply()
        );
        won += 1;
        plies += end.ply();
    }
    println!("{won} won positions are won, in {plies} plies");
}

#[test]
fn without_any_table_best_searches() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_dobutsu"))
        .args(["--usi", "--playouts", "100"])
        .env("XDG_DATA_HOME", folder.path())
        .env("RUST_LOG", "info")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("a pipe");
    input
        .write_all(b"isready\nposition startpos\ngo\n")
        .expect("it reads");
    drop(input);
    let output = program.wait_with_output().expect("it ends");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("alphabeta plays: "), "{log}");
    let answers = String::from_utf8_lossy(&output.stdout);
    assert!(answers.contains("\nbestmove "), "{answers}");
}
