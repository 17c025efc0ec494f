//! Draws on which the players of a game for two agree.

use games::{Game, OfferStep, Player, Seat};
use protocol::native::{ErrorCode, ServerMessage};
use record::{EndKind, What};

use super::play::SeatEnd;
use super::{NativeOutbox, NativeReferee};

impl<G: Game> NativeReferee<G> {
    pub(super) fn has_draws(&self) -> bool {
        self.settings.draws && G::HAS_DRAWS
    }

    /// A player says something about a draw in a game, of that in play if it names none.
    pub(super) fn draw(
        &mut self,
        player: Player,
        game: Option<u32>,
        act: OfferStep,
        out: &mut NativeOutbox,
    ) {
        let said = self.say_of_draw(player, game, act);
        let (seat, game) = match said {
            Ok(said) => said,
            Err((code, reason)) => {
                let sent = format!("draw {}", act.as_str());
                return self.refuse(player, code, &reason, &sent, out);
            }
        };
        out.event(What::Draw {
            player: player.number(),
            act,
        });
        self.tell(out, |event, _| ServerMessage::Draw {
            event,
            game,
            seat: seat.number(),
            act,
        });
        if act == OfferStep::Accept {
            self.agree(seat, out);
        }
    }

    /// The seat and the game of what was said.
    fn say_of_draw(
        &mut self,
        player: Player,
        game: Option<u32>,
        act: OfferStep,
    ) -> Result<(Seat, u32), (ErrorCode, String)> {
        if !self.has_draws() {
            let text = "players agree on no draw in this match";
            return Err((ErrorCode::Draw, text.to_owned()));
        }
        let Some(play) = &mut self.play else {
            return Err((ErrorCode::NoGame, "no game is being played".to_owned()));
        };
        if game.is_some_and(|game| game != play.number) {
            let text = format!("game {} is being played now", play.number);
            return Err((ErrorCode::Stale, text));
        }
        let seat = play.seating.seat_of(player);
        let taken = play.offers.take(play.game.ply(), seat, act);
        taken.map_err(|reason| (ErrorCode::Draw, reason.to_string()))?;
        Ok((seat, play.number))
    }

    /// The game in play is a draw, as this seat has accepted the other's offer.
    fn agree(&mut self, seat: Seat, out: &mut NativeOutbox) {
        let outcome = G::agreed().expect("only games with draws come here");
        if let Some(play) = &mut self.play {
            for seat in Seat::all(G::SEATS) {
                play.end_seat(seat, SeatEnd::Fault(EndKind::Agreed));
            }
        }
        for seated in &mut self.players {
            if seated.kind == EndKind::Normal {
                seated.kind = EndKind::Agreed;
            }
        }
        self.end(&outcome, Some((seat, EndKind::Agreed)), out);
        self.go_on(out);
    }
}
