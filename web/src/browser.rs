//! A person at a browser, as the client kit sees one.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use bots::EngineGame;
use client::{
    Action, Decision, MoveRequest, Notification, PersonCommands, Player, TableEvent, Waker,
};
use serde_json::{Map, Value};

use crate::advice::{Advised, Adviser};
use crate::messages::Message;
use crate::seat::{Seat, Wish};

/// Wakes the player of a seat at a time, unless it is dropped before.
struct Alarm {
    due: Instant,
    _held: Sender<()>,
}

impl Alarm {
    fn new(limit: Duration, seat: &Arc<Seat>) -> Alarm {
        let due = Instant::now() + limit;
        let (held, dropped) = channel();
        let seat = seat.clone();
        thread::spawn(move || {
            if dropped.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                seat.wake();
            }
        });
        Alarm { due, _held: held }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }
}

pub(crate) struct Browser<G: EngineGame> {
    seat: Arc<Seat>,
    wishes: Receiver<Wish>,
    manners: PersonCommands,
    /// Game and ply of the move that is due.
    asked: Option<(u32, u32)>,
    /// When the time for it is up, where the protocol does not tell that.
    alarm: Option<Alarm>,
    plays: bool,
    left: bool,
    adviser: Option<Adviser<G>>,
}

impl<G: Advised> Browser<G> {
    pub(crate) fn new(seat: Arc<Seat>, waker: Waker, manners: PersonCommands) -> Browser<G> {
        Browser {
            adviser: seat.has_hints().then(Adviser::new),
            wishes: seat.take_player(waker),
            seat,
            manners,
            asked: None,
            alarm: None,
            plays: false,
            left: false,
        }
    }

    /// Tells the page of a move that is due, once, and of one that no longer is.
    fn ask(&mut self, view: Option<&G::View>, asked: Option<&MoveRequest<'_, G>>) {
        let (Some(view), Some(asked)) = (view, asked) else {
            self.alarm = None;
            if self.asked.take().is_some() {
                self.seat.unask();
            }
            return;
        };
        if self.asked.is_none() {
            let mut moves = G::legal_moves(view);
            moves.retain(|mv| !asked.refused.contains(mv));
            let moves = moves.iter().map(ToString::to_string).collect();
            self.asked = Some(self.seat.ask(G::due(view), moves));
            self.alarm = self.seat.limit().map(|limit| Alarm::new(limit, &self.seat));
        }
    }

    /// The answer to a question whose time is up. Until it is answered the client hears nothing more of the game.
    fn late(&mut self, view: Option<&G::View>) -> Option<Action<G::Move>> {
        let view = view.filter(|_| self.alarm.as_ref().is_some_and(Alarm::is_due))?;
        let (mv, code, message) = if let Ok(pass) = G::read_move(view, "pass") {
            (pass, "timeout", "your time was up: you passed")
        } else {
            let message = "your time was up: your weakest cards were given";
            (G::stand_in(view, &[])?, "timeout-gift", message)
        };
        self.seat.refuse(code, message);
        Some(self.answer(mv))
    }

    fn answer(&mut self, mv: G::Move) -> Action<G::Move> {
        self.asked = None;
        self.alarm = None;
        self.seat.unask();
        let log = Value::Object(Map::new());
        Action::Move(Decision { mv, log })
    }

    /// Tells the page what an engine would play.
    fn advise(&mut self, view: Option<&G::View>, asked: Option<&MoveRequest<'_, G>>) {
        let (Some(view), Some(asked), Some(at)) = (view, asked, self.asked) else {
            return self.seat.refuse("not-due", "no move of yours is due");
        };
        let adviser = self.adviser.as_mut();
        match adviser.and_then(|adviser| adviser.advise(view, asked, at)) {
            Some(hint) => self.seat.tell(&Message::Hint(hint)),
            None => self.seat.refuse("hint", "there is no hint at this table"),
        }
    }

    /// The move that a wish names; the page is told why it is none.
    fn read(
        &self,
        at: (u32, u32),
        text: &str,
        view: Option<&G::View>,
        asked: Option<&MoveRequest<'_, G>>,
    ) -> Option<G::Move> {
        let (Some(view), Some(asked)) = (view, asked) else {
            self.seat.refuse("not-due", "no move of yours is due");
            return None;
        };
        if self.asked != Some(at) {
            self.seat
                .refuse("not-due", "the move is for another position");
            return None;
        }
        match G::read_move(view, text) {
            Ok(mv) if asked.refused.contains(&mv) => {
                self.seat
                    .refuse("illegal", "the server has refused this move");
                None
            }
            Ok(mv) => Some(mv),
            Err(reason) => {
                self.seat.refuse("illegal", &reason);
                None
            }
        }
    }
}

impl<G: Advised> Player<G> for Browser<G> {
    fn tell(&mut self, news: Notification<'_, G>, _out: &mut dyn Write) {
        if let Notification::NewGame = news {
            self.plays = true;
        }
        if let Some(adviser) = &mut self.adviser {
            adviser.tell(news);
        }
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<MoveRequest<'_, G>>,
        _out: &mut dyn Write,
    ) -> Option<Action<G::Move>> {
        self.ask(view, asked.as_ref());
        if let Some(late) = self.late(view) {
            return Some(late);
        }
        while !self.left {
            match self.wishes.try_recv().ok()? {
                Wish::Move(game, ply, text) => {
                    let mv = self.read((game, ply), &text, view, asked.as_ref());
                    if let Some(mv) = mv {
                        return Some(self.answer(mv));
                    }
                }
                Wish::Hint => self.advise(view, asked.as_ref()),
                Wish::Resign(game)
                    if self.manners.has_resign
                        && self.plays
                        && game.is_none_or(|game| game == self.seat.game()) =>
                {
                    return Some(Action::Resign);
                }
                Wish::Draw(game, act) if self.plays && self.seat.can().draw => {
                    return Some(Action::Draw(Some(game), act));
                }
                Wish::Draw(..) if self.seat.can().draw => {
                    self.seat.refuse("draw", "no game is being played");
                }
                Wish::Draw(..) => self
                    .seat
                    .refuse("draw", "players agree on no draw in this match"),
                Wish::Resign(_) => self
                    .seat
                    .refuse("resign", "this game cannot be given up now"),
                Wish::Leave => {
                    self.left = true;
                    return Some(Action::Leave);
                }
            }
        }
        None
    }

    fn wakes(&self) -> bool {
        true
    }

    fn shows(&self) -> bool {
        true
    }

    fn show(&mut self, event: TableEvent) {
        self.seat.show(event);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::{TcpListener, TcpStream};

    use super::*;
    use crate::join::{self, ServerAddress};
    use crate::messages::TableInfo;
    use crate::token::Key;
    use games::GameName;
    use games::daihinmin::{Cards, SEATS};
    use protocol::native::Clocks;
    use protocol::uecda::{
        ACK_ACCEPTED, CardTable, ServerEnd, Standing, Submission, Version, cards_table,
        decode_table, int_message, table_message,
    };

    const VERSION: Version = Version::V20070;

    /// The server's end of a connection with a client of UECda.
    struct Server(TcpStream);

    impl Server {
        fn say(&mut self, message: &[u8]) {
            self.0.write_all(message).expect("the client listens");
        }

        fn hear(&mut self) -> CardTable {
            let mut bytes = vec![0; VERSION.table_len()];
            self.0.read_exact(&mut bytes).expect("a table");
            decode_table(VERSION, &bytes).expect("a table")
        }
    }

    #[test]
    fn who_lets_the_time_pass_in_daihinmin_passes_and_gives_the_weakest_cards() {
        let table = TableInfo {
            clocks: Some(Clocks {
                move_ms: Some(50),
                ..Clocks::default()
            }),
            ..TableInfo::of_persons(GameName::Daihinmin)
        };
        let seat = Seat::new(table, Key::own());
        let mut lines = seat.attach().lines;
        // The next error that the page is told.
        let mut error = move || {
            loop {
                let line = lines.blocking_recv().expect("a line");
                let value: Value = serde_json::from_str(&line).expect("JSON");
                if value["type"] == "error" {
                    return value["code"].clone();
                }
            }
        };
        let port = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let way = ServerAddress {
            host: "127.0.0.1".to_owned(),
            port: port.local_addr().expect("an address").port(),
            trust: None,
            games: Some(2),
            name: "person".to_owned(),
            script: Vec::new(),
        };
        let client = thread::spawn(move || join::play(GameName::Daihinmin, &way, seat));
        let mut server = Server(port.accept().expect("a client").0);
        let limit = server.0.set_read_timeout(Some(Duration::from_mins(1)));
        limit.expect("a limit");
        let hand: Cards = "S3D3H5".parse().expect("cards");
        let standing = Standing {
            turn: 0,
            empty_field: true,
            revolution: false,
            lock: false,
            counts: [3; SEATS],
            player_at: [0, 1, 2, 3, 4],
            ranking: None,
        };
        let mut composer = ServerEnd::new();
        server.hear();
        server.say(&int_message(VERSION, 0));
        let deal = composer.deal(&standing).deal_for(hand, 0);
        server.say(&table_message(VERSION, &deal));
        composer.begin();
        let turn = composer.hands(&standing).hand_for(hand, true);
        server.say(&table_message(VERSION, &turn));
        // Nothing comes from the page.
        let pass = server.hear();
        assert_eq!(pass, CardTable::default());
        assert!(matches!(Submission::parse(&pass), Submission::Pass));
        assert_eq!(error(), "timeout");

        server.say(&int_message(VERSION, ACK_ACCEPTED));
        let field = *composer.field(&standing);
        server.say(&table_message(VERSION, &field));
        let game_over = 1;
        server.say(&int_message(VERSION, game_over));
        let standing = Standing {
            ranking: Some([1, 0, 2, 3, 4]),
            ..standing
        };
        let deal = composer.deal(&standing).deal_for(hand, 1);
        server.say(&table_message(VERSION, &deal));
        let weakest = cards_table("D3".parse().expect("cards"));
        assert_eq!(server.hear(), weakest);
        assert_eq!(error(), "timeout-gift");
        drop(server);
        let ended = client.join().expect("the client ends");
        assert!(ended.is_err(), "the server has gone");
    }
}
