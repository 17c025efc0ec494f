//! How far a league is, as it is played: a bar on a terminal, a line now and then elsewhere. All of it goes to
//! standard error.

mod figures;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::play::stopped_text;
use crate::league::journal::{Journal, Played};
use crate::league::runner::{self, News};
use crate::league::settings::Settings;
use figures::Figures;

/// How often a bar is drawn, and a line is written.
const DRAWN: Duration = Duration::from_secs(1);
const WRITTEN: Duration = Duration::from_secs(10);

/// Lines about voids that are written in full; there may be thousands.
const MOST_VOIDS: u32 = 10;

/// Matchups given up of which all is said; one program that does not start stops many.
const MOST_STOPPED: u32 = 3;

enum Message {
    News(News),
    Say(String),
    End,
}

/// Shows how far a league is, on a thread of its own so that no game waits for it.
pub(super) struct Progress {
    sender: mpsc::Sender<Message>,
    thread: JoinHandle<()>,
}

/// A line to the one that shows it.
#[derive(Clone)]
pub(super) struct Line(mpsc::Sender<Message>);

impl Line {
    pub(super) fn news(&self, news: News) {
        // Nobody listens after the end.
        let _ = self.0.send(Message::News(news));
    }

    pub(super) fn say(&self, text: String) {
        let _ = self.0.send(Message::Say(text));
    }
}

impl Progress {
    /// Begins, with what was played before.
    pub(super) fn start(settings: &Settings, journal: &Journal) -> Progress {
        let (sender, messages) = mpsc::channel();
        let settings = settings.clone();
        let before: Vec<Played> = journal.played().cloned().collect();
        let thread = std::thread::spawn(move || {
            let mut screen = Screen::new(&settings);
            for played in &before {
                screen.figures.count(played);
            }
            drop(before);
            screen.begin();
            screen.run(&messages);
        });
        Progress { sender, thread }
    }

    pub(super) fn line(&self) -> Line {
        Line(self.sender.clone())
    }

    /// Shows the last state, and ends.
    pub(super) fn finish(self) {
        let _ = self.sender.send(Message::End);
        // If it has panicked, its message was seen.
        let _ = self.thread.join();
    }
}

struct Screen<'a> {
    settings: &'a Settings,
    figures: Figures<'a>,
    /// `None` where there is no terminal.
    bar: Option<ProgressBar>,
    drawn: Instant,
    voids: u32,
    stopped: u32,
}

impl<'a> Screen<'a> {
    fn new(settings: &'a Settings) -> Screen<'a> {
        let total = runner::fixtures(settings);
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
            let template = match total {
                Some(_) => "{wide_bar} {pos} of {len} {prefix}\n{msg}",
                None => "{spinner} {pos} {prefix}\n{msg}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Screen {
            settings,
            figures: Figures::new(settings, total),
            bar,
            drawn: Instant::now(),
            voids: 0,
            stopped: 0,
        }
    }

    fn begin(&mut self) {
        let figures = &mut self.figures;
        figures.began();
        let total = figures
            .total
            .map_or_else(String::new, |n| format!(" of {n}"));
        if figures.fixtures > 0 {
            let text = format!("going on: {}{total} fixtures are played", figures.fixtures);
            self.say(&text);
        } else if let Some(total) = figures.total {
            self.say(&format!(
                "{total} fixtures, {} at a time",
                self.settings.at_once
            ));
        }
        if self.bar.is_some() {
            self.draw();
        }
    }

    fn run(&mut self, messages: &mpsc::Receiver<Message>) {
        loop {
            let every = if self.bar.is_some() { DRAWN } else { WRITTEN };
            let left = every.saturating_sub(self.drawn.elapsed());
            match messages.recv_timeout(left) {
                Ok(Message::News(News::Played(played))) => self.figures.count(&played),
                Ok(Message::News(News::Void { key, reason })) => {
                    self.voids += 1;
                    if self.voids <= MOST_VOIDS {
                        self.say(&format!("game {key} is void: {reason}"));
                    }
                }
                Ok(Message::News(News::Stopped(stopped))) => {
                    self.stopped += 1;
                    let text = stopped_text(self.settings, &stopped);
                    self.say(if self.stopped <= MOST_STOPPED {
                        &text
                    } else {
                        text.lines().next().unwrap_or_default()
                    });
                }
                Ok(Message::News(News::Note(text)) | Message::Say(text)) => self.say(&text),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.drawn.elapsed() >= every {
                self.draw();
            }
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        } else {
            self.figures.rate_anew();
            self.draw();
        }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(text)),
            None => tell(text),
        }
    }

    fn draw(&mut self) {
        self.drawn = Instant::now();
        self.figures.rate();
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.figures.fixtures);
                bar.set_prefix(self.figures.pace());
                bar.set_message(self.figures.rows());
            }
            None => tell(&self.figures.line()),
        }
    }
}

/// Writes a line to standard error. If nobody reads it, the games go on.
pub(super) fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
