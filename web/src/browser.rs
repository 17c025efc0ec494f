//! A person at a browser, as the client kit sees one.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use bots::client::{Act, Asked, ClientGame, Decision, Manners, News, Player, Waker};
use protocol::native::ServerMessage;
use serde_json::json;

use crate::advice::{Advised, Adviser};
use crate::seat::{Seat, Wish};

/// A person whose lines are a browser.
pub(crate) struct Browser<G: ClientGame> {
    seat: Arc<Seat>,
    wishes: Receiver<Wish>,
    manners: Manners,
    /// Game and ply of the move that is due.
    asked: Option<(u32, u32)>,
    /// Whether a game has begun.
    plays: bool,
    left: bool,
    /// In practice.
    adviser: Option<Adviser<G>>,
}

impl<G: Advised> Browser<G> {
    pub(crate) fn new(seat: Arc<Seat>, waker: Waker, manners: Manners) -> Browser<G> {
        Browser {
            adviser: seat.has_hints().then(Adviser::new),
            wishes: seat.take_player(waker),
            seat,
            manners,
            asked: None,
            plays: false,
            left: false,
        }
    }

    /// Tells the page of a move that is due, once, and of one that no longer is.
    fn ask(&mut self, view: Option<&G::View>, asked: Option<&Asked<'_, G>>) {
        let (Some(view), Some(asked)) = (view, asked) else {
            if self.asked.take().is_some() {
                self.seat.unask();
            }
            return;
        };
        if self.asked.is_none() {
            let mut moves = G::legal_moves(view);
            moves.retain(|mv| !asked.refused.contains(mv));
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            self.asked = Some(self.seat.ask(G::due(view), &moves));
        }
    }

    /// Tells the page what an engine would play.
    fn advise(&mut self, view: Option<&G::View>, asked: Option<&Asked<'_, G>>) {
        let (Some(view), Some(asked), Some((game, ply))) = (view, asked, self.asked) else {
            return self.seat.refuse("not-due", "no move of yours is due");
        };
        let adviser = self.adviser.as_mut();
        match adviser.and_then(|adviser| adviser.advise(view, asked)) {
            Some(mut hint) => {
                hint["game"] = json!(game);
                hint["ply"] = json!(ply);
                self.seat.tell(&hint);
            }
            None => self.seat.refuse("hint", "there is no hint at this table"),
        }
    }

    /// The move that a wish names; the page is told why it is none.
    fn read(
        &self,
        at: (u32, u32),
        text: &str,
        view: Option<&G::View>,
        asked: Option<&Asked<'_, G>>,
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
    fn tell(&mut self, news: News<'_, G>, _out: &mut dyn Write) {
        if let News::NewGame = news {
            self.plays = true;
        }
        if let Some(adviser) = &mut self.adviser {
            adviser.tell(news);
        }
    }

    fn act(
        &mut self,
        view: Option<&G::View>,
        asked: Option<Asked<'_, G>>,
        _out: &mut dyn Write,
    ) -> Option<Act<G::Move>> {
        self.ask(view, asked.as_ref());
        while !self.left {
            match self.wishes.try_recv().ok()? {
                Wish::Move(game, ply, text) => {
                    let mv = self.read((game, ply), &text, view, asked.as_ref());
                    if let Some(mv) = mv {
                        self.asked = None;
                        self.seat.unask();
                        let log = json!({});
                        return Some(Act::Move(Decision { mv, log }));
                    }
                }
                Wish::Hint => self.advise(view, asked.as_ref()),
                Wish::Resign(game)
                    if self.manners.has_resign
                        && self.plays
                        && game.is_none_or(|game| game == self.seat.game()) =>
                {
                    return Some(Act::Resign);
                }
                Wish::Resign(_) => self
                    .seat
                    .refuse("resign", "this game cannot be given up now"),
                Wish::Leave => {
                    self.left = true;
                    return Some(Act::Leave);
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

    fn show(&mut self, message: &ServerMessage) {
        self.seat.show(message);
    }
}
