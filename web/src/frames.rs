//! The frames of a seat: what a person's client is told of a match.

use std::time::Instant;

use games::{GameName, Player, Seat};
use protocol::native::ServerMessage;
use record::{Frame, GameResult, Out};
use serde_json::Value;

use crate::messages::{Message, Over, Participant, ParticipantKind, TableInfo};

/// A move whose frame waits for the view.
struct PendingMove {
    /// The ply after it.
    ply: u32,
    seat: Seat,
    mv: String,
    used_ms: Option<u64>,
}

pub(crate) struct SeatFrames {
    info: TableInfo,
    /// Whether the table is one of this gateway, whose players and clocks are known.
    is_made: bool,
    /// The number that the table's protocol gives to the own player; 0 until it tells one, as GAT never does.
    own: u8,
    /// Number of the game; 0 before the first.
    game: u32,
    ply: u32,
    players: Vec<u8>,
    /// Time of each seat at its last figure, where it is known.
    left: Vec<Option<u64>>,
    /// The seat whose time runs, and since when.
    running: Option<(usize, Instant)>,
    pending: Option<PendingMove>,
    /// Seats that went out since the last frame.
    outs: Vec<Out>,
    /// Points by player; `None` once those of a game are not told.
    scores: Option<Vec<f64>>,
    played: u32,
    is_over: bool,
    /// Why the match is over before its last game.
    reason: Option<String>,
}

impl SeatFrames {
    pub(crate) fn new(info: TableInfo) -> SeatFrames {
        SeatFrames {
            own: 0,
            is_made: !info.players.is_empty(),
            info,
            game: 0,
            ply: 0,
            players: Vec::new(),
            left: Vec::new(),
            running: None,
            pending: None,
            outs: Vec::new(),
            scores: Some(Vec::new()),
            played: 0,
            is_over: false,
            reason: None,
        }
    }

    pub(crate) const fn info(&self) -> &TableInfo {
        &self.info
    }

    /// Names the players; returns whether a name has changed.
    pub(crate) fn call(&mut self, names: &[String]) -> bool {
        let mut is_new = false;
        for (player, name) in self.info.players.iter_mut().zip(names) {
            is_new |= player.name != *name;
            player.name.clone_from(name);
        }
        is_new
    }

    /// Goes on with a game from one of its frames.
    pub(crate) fn go_on(&mut self, frame: &Frame) {
        (self.game, self.ply) = (frame.game, frame.ply);
        let played = frame.seat.zip(frame.mv.clone());
        self.pending = played.map(|(seat, mv)| PendingMove {
            ply: frame.ply,
            seat,
            mv,
            used_ms: frame.used_ms,
        });
    }

    pub(crate) fn at(&self) -> (u32, u32) {
        (self.game, self.ply)
    }

    /// The own seat's time at this moment, while it runs.
    pub(crate) fn left_ms(&self) -> Option<u64> {
        let (running, _) = self.running?;
        let own = self.own_seat().filter(|own| *own == running)?;
        *self.left_now().get(own)?
    }

    /// The message `clock`, where a time runs.
    pub(crate) fn clock(&self) -> Option<Message> {
        let (seat, _) = self.running?;
        let left_ms = self.left_now();
        left_ms.get(seat)?.map(|_| Message::Clock {
            left_ms,
            running: Some(seat as u8),
        })
    }

    pub(crate) fn own_seat(&self) -> Option<usize> {
        let you = self.info.you?;
        self.players.iter().position(|player| *player == you)
    }

    /// The time of each seat at this moment.
    fn left_now(&self) -> Vec<Option<u64>> {
        let mut left = self.left.clone();
        if let Some((seat, since)) = self.running
            && let Some(own) = left.get_mut(seat)
        {
            if !self.knows_time() {
                *own = self.allowed(*own);
            }
            *own = own.map(|ms| ms.saturating_sub(since.elapsed().as_millis() as u64));
        }
        left
    }

    /// Whether the protocol tells of times. Where it does not, those of the tables of this gateway are counted here.
    fn knows_time(&self) -> bool {
        self.info.protocol == "native"
    }

    /// What a budget leaves for the move that is due, where the times are counted here.
    fn allowed(&self, budget: Option<u64>) -> Option<u64> {
        let move_ms = self.info.clocks.and_then(|clocks| clocks.move_ms);
        match (budget, move_ms) {
            // In Geister the time for the move follows the budget; in Daihinmin neither may be used up.
            (Some(budget), Some(ms)) if self.info.protocol == "gat" => Some(budget + ms),
            (Some(budget), Some(ms)) => Some(budget.min(ms)),
            (budget, move_ms) => budget.or(move_ms),
        }
    }

    /// Takes an event; gives what the page is told, and whether what was told of an earlier game is of no more use.
    pub(crate) fn take(&mut self, message: &ServerMessage) -> (Vec<Message>, bool) {
        let mut told = Vec::new();
        let mut is_new = false;
        match message {
            ServerMessage::Welcome { player, .. } => {
                self.own = *player;
                self.info.you.get_or_insert(*player);
            }
            ServerMessage::Match {
                players,
                games,
                rules,
                clocks,
            } => {
                self.enter(players);
                self.info.games = (*games > 0).then_some(*games);
                self.info.rules = rules.clone();
                // A server has a limit even where the table has no clock.
                if !self.is_made {
                    self.info.clocks = Some(*clocks);
                }
                told.push(Message::Table(self.info.clone()));
            }
            ServerMessage::Game {
                game, players, ply, ..
            } => {
                is_new = *game != self.game;
                self.game = *game;
                self.ply = *ply;
                self.players = players.iter().map(|player| self.named(*player)).collect();
                let budget = self.info.clocks.and_then(|clocks| clocks.budget_ms);
                self.left = vec![budget.filter(|ms| *ms > 0); players.len()];
                self.running = None;
                let led = self.pending.take();
                self.pending = led.filter(|led| !is_new && led.ply == *ply);
                self.outs.clear();
            }
            ServerMessage::Moved {
                ply,
                seat,
                mv,
                used_ms,
                budget_ms,
                ..
            } => {
                let ran = self.running.take();
                let ran = ran.filter(|(running, _)| *running == usize::from(*seat));
                let knows_time = self.knows_time();
                if let Some(left) = self.left.get_mut(usize::from(*seat)) {
                    if knows_time {
                        *left = *budget_ms;
                    } else if let (Some(left), Some((_, since))) = (left, ran) {
                        *left = left.saturating_sub(since.elapsed().as_millis() as u64);
                    }
                }
                self.pending = Some(PendingMove {
                    ply: ply + 1,
                    seat: Seat::new(*seat),
                    mv: mv.clone(),
                    used_ms: Some(*used_ms).filter(|_| knows_time),
                });
            }
            ServerMessage::Out {
                seat, end, reason, ..
            } => {
                self.outs.push(Out {
                    seat: Seat::new(*seat),
                    end: end.clone(),
                    reason: reason.clone(),
                });
            }
            ServerMessage::View {
                game,
                ply,
                to_move,
                view,
                ..
            } => {
                // In Daihinmin a player that has given cards may lead next. The client tells no move of a gift, so the time of
                // the lead begins here.
                if (*game, *ply) != self.at() {
                    self.running = None;
                }
                self.game = *game;
                self.ply = *ply;
                told.push(Message::Frame(self.frame(*to_move, view)));
            }
            ServerMessage::Request { left_ms, .. } => {
                if self.info.clocks.is_none() {
                    return (told, is_new);
                }
                if let Some(own) = self.own_seat().filter(|_| self.knows_time()) {
                    if let Some(left) = self.left.get_mut(own) {
                        *left = *left_ms;
                    }
                    self.running = Some((own, Instant::now()));
                    told.extend(self.clock());
                }
            }
            ServerMessage::Presence { player, here, .. } => told.push(Message::Presence {
                player: self.named(*player),
                here: *here,
            }),
            ServerMessage::Result {
                game,
                places,
                scores,
                end,
                by,
                ends,
                game_points,
                reason,
                ..
            } => {
                self.running = None;
                if !places.is_empty() {
                    self.played += 1;
                }
                // In Daihinmin places that are drawn are told with the next deal.
                if scores.is_empty() && !places.is_empty() {
                    self.scores = None;
                }
                if let Some(sums) = &mut self.scores {
                    sums.resize(self.players.len(), 0.0);
                    for (player, score) in self.players.iter().zip(scores) {
                        if let Some(sum) = sums.get_mut(usize::from(*player)) {
                            *sum += score;
                        }
                    }
                }
                let result = GameResult {
                    game: *game,
                    places: places.clone(),
                    scores: scores.clone(),
                    end: end.clone(),
                    by: by.map(Seat::new),
                    ends: ends.clone(),
                    game_points: game_points.clone(),
                    reason: reason.clone(),
                    views: Vec::new(),
                };
                told.push(Message::Result {
                    result,
                    match_scores: self.scores.clone(),
                });
            }
            ServerMessage::Over { scores, reason, .. } => {
                if !scores.is_empty() {
                    self.scores = Some(scores.clone());
                }
                self.is_over = true;
                self.reason.clone_from(reason);
            }
            ServerMessage::Error { code, message, .. } => {
                told.push(Message::error(code.as_str(), message));
            }
            // Legal moves, and messages of later versions.
            _ => {}
        }
        (told, is_new)
    }

    /// The end of the match; a reason of the gateway comes before that of the server.
    pub(crate) fn over(
        &self,
        reason: Option<&str>,
        record: Option<&str>,
        note: Option<&str>,
    ) -> Over {
        Over {
            games: Some(self.played),
            scores: self.scores.clone(),
            reason: reason.or(self.reason.as_deref()).map(str::to_owned),
            record: record.map(str::to_owned),
            note: note.map(str::to_owned),
        }
    }

    pub(crate) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// The names of a table whose players were not known. A protocol without names counts them from 0; people are not
    /// called so.
    fn enter(&mut self, names: &[String]) {
        if self.is_made {
            return;
        }
        let you = self.info.you;
        let named = |name: &String, player: u8| {
            if *name == format!("player {player}") {
                format!("guest{}", player + 1)
            } else {
                name.clone()
            }
        };
        let players = names.iter().zip(0..).map(|(name, player)| Participant {
            name: named(name, player),
            kind: if Some(player) == you {
                ParticipantKind::Person
            } else {
                ParticipantKind::Guest
            },
            player,
        });
        self.info.players = players.collect();
    }

    /// The number of a player here. A protocol without numbers calls the own player 0.
    fn named(&self, player: u8) -> u8 {
        match self.info.you {
            Some(you) if player == self.own => you,
            Some(you) if player == you => self.own,
            _ => player,
        }
    }

    fn frame(&mut self, to_move: Option<u8>, view: &Value) -> Frame {
        let led = self
            .pending
            .take()
            .filter(|pending| pending.ply == self.ply);
        // No time runs while the ghosts of Geister are placed: such a view has no ply.
        let is_timed = self.info.game != GameName::Geister || !view["ply"].is_null();
        let to_run = to_move.map(usize::from).filter(|_| is_timed);
        if self.running.map(|(seat, _)| seat) != to_run {
            self.running = to_run.map(|seat| (seat, Instant::now()));
        }
        let left = self.left_now();
        let (seat, mv, used_ms) = match led {
            Some(led) => (Some(led.seat), Some(led.mv), led.used_ms),
            None => (None, None, None),
        };
        Frame {
            game: self.game,
            ply: self.ply,
            seat,
            mv,
            used_ms,
            fault: None,
            to_move: to_move.map(Seat::new),
            views: vec![view.clone()],
            clocks: (is_timed && left.iter().any(Option::is_some)).then_some(left),
            players: self.players.iter().copied().map(Player::new).collect(),
            outs: std::mem::take(&mut self.outs),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::native::Clocks;
    use serde_json::json;

    use super::*;
    use crate::messages::TablePermissions;

    #[test]
    fn a_protocol_without_numbers_calls_the_own_player_0() {
        let player = |name: &str, kind, player| Participant {
            name: name.to_owned(),
            kind,
            player,
        };
        let mut frames = SeatFrames::new(TableInfo {
            id: "1".to_owned(),
            game: GameName::Geister,
            number: 1,
            games: Some(1),
            players: vec![
                player("bot", ParticipantKind::Bot, 0),
                player("you", ParticipantKind::Person, 1),
            ],
            you: Some(1),
            rules: json!({}),
            clocks: None,
            practice: true,
            protocol: "gat".to_owned(),
            record: None,
            can: TablePermissions::default(),
            league: None,
            when: None,
            missed: None,
        });
        let mut begin = |players| {
            let (event, game, ply) = (0, 1, 0);
            frames.take(&ServerMessage::Game {
                event,
                game,
                players,
                ply,
            });
            frames.players.clone()
        };
        assert_eq!(begin(vec![1, 0]), [0, 1], "the own seat is the second");
        assert_eq!(begin(vec![0, 1]), [1, 0], "the own seat is the first");
    }

    /// A game of two begins, in which the own seat is the first.
    fn begun(protocol: &'static str, clocks: Clocks) -> SeatFrames {
        let mut frames = SeatFrames::new(TableInfo {
            id: "1".to_owned(),
            game: GameName::Geister,
            number: 1,
            games: Some(1),
            players: [0, 1]
                .map(|player| Participant {
                    name: player.to_string(),
                    kind: ParticipantKind::Person,
                    player,
                })
                .to_vec(),
            you: Some(0),
            rules: json!({}),
            clocks: Some(clocks),
            practice: false,
            protocol: protocol.to_owned(),
            record: None,
            can: TablePermissions::default(),
            league: None,
            when: None,
            missed: None,
        });
        let players = vec![0, 1];
        frames.take(&ServerMessage::Game {
            event: 0,
            game: 1,
            players,
            ply: 0,
        });
        frames
    }

    /// The clocks of the frames of such a game: at its beginning, after a move of the first seat, and of the second.
    fn clocks(protocol: &'static str, clocks: Clocks) -> Vec<Value> {
        let mut seat = begun(protocol, clocks);
        let mut frames = Vec::new();
        for ply in 0..3 {
            let frame = seat.frame(Some((ply % 2) as u8), &json!({ "ply": ply }));
            // Time has passed meanwhile, but not so much.
            let coarse = |ms: Option<u64>| ms.map(|ms| ms.div_ceil(1000));
            let seats = frame.clocks.map(|clocks| clocks.into_iter().map(coarse));
            frames.push(json!(seats.map(Iterator::collect::<Vec<_>>)));
            seat.take(&ServerMessage::Moved {
                event: 0,
                game: 1,
                ply,
                seat: (ply % 2) as u8,
                mv: String::new(),
                used_ms: 0,
                budget_ms: None,
            });
        }
        frames
    }

    #[test]
    fn times_are_counted_where_the_protocol_tells_none() {
        let budget_ms = Some(180_000);
        let move_ms = Some(10_000);
        let of = |budget_ms, move_ms| Clocks {
            budget_ms,
            move_ms,
            ..Clocks::default()
        };
        let both = json!([[190, 180], [180, 190], [190, 180]]);
        assert_eq!(json!(clocks("gat", of(budget_ms, move_ms))), both);
        let move_alone = json!([[10, null], [null, 10], [10, null]]);
        assert_eq!(json!(clocks("uecda", of(None, move_ms))), move_alone);
        let least = json!([[10, 180], [180, 10], [10, 180]]);
        assert_eq!(json!(clocks("uecda", of(budget_ms, move_ms))), least);
        // A native server tells them.
        let told = json!([[180, 180], [null, 180], null]);
        assert_eq!(json!(clocks("native", of(budget_ms, None))), told);
    }

    #[test]
    fn no_time_runs_while_ghosts_are_placed() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let mut frames = begun("gat", clocks);
        let frame = frames.frame(Some(0), &json!({ "seat": 0, "to-move": 0, "own": null }));
        assert_eq!(frame.clocks, None);
        assert!(frames.left_ms().is_none() && frames.clock().is_none());
        let frame = frames.frame(Some(0), &json!({ "ply": 0 }));
        assert!(frame.clocks.is_some_and(|clocks| clocks[0].is_some()));
        assert!(frames.left_ms().is_some() && frames.clock().is_some());
    }

    #[test]
    fn who_leads_after_a_gift_has_the_whole_time_of_a_move() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let mut frames = begun("uecda", clocks);
        let mut shown = |ply: u32| {
            let view = json!({ "type": "view", "event": 0, "game": 1, "seat": 0, "ply": ply,
                "to_move": 0, "view": { "ply": ply } });
            frames.take(&serde_json::from_value(view).unwrap());
            let (_, since) = frames.running.as_mut().expect("a time runs");
            // So long ago that none is left.
            let began = *since;
            *since = began.checked_sub(Duration::from_secs(20)).unwrap();
            (began, frames.left_ms())
        };
        let gift = shown(0);
        assert_eq!(gift.1, Some(0));
        assert!(shown(0).0 < gift.0, "the same question goes on");
        assert!(shown(2).0 >= gift.0, "another begins");
    }

    #[test]
    fn a_result_has_the_points_of_the_match_so_far_by_player() {
        let player = |player: u8| Participant {
            name: player.to_string(),
            kind: ParticipantKind::Person,
            player,
        };
        let mut frames = SeatFrames::new(TableInfo {
            id: "1".to_owned(),
            game: GameName::ScoreFour,
            number: 1,
            games: Some(2),
            players: vec![player(0), player(1)],
            you: Some(0),
            rules: json!({}),
            clocks: None,
            practice: false,
            protocol: "native".to_owned(),
            record: None,
            can: TablePermissions::default(),
            league: None,
            when: None,
            missed: None,
        });
        // The seats change, and the second seat wins the first two games. The points of the next are not told.
        let mut sums = Vec::new();
        for (game, players, scores) in [
            (1, [0, 1], json!([0.0, 1.0])),
            (2, [1, 0], json!([0.0, 1.0])),
            (3, [0, 1], json!([])),
            (4, [0, 1], json!([0.0, 1.0])),
        ] {
            for message in [
                json!({ "type": "game", "event": 0, "game": game, "players": players, "ply": 0 }),
                json!({ "type": "result", "event": 1, "game": game, "places": [2, 1],
                    "scores": scores, "end": "line" }),
            ] {
                let (told, _) = frames.take(&serde_json::from_value(message).unwrap());
                sums.extend(
                    told.iter()
                        .map(|result| json!(result)["match_scores"].clone()),
                );
            }
        }
        assert_eq!(json!(sums), json!([[0.0, 1.0], [1.0, 1.0], null, null]));
        assert!(frames.over(None, None, None).scores.is_none());
    }
}
