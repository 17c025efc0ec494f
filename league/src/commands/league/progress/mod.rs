//! How far a league is, as it is played: a bar on a terminal, a line now and then elsewhere, both on standard error, and
//! standings for those who watch.

mod figures;
mod groups;

use std::io::{self, IsTerminal as _};
use std::sync::mpsc;
use std::sync::mpsc::RecvTimeoutError;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use games::Printable;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::events::{Events, tell};
use crate::journal::Entry;
use crate::remote::Presence;
use crate::result::Results;
use crate::runner;
use crate::runner::LeagueEvent;
use crate::settings::{ExclusionRule, Settings};
use figures::Figures;
use groups::TOLD;
use server::watch::Watching;

/// How often a bar is drawn, and a line is written.
const DRAWN: Duration = Duration::from_secs(1);
const WRITTEN: Duration = Duration::from_secs(10);

/// Lines about voids that are written in full; there may be thousands.
const MOST_VOIDS: u32 = 10;

/// Matchups given up of which all is said; one program that does not start stops many.
const MOST_STOPPED: u32 = 3;

enum Message {
    Event(LeagueEvent),
    Presence(Vec<Presence>),
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
pub(super) struct ProgressSender(mpsc::Sender<Message>);

impl ProgressSender {
    pub(super) fn news(&self, news: LeagueEvent) {
        // Nobody listens after the end.
        let _ = self.0.send(Message::Event(news));
    }

    pub(super) fn say(&self, text: String) {
        let _ = self.0.send(Message::Say(text));
    }

    pub(super) fn presence(&self, all: Vec<Presence>) {
        let _ = self.0.send(Message::Presence(all));
    }
}

impl Progress {
    pub(super) fn start(results: Results, watching: Watching, mut events: Events) -> Progress {
        let (sender, messages) = mpsc::channel();
        let mut screen = Screen::new(results, watching);
        let thread = std::thread::spawn(move || {
            screen.begin();
            events.begin(screen.figures.results.fixtures, screen.figures.total);
            screen.run(&messages, &mut events);
        });
        Progress { sender, thread }
    }

    pub(super) fn line(&self) -> ProgressSender {
        ProgressSender(self.sender.clone())
    }

    pub(super) fn finish(self) {
        let _ = self.sender.send(Message::End);
        // If it has panicked, its message was seen.
        let _ = self.thread.join();
    }
}

struct Screen {
    figures: Figures,
    /// `None` where there is no terminal.
    bar: Option<ProgressBar>,
    drawn: Instant,
    /// Those who watch, and when they were told last.
    watching: Watching,
    told: Instant,
    is_news: bool,
    /// Whether it is known which entrants are there, of those that come themselves.
    has_met: bool,
    voids: u32,
    stopped: u32,
}

impl Screen {
    fn new(results: Results, watching: Watching) -> Screen {
        let figures = Figures::new(results, watching.is_open());
        let total = figures.total;
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
            figures,
            watching,
            told: Instant::now(),
            is_news: false,
            bar,
            drawn: Instant::now(),
            has_met: false,
            voids: 0,
            stopped: 0,
        }
    }

    fn begin(&mut self) {
        let figures = &self.figures;
        let total = figures
            .total
            .map_or_else(String::new, |n| format!(" of {n}"));
        if figures.results.fixtures > 0 {
            let played = figures.results.fixtures;
            let text = if figures.total == Some(played) {
                format!(
                    "all {played} fixtures are played; after a change to a program, --fresh plays them again"
                )
            } else {
                format!("resumed: {played}{total} fixtures are played")
            };
            self.say(&text);
        } else if let Some(total) = figures.total {
            self.say(&format!(
                "{total} fixtures, {} at a time",
                self.figures.settings().run.at_once
            ));
        }
        if let Some(pause) = &self.figures.results.orders.pause {
            self.say(&format!(
                "{}; `taikyoku league resume` with its file lets it go on",
                pause.text()
            ));
        }
        if self.bar.is_some() {
            self.draw();
        }
        self.show();
    }

    fn run(&mut self, messages: &mpsc::Receiver<Message>, events: &mut Events) {
        loop {
            let every = if self.bar.is_some() { DRAWN } else { WRITTEN };
            let mut left = every.saturating_sub(self.drawn.elapsed());
            if self.is_news {
                left = left.min(DRAWN.saturating_sub(self.told.elapsed()));
            }
            let message = messages.recv_timeout(left);
            match &message {
                Ok(Message::Event(news)) => events.news(news),
                Ok(Message::Presence(all)) => events.presence(all),
                _ => {}
            }
            match message {
                Ok(Message::Event(LeagueEvent::Line(entry))) => {
                    self.say_line(&entry);
                    self.figures.take(entry);
                    self.is_news = self.watching.is_open();
                }
                Ok(Message::Event(LeagueEvent::Stopped(stopped))) => {
                    self.stopped += 1;
                    self.figures.stop(stopped.matchup);
                    self.is_news = self.watching.is_open();
                    let text = stopped_text(self.figures.settings(), &stopped);
                    self.say(if self.stopped <= MOST_STOPPED {
                        &text
                    } else {
                        text.lines().next().unwrap_or_default()
                    });
                }
                Ok(Message::Presence(all)) => {
                    self.figures.meet(&all);
                    // Later ones are told of one by one.
                    if !std::mem::replace(&mut self.has_met, true)
                        && let Some(names) = self.figures.missing()
                    {
                        self.say(&format!("waiting for {names}"));
                    }
                    self.is_news = self.watching.is_open();
                }
                Ok(Message::Event(LeagueEvent::Struck(results))) => {
                    self.figures.replace(*results);
                    self.is_news = self.watching.is_open();
                }
                Ok(Message::Event(LeagueEvent::Note(text)) | Message::Say(text)) => self.say(&text),
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Message::Event(LeagueEvent::Table(..))) | Err(RecvTimeoutError::Timeout) => {}
            }
            if self.is_news && self.told.elapsed() >= DRAWN {
                self.show();
            }
            if self.drawn.elapsed() >= every {
                self.draw();
                self.standings(events);
            }
        }
        self.figures.rate_anew();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        } else {
            self.draw();
        }
        if self.figures.is_over() {
            self.watching.reveal();
        }
        self.show();
        self.standings(events);
        events.end();
    }

    fn say_line(&mut self, entry: &Entry) {
        match entry {
            Entry::Void { key, void } => {
                self.voids += 1;
                if self.voids <= MOST_VOIDS {
                    self.say(&format!("game {key} is void: {void}"));
                }
            }
            Entry::Command { act, .. } => self.say(&act.text()),
            Entry::Excluded { set_aside, .. } => {
                let games = match set_aside.games {
                    ExclusionRule::Lost => "its games are lost from now on",
                    ExclusionRule::Later => {
                        "its remaining games are played when the league is started again"
                    }
                };
                let (entrant, reason) = (&set_aside.entrant, &set_aside.reason);
                self.say(&format!("{entrant} is set aside: {reason}; {games}"));
            }
            _ => {}
        }
    }

    fn standings(&mut self, events: &mut Events) {
        if events.are_wanted() {
            self.figures.rate();
            events.standings(&self.figures.league(usize::MAX));
        }
    }

    fn show(&mut self) {
        if self.watching.is_open() {
            self.told = Instant::now();
            // Ratings that were not worth their cost come later.
            self.is_news = !self.figures.rate();
            self.watching.league(self.figures.league(TOLD));
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
                bar.set_position(self.figures.results.fixtures);
                bar.set_prefix(self.figures.pace());
                bar.set_message(format!("{:#}", Printable(self.figures.rows())));
            }
            None => tell(&self.figures.line()),
        }
    }
}

pub(super) fn stopped_text(settings: &Settings, stopped: &runner::Stopped) -> String {
    let names = stopped
        .entrants
        .iter()
        .map(|&e| &settings.entrants[e].name[..]);
    let names: Vec<&str> = names.collect();
    format!(
        "Matchup {} ({}) was given up: {}",
        stopped.matchup,
        names.join(", "),
        stopped.reason
    )
}
