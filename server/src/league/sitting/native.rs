//! Games in the native protocol: one connection for all, a game for each fixture.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use games::Game;
use protocol::native::{ErrorCode, name_of};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

use super::door::SeatDoor;
use super::entrance::Entrance;
use super::{Done, Ended, Sitting, Wishes};
use crate::league::foyer::token_refusal;
use crate::lobby::native::files::Files;
use crate::lobby::native::greeting::{greet, new_token};
use crate::lobby::native::guest::Guest;
use crate::lobby::native::waiting::welcome;
use crate::lobby::native::{self, Played};
use crate::referee::native::{Given, MatchSettings, NativeReferee};
use crate::table::Table;
use crate::table::socket::Socket;
use record::{Event, Header};

/// A player that sits, and what its program calls itself.
type Seated = (Guest, Option<String>);

/// Plays the sitting with the players that come to these doors.
pub(super) async fn play<G: Game>(
    sitting: &Sitting,
    doors: Vec<Arc<SeatDoor>>,
    rules: G::Rules,
    wishes: &Wishes,
    on_done: &mut (dyn FnMut(Done) + Send),
) -> Ended {
    let epoch = Instant::now();
    let tokens: Vec<Option<String>> = (0..doors.len())
        .map(|player| sitting.entrant(player).access.token.clone())
        .collect();
    let closing = sitting.closing.clone();
    let departures = wishes.departures.clone();
    let mut entrance = Entrance::open(doors, &sitting.closing, move |player, stream| {
        let (wanted, closing) = (tokens[player].clone(), closing.clone());
        let stream = stream.with_ending(departures.ending(player));
        sit::<G>(player, stream, wanted, epoch, closing)
    });
    let ended = match entrance.all(&sitting.start_limits(), wishes).await {
        Ok(seated) => play_games::<G>(sitting, rules, seated, wishes, on_done).await,
        Err((missing, seated)) => {
            for (guest, _) in seated {
                let reason = "the game does not take place";
                let turned_away = guest.turn_away(ErrorCode::Stopped, reason);
                sitting.closing.spawn(turned_away);
            }
            sitting.not_full(&missing, wishes)
        }
    };
    entrance.close().await;
    ended
}

async fn play_games<G: Game>(
    sitting: &Sitting,
    rules: G::Rules,
    seated: Vec<Seated>,
    wishes: &Wishes,
    on_done: &mut (dyn FnMut(Done) + Send),
) -> Ended {
    let (guests, clients): (Vec<_>, _) = seated
        .into_iter()
        .map(|(guest, client)| (Some(guest), client))
        .unzip();
    let settings = settings(sitting, rules);
    let header = sitting
        .header("native", clients, settings.games)
        .with_rules(&settings.rules)
        .with_option("random-plies", settings.opening)
        .with_option("resume-ms", 0)
        .with_option("retries", settings.retries);
    let public = sitting.watching.table(&header);
    let mut files = match files::<G>(sitting, &settings.rules, header, wishes).await {
        Ok(files) => files,
        Err(ended) => return ended,
    };
    let mut collector = sitting.collector();
    let games = settings.games as usize;
    let mut ended = 0;
    let table = Table {
        referee: NativeReferee::<G>::new(settings, &sitting.names()),
        connections: guests.into(),
        // Nobody comes back to a seat.
        returns: None,
        epoch: Instant::now(),
        names: sitting.names(),
        closing: sitting.closing.clone(),
        finish: wishes.finish.clone(),
        stop: wishes.stop.clone(),
        public,
    };
    let mut audience = |_: &NativeReferee<G>, event: &Event| {
        files.event(event);
        if let Some(done) = collector.event(event) {
            ended += 1;
            on_done(done);
        }
    };
    let Played { reason, gone, .. } = native::play(table, &mut audience).await;
    match reason {
        _ if !gone.is_empty() => Ended::Gone,
        _ if ended == games || wishes.finish.is_cancelled() => Ended::Whole,
        _ if wishes.stop.is_cancelled() => Ended::stopped(),
        reason => Ended::Void(reason.unwrap_or_else(|| "the match broke off".to_owned())),
    }
}

fn settings<R>(sitting: &Sitting, rules: R) -> MatchSettings<R> {
    let given = |(number, fixture): (usize, &super::Fixture)| Given {
        seating: sitting.seating(number),
        seed: fixture.deal.seed(),
    };
    let fixtures = sitting.plan.fixtures.iter().enumerate();
    MatchSettings {
        games: sitting.plan.fixtures.len() as u32,
        swap: false,
        draw: false,
        rules,
        clocks: sitting.clocks(),
        resume: Duration::ZERO,
        ready: sitting.start_limits().into_iter().max().unwrap_or_default(),
        retries: 0,
        timeouts: sitting.settings.run.timeouts,
        // The programs that are left begin anew with others.
        goes_on: false,
        opening: sitting.settings.random_plies,
        position: String::new(),
        seed: 0,
        given: fixtures.map(given).collect(),
    }
}

async fn files<G: Game>(
    sitting: &Sitting,
    rules: &G::Rules,
    header: Header,
    wishes: &Wishes,
) -> Result<Files<G>, Ended> {
    let record = sitting.record(&header, wishes).await?;
    let sheets = G::SHEET.and(sitting.plan.record.as_deref());
    let sheets = sheets.and_then(Path::parent);
    Ok(Files::with(record, sheets, rules, header))
}

/// Greets a client and gives it its seat, if it has the token that is wanted.
async fn sit<G: Game>(
    player: usize,
    stream: Socket,
    wanted: Option<String>,
    epoch: Instant,
    closing: TaskTracker,
) -> Option<Seated> {
    let (mut guest, hello) = greet(stream, G::NAME.as_str(), epoch).await?;
    if let Some(reason) = token_refusal(&hello, wanted.as_deref()) {
        closing.spawn(guest.turn_away(ErrorCode::Token, reason));
        return None;
    }
    // Nobody comes back to a seat: the token opens nothing.
    guest.tell(&welcome::<G>(
        1,
        games::Player::at(player),
        &new_token(),
        false,
    ));
    Some((
        guest,
        hello.client.map(|client| name_of(&client, "unknown")),
    ))
}
