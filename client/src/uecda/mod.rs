//! The client of UECda: one connection, one match, any player.

mod counts;
mod game;
mod tracker;

use std::io::{self, Write};
use std::time::Instant;

use games::daihinmin::{GameView, NO_PLACE, SEATS};
use games::{Player as PlayerNumber, Seat};
use log::{info, warn};
use protocol::native::{Clocks, ErrorCode};
use protocol::uecda::{ClientEnd, ClientError, Deal, End, Event, Field, Hand, Version};
use record::{Frame, GameResult};
use serde_json::json;

use super::connect::connect_until;
use super::link::{Input, Inputs, Link, Lost, UNTOLD};
use super::{
    Action, Decision, MatchError, MoveRequest, Notification, PersonCommands, Player, ServerOptions,
    Sitter, Summary, TableEvent, tell_of_silence, write_line,
};

pub use counts::DaihinminCounts;
pub use game::{Daihinmin, DaihinminChoice, DaihinminSight};
pub use tracker::{Assumptions, HandTracker};

/// What a person can do.
pub const PERSON_COMMANDS: PersonCommands = PersonCommands {
    has_resign: false,
    quit: "leave the match",
};

/// How to come to a server, and what to take it for.
#[derive(Clone, Copy, Debug)]
pub struct UecdaSettings<'a> {
    /// Where it is.
    pub server: &'a ServerOptions,
    /// Its TCP port.
    pub port: u16,
    /// Version of the protocol.
    pub version: Version,
    /// Name at the table.
    pub name: &'a str,
    /// What the wire does not tell.
    pub assumptions: Assumptions,
    /// Whether decisions are written.
    pub json: bool,
}

/// Plays one match as a player that does not come from a command line.
///
/// # Errors
/// When there is no connection, or the match cannot be played to its end.
pub fn run(
    settings: &UecdaSettings<'_>,
    sitter: Sitter<Daihinmin>,
) -> Result<Summary<DaihinminCounts>, MatchError> {
    let inputs = Inputs::default();
    let mut player = sitter(inputs.waker(), PERSON_COMMANDS);
    play_match(settings, 0, &inputs, &mut *player, &mut io::sink())
}

/// Plays one match over a fresh connection, the one with this number. A player that leaves ends it early.
///
/// # Errors
/// When there is no connection, or the match cannot be played to its end.
pub fn play_match(
    settings: &UecdaSettings<'_>,
    number: u32,
    inputs: &Inputs,
    player: &mut dyn Player<Daihinmin>,
    out: &mut dyn Write,
) -> Result<Summary<DaihinminCounts>, MatchError> {
    let (server, port) = (settings.server, settings.port);
    let deadline = Instant::now() + server.connect_limit();
    let stream = connect_until(&server.host, port, deadline)?;
    let mut table = Match {
        link: Link::new(stream, number, inputs, player.wakes()),
        end: ClientEnd::new(settings.version, settings.name),
        tracker: HandTracker::new(0, settings.assumptions),
        player,
        out,
        settings,
        summary: Summary::default(),
        sight: None,
        is_due: false,
        place_unknown: false,
        turn: 0,
        ply: 0,
        frame: Frame::begin(0, Vec::new()),
        sent_meld: false,
    };
    if let Some(hello) = table.end.hello() {
        table.send(&hello)?;
    }
    let mut until_told = (number == 0).then_some(UNTOLD);
    while !table.end.is_over() && table.summary.reason.is_none() {
        match table.link.next(inputs, until_told) {
            Some(Input::Bytes(_, _, bytes)) => {
                until_told = None;
                let received = table.end.receive(&bytes);
                table.check(received)?;
            }
            Some(Input::Lost(_, lost)) => return Err(table.lost(lost)),
            Some(Input::Player) => table.obey()?,
            None => {
                until_told = None;
                let address = server.address(port);
                let sentence = format!(
                    "{address} has said nothing yet: it waits for other players, or is no UECda server"
                );
                tell_of_silence(table.player, &sentence, table.out);
            }
        }
        while let Some(event) = table.next_event()? {
            table.handle(&event);
            table.obey()?;
        }
    }
    let mut summary = table.summary;
    summary.disagreements = table.tracker.disagreements();
    summary.thinking = table.player.thinking();
    Ok(summary)
}

struct Match<'a> {
    link: Link,
    end: ClientEnd,
    tracker: HandTracker,
    player: &'a mut dyn Player<Daihinmin>,
    out: &'a mut dyn Write,
    settings: &'a UecdaSettings<'a>,
    summary: Summary<DaihinminCounts>,
    sight: Option<DaihinminSight>,
    /// Whether a gift or a move is due.
    is_due: bool,
    /// Whether the last game's place is still to be learned from the next deal.
    place_unknown: bool,
    turn: u32,
    /// Gifts of the exchange and moves of the game, both by anybody.
    ply: u32,
    frame: Frame,
    sent_meld: bool,
}

impl Match<'_> {
    fn check<T>(&self, result: Result<T, ClientError>) -> Result<T, MatchError> {
        result.map_err(|source| MatchError::Protocol {
            game: self.tracker.game(),
            source,
        })
    }

    fn next_event(&mut self) -> Result<Option<Event>, MatchError> {
        let event = self.end.next_event();
        self.check(event)
    }

    /// Sends a message with one call: the official server does not put fragments together.
    fn send(&mut self, message: &[u8]) -> Result<(), MatchError> {
        self.link.send(message).map_err(|e| self.lost(e.into()))
    }

    fn lost(&self, lost: Lost) -> MatchError {
        let game = self.tracker.game();
        match lost {
            Lost::Broken(source) => MatchError::Io { game, source },
            Lost::Closed | Lost::Silent(_) => MatchError::Closed { game },
        }
    }

    fn tell(&mut self, news: Notification<'_, Daihinmin>) {
        self.player.tell(news, self.out);
    }

    fn say(&mut self, sentence: &str) {
        self.tell(Notification::Said(sentence));
    }

    /// Tells a player that shows the table of something.
    fn show(&mut self, event: TableEvent) {
        if self.player.shows() {
            self.player.show(event);
        }
    }

    /// Shows what the seat sees; `to_move` is unknown while others give.
    fn show_view(&mut self, to_move: Option<u8>) {
        if !self.player.shows() {
            return;
        }
        let sight = self.sight.expect("a view is shown in a game");
        let mut owed = [0; SEATS];
        owed[usize::from(sight.view.seat)] = sight.owes;
        let view = GameView {
            view: *self.tracker.view().unwrap_or(&sight.view),
            owed,
        };
        let to_move = to_move.map(Seat::new);
        self.frame.show(self.ply, to_move, json!(view));
        self.player.show(TableEvent::Frame(self.frame.clone()));
    }

    /// Shows that the match goes on after the greeting. The protocol tells no names.
    fn show_match(&mut self, player: u8) {
        self.show(TableEvent::Seated(player));
        let assumptions = self.settings.assumptions;
        self.show(TableEvent::Match {
            players: (0..SEATS).map(|i| format!("player {i}")).collect(),
            games: assumptions.games.unwrap_or_default(),
            rules: json!(assumptions.rules),
            clocks: Clocks::default(),
            draws: false,
        });
    }

    /// Shows the places as far as they are known: seats that twenty passes stopped share the next one.
    fn show_result(&mut self) {
        let view = self.tracker.view();
        let places = view.map_or([NO_PLACE; SEATS], |view| view.table.places);
        let known = places.iter().filter(|&&place| place != NO_PLACE).count() as u8;
        let places = places.map(|place| place.min(known));
        let (scores, end) = if usize::from(known) == SEATS {
            let scores = places.map(|place| 5.0 - f64::from(place));
            (scores.to_vec(), "played-out")
        } else {
            (Vec::new(), "stalled")
        };
        let places = places.map(|place| place + 1).to_vec();
        let result = GameResult::new(self.tracker.game(), places, scores, end);
        self.show(TableEvent::Result(result));
    }

    fn handle(&mut self, event: &Event) {
        match event {
            Event::Number(number) => {
                info!("player {number}");
                self.say(&format!(
                    "You are player {number}, the players are 0 to 4. Type help for help."
                ));
                self.summary.counts.player = *number;
                self.tracker = HandTracker::new(*number, self.settings.assumptions);
                self.show_match(*number);
            }
            Event::Deal(deal) => self.deal(deal),
            Event::Hand(hand) => self.hand(hand),
            Event::Ack(accepted) => {
                if !accepted && self.sent_meld {
                    warn!("game {}: the server refused the move", self.tracker.game());
                    let refusal = "The server has refused your move: it counts as a pass.";
                    self.say(refusal);
                    self.show(TableEvent::Error(ErrorCode::Illegal, refusal.to_owned()));
                    self.summary.refused += 1;
                }
            }
            Event::Field(field) => self.field(field),
            Event::End(End::Turn) => {}
            Event::End(end @ (End::Game | End::Match)) => {
                self.summary.counts.games += 1;
                self.show_result();
                if let Some(place) = self.tracker.place() {
                    self.summary.counts.add(place);
                    self.say(&format!("The game is over: your place is {}.", place + 1));
                } else {
                    self.place_unknown = true;
                    self.say("The game is over after twenty passes: places are drawn.");
                }
                if *end == End::Match {
                    self.say("The match is over.");
                    let (scores, reason) = (Vec::new(), None);
                    self.show(TableEvent::Over { scores, reason });
                }
            }
        }
    }

    fn deal(&mut self, deal: &Deal) {
        self.turn = 0;
        let me = usize::from(self.summary.counts.player);
        if let Some(ranks) = deal.ranks.filter(|_| self.place_unknown) {
            self.summary.counts.add(ranks[me]);
        }
        self.place_unknown = false;
        if !deal.has_seats && self.tracker.game() == 0 {
            warn!(
                "the server sends no seats: the players are taken to sit in the order of their numbers"
            );
        }
        let view = self.tracker.deal(deal);
        self.tell(Notification::NewGame);
        let place = deal.ranks.map_or(String::new(), |ranks| {
            format!(" Your place in the last one was {}.", ranks[me] + 1)
        });
        self.say(&format!("\nGame {}.{place}", self.tracker.game()));
        let sight = DaihinminSight {
            view,
            owes: deal.give,
            player_at: deal.player_at,
        };
        self.sight = Some(sight);
        self.ply = 0;
        let players = deal.player_at.map(PlayerNumber::new);
        self.frame = Frame::begin(self.tracker.game(), players.to_vec());
        self.show_view((deal.give > 0).then_some(view.seat));
        // Both gifts of the exchange are plies.
        self.ply = if deal.ranks.is_some() { 2 } else { 0 };
        if deal.give > 0 {
            self.is_due = true;
            self.tell(Notification::Seen(&sight));
        }
    }

    fn hand(&mut self, hand: &Hand) {
        let began = self.tracker.hand(hand);
        self.turn += 1;
        let Some(view) = self.tracker.view() else {
            return;
        };
        let sight = DaihinminSight {
            view: *view,
            owes: 0,
            player_at: hand.status.player_at,
        };
        self.sight = Some(sight);
        if began {
            self.tell(Notification::Begun(&sight));
            self.show_view(Some(sight.view.table.turn));
            let exchanged = sight.view.exchanged;
            if !exchanged.given.is_empty() && !exchanged.rich {
                let (given, received) = (exchanged.given, exchanged.received);
                self.say(&format!("You had to give {given} and got {received}."));
            }
        }
        if hand.my_turn {
            self.is_due = true;
            self.tell(Notification::Seen(&sight));
            self.say("Your move:");
        }
    }

    fn field(&mut self, field: &Field) {
        let Some(played) = self.tracker.field(field) else {
            return;
        };
        self.tell(Notification::Played(&played));
        let mover = field.status.turn;
        let (before, meld) = played;
        self.ply += 1;
        let seat = Seat::new(before.table.turn);
        self.frame.play(self.ply, seat, meld.to_string(), None);
        let table = self.tracker.view().map(|view| view.table);
        self.show_view(
            table
                .filter(|table| !table.is_over())
                .map(|table| table.turn),
        );
        if mover != self.summary.counts.player {
            let left = field.status.counts[usize::from(mover)];
            let what = match played.1 {
                meld if meld.is_pass() => "passes".to_owned(),
                meld if left == 0 => format!("plays {meld} and is out"),
                meld => format!("plays {meld}, {left} left"),
            };
            self.say(&format!("Player {mover} {what}."));
        }
    }

    fn obey(&mut self) -> Result<(), MatchError> {
        loop {
            let asked = self.is_due.then_some(MoveRequest {
                limit: None,
                refused: &[],
            });
            match self.player.act(self.sight.as_ref(), asked, self.out) {
                None => return Ok(()),
                Some(Action::Move(decision)) if self.is_due => self.answer(decision)?,
                Some(Action::Leave) => {
                    self.summary.leave();
                    return Ok(());
                }
                Some(Action::Move(_) | Action::NoMove | Action::Resign | Action::Draw(..)) => {
                    unreachable!("a player moves when it is asked, and cannot resign")
                }
            }
        }
    }

    fn answer(&mut self, decision: Decision<DaihinminChoice>) -> Result<(), MatchError> {
        let sight = self.sight.expect("a player is asked in a game");
        self.is_due = false;
        let Decision { mv, log: mut line } = decision;
        line["hand"] = json!(sight.view.hand.to_string());
        let message = match mv {
            DaihinminChoice::Give(gift) => {
                line["gift"] = json!(gift.to_string());
                self.tracker.gave(gift);
                self.end.give(gift)
            }
            DaihinminChoice::Play(meld) => {
                line["field"] = json!(sight.view.table.field.to_string());
                line["move"] = json!(meld.to_string());
                self.sent_meld = !meld.is_pass();
                self.end.submit(meld)
            }
        };
        let message = self.check(message)?;
        self.send(&message)?;
        if self.settings.json {
            line["game"] = json!(self.tracker.game());
            line["turn"] = json!(self.turn);
            write_line(self.out, &line);
        }
        Ok(())
    }
}
