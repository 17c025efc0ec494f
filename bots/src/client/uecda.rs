//! The UECda client: one engine, one connection, one match.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use log::{debug, info, warn};
use protocol::uecda::{ClientEnd, ClientError, End, Event, Field, Hand};
use serde_json::{Value, json};

use super::connect::connect_until;
use crate::daihinmin::WeightsError;
use crate::daihinmin::client::{Options, Player, Summary};
use crate::daihinmin::tracker::{Assumptions, Tracker};

/// Bytes read at once; well below [`ClientEnd::LIMIT`].
const READ_LEN: usize = 1 << 14;

/// Why a match could not be played to its end.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// No connection.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Host and port.
        address: String,
        /// What went wrong.
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection broke in game {game}: {source}")]
    Io {
        /// Games begun.
        game: u32,
        /// What went wrong.
        source: io::Error,
    },
    /// The server closed the connection before the match was over.
    #[error("the server closed the connection {}", match game {
        0 => "before the first game: perhaps five players were there already".to_owned(),
        game => format!("in game {game}"),
    })]
    Closed {
        /// Games begun.
        game: u32,
    },
    /// The server does not keep to the protocol.
    #[error("in game {game} the server broke the protocol: {source}")]
    Protocol {
        /// Games begun.
        game: u32,
        /// What went wrong.
        source: ClientError,
    },
    /// The engine could not be made.
    #[error(transparent)]
    Engine(#[from] WeightsError),
}

/// Plays the matches that the options ask for. Decisions (with `--json`) and summaries go to
/// `out`.
///
/// # Errors
/// The first match that cannot be played to its end.
pub fn run(options: &Options, out: &mut dyn Write) -> Result<Vec<Summary>, PlayError> {
    let seed = options.seed_or_clock();
    debug!("seed {seed}");
    let mut summaries = Vec::new();
    for i in 0..options.matches {
        let engine = options
            .engine_options()
            .build(seed.wrapping_add(u64::from(i)))?;
        let mut player = Player::new(engine, options.game_time());
        let stream = connect(options)?;
        let summary = play_match(options, stream, &mut player, out)?;
        if options.json {
            write_line(out, &json!({ "summary": summary.to_json() }));
        } else {
            let _ = writeln!(out, "{summary}");
        }
        summaries.push(summary);
    }
    Ok(summaries)
}

/// Connects, trying again while nobody listens.
///
/// # Errors
/// When the time for it is over.
fn connect(options: &Options) -> Result<TcpStream, PlayError> {
    let until = Instant::now() + Duration::from_secs(options.wait);
    connect_until(&options.host, options.port, until).map_err(|source| {
        let address = format!("{}:{}", options.host, options.port);
        PlayError::Connect { address, source }
    })
}

/// Plays one match over a fresh connection.
///
/// # Errors
/// When it cannot be played to its end.
pub fn play_match<S: Read + Write>(
    options: &Options,
    stream: S,
    player: &mut Player,
    out: &mut dyn Write,
) -> Result<Summary, PlayError> {
    let mut seat = Seat {
        stream,
        end: ClientEnd::new(options.protocol, &options.player_name()),
        tracker: Tracker::new(0, options.assumptions()),
        player,
        log: options.json.then_some(out),
        summary: Summary::default(),
        assumed: options.assumptions(),
        place_unknown: false,
        turn: 0,
        sent_meld: false,
    };
    if let Some(hello) = seat.end.hello() {
        seat.send(&hello)?;
    }
    let mut piece = vec![0; READ_LEN];
    while !seat.end.is_over() {
        let n = match seat.stream.read(&mut piece) {
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                return Err(PlayError::Io {
                    game: seat.tracker.game(),
                    source,
                });
            }
        };
        if n == 0 {
            return Err(PlayError::Closed {
                game: seat.tracker.game(),
            });
        }
        let received = seat.end.receive(&piece[..n]);
        seat.check(received)?;
        while let Some(event) = seat.next_event()? {
            seat.handle(&event)?;
        }
    }
    let mut summary = seat.summary;
    summary.disagreements = seat.tracker.disagreements();
    summary.decisions = player.decisions;
    summary.time = player.time;
    summary.longest = player.longest;
    summary.corrected = player.corrected;
    Ok(summary)
}

/// A match in progress.
struct Seat<'a, S> {
    stream: S,
    end: ClientEnd,
    tracker: Tracker,
    player: &'a mut Player,
    log: Option<&'a mut dyn Write>,
    summary: Summary,
    assumed: Assumptions,
    /// Whether the last game's place is still to be learned from the next deal.
    place_unknown: bool,
    turn: u32,
    sent_meld: bool,
}

impl<S: Read + Write> Seat<'_, S> {
    fn check<T>(&self, result: Result<T, ClientError>) -> Result<T, PlayError> {
        result.map_err(|source| PlayError::Protocol {
            game: self.tracker.game(),
            source,
        })
    }

    fn next_event(&mut self) -> Result<Option<Event>, PlayError> {
        let event = self.end.next_event();
        self.check(event)
    }

    fn send(&mut self, message: &[u8]) -> Result<(), PlayError> {
        // One write call for the whole message, unless the kernel has no room for it.
        let sent = self
            .stream
            .write_all(message)
            .and_then(|()| self.stream.flush());
        sent.map_err(|source| PlayError::Io {
            game: self.tracker.game(),
            source,
        })
    }

    fn handle(&mut self, event: &Event) -> Result<(), PlayError> {
        match event {
            Event::Number(number) => {
                info!("player {number}");
                self.summary.player = *number;
                self.tracker = Tracker::new(*number, self.assumed);
            }
            Event::Deal(deal) => {
                self.turn = 0;
                if let Some(ranks) = deal.ranks.filter(|_| self.place_unknown) {
                    self.count_place(ranks[usize::from(self.summary.player)]);
                }
                self.place_unknown = false;
                let view = self.tracker.deal(deal);
                self.player.deal();
                if deal.give > 0 {
                    let gift = self.player.gift(&view, deal.give);
                    self.tracker.gave(gift.choice);
                    let message = self.end.give(gift.choice);
                    let message = self.check(message)?;
                    self.send(&message)?;
                    self.write_log(gift.log);
                }
            }
            Event::Hand(hand) => self.hand(hand)?,
            Event::Ack(accepted) => {
                if !accepted && self.sent_meld {
                    warn!("game {}: the server refused the move", self.tracker.game());
                    self.summary.refused += 1;
                }
            }
            Event::Field(field) => self.field(field),
            Event::End(End::Turn) => {}
            Event::End(End::Game | End::Match) => {
                self.summary.games += 1;
                match self.tracker.place() {
                    Some(place) => self.count_place(place),
                    None => self.place_unknown = true,
                }
            }
        }
        Ok(())
    }

    fn hand(&mut self, hand: &Hand) -> Result<(), PlayError> {
        let began = self.tracker.hand(hand);
        self.turn += 1;
        let Some(view) = self.tracker.view() else {
            return Ok(());
        };
        if began {
            self.player.game_begins(view);
        }
        if !hand.my_turn {
            return Ok(());
        }
        let decision = self.player.choose(view);
        self.sent_meld = !decision.choice.is_pass();
        let message = self.end.submit(decision.choice);
        let message = self.check(message)?;
        self.send(&message)?;
        self.write_log(decision.log);
        Ok(())
    }

    fn field(&mut self, field: &Field) {
        if let Some((before, meld)) = self.tracker.field(field) {
            self.player.observe(&before, meld);
        }
    }

    fn count_place(&mut self, place: u8) {
        if let Some(n) = self.summary.places.get_mut(usize::from(place)) {
            *n += 1;
        }
    }

    fn write_log(&mut self, mut line: Value) {
        if let Some(out) = &mut self.log {
            line["game"] = json!(self.tracker.game());
            line["turn"] = json!(self.turn);
            write_line(*out, &line);
        }
    }
}

/// A line of JSON; a closed pipe does not stop the match.
fn write_line(out: &mut dyn Write, line: &Value) {
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
