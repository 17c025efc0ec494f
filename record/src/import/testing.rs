//! Games for tests of imports.

use games::{Game, Player as Number, Seat};
use serde::Serialize;

use super::Format;
use super::draft::{Draft, header};
use crate::{EndKind, Header, Record, Replay, What};

/// The record of a game of legal moves that follow from a number; `leaves` says where a player loses by a fault.
pub(super) fn played<G: Game<Rules: Serialize> + crate::Recorded<Rules = <G as Game>::Rules>>(
    rules: &<G as Game>::Rules,
    position: Option<&str>,
    leaves: impl Fn(&G) -> Option<(u8, EndKind)>,
) -> Vec<u8> {
    let seats = <G as Game>::SEATS;
    let names: Vec<String> = (0..seats).map(|player| format!("p{player}")).collect();
    let header = header(<G as Game>::NAME, "m", &names, "2026-01-31");
    let mut draft = Draft::<G>::new(header.with_rules(rules));
    let begin = What::Begin {
        game: 1,
        seats: (0..seats as u8).rev().collect(),
        ranks: None,
        hands: Vec::new(),
        position: position.map(str::to_owned),
    };
    draft.begin(begin).expect("a beginning");
    let mut pick = 4_u64;
    let mut moves = Vec::new();
    while let Some(player) = draft.game().mover() {
        if let Some((player, kind)) = leaves(&draft.game().game) {
            draft.forfeit(player, kind).expect("a forfeit");
            continue;
        }
        draft.game().game.legal_moves(&mut moves);
        pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mv = moves[(pick >> 33) as usize % moves.len()];
        let played = draft.take(match Game::ply(&draft.game().game) {
            0 | 1 if <G as crate::Recorded>::SETUPS > 0 => What::Setup {
                player: player.number(),
                setup: mv.to_string(),
                name: Some(format!("p{player}")),
            },
            _ => What::play(player.number(), mv),
        });
        played.expect("a legal move");
    }
    draft.end();
    draft.close(Format::Record, false).expect("a record").bytes
}

/// The games of a record that are over, in the format of their field.
pub(super) fn sheets<G: Game + crate::Recorded>(record: &[u8]) -> String {
    let mut text = String::new();
    each::<G>(record, |replay, header| {
        if replay.ended {
            text += &replay.sheet(header);
        }
    });
    text
}

fn each<G: crate::Recorded>(record: &[u8], mut see: impl FnMut(&Replay<G>, &Header)) {
    let record = Record::read(record, "r").expect("a record");
    let rules = Replay::<G>::rules(&record.header).expect("rules");
    let mut current: Option<Replay<G>> = None;
    for event in &record.events {
        match &mut current {
            None => current = Replay::begin(&event.what, &rules).expect("a beginning"),
            Some(replay) => replay.apply(&event.what).expect("an event"),
        }
        if let Some(replay) = &current {
            see(replay, &record.header);
        }
        current.take_if(|replay| replay.ended);
    }
}

/// The player in a seat of a game of [`played`].
pub(super) fn player_at<G: Game>(seat: Seat) -> Number {
    Number::at(G::SEATS - 1 - seat.index())
}
