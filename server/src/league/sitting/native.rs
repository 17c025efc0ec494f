//! Games in the native protocol: one connection for all, a game for each fixture.

use std::io;
use std::path::Path;
use std::time::Duration;

use games::Game;
use protocol::native::{ErrorCode, Hello, name_of};
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::{Done, Ended, Entrance, Table, Wishes, seating_of, stopped};
use crate::lobby::native::files::Files;
use crate::lobby::native::greeting::{Guest, Tokens, greet};
use crate::lobby::native::waiting::welcome;
use crate::lobby::native::{Played, play};
use crate::referee::native::{Given, MatchSettings, NativeReferee};
use crate::table;
use crate::table::files::MatchRecord;
use record::Event;

/// A player that sits, and what its program calls itself.
type Seated = (Guest, Option<String>);

impl Table {
    pub(super) async fn play_native<G: Game>(
        mut self,
        rules: G::Rules,
        wishes: &Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> Ended {
        let (epoch, mut tokens) = (Instant::now(), Tokens::default());
        let tokens: Vec<String> = self.addresses.iter().map(|_| tokens.next()).collect();
        let doors = std::mem::take(&mut self.doors);
        let closing = self.closing.clone();
        let mut entrance = Entrance::open(doors, &self.closing, move |player, stream| {
            let (token, closing) = (tokens[player].clone(), closing.clone());
            sit::<G>(player, stream, token, epoch, closing)
        });
        let ended = match entrance.all(&self.start_limits(), wishes).await {
            Ok(seated) => self.play_games::<G>(rules, seated, wishes, on_done).await,
            Err((missing, seated)) => {
                for (guest, _) in seated {
                    let reason = "the game does not take place";
                    self.closing
                        .spawn(guest.turn_away(ErrorCode::Stopped, reason));
                }
                self.not_full(&missing, wishes)
            }
        };
        entrance.close().await;
        ended
    }

    async fn play_games<G: Game>(
        &self,
        rules: G::Rules,
        seated: Vec<Seated>,
        wishes: &Wishes,
        on_done: &mut (dyn FnMut(Done) + Send),
    ) -> Ended {
        let (guests, clients): (Vec<_>, _) = seated
            .into_iter()
            .map(|(guest, client)| (Some(guest), client))
            .unzip();
        let settings = self.native_settings(rules);
        let mut files = match self.native_files::<G>(&settings, clients) {
            Ok(files) => files,
            Err(e) => return Ended::Void(e.to_string()),
        };
        let mut collector = self.collector();
        let games = settings.games as usize;
        let mut ended = 0;
        let table = table::Table {
            referee: NativeReferee::<G>::new(settings, &self.names()),
            connections: guests.into(),
            // Nobody comes back to a seat.
            returns: None,
            epoch: Instant::now(),
            closing: self.closing.clone(),
            finish: wishes.finish.clone(),
            stop: wishes.stop.clone(),
        };
        let mut audience = |_: &NativeReferee<G>, event: &Event| {
            files.event(event);
            if let Some(done) = collector.event(event) {
                ended += 1;
                on_done(done);
            }
        };
        let Played { reason, gone, .. } = play(table, &mut audience).await;
        match reason {
            _ if !gone.is_empty() => Ended::Gone,
            _ if ended == games || wishes.finish.is_cancelled() => Ended::Whole,
            _ if wishes.stop.is_cancelled() => stopped(),
            reason => Ended::Void(reason.unwrap_or_else(|| "the match broke off".to_owned())),
        }
    }

    fn native_settings<R>(&self, rules: R) -> MatchSettings<R> {
        let (clocks, ms) = (self.settings.clocks, Duration::from_millis);
        let given = |(seating, fixture): (&Vec<u8>, &super::Fixture)| Given {
            seating: seating_of(seating),
            seed: fixture.deal,
        };
        let fixtures = self.seatings.iter().zip(&self.sitting.fixtures);
        MatchSettings {
            games: self.sitting.fixtures.len() as u32,
            swap: false,
            draw: false,
            rules,
            budget: clocks.game_ms.map(ms),
            increment: ms(clocks.increment_ms.unwrap_or_default()),
            per_move: clocks.move_ms.map(ms),
            resume: Duration::ZERO,
            retries: 0,
            opening: self.settings.random_plies,
            seed: 0,
            given: fixtures.map(given).collect(),
        }
    }

    fn native_files<G: Game>(
        &self,
        settings: &MatchSettings<G::Rules>,
        clients: Vec<Option<String>>,
    ) -> io::Result<Files<G>> {
        let header = self
            .header("native", clients, settings.games)
            .with_rules(&settings.rules)
            .with_option("random-plies", settings.opening)
            .with_option("resume-ms", 0)
            .with_option("retries", settings.retries);
        let record = self.record_path(&header);
        let sheets = G::SHEET.and(record.as_deref()).and_then(Path::parent);
        let sheets = sheets.map(Path::to_owned);
        Files::with(
            MatchRecord::at(record.as_deref(), &header)?,
            sheets.as_deref(),
            &settings.rules,
            header,
        )
    }
}

/// Greets a client and gives it its seat.
async fn sit<G: Game>(
    player: usize,
    stream: TcpStream,
    token: String,
    epoch: Instant,
    closing: TaskTracker,
) -> Option<Seated> {
    let (mut guest, hello) = greet(stream, G::NAME.as_str(), epoch).await?;
    let Hello { token: None, .. } = hello else {
        let reason = "this token has no seat here: who is lost does not come back";
        closing.spawn(guest.turn_away(ErrorCode::Token, reason));
        return None;
    };
    guest.tell(&welcome::<G>(1, games::Player::at(player), &token, false));
    Some((
        guest,
        hello.client.map(|client| name_of(&client, "unknown")),
    ))
}
