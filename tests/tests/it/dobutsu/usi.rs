//! The program as a USI engine, against a controller that is written from the specification alone: it knows lines of
//! text, and the rules by which it judges.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use end_to_end::programs;
use games::dobutsu::{Dobutsu, Rules};
use games::{Game as _, Seat};

struct Controller {
    engine: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Controller {
    fn start(options: &[&str]) -> Controller {
        let mut engine = Command::new(programs::dobutsu())
            .arg("--usi")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let input = engine.stdin.take().expect("a pipe");
        let output = BufReader::new(engine.stdout.take().expect("a pipe"));
        Controller {
            engine,
            input,
            output,
        }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the engine reads");
    }

    /// The lines up to one that begins with a word.
    fn read_to(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line");
            assert!(read > 0, "the engine ended before `{word}`: {lines:?}");
            let line = line.trim_end().to_owned();
            let is_last = line.split(' ').next() == Some(word);
            lines.push(line);
            if is_last {
                return lines;
            }
        }
    }

    fn quit(mut self) {
        self.send("quit");
        assert!(self.engine.wait().expect("an end").success());
    }
}

#[test]
fn a_usi_session_is_played_to_its_end() {
    let mut controller = Controller::start(&["--engine", "alphabeta"]);
    controller.send("usi");
    let about = controller.read_to("usiok");
    assert!(
        about.iter().any(|line| line.starts_with("id name ")),
        "{about:?}"
    );
    assert!(
        about.iter().any(|line| line.starts_with("id author ")),
        "{about:?}"
    );
    controller.send("setoption name USI_Hash value 1");
    controller.send("isready");
    assert_eq!(controller.read_to("readyok"), ["readyok"]);
    // The engine plays once first, once second; the controller answers with the move that stands somewhere in the list.
    for engine in 0..2_u8 {
        controller.send("usinewgame");
        let mut game = Dobutsu::begin(&Rules::default(), 0);
        let mut spoken: Vec<String> = Vec::new();
        while let Some(seat) = game.to_move() {
            let mv = if seat == Seat::new(engine) {
                let moves = if spoken.is_empty() { "" } else { " moves " };
                let all = spoken.join(" ");
                controller.send(&format!("position startpos{moves}{all}"));
                controller.send("go nodes 400");
                let lines = controller.read_to("bestmove");
                let infos = lines.iter().filter(|line| line.starts_with("info "));
                assert_eq!(infos.count(), lines.len() - 1, "{lines:?}");
                let last = lines.last().expect("an answer");
                let words: Vec<&str> = last.split(' ').collect();
                words[1].to_owned()
            } else {
                let mut moves = Vec::new();
                game.legal_moves(&mut moves);
                moves[7 * moves.len() / 10].to_string()
            };
            game.play_text(&mv).expect("a legal move");
            spoken.push(mv);
            assert!(game.ply() < 300, "{spoken:?}");
        }
        let outcome = game.outcome().expect("the game is over");
        assert!(outcome.points[Seat::new(engine)] > 0.9, "{spoken:?}");
        controller.send("gameover win");
    }
    controller.quit();
}

#[test]
fn an_endless_search_ends_by_stop_and_a_person_is_no_usi_engine() {
    let mut controller = Controller::start(&["--engine", "alphabeta"]);
    controller.send("position sfen gle/1c1/1C1/ELG b - 1 moves 2c2b");
    controller.send("go infinite");
    controller.read_to("info");
    controller.send("stop");
    let lines = controller.read_to("bestmove");
    let best = lines.last().expect("an answer");
    assert!(
        best.split(' ').nth(1).is_some_and(|mv| mv.len() >= 4),
        "{best}"
    );
    controller.quit();
    let refused = Command::new(programs::dobutsu())
        .args(["--usi", "--engine", "human"])
        .output()
        .expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
}
