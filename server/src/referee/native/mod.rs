//! The referee of a match in the native protocol, for any [`Game`].
//!
//! Players are numbered as they were seated and keep their numbers; seats may change with each game.
//!
//! # What a fault costs
//! | what | costs |
//! |---|---|
//! | a move out of turn or for an earlier ply, a message of an unknown type | an error |
//! | an illegal move | the game, [`EndKind::Illegal`] |
//! | a line that is no message | the game, [`EndKind::ProtocolError`] |
//! | more lines than the rate allows | the game and the connection, [`EndKind::ProtocolError`] |
//! | no move in time | the game, [`EndKind::Timeout`] |
//! | a connection that is lost and does not come back in time, leaving | the game and all further ones, [`EndKind::Disconnect`] |
//! | giving up | the game, [`EndKind::Resign`] |
//! | a step about a draw that is not possible now | an error |
//! | a connection that ends with its program, the word that the engine behind it has failed | as above, [`EndKind::Crash`] |
//!
//! [`MatchSettings::retries`] of the second and third cost an error only. The clock of a player whose
//! connection is lost goes on. A player that loses [`MatchSettings::timeouts`] games in a row on time is gone, too.
//!
//! A player that says when it is [ready](ClientMessage::Ready) is waited for between two games, for at most
//! [`MatchSettings::ready`], while no clock runs.
//!
//! Where a player is gone the match ends, unless [`MatchSettings::goes_on`] and two or more are left whose games go on
//! without one: each further game begins with its loss for those that are gone.
//!
//! A game that [can](Game::withdraw) goes on with the other seats; any other is over. A seat that is
//! out by the rules has finished its game, and no fault costs it that game any more.

use std::time::Duration;

use games::{ByPlayer, BySeat, Game, Offers, Outcome, Player, Seat};
use protocol::native::{ClientMessage, ErrorCode, Fault, ServerMessage};

use super::{Outbox, Referee, STOPPED, TimeoutPolicy};
use history::History;
use play::{Play, SeatEnd, SeatedPlayer, millis};
use record::{EndKind, What};

pub use settings::opening;
pub use settings::{GameResult, GameSetup, MatchSettings};

mod absence;
mod draws;
mod faults;
mod history;
mod play;
mod settings;
#[cfg(test)]
mod tests;

type NativeOutbox = Outbox<ServerMessage>;

/// The state machine of one match. See [the module above](crate::referee) for how time and messages
/// go in and out; time is that since the match was set up.
#[derive(Clone, Debug)]
pub struct NativeReferee<G: Game> {
    settings: MatchSettings<G::Rules>,
    players: ByPlayer<SeatedPlayer>,
    play: Option<Play<G>>,
    /// Number of the last game that has begun, and games that counted.
    number: u32,
    counted: u32,
    history: History,
    over: bool,
    /// Between two games, until when players are waited for that say when they are ready.
    waits: Option<Duration>,
    /// Why no game follows the one in play.
    ending: Option<String>,
    reason: Option<String>,
    results: Vec<GameResult>,
    /// Games in a row that were lost on time.
    late: TimeoutPolicy,
}

impl<G: Game> Referee for NativeReferee<G> {
    type In = Result<ClientMessage, Fault>;
    type Out = ServerMessage;

    fn start(&mut self, out: &mut NativeOutbox) {
        for player in self.players.numbers() {
            out.send(player, self.match_message(player));
        }
        self.begin_game(out);
    }

    fn receive(&mut self, player: Player, sent: Self::In, out: &mut NativeOutbox) {
        if self.over || self.is_gone(player) {
            return;
        }
        match sent {
            Ok(message) => self.take(player, message, out),
            Err(fault) => self.fault(player, fault, out),
        }
    }

    fn lose(&mut self, player: Player, kind: EndKind, _reason: &str, out: &mut NativeOutbox) {
        self.players[player].lost = kind;
        self.is_away(player, out);
    }

    fn rejoin(&mut self, player: Player, last: Option<u64>, out: &mut NativeOutbox) {
        if self.over || self.is_gone(player) {
            out.close.push(player);
            return;
        }
        if self.players[player].away.take().is_some() {
            self.tell_presence(player, true, out);
            // It is told of its own return with all that it has missed.
            out.messages.retain(|(to, _)| *to != player);
        }
        out.send(player, self.match_message(player));
        let since = last.unwrap_or(u64::MAX);
        let missed: Vec<ServerMessage> = self.history.since(since, player).collect();
        for event in missed {
            out.send(player, event);
        }
        let Some(play) = &self.play else {
            return;
        };
        out.send(player, self.view(player));
        if play.mover() == Some(player) {
            self.send_request(out);
        }
    }

    fn is_gone(&self, player: Player) -> bool {
        self.players[player].gone.is_some()
    }

    fn wake(&mut self, out: &mut NativeOutbox) {
        while !self.over && self.next_deadline().is_some_and(|at| at <= out.now) {
            let resume = self.settings.resume;
            let late = |p: &SeatedPlayer| {
                p.gone.is_none() && p.away.is_some_and(|since| since + resume <= out.now)
            };
            let gone = self.players.pairs().find(|(_, p)| late(p));
            if let Some(player) = gone.map(|(player, _)| player) {
                let reason = match self.players[player].lost {
                    EndKind::Crash => "its program has ended",
                    _ => "its connection was lost",
                };
                self.gone(player, reason, out);
            } else if let Some(player) = self.play.as_ref().and_then(Play::mover) {
                let (kind, reason) = match self.players[player].away {
                    None => (EndKind::Timeout, "its time is up"),
                    Some(_) => (
                        self.players[player].lost,
                        "its time is up, and it is not there",
                    ),
                };
                self.forfeit(player, kind, reason, out);
            } else {
                self.go_on(out);
            }
        }
    }

    fn stop(&mut self, out: &mut NativeOutbox) {
        if self.over {
            return;
        }
        if let Some(play) = self.play.take() {
            self.tell(out, |event, _| ServerMessage::Result {
                event,
                game: play.number,
                places: Vec::new(),
                scores: vec![0.0; G::SEATS],
                end: EndKind::Void.as_str().to_owned(),
                by: None,
                ends: Vec::new(),
                game_points: Vec::new(),
                reason: Some(STOPPED.to_owned()),
            });
            let result = GameResult {
                game: play.number,
                places: ByPlayer::default(),
                points: ByPlayer::of(G::SEATS, 0.0),
                game_points: ByPlayer::default(),
                kinds: ByPlayer::of(G::SEATS, EndKind::Void),
                rule: None,
                end: EndKind::Void,
                plies: play.game.ply(),
                seating: play.seating,
            };
            self.record_end(result, out);
        }
        self.end_match(Some(STOPPED), out);
    }

    fn finish(&mut self) {
        let reason = || "no more games are played".to_owned();
        self.ending.get_or_insert_with(reason);
    }

    fn next_deadline(&self) -> Option<Duration> {
        let away = self.players.iter().filter(|p| p.gone.is_none());
        let away = away.filter_map(|p| p.away);
        let away = away.filter_map(|since| since.checked_add(self.settings.resume));
        // A match that ends early waits for no player.
        let is_ending = self.ending.is_some();
        let waits = self
            .waits
            .map(|until| if is_ending { Duration::ZERO } else { until });
        away.chain(self.play.as_ref().and_then(Play::time_up))
            .chain(waits)
            .min()
            .filter(|_| !self.over)
    }

    fn is_over(&self) -> bool {
        self.over
    }
}

impl<G: Game> NativeReferee<G> {
    /// A match between players of these names.
    ///
    /// # Panics
    /// Unless there are as many as seats.
    pub fn new(settings: MatchSettings<G::Rules>, names: &[String]) -> NativeReferee<G> {
        assert_eq!(names.len(), G::SEATS, "a name for each seat");
        let seated = |name: &String| SeatedPlayer {
            name: name.clone(),
            away: None,
            lost: EndKind::Disconnect,
            ready: None,
            points: 0.0,
            kind: EndKind::Normal,
            refused: 0,
            retried: 0,
            gone: None,
        };
        NativeReferee {
            late: TimeoutPolicy::new(settings.timeouts, names.len()),
            settings,
            players: names.iter().map(seated).collect(),
            play: None,
            number: 0,
            counted: 0,
            history: History::default(),
            over: false,
            waits: None,
            ending: None,
            reason: None,
            results: Vec::new(),
        }
    }

    fn take(&mut self, player: Player, message: ClientMessage, out: &mut NativeOutbox) {
        match message {
            ClientMessage::Hello(_) => {
                let text = "hello is the first message, and only the first";
                self.refuse(player, ErrorCode::Hello, text, "hello", out);
            }
            ClientMessage::Move { game, ply, mv } => {
                self.play_move(player, game, ply, &mv, out);
            }
            ClientMessage::Legal => out.send(player, self.of_play(|play| play.legal(player))),
            ClientMessage::View => out.send(player, self.view(player)),
            ClientMessage::Resign if self.is_out(player) => {
                let text = "your game is over, the others play on";
                self.refuse(player, ErrorCode::NoGame, text, "resign", out);
            }
            ClientMessage::Resign => {
                self.forfeit(player, EndKind::Resign, "it resigns", out);
            }
            ClientMessage::Draw { game, act } => self.draw(player, game, act, out),
            ClientMessage::Crash { game } => {
                if self.play.as_ref().is_some_and(|play| play.number == game) {
                    self.forfeit(player, EndKind::Crash, "its engine has failed", out);
                }
            }
            ClientMessage::Ready { game } => {
                self.players[player].ready = Some(game);
                if self.waits.is_some() {
                    self.go_on(out);
                }
            }
            ClientMessage::Leave => self.gone(player, "it gave up its seat", out),
            ClientMessage::Act(_) => {
                let text = "acts are those of organisers, at the port of watchers of a league";
                self.refuse(player, ErrorCode::UnknownType, text, "act", out);
            }
        }
    }

    fn play_move(
        &mut self,
        player: Player,
        number: Option<u32>,
        ply: Option<u32>,
        mv: &str,
        out: &mut NativeOutbox,
    ) {
        let Some(play) = &mut self.play else {
            let text = "no game is being played";
            self.refuse(player, ErrorCode::NoGame, text, mv, out);
            return;
        };
        let current = (play.number, play.game.ply());
        let harmless =
            if number.is_some_and(|n| n != current.0) || ply.is_some_and(|p| p != current.1) {
                let (game, ply) = current;
                let text = format!("ply {ply} of game {game} is to be played now");
                Some((ErrorCode::Stale, text))
            } else if play.mover() != Some(player) {
                Some((ErrorCode::NotYourTurn, "it is not your turn".to_owned()))
            } else {
                None
            };
        if let Some((code, text)) = harmless {
            self.refuse(player, code, &text, mv, out);
            return;
        }
        // Without secrets nothing of it is needed, and a long game takes its time to copy.
        let before = G::HAS_SECRETS.then(|| play.game.clone());
        match play.game.play_text(mv) {
            Ok(mv) => self.played(player, before.as_ref(), mv, out),
            Err(reason) => {
                let reason = reason.to_string();
                self.refuse(player, ErrorCode::Illegal, &reason, mv, out);
                self.costs(player, EndKind::Illegal, &reason, out);
            }
        }
    }

    /// Whether a player has no part any more in the game in play.
    fn is_out(&self, player: Player) -> bool {
        let play = self.play.as_ref();
        play.is_some_and(|play| play.ends[play.seating.seat_of(player)].is_some())
    }

    /// Why the match ended before its last game.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The games that are over, void ones included, in order.
    pub fn results(&self) -> &[GameResult] {
        &self.results
    }

    /// The game in play, for those who may see all of it: never for a player.
    pub fn game(&self) -> Option<&G> {
        self.play.as_ref().map(|play| &play.game)
    }

    fn begin_game(&mut self, out: &mut NativeOutbox) {
        let Some(game) = self.settings.opening_of::<G>(self.number) else {
            self.end_match(Some("there is no such opening"), out);
            return;
        };
        let seating = self.settings.seating(self.number, G::SEATS);
        let players: Vec<u8> = seating.players().iter().map(|p| p.number()).collect();
        self.number += 1;
        let number = self.number;
        for player in &mut self.players {
            player.refused = 0;
            player.retried = 0;
        }
        let position = self.settings.has_opening().then(|| game.position());
        let begin = What::Begin {
            game: number,
            seats: players.clone(),
            ranks: None,
            hands: Vec::new(),
            position,
        };
        out.event(begin);
        let ply = game.ply();
        let missed = self.players.iter().any(|player| player.away.is_some());
        self.history.begin_game(missed);
        self.tell(out, |event, _| ServerMessage::Game {
            event,
            game: number,
            players: players.clone(),
            ply,
        });
        let clocks = seating.by_seat(&self.settings.clocks);
        self.play = Some(Play {
            game,
            number,
            seating,
            left: clocks.map(|clocks| clocks.game_ms.map(Duration::from_millis)),
            ends: BySeat::of(G::SEATS, None),
            asked: out.now,
            offers: Offers::new(Offers::BETWEEN_DRAWS),
            per_move: clocks.map(|clocks| clocks.move_ms.map(Duration::from_millis)),
        });
        for player in self.players.numbers() {
            if self.players[player].away.is_none() {
                out.send(player, self.view(player));
            }
        }
        self.tell_outs(out);
        self.ask(out);
        // Two or more are left: none of these losses ends the game.
        for player in self.players.numbers() {
            if let Some(kind) = self.players[player].gone {
                self.lost_by(player, kind, "it is gone", out);
            }
        }
    }

    fn ask(&mut self, out: &mut NativeOutbox) {
        if let Some(play) = &mut self.play {
            play.asked = out.now;
        }
        self.send_request(out);
    }

    /// Sends the player to move, unless it is away, the request for its move.
    fn send_request(&self, out: &mut NativeOutbox) {
        if let Some(play) = &self.play
            && let Some(player) = play.mover()
            && let Some(request) = play.request(out.now)
            && self.players[player].away.is_none()
        {
            out.send(player, request);
        }
    }

    /// A player has made this move; `before` is the game before it, if it has secrets.
    fn played(&mut self, player: Player, before: Option<&G>, mv: G::Move, out: &mut NativeOutbox) {
        let Some(play) = &mut self.play else {
            return;
        };
        let seat = play.seating.seat_of(player);
        let used = out.now.saturating_sub(play.asked);
        let left = &mut play.left[seat];
        let increment = Duration::from_millis(
            self.settings.clocks[player]
                .increment_ms
                .unwrap_or_default(),
        );
        *left = left.map(|left| left.saturating_sub(used).saturating_add(increment));
        let budget_ms = left.map(millis);
        let (game, ply, used_ms) = (play.number, play.game.ply() - 1, millis(used));
        let seats = play.seating.seats();
        let shown =
            seats.map(|&seat| before.map_or_else(|| mv.to_string(), |game| game.shown(mv, seat)));
        play.offers.end();
        let outcome = play.game.outcome();
        let what = What::Move {
            player: player.number(),
            mv: mv.to_string(),
            fault: None,
            spent: None,
            used: Some(used_ms),
            left: budget_ms,
        };
        out.event(what);
        self.tell(out, |event, player| ServerMessage::Moved {
            event,
            game,
            ply,
            seat: seat.number(),
            mv: shown[player].clone(),
            used_ms,
            budget_ms,
        });
        self.tell_outs(out);
        match outcome {
            None => self.ask(out),
            Some(outcome) => {
                self.end(&outcome, None, out);
                self.go_on(out);
            }
        }
    }

    /// After a game: the next, once all are ready that say so, or the end.
    fn go_on(&mut self, out: &mut NativeOutbox) {
        let more = self.number < self.settings.games;
        match self.ending.take() {
            None if more => {
                let until = *self
                    .waits
                    .get_or_insert(out.now.saturating_add(self.settings.ready));
                let is_ready = |p: &SeatedPlayer| {
                    p.gone.is_some() || p.ready.is_none_or(|ready| ready > self.number)
                };
                if out.now >= until || self.players.iter().all(is_ready) {
                    self.waits = None;
                    self.begin_game(out);
                }
            }
            // After the last game nothing is missing.
            ending => self.end_match(ending.as_deref().filter(|_| more), out),
        }
    }

    fn end_match(&mut self, reason: Option<&str>, out: &mut NativeOutbox) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.reason = reason.map(str::to_owned);
        let points: Vec<f64> = self.players.iter().map(|p| p.points).collect();
        let games = self.counted;
        let reason = self.reason.clone();
        self.tell(out, |event, _| ServerMessage::Over {
            event,
            games,
            scores: points.clone(),
            reason: reason.clone(),
        });
        let result = What::Result {
            games,
            points,
            kinds: self.players.iter().map(|p| p.kind).collect(),
            seed: self.settings.seed_used(),
            key: None,
            reason: self.reason.clone(),
        };
        out.event(result);
        out.close.extend(self.players.numbers());
    }

    /// Tells of the seats that the rules have put out since they were last told.
    fn tell_outs(&mut self, out: &mut NativeOutbox) {
        for seat in Seat::all(G::SEATS) {
            let Some(play) = &mut self.play else {
                return;
            };
            if let Some(rule) = play.game.out(seat)
                && play.end_seat(seat, SeatEnd::Rule(rule))
            {
                self.tell_out(seat, rule, None, out);
            }
        }
    }

    fn tell_out(&mut self, seat: Seat, end: &str, reason: Option<&str>, out: &mut NativeOutbox) {
        let game = self.number;
        self.tell(out, |event, _| ServerMessage::Out {
            event,
            game,
            seat: seat.number(),
            end: end.to_owned(),
            reason: reason.map(str::to_owned),
        });
    }

    /// Ends the game in play; `fault` is the last that a seat made, if that ended it.
    fn end(&mut self, outcome: &Outcome, fault: Option<(Seat, EndKind)>, out: &mut NativeOutbox) {
        let Some(play) = self.play.take() else {
            return;
        };
        let fault = fault.filter(|_| outcome.rule.is_none());
        let kind = fault.map_or(EndKind::Normal, |(_, kind)| kind);
        let result = GameResult {
            game: play.number,
            places: play.seating.by_player(&outcome.places),
            points: play.seating.by_player(&outcome.points),
            game_points: match outcome.game_points.len() {
                0 => ByPlayer::default(),
                _ => play.seating.by_player(&outcome.game_points),
            },
            kinds: play.seating.by_player(&play.ends.map(|end| match *end {
                Some(SeatEnd::Fault(kind)) => kind,
                _ => EndKind::Normal,
            })),
            rule: outcome.rule,
            end: kind,
            plies: play.game.ply(),
            seating: play.seating.clone(),
        };
        for (seated, points) in self.players.iter_mut().zip(&result.points) {
            seated.points += points;
        }
        self.counted += 1;
        let end = result.end_name();
        let fault = fault.filter(|(_, kind)| *kind != EndKind::Agreed);
        let by = fault.map(|(seat, _)| seat.number());
        let ends: Vec<String> = match G::SEATS {
            ..=2 => Vec::new(),
            _ => play.seat_ends(outcome.rule),
        };
        self.tell(out, |event, _| ServerMessage::Result {
            event,
            game: play.number,
            places: outcome.places.iter().map(|place| place + 1).collect(),
            scores: outcome.points.to_vec(),
            end: end.to_owned(),
            by,
            ends: ends.clone(),
            game_points: outcome.game_points.to_vec(),
            reason: outcome.reason.clone(),
        });
        self.record_end(result, out);
        self.set_aside_late(out);
    }

    fn record_end(&mut self, result: GameResult, out: &mut NativeOutbox) {
        let what = What::End {
            game: result.game,
            places: result.places.to_vec(),
            points: result.points.to_vec(),
            game_points: result.game_points.to_vec(),
            kinds: result.kinds.to_vec(),
            rule: result.rule.map(str::to_owned),
        };
        out.event(what);
        let kinds = result.kinds.iter();
        self.late.game(kinds.map(|kind| *kind == EndKind::Timeout));
        self.results.push(result);
    }

    /// The settings of the match, with the clocks of this player.
    fn match_message(&self, player: Player) -> ServerMessage {
        ServerMessage::Match {
            players: self.players.iter().map(|p| p.name.clone()).collect(),
            games: self.settings.games,
            rules: serde_json::to_value(&self.settings.rules)
                .expect("options of rules are an object"),
            clocks: self.settings.clocks_of(player),
            draws: self.has_draws(),
        }
    }

    /// What a player may know of the game in play.
    fn view(&self, player: Player) -> ServerMessage {
        self.of_play(|play| play.view(player, self.history.last()))
    }

    /// A message about the game in play, or the error that there is none.
    fn of_play(&self, message: impl FnOnce(&Play<G>) -> ServerMessage) -> ServerMessage {
        let none = || ServerMessage::error(ErrorCode::NoGame, "no game is being played");
        self.play.as_ref().map_or_else(none, message)
    }

    /// Tells all players of an event; `told` makes what each is told.
    fn tell(&mut self, out: &mut NativeOutbox, told: impl Fn(u64, Player) -> ServerMessage) {
        let event = self.history.next();
        let all = ByPlayer::from_fn(self.players.len(), |player| told(event, player));
        for (player, message) in all.pairs() {
            if self.players[player].away.is_none() {
                out.send(player, message.clone());
            }
        }
        self.history.keep(all);
    }

    fn tell_presence(&mut self, player: Player, here: bool, out: &mut NativeOutbox) {
        self.tell(out, |event, _| ServerMessage::Presence {
            event,
            player: player.number(),
            here,
        });
    }
}
