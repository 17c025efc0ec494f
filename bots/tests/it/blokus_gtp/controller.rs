//! A controller: the program as a child, one command after the other.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

pub(crate) struct Controller {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A success with its text, or a failure with its own.
pub(crate) type Answer = Result<String, String>;

impl Controller {
    pub(crate) fn start(options: &str) -> Controller {
        let mut child = Command::new(env!("CARGO_BIN_EXE_blokus"))
            .arg("--gtp")
            .args(options.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Controller {
            child,
            input,
            output,
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(text.as_bytes()).expect("a reader");
    }

    /// The next answer: lines until an empty one.
    pub(crate) fn read(&mut self) -> String {
        let mut answer = String::new();
        loop {
            let mut line = String::new();
            let n = self.output.read_line(&mut line).expect("text");
            assert!(n > 0, "the engine ended after `{answer}`");
            if line == "\n" {
                return answer;
            }
            answer.push_str(&line);
        }
    }

    /// Asks, and gives the answer without its sign.
    pub(crate) fn ask(&mut self, command: &str) -> Answer {
        self.write(&format!("{command}\n"));
        let answer = self.read();
        let text = answer[1..].strip_prefix(' ').unwrap_or(&answer[1..]);
        let text = text.strip_suffix('\n').unwrap_or(text).to_owned();
        match &answer[..1] {
            "=" => Ok(text),
            "?" => Err(text),
            _ => panic!("`{command}` was answered with `{answer}`"),
        }
    }

    pub(crate) fn must(&mut self, command: &str) -> String {
        self.ask(command)
            .unwrap_or_else(|text| panic!("`{command}` was refused: {text}"))
    }

    /// The rows of the board as the engine draws it.
    pub(crate) fn rows(&mut self) -> Vec<String> {
        let picture = self.must("showboard");
        let rows = picture.lines().skip(1).take(20);
        // Two digits, two blanks, twenty letters with blanks between them.
        rows.map(|line| line[..2 + 2 + 39].to_owned()).collect()
    }

    /// Closes the input; gives the rest of the output and the exit status.
    pub(crate) fn finish(mut self) -> (String, ExitStatus) {
        self.input = None;
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        (rest, self.child.wait().expect("an end"))
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        // It has ended already, unless a test fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
