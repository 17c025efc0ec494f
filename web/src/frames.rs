//! The frames of a seat, with the times and the numbers of players that its table has.

use std::mem;
use std::time::Instant;

use client::TableEvent;
use games::{GameName, Player, Seat};
use record::Frame;

use crate::messages::{Message, Offer, OfferKind, Over, Participant, ParticipantKind, TableInfo};

pub(crate) struct SeatFrames {
    info: TableInfo,
    /// Whether the table is one of this gateway, whose players and clocks are known.
    is_made: bool,
    /// The number that the table's protocol gives to the own player; 0 until it tells one, as GAT never does.
    own: u8,
    /// Number of the game; 0 before the first.
    game: u32,
    ply: u32,
    players: Vec<Player>,
    /// Time of each seat at its last figure, where it is known.
    left: Vec<Option<u64>>,
    /// The seat whose time runs, and since when.
    running: Option<(usize, Instant)>,
    /// The frame of an earlier table with which the game begins here.
    first: Option<Frame>,
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
            first: None,
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
        self.players.clone_from(&frame.players);
        self.first = Some(frame.clone());
    }

    /// Sets the times of the players, by number, where they are counted here.
    pub(crate) fn set_clocks(&mut self, left_ms: &[Option<u64>]) {
        if self.knows_time() {
            return;
        }
        for (player, left) in self.players.iter().zip(&mut self.left) {
            let known = left_ms.get(player.index()).copied().flatten();
            *left = left.and(known).or(*left);
        }
        self.running = self.running.map(|(seat, _)| (seat, Instant::now()));
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
        self.players
            .iter()
            .position(|player| player.number() == you)
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
    pub(crate) fn take(&mut self, event: TableEvent) -> (Option<Message>, bool) {
        let mut is_new = false;
        let told = match event {
            TableEvent::Seated(player) => {
                self.own = player;
                self.info.you.get_or_insert(player);
                None
            }
            TableEvent::Match {
                players,
                games,
                rules,
                clocks,
                draws,
            } => {
                self.enter(&players);
                self.info.games = (games > 0).then_some(games);
                self.info.rules = rules;
                self.info.can.draw = draws;
                // A server has a limit even where the table has no clock.
                if !self.is_made {
                    self.info.clocks = Some(clocks);
                }
                Some(Message::Table(self.info.clone()))
            }
            TableEvent::Frame(frame) => {
                is_new = frame.game != self.game;
                Some(Message::Frame(self.frame(frame)))
            }
            TableEvent::Request(left_ms) => {
                let own = self.own_seat().filter(|_| self.knows_time());
                let own = own.filter(|_| self.info.clocks.is_some());
                own.and_then(|own| {
                    if let Some(left) = self.left.get_mut(own) {
                        *left = left_ms;
                    }
                    self.running = Some((own, Instant::now()));
                    self.clock()
                })
            }
            TableEvent::Draw(seat, act) => {
                let player = self.players.get(seat.index());
                player.map(|player| {
                    let about = OfferKind::Draw;
                    Message::Offer(Offer {
                        about,
                        player: player.number(),
                        act,
                        ply: self.ply,
                    })
                })
            }
            TableEvent::Presence(player, here) => {
                let player = self.named(player);
                Some(Message::Presence { player, here })
            }
            TableEvent::Result(result) => {
                self.running = None;
                let is_void = result.places.is_empty();
                self.played += u32::from(!is_void);
                // In Daihinmin places that are drawn are told with the next deal. Of a game that was played while the
                // connection was lost, nothing tells the seats.
                let is_told = !result.scores.is_empty() && result.game == self.game;
                if !is_void && !is_told {
                    self.scores = None;
                }
                if let Some(sums) = &mut self.scores {
                    sums.resize(self.players.len(), 0.0);
                    for (player, score) in self.players.iter().zip(&result.scores) {
                        if let Some(sum) = sums.get_mut(player.index()) {
                            *sum += score;
                        }
                    }
                }
                let match_scores = self.scores.clone();
                Some(Message::Result {
                    result,
                    match_scores,
                })
            }
            TableEvent::Over { scores, reason } => {
                if !scores.is_empty() {
                    self.scores = Some(scores);
                }
                self.is_over = true;
                self.reason = reason;
                None
            }
            TableEvent::Error(code, message) => Some(Message::error(code.as_str(), &message)),
        };
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

    /// A frame as the page has it.
    fn frame(&mut self, mut frame: Frame) -> Frame {
        for player in &mut frame.players {
            *player = Player::new(self.named(player.number()));
        }
        self.players.clone_from(&frame.players);
        let is_new = frame.game != self.game || self.left.is_empty();
        let is_next = (frame.game, frame.ply) != self.at();
        (self.game, self.ply) = (frame.game, frame.ply);
        if is_new {
            let budget = self.info.clocks.and_then(|clocks| clocks.budget_ms);
            self.left = vec![budget.filter(|ms| *ms > 0); self.players.len()];
            self.running = None;
        }
        if self.knows_time() {
            let clocks = frame.clocks.take().filter(|_| is_new || is_next);
            // Without budgets the time is that of one move.
            if clocks.is_none() && is_next && !is_new {
                self.left.fill(None);
            }
            self.left = clocks.unwrap_or_else(|| mem::take(&mut self.left));
        } else if is_next
            && let Some((seat, since)) = self.running
            && frame.seat.is_some_and(|mover| mover.index() == seat)
            && let Some(Some(left)) = self.left.get_mut(seat)
        {
            *left = left.saturating_sub(since.elapsed().as_millis() as u64);
        }
        // In Daihinmin a player that has given cards may lead next: the time of the lead begins here. A game of Geister
        // begins after the view of all ghosts, with the first request.
        let is_begun_anew = self.info.game == GameName::Geister && frame.mv.is_none();
        if is_next || is_begun_anew {
            self.running = None;
        }
        // No time runs while the ghosts of Geister are placed.
        let is_timed = self.info.game != GameName::Geister || frame.ply >= 2;
        let to_run = frame.to_move.map(Seat::index).filter(|_| is_timed);
        if self.running.map(|(seat, _)| seat) != to_run {
            self.running = to_run.map(|seat| (seat, Instant::now()));
        }
        let left = self.left_now();
        frame.clocks = (is_timed && left.iter().any(Option::is_some)).then_some(left);
        let first = self.first.take();
        self.first = first.filter(|first| (first.game, first.ply) == self.at());
        if let (None, Some(first)) = (&frame.mv, &self.first) {
            (frame.seat, frame.mv) = (first.seat, first.mv.clone());
            frame.used_ms = first.used_ms;
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use protocol::native::Clocks;
    use record::GameResult;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_protocol_without_numbers_calls_the_own_player_0() {
        let mut frames = SeatFrames::new(TableInfo {
            you: Some(1),
            ..TableInfo::of_persons(GameName::Geister)
        });
        let mut begin = |players: [u8; 2]| {
            let frame = Frame::begin(1, players.map(Player::new).to_vec());
            frames.frame(frame).players
        };
        let numbers = |players: [u8; 2]| players.map(Player::new);
        assert_eq!(begin([1, 0]), numbers([0, 1]), "the own seat is the second");
        assert_eq!(begin([0, 1]), numbers([1, 0]), "the own seat is the first");
    }

    /// The frames of a game of two in which the own seat is the first, and the first of them.
    fn begun(game: GameName, protocol: &'static str, clocks: Clocks) -> (SeatFrames, Frame) {
        let frames = SeatFrames::new(TableInfo {
            clocks: Some(clocks),
            protocol: protocol.to_owned(),
            ..TableInfo::of_persons(game)
        });
        let players = [0, 1].map(Player::new).to_vec();
        (frames, Frame::begin(1, players))
    }

    /// The clocks of the frames of such a game: at its beginning, after a move of the first seat, and of the second. A
    /// server that sends times sends these.
    fn clocks(protocol: &'static str, clocks: Clocks, told: [Option<u64>; 2]) -> Vec<Value> {
        let (mut seat, mut frame) = begun(GameName::ScoreFour, protocol, clocks);
        let mut frames = Vec::new();
        for ply in 0..3 {
            let to_move = Some(Seat::new((ply % 2) as u8));
            frame.show(ply, to_move, json!({ "ply": ply }));
            let shown = seat.frame(frame.clone());
            // Time has passed meanwhile, but not so much.
            let coarse = |ms: Option<u64>| ms.map(|ms| ms.div_ceil(1000));
            let seats = shown.clocks.map(|clocks| clocks.into_iter().map(coarse));
            frames.push(json!(seats.map(Iterator::collect::<Vec<_>>)));
            frame.play(ply + 1, Seat::new((ply % 2) as u8), String::new(), None);
            frame.clocks = (protocol == "native").then(|| told.to_vec());
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
        let counted = |protocol, clocks_of| json!(clocks(protocol, clocks_of, [None; 2]));
        assert_eq!(counted("gat", of(budget_ms, move_ms)), both);
        let move_alone = json!([[10, null], [null, 10], [10, null]]);
        assert_eq!(counted("uecda", of(None, move_ms)), move_alone);
        let least = json!([[10, 180], [180, 10], [10, 180]]);
        assert_eq!(counted("uecda", of(budget_ms, move_ms)), least);
        // A native server tells them.
        let told = json!([[180, 180], [90, null], [90, null]]);
        let native = clocks("native", of(budget_ms, None), [Some(90_000), None]);
        assert_eq!(json!(native), told);
    }

    #[test]
    fn the_time_of_a_move_ends_with_it() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let (mut frames, mut frame) = begun(GameName::ScoreFour, "native", clocks);
        frame.show(0, Some(Seat::new(0)), json!({}));
        assert_eq!(frames.frame(frame.clone()).clocks, None);
        frames.take(TableEvent::Request(Some(10_000)));
        assert!(frames.clock().is_some());
        frame.play(1, Seat::new(0), String::new(), None);
        frame.show(1, Some(Seat::new(1)), json!({}));
        assert_eq!(frames.frame(frame).clocks, None);
    }

    #[test]
    fn no_time_runs_while_ghosts_are_placed() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let (mut frames, mut frame) = begun(GameName::Geister, "gat", clocks);
        let mut shown = |ply| {
            frame.show(ply, Some(Seat::new(0)), json!({}));
            let clocks = frames.frame(frame.clone()).clocks;
            assert_eq!(frames.left_ms().is_some(), clocks.is_some());
            assert_eq!(frames.clock().is_some(), clocks.is_some());
            if let Some((_, since)) = &mut frames.running {
                // So long ago that no time is left.
                *since = since.checked_sub(Duration::from_secs(20)).unwrap();
            }
            clocks.map(|clocks| clocks[0].is_some_and(|ms| ms > 0))
        };
        assert_eq!(shown(0), None);
        assert_eq!(shown(2), Some(true));
        // The first request comes when the other player has placed its ghosts as well.
        assert_eq!(shown(2), Some(true));
    }

    #[test]
    fn who_leads_after_a_gift_has_the_whole_time_of_a_move() {
        let clocks = Clocks {
            move_ms: Some(10_000),
            ..Clocks::default()
        };
        let (mut frames, mut frame) = begun(GameName::Daihinmin, "uecda", clocks);
        let mut shown = |ply: u32| {
            frame.show(ply, Some(Seat::new(0)), json!({ "ply": ply }));
            frames.frame(frame.clone());
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
        let mut frames = SeatFrames::new(TableInfo::of_persons(GameName::ScoreFour));
        // The seats change, and the second seat wins the first two games. The points of the next are not told.
        let mut sums = Vec::new();
        for (game, players, scores) in [
            (1, [0, 1], vec![0.0, 1.0]),
            (2, [1, 0], vec![0.0, 1.0]),
            (3, [0, 1], Vec::new()),
            (4, [0, 1], vec![0.0, 1.0]),
        ] {
            frames.frame(Frame::begin(game, players.map(Player::new).to_vec()));
            let result = GameResult::new(game, vec![2, 1], scores, "line");
            let (told, _) = frames.take(TableEvent::Result(result));
            sums.push(json!(told)["match_scores"].clone());
        }
        assert_eq!(json!(sums), json!([[0.0, 1.0], [1.0, 1.0], null, null]));
        assert!(frames.over(None, None, None).scores.is_none());
    }
}
